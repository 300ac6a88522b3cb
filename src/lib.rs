//! `flow` makes the state of many coding agents readable: it watches the JSON files that they write and answers
//! HTTP requests from an immutable snapshot of them.
//!
//! This package is the command line. The daemon is [`flow_daemon`], the catalog of skills [`flow_skills`]; neither
//! depends on the other, so that a change in a skill does not recompile the daemon. They are re-exported here for
//! the tests and benchmarks.

pub use flow_daemon::{control, daemon, derived, error, history, project, routes, store, web};
pub use flow_model as model;
pub use flow_skills as skill;

mod explain;
mod git;
mod past;
mod revision;
mod git_plans;
pub mod files;
pub mod mcp;
pub mod cli;
