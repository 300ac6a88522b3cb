//! Generates code from the data model: types and validators.
//!
//! A [`crate::data::Shape`] has the semantics of JSON Schema; [`lower`] converts it to a [`kind::Kind`], the typed
//! model that every renderer reads. The part that a target cannot express stays a shape and becomes a predicate
//! ([`check`]), whose functions are embedded in the artifact ([`runtime`]).

pub mod check;
mod intersection;
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
mod stripped;
pub mod syntax;
pub mod typescript;
pub mod yup;
pub mod zod;
