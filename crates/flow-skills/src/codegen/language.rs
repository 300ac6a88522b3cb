//! The target languages, and their literals for scalars.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetLanguage {
    TypeScript,
    Python,
}

impl TargetLanguage {
    /// A literal of a scalar.
    pub(crate) fn value(self, value: &Value) -> String {
        match (self, value) {
            (Self::Python, Value::Bool(true)) => "True".to_owned(),
            (Self::Python, Value::Bool(false)) => "False".to_owned(),
            (_, Value::String(text)) => quote(text),
            (_, other) => other.to_string(),
        }
    }

    /// Literals of scalars, with commas between them.
    pub(crate) fn values<'v>(self, values: impl IntoIterator<Item = &'v Value>) -> String {
        let values = values.into_iter().map(|value| self.value(value));
        values.collect::<Vec<_>>().join(", ")
    }
}

pub(super) fn quote(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    // These end a line for some parsers of scripts; Python's `\x7f` and all others are printed as they are.
    quoted.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
