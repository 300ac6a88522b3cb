//! What skills write, held against the tools that will read it.

mod commits;
mod judge;
