//! The target languages: their literals for strings, lists and JSON values.

use serde_json::Value;

/// A target language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetLanguage {
    /// TypeScript.
    TypeScript,
    /// Python 3.
    Python,
}

impl TargetLanguage {
    /// A string literal.
    pub fn text(self, text: &str) -> String {
        let quoted = Value::from(text).to_string();
        // These end a line for some parsers of scripts; Python's `\x7f` and all others are printed as they are.
        quoted.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
    }

    /// A literal of a JSON value.
    pub fn value(self, value: &Value) -> String {
        match value {
            Value::Null => self.none().to_owned(),
            Value::Bool(flag) => self.flag(*flag).to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.value(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Object(map) => {
                let members: Vec<String> = map
                    .iter()
                    .map(|(key, value)| format!("{}: {}", self.key(key), self.value(value)))
                    .collect();
                if members.is_empty() {
                    "{}".to_owned()
                } else {
                    format!("{{ {} }}", members.join(", "))
                }
            }
        }
    }

    /// `null` or `None`.
    pub fn none(self) -> &'static str {
        match self {
            Self::TypeScript => "null",
            Self::Python => "None",
        }
    }

    fn flag(self, flag: bool) -> &'static str {
        match (self, flag) {
            (Self::TypeScript, true) => "true",
            (Self::TypeScript, false) => "false",
            (Self::Python, true) => "True",
            (Self::Python, false) => "False",
        }
    }

    /// A member's name in an object literal, where a plain `__proto__` would set the prototype.
    fn key(self, key: &str) -> String {
        match self {
            Self::TypeScript if key == "__proto__" => "[\"__proto__\"]".to_owned(),
            _ => self.text(key),
        }
    }

    /// A list of expressions.
    pub fn list(self, items: &[String]) -> String {
        format!("[{}]", items.join(", "))
    }

    /// A pair, as an element of a list of pairs.
    pub fn pair(self, first: &str, second: &str) -> String {
        match self {
            Self::TypeScript => format!("[{first}, {second}]"),
            Self::Python => format!("({first}, {second})"),
        }
    }
}
