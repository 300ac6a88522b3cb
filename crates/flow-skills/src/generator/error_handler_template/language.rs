//! The target languages of error classes, and their string literals.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use flow_model::hidden::{is_hidden, json_escape};

/// A language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(super) enum Language {
    TypeScript,
    Python,
}

impl Language {
    /// The names of all languages.
    pub(super) const ALL: &str = "typescript, python";

    /// The language with this name, in any case.
    pub(super) fn named(word: &str) -> Option<Self> {
        match word.to_lowercase().as_str() {
            "typescript" | "ts" => Some(Self::TypeScript),
            "python" | "py" => Some(Self::Python),
            _ => None,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
        }
    }

    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::TypeScript => "ts",
            Self::Python => "py",
        }
    }
}

impl TryFrom<String> for Language {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Self::named(word.trim()).ok_or_else(|| format!("one of {}", Self::ALL))
    }
}

/// A literal that is valid in both languages. Invisible characters are escaped.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::new();
    for c in Value::from(text).to_string().chars() {
        // Outside of the basic plane the languages have different escapes.
        if is_hidden(c) && c <= '\u{ffff}' {
            quoted.push_str(&json_escape(c));
        } else {
            quoted.push(c);
        }
    }
    quoted
}
