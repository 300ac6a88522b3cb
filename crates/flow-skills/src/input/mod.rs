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

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::output::{Fault, Result};

/// Largest input, in bytes.
pub const LARGEST: usize = 4 << 20;

/// The input of a generator that is not converted to a typed input yet.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The fields by name, as the input schema has them.
    pub fields: Map<String, Value>,
    /// The name and the `data` of the skill before, where one was fed.
    pub upstream: Option<(String, Value)>,
}

impl Input {
    /// A text field; `None` when it is absent, null or no text.
    pub fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    /// A list field; empty when it is absent or no list.
    pub fn list(&self, field: &str) -> &[Value] {
        self.fields.get(field).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The model of the skill before; `None` where none was fed.
    ///
    /// # Errors
    /// When it is of another skill, or not what that skill gives.
    pub fn upstream_of<T: DeserializeOwned>(&self, skill: &str) -> Result<Option<T>> {
        let Some((name, data)) = &self.upstream else { return Ok(None) };
        if name != skill {
            return Err(Fault::Refused(format!(
                "what {name} makes cannot be read here; what {skill} makes can"
            )));
        }
        serde_json::from_value(data.clone())
            .map(Some)
            .map_err(|error| Fault::Refused(format!("the data of {skill} cannot be read: {error}")))
    }
}
