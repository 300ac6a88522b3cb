//! Skills: each turns an input into artifacts. The same input gives the same bytes; no language model is involved.
//!
//! Data flow: [`input`] → [`generator`] (computes typed data) → [`runtime`] (renders a template) → [`output`].
//! The catalog ([`runtime::catalog`]) is the embedded content of the folders under `skills/`. This crate neither prints
//! nor writes files; `cli` does.

pub mod output;
pub(crate) mod stack;
pub mod text;
pub mod reach;
pub mod page;
pub mod notation;
pub mod input;
pub mod data;
pub(crate) mod codegen;
pub mod story;
pub mod project_state;
pub mod runtime;
pub mod generator;
