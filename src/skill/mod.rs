//! Skills: an input becomes an artifact, the same bytes each time, without asking a model.
//!
//! One way through: [`input`] → [`generator`] (computes the typed data) → [`engine`] (a template) → [`output`]. The
//! catalog ([`catalog`]) is the folders under `skills/`, embedded, walked as data. Nothing here prints or writes a file:
//! that is `cli`.

pub mod catalog;
pub mod manifest;
pub mod input;
pub mod output;
pub mod engine;
pub mod filters;
pub mod data;
pub mod write;
pub mod generator;
