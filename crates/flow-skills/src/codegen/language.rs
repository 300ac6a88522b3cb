//! The target languages: their literals for strings, lists and JSON values.

use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetLanguage {
    TypeScript,
    Python,
}

impl TargetLanguage {
    /// A literal of a JSON value.
    pub(crate) fn value(self, value: &Value) -> String {
        match value {
            Value::Null => self.none().to_owned(),
            Value::Bool(flag) => self.flag(*flag).to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => quote(text),
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|item| self.value(item)).collect();
                list(&items)
            }
            Value::Object(map) if map.is_empty() => "{}".to_owned(),
            Value::Object(map) => {
                let member = |(key, value): (&String, &Value)| {
                    format!("{}: {}", self.key(key), self.value(value))
                };
                let members: Vec<String> = map.iter().map(member).collect();
                format!("{{ {} }}", members.join(", "))
            }
        }
    }

    pub(crate) fn none(self) -> &'static str {
        match self {
            Self::TypeScript => "null",
            Self::Python => "None",
        }
    }

    fn flag(self, flag: bool) -> &'static str {
        let [no, yes] = match self {
            Self::TypeScript => ["false", "true"],
            Self::Python => ["False", "True"],
        };
        if flag { yes } else { no }
    }

    /// A member's name in an object literal, where a plain `__proto__` would set the prototype.
    fn key(self, key: &str) -> String {
        match self {
            Self::TypeScript if key == "__proto__" => "[\"__proto__\"]".to_owned(),
            _ => quote(key),
        }
    }

    /// A pair, as an element of a list of pairs.
    pub(crate) fn pair(self, first: &str, second: &str) -> String {
        match self {
            Self::TypeScript => format!("[{first}, {second}]"),
            Self::Python => format!("({first}, {second})"),
        }
    }
}

pub(super) fn quote(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    // These end a line for some parsers of scripts; Python's `\x7f` and all others are printed as they are.
    quoted.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

pub(super) fn list(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}
