//! Writers of types and validators: one file for each target, over one model.
//!
//! What a target can say itself is written in its own words ([`plain`] decides); for all else a predicate is embedded in
//! the artifact ([`check`]), so that each library gives the verdict that JSON Schema gives.

pub mod check;
pub mod literal;
pub mod names;
pub mod pattern;
pub mod plain;
pub mod runtime;
pub mod joi;
pub mod notes;
pub mod pydantic;
mod pydantic_words;
pub mod script;
pub mod typescript;
pub mod walk;
pub mod yup;
pub mod zod;
