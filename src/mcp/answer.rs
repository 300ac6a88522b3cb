//! The result of a tool or resource: an answer of the API, or other JSON, within the size limit.

use serde_json::Value;

use super::limits::LARGEST_ANSWER;
use crate::files::Files;
use crate::skill::project_state::state::Answers;

/// The lowest HTTP status that is an error.
const FIRST_ERROR: u16 = 400;
const NOT_FOUND: u16 = 404;

/// JSON, as text and as a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) value: Value,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The requested record does not exist.
    NotFound(String),
    /// The request or the state does not allow it.
    Other(String),
}

impl Refusal {
    pub(super) fn sentence(self) -> String {
        match self {
            Self::NotFound(sentence) | Self::Other(sentence) => sentence,
        }
    }
}

pub(super) type Result<T = Answer, E = Refusal> = std::result::Result<T, E>;

impl Answer {
    /// The API's answer for a path.
    ///
    /// # Errors
    /// The sentence of the API's error; and an answer that is too large.
    pub(super) fn of_api(files: &Files, target: &str) -> Result {
        Self::whole(files, target)?.within_limit()
    }

    /// The same, for an answer that is truncated afterwards.
    ///
    /// # Errors
    /// The sentence of the API's error.
    pub(super) fn whole(files: &Files, target: &str) -> Result {
        let (status, text) = files.get(target).map_err(Refusal::Other)?;
        let value: Value = serde_json::from_str(&text)
            .map_err(|error| Refusal::Other(format!("{target} could not be read: {error}")))?;
        if status < FIRST_ERROR {
            return Ok(Self { text, value });
        }
        let sentence = value["error"].as_str().unwrap_or("the request failed").to_owned();
        let sentence = with_known_parameters(sentence, &value);
        Err(if status == NOT_FOUND {
            Refusal::NotFound(sentence)
        } else {
            Refusal::Other(sentence)
        })
    }

    /// Any value.
    ///
    /// # Errors
    /// When it is too large.
    pub(super) fn of(value: Value) -> Result {
        Self { text: value.to_string(), value }.within_limit()
    }

    /// The same with at most `most` items in one of its lists; `left_out` counts the rest.
    ///
    /// # Errors
    /// As [`Answer::of`].
    pub(super) fn cut(self, list: &str, most: usize) -> Result {
        let mut value = self.value;
        let Some(items) = value[list].as_array_mut().filter(|items| items.len() > most) else {
            return Self { text: self.text, value }.within_limit();
        };
        let left_out = items.len() - most;
        items.truncate(most);
        value["left_out"] = left_out.into();
        Self::of(value)
    }

    fn within_limit(self) -> Result {
        let bytes = self.text.len();
        if bytes <= LARGEST_ANSWER {
            return Ok(self);
        }
        Err(Refusal::Other(format!(
            "the answer has {bytes} bytes, over the limit of {LARGEST_ANSWER}; request less: a smaller limit, a filter, \
             or only some fields"
        )))
    }
}

/// The sentence with the accepted names, if the API lists them.
fn with_known_parameters(sentence: String, error: &Value) -> String {
    let known: Vec<&str> =
        error["known"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if known.is_empty() { sentence } else { format!("{sentence}; known: {}", known.join(", ")) }
}
