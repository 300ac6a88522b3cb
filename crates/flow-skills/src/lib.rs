//! Skills: an input becomes an artifact, the same bytes each time, without asking a model.
//!
//! One way through: [`input`] → [`generator`] (computes the typed data) → [`runtime::engine`] (a template) → [`output`]. The
//! catalog ([`runtime::catalog`]) is the folders under `skills/`, embedded, walked as data. Nothing here prints or writes a file:
//! that is `cli`.

pub mod output;
pub mod text;
pub mod input;
pub mod fields;
pub mod read;
pub mod check;
pub mod data;
pub mod codegen;
pub mod story;
pub mod project_state;
pub mod runtime;
pub mod generator;
