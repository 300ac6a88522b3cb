//! `flow` makes the state of many coding agents readable: it follows the JSON files that they write and answers
//! HTTP requests from an immutable snapshot of them.
//!
//! There are three ways through the crate, and each is walked in one direction only.
//!
//! - **State**: files on disk → [`store`] (watch, load, tail, snapshot, publish) → [`web`] → reply
//! - **Skills**: [`cli`] → [`skill`] (input, generator, template) → artifact
//! - **Control**: [`cli`] → `control::client` → `control::server` → [`daemon`]
//!
//! Each module may name only those before it in this list: [`error`], [`project`], [`model`], [`routes`],
//! [`store`], [`web`], [`control`], [`daemon`], [`skill`], [`cli`]. `web` and `control` do not name each other. A test
//! (`tests/it/tidy.rs`) holds this.

pub mod error;
pub mod project;
pub mod model;
pub mod routes;
pub mod store;
pub mod web;
pub mod control;
pub mod daemon;
pub mod skill;
pub mod cli;
