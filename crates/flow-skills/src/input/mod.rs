//! What a skill is given, from text to a typed value: [`recognise`] says what content is, [`labels`] and [`notation`]
//! read text, [`place`] puts everything into the fields of one object, and [`typed`] reads that object as the skill's
//! input type. [`kind`] names what skills pass to each other.

pub mod coerce;
pub mod kind;
pub mod labels;
pub mod notation;
pub mod place;
pub mod recognise;
pub mod typed;
pub mod values;

use serde_json::{Map, Value};

/// Largest input, in bytes.
pub const LARGEST: usize = 4 << 20;

/// Fields by name, and what the skill before gave.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The fields by name, as the input schema has them.
    pub fields: Map<String, Value>,
    /// The name and the `data` of the skill before, where one was fed.
    pub upstream: Option<(String, Value)>,
}
