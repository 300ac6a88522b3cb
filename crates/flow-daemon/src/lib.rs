//! The daemon: it follows a project's state files and answers HTTP requests from an immutable snapshot of them.
//!
//! Data flows one way: files on disk → [`store`] (watch, load, tail, snapshot, publish) → [`web`] → reply, and
//! `control::client` → `control::server` → [`daemon`] for start, status and stop.
//!
//! Each module may name only those before it in this list: [`error`], [`model`], [`project`], `folder`, [`routes`],
//! [`store`], [`history`], [`derived`], [`web`], [`control`], [`daemon`]. `web` and `control` do not name each other. `tests/it/tidy.rs` checks
//! this.

pub use flow_model as model;

pub mod error;
pub mod project;
mod folder;
pub mod routes;
pub mod store;
pub mod history;
pub mod derived;
pub mod web;
pub mod control;
pub mod daemon;
