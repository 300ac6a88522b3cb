//! The output of a skill and the faults of its input.

use std::path::{Component, Path, PathBuf};

use flow_files::FileId;
use serde::Serialize;
use serde_json::Value;

/// A text to print or to write to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Artifact {
    /// Its path below the chosen folder, such as `0001-use-postgres.md`.
    pub path: String,
    /// Its language: `markdown`, `typescript`, `python`, `sql`, `json`, `yaml`, `gherkin`, `mermaid`, `text`, `rust`,
    /// `javascript`.
    pub kind: &'static str,
    /// The complete text, ending in a newline.
    pub text: String,
    /// The file that the skill read as its subject, and that this text may replace.
    #[serde(skip)]
    pub replaces: Option<FileId>,
    /// What `--force` writes in its place, if that differs.
    #[serde(skip)]
    pub forced: Option<Forced>,
}

/// A text that is written only by force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forced {
    /// Its path below the chosen folder.
    pub path: String,
    /// The complete text.
    pub text: String,
    /// What the user should know of it.
    pub note: Option<String>,
    /// The note that holds for the text in whose place it is.
    pub instead_of: String,
}

impl Artifact {
    /// A text, with its path and language. The path may come from an id or a title: only what stays below the chosen
    /// folder is used of it.
    pub fn new(path: impl AsRef<Path>, kind: &'static str, text: String) -> Self {
        let parts = path.as_ref().components().filter(|part| matches!(part, Component::Normal(_)));
        let path: PathBuf = parts.collect();
        let path = path.to_string_lossy().replace(char::is_control, "-");
        Self { path, kind, text, replaces: None, forced: None }
    }

    /// The same text, which may replace the file `subject`.
    #[must_use]
    pub fn in_place_of(self, subject: Option<FileId>) -> Self {
        Self { replaces: subject, ..self }
    }
}

/// The output of a skill.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The data that the next skill reads.
    pub data: Value,
    /// The texts, the main one first.
    pub artifacts: Vec<Artifact>,
    /// What the input lacks and cannot be computed, worded as what to add.
    pub open: Vec<String>,
    /// What the user should know, in sentences: assumptions, and limitations of the target.
    pub notes: Vec<String>,
}

impl Output {
    /// The output with notes on its input, which come first.
    #[must_use]
    pub fn noted(mut self, notes: &[String]) -> Self {
        self.notes.splice(0..0, notes.iter().cloned());
        self
    }

    /// Takes what is written only by force.
    pub fn force(&mut self) {
        for artifact in &mut self.artifacts {
            let Some(forced) = artifact.forced.take() else { continue };
            artifact.path = forced.path;
            artifact.text = forced.text;
            self.notes.retain(|note| *note != forced.instead_of);
            self.notes.extend(forced.note);
        }
    }
}

/// A generator's data as the value that templates and the next skill read.
///
/// # Errors
/// Never, for data whose map keys are texts.
pub fn value(data: &impl Serialize) -> Result<Value> {
    serde_json::to_value(data)
        .map_err(|error| Fault::Refused(format!("could not write the data: {error}")))
}

/// Whether a value is its type's default, which the serialised form leaves out.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Why a text does not fit its notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The line, from 1.
    pub line: usize,
    /// The part that does not fit.
    pub part: String,
    /// The fault of the part.
    pub why: String,
    /// An example of the form.
    pub example: String,
}

/// Why there is no artifact. Always a fault of the input; exit code 2.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A required field is not given; a sentence that says which.
    #[error("{0}")]
    Missing(String),
    /// A field has an invalid value.
    #[error("the field {field:?} is {given}, but must be {allowed}")]
    Bad {
        /// Its name, with its path if nested.
        field: String,
        /// The value as JSON, truncated.
        given: String,
        /// What is allowed, in words.
        allowed: String,
    },
    /// A text that does not fit its notation.
    #[error(
        "the field {field:?}, line {}: {:?} {}; the form is `{}` (docs/notation.md)",
        .misfit.line, .misfit.part, .misfit.why, .misfit.example
    )]
    Notation {
        /// The field that contains the text.
        field: String,
        /// What does not fit.
        misfit: Misfit,
    },
    /// A fault of a text that has several lines.
    #[error("{fault}")]
    At {
        /// The line, from 1.
        line: usize,
        /// The fault.
        fault: Box<Self>,
    },
    /// The input cannot be decoded or parsed: not UTF-8, too large, invalid JSON or YAML.
    #[error("{0}")]
    Unreadable(String),
    /// Any other fault, as a sentence that names it.
    #[error("{0}")]
    Refused(String),
}

impl Fault {
    /// The same fault of a text in a notation, with the name of the field that has the text.
    #[must_use]
    pub fn of_field(self, name: &str) -> Self {
        match self {
            Self::Notation { misfit, .. } => Self::Notation { field: name.to_owned(), misfit },
            other => other,
        }
    }

    /// The fault of content that is the value of a field.
    #[must_use]
    pub fn of_value(self, name: &str) -> Self {
        match self {
            Self::Unreadable(why) => Self::Refused(format!("the field {name:?}: {why}")),
            other => other,
        }
    }

    /// The line of the text that it is about, from 1.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Notation { misfit: Misfit { line, .. }, .. } | Self::At { line, .. } => {
                Some(*line)
            }
            _ => None,
        }
    }
}

/// Longest part of a value that an error shows, in characters.
const SHOWN: usize = 80;

/// A required field that is not given.
pub fn missing(field: &str, expects: &str, description: &str) -> Fault {
    Fault::Missing(format!("the field {field:?} is missing: {description} ({expects})"))
}

/// A value that a field cannot take.
pub fn bad(field: &str, given: &Value, allowed: &str) -> Fault {
    bad_given(field, shown(given), allowed)
}

/// A value that a field cannot take, in words.
pub fn bad_given(field: &str, given: String, allowed: &str) -> Fault {
    Fault::Bad { field: field.to_owned(), given, allowed: allowed.to_owned() }
}

/// A text that a field cannot take.
pub fn bad_text(field: &str, given: &str, allowed: &str) -> Fault {
    bad(field, &Value::from(given), allowed)
}

/// A value as errors show it: JSON, truncated to `SHOWN` characters.
pub fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text,
    }
}

/// A skill's result.
pub type Result<T, E = Fault> = std::result::Result<T, E>;
