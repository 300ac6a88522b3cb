//! The input of one run of a skill, as `place` leaves it.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::content::Content;
use super::kind::Upstream;
use super::typed;
use crate::output::Result;

/// A skill's input, ready to be read as its input type.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// The fields by name.
    pub fields: Map<String, Value>,
    /// The content in the fields that a skill declares as such, recognised.
    pub contents: HashMap<&'static str, Content>,
    /// The output of the previous skill.
    pub upstream: Option<Upstream>,
    /// What was not read.
    pub notes: Vec<String>,
}

impl Given {
    /// The fields as the skill's input type.
    ///
    /// # Errors
    /// The first field that does not fit: its path, the value found, the expected type, and the purpose of the field.
    pub fn read<T: DeserializeOwned + JsonSchema>(&self) -> Result<T> {
        typed::read(&self.fields)
    }
}
