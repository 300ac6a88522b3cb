//! What a skill is given: fields, plain text, and what the skill before it made.
//!
//! It is data only; reading files and arguments is `cli`'s, checking fields against the skill's schema is
//! [`super::generator::run`]'s.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::output::{Fault, Result};
use crate::project_state::state::State;

/// Largest input, in bytes.
pub const LARGEST: usize = 4 << 20;

/// A skill's input.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The fields by name, as the input schema has them. Plain text stands in the field that the manifest names
    /// (`flow-input`), as does the Markdown of an upstream skill.
    pub fields: Map<String, Value>,
    /// The envelope of the skill before, where one was fed: its name and its `data`.
    pub upstream: Option<(String, Value)>,
}

/// What a skill may know beside its input. The same context and input give the same bytes.
#[derive(Debug, Clone)]
pub struct Context {
    /// The moment, RFC 3339 in UTC (`2026-01-31T09:30:00Z`); its first ten characters are the date.
    pub now: String,
    /// The project's state, asked for only where a skill needs it.
    pub state: State,
    /// The folder that relative paths and git ranges mean.
    pub folder: PathBuf,
}

impl Context {
    /// The date, `2026-01-31`.
    pub fn today(&self) -> &str {
        self.now.get(..10).unwrap_or(&self.now)
    }
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
