//! Generates code from the data model: types and validators.
//!
//! A [`crate::data::Shape`] has the semantics of JSON Schema; [`lower`] converts it to a [`kind::Kind`], the typed
//! model that every writer reads. What no kind expresses, or a library has no word for, is [`unchecked`]: a comment in
//! the generated code and a note.

pub(crate) mod kind;
pub(crate) mod language;
pub(crate) mod lower;
mod meet;
mod order;
mod pattern;
pub(crate) mod pydantic;
pub(crate) mod script;
pub(crate) mod typescript;
pub(crate) mod unchecked;
