//! The kinds of data that skills pass to each other. An envelope names the kind, so that a reader never guesses from
//! the data.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::output::{Fault, Result};

/// The kind of data that a skill outputs, or accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A data model: entities with their fields.
    Model,
    /// A data model as tables of a dialect, with the older model in a migration.
    Tables,
    /// A story.
    Story,
    /// A story with its scenarios.
    Criteria,
    /// Test cases, with their story.
    Cases,
    /// What no skill reads, such as a report on the project's state.
    Report,
}

crate::text::display_as_serde!(Kind);

/// Data of one kind: the output of one skill and the input of another.
pub trait Payload: Serialize + DeserializeOwned {
    /// The kind.
    const KIND: Kind;
}

/// The output of the previous skill.
#[derive(Debug, Clone)]
pub struct Upstream {
    /// Name of the skill, for messages.
    pub skill: String,
    /// The kind of the data.
    pub kind: Kind,
    /// The data; they match the kind.
    pub data: Value,
}

impl Upstream {
    /// The content of an envelope.
    pub(crate) fn of_envelope(map: &Map<String, Value>) -> Result<Self> {
        let skill = map.get("skill").and_then(Value::as_str).unwrap_or_default().to_owned();
        if skill.is_empty() {
            return Err(Fault::Unreadable("the envelope does not name its skill".to_owned()));
        }
        let kind = map.get("kind").cloned().unwrap_or_default();
        let kind = serde_json::from_value(kind).map_err(|_| {
            Fault::Unreadable("the envelope does not name the kind of its data".to_owned())
        })?;
        Ok(Self { skill, kind, data: map.get("data").cloned().unwrap_or_default() })
    }

    /// The data as the type of its kind; `None` if it is of another kind.
    ///
    /// # Errors
    /// When the data do not match their kind.
    pub fn read<T: Payload>(&self) -> Result<Option<T>> {
        if self.kind != T::KIND {
            return Ok(None);
        }
        serde_json::from_value(self.data.clone()).map(Some).map_err(|error| {
            Fault::Refused(format!("the {} of {} cannot be read: {error}", self.kind, self.skill))
        })
    }
}
