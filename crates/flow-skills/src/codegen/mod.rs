//! Renders the data model as code: types and validators.
//!
//! A [`crate::data::Shape`] says what JSON Schema says; [`lower`] makes a [`kind::Kind`] of it, the typed model that every
//! renderer reads. What a target has no word for stays a shape and becomes a predicate ([`check`]), whose functions are
//! embedded in the artifact ([`runtime`]).

pub mod check;
pub mod joi;
pub mod kind;
pub mod language;
pub mod lower;
pub mod merge;
pub mod names;
pub mod notes;
pub mod order;
pub mod pattern;
pub mod pydantic;
mod pydantic_words;
pub mod render;
pub mod runtime;
pub mod script;
pub mod syntax;
pub mod typescript;
pub mod yup;
pub mod zod;
