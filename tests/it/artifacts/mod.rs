//! What skills write, held against the tools that will read it.

mod changelog;
mod commits;
mod judge;
mod pr;
