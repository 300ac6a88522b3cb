//! The output of a skill and the faults of its input.

use flow_files::FileId;
use serde::Serialize;
use serde_json::Value;

/// A text that is to be printed or written to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artifact {
    /// Where it is written under the chosen folder, such as `0001-use-postgres.md`.
    pub path: String,
    /// What it is: `markdown`, `typescript`, `python`, `sql`, `json`, `yaml`, `gherkin`, `mermaid`, `text`, `rust`,
    /// `javascript`.
    pub kind: &'static str,
    /// The whole text, ending in a newline.
    pub text: String,
    /// The file that the skill read as its subject and understood, which this text may take the place of.
    #[serde(skip)]
    pub replaces: Option<FileId>,
    /// Why the file at its place was not taken as the subject, where the skill extends such files.
    #[serde(skip)]
    pub not_extended: Option<String>,
}

impl Artifact {
    /// A text, with where it is written and what it is.
    pub fn new(path: impl Into<String>, kind: &'static str, text: String) -> Self {
        Self { path: path.into(), kind, text, replaces: None, not_extended: None }
    }

    /// A text made from a file that it may take the place of.
    #[must_use]
    pub fn in_place_of(self, subject: Option<FileId>) -> Self {
        Self { replaces: subject, ..self }
    }
}

/// What a skill made.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The typed model that the next skill reads.
    pub data: Value,
    /// The texts, the main one first.
    pub artifacts: Vec<Artifact>,
    /// What the input does not say and nothing can be computed for: questions, in sentences.
    pub open: Vec<String>,
    /// What the user should know, in sentences: assumptions, what a target cannot express.
    pub notes: Vec<String>,
}

/// A generator's model as the value that templates and the next skill read.
///
/// # Errors
/// Never, for a model whose map keys are texts.
pub fn value(data: &impl Serialize) -> Result<Value> {
    serde_json::to_value(data)
        .map_err(|error| Fault::Refused(format!("could not write the data: {error}")))
}

/// Why there is no artifact. Always the input's fault; exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Something without which there is no artifact.
    #[error("the field {field:?} is missing: {description} ({expects})")]
    Missing {
        /// Its name, with a path where it is nested (`options[2].name`).
        field: String,
        /// Its type, in words.
        expects: String,
        /// What it is, as the input schema says.
        description: String,
    },
    /// A value that cannot be used.
    #[error("the field {field:?} is {given}, but must be {allowed}")]
    Bad {
        /// Its name, with a path where it is nested.
        field: String,
        /// The value, as JSON, cut where it is long.
        given: String,
        /// What is allowed, in words.
        allowed: String,
    },
    /// A field that the skill does not know.
    #[error("the field {field:?} is not known; {known}")]
    Unknown {
        /// Its name.
        field: String,
        /// The fields that are, and the nearest one.
        known: String,
    },
    /// A text that does not fit its notation.
    #[error(
        "the field {field:?}, line {line}: {part:?} {why}; the form is `{example}` (docs/notation.md)"
    )]
    Notation {
        /// The field that the text stands in.
        field: String,
        /// The line, from 1.
        line: usize,
        /// The part that does not fit.
        part: String,
        /// What is wrong with it.
        why: String,
        /// The form, in the user's own words where they can be used.
        example: String,
    },
    /// The input is no input: not UTF-8, too large, broken JSON or YAML.
    #[error("{0}")]
    Unreadable(String),
    /// Anything else, in a sentence that names it.
    #[error("{0}")]
    Refused(String),
}

/// Longest part of a value that an error shows, in characters.
const SHOWN: usize = 80;

/// A value that a field cannot take.
pub fn bad(field: &str, given: &Value, allowed: &str) -> Fault {
    Fault::Bad { field: field.to_owned(), given: shown(given), allowed: allowed.to_owned() }
}

/// A text that a field cannot take.
pub fn bad_text(field: &str, given: &str, allowed: &str) -> Fault {
    bad(field, &Value::from(given), allowed)
}

/// A value as errors show it: JSON, truncated to [`SHOWN`] characters.
pub fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text,
    }
}

/// A skill's result.
pub type Result<T, E = Fault> = std::result::Result<T, E>;
