//! What skills write, held against the tools that will read it.

mod changelog;
mod commits;
mod errors;
mod judge;
mod pr;
