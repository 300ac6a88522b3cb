//! Generates code from the data model: types and validators.
//!
//! A [`crate::data::Shape`] has the semantics of JSON Schema; [`lower`] converts it to a [`kind::Kind`], the typed
//! model that every renderer reads. The part that a target cannot express stays a shape and becomes a predicate
//! ([`check`]), whose functions are embedded in the artifact ([`runtime`]).

pub(crate) mod check;
mod intersection;
pub(crate) mod joi;
pub(crate) mod kind;
pub(crate) mod language;
pub(crate) mod lower;
pub(crate) mod merge;
pub(crate) mod names;
pub(crate) mod notes;
pub(crate) mod order;
pub(crate) mod pattern;
pub(crate) mod pydantic;
mod pydantic_words;
pub(crate) mod render;
pub(crate) mod runtime;
pub(crate) mod script;
mod stripped;
pub(crate) mod syntax;
pub(crate) mod typescript;
pub(crate) mod yup;
pub(crate) mod zod;
