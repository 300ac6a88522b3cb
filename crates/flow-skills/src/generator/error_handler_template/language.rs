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
    JavaScript,
    Python,
    Rust,
}

/// Names of each language in input; the first is its own.
const WORDS: [(Language, &[&str]); 4] = [
    (Language::TypeScript, &["typescript", "ts"]),
    (Language::JavaScript, &["javascript", "js", "node"]),
    (Language::Python, &["python", "py"]),
    (Language::Rust, &["rust", "rs"]),
];

impl Language {
    /// The language with this name, ignoring case.
    pub(super) fn named(word: &str) -> Option<Self> {
        let lower = word.to_lowercase();
        let found = WORDS.iter().find(|(_, words)| words.contains(&lower.as_str()));
        found.map(|(language, _)| *language)
    }

    pub(super) fn name(self) -> &'static str {
        let found = WORDS.iter().find(|(language, _)| *language == self);
        found.map_or("", |(_, words)| words[0])
    }

    pub(super) fn all() -> String {
        WORDS.map(|(_, words)| words[0]).join(", ")
    }

    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::TypeScript => "ts",
            Self::JavaScript => "mjs",
            Self::Python => "py",
            Self::Rust => "rs",
        }
    }

    /// A text as a string literal of the language.
    pub(super) fn quote(self, text: &str) -> String {
        if self == Self::Rust { format!("{text:?}") } else { json_quote(text) }
    }
}

impl TryFrom<String> for Language {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Self::named(word.trim()).ok_or_else(|| format!("one of {}", Self::all()))
    }
}

/// A literal that is valid in TypeScript, JavaScript and Python. Invisible characters are escaped.
fn json_quote(text: &str) -> String {
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
