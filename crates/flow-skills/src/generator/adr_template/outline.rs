//! A list or an object of a decision, such as options with their reasons, as Markdown.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::input::values::Block;
use crate::page::listed;
use crate::text::{capital, line};

/// The members that name an object of a list.
const NAMES: [&str; 3] = ["name", "title", "option"];

/// What is given of a section: a text, a list, or an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "Value")]
#[schemars(with = "Value", extend("type" = ["string", "array", "object"]))]
pub(super) enum Outline {
    Text(Block),
    /// The list or the object, as Markdown.
    Written(String),
}

impl TryFrom<Value> for Outline {
    type Error = &'static str;

    fn try_from(given: Value) -> Result<Self, &'static str> {
        let written = match &given {
            Value::String(text) => return Block::new(text).map(Self::Text),
            other => bullets(other, ""),
        };
        if written.is_empty() {
            Err("text, a list or an object")
        } else {
            Ok(Self::Written(written))
        }
    }
}

impl Outline {
    /// It as Markdown; a text of one line is a list of the parts between marks.
    pub(super) fn markdown(&self, marks: &[char]) -> String {
        match self {
            Self::Text(text) => listed(text, marks),
            Self::Written(text) => text.clone(),
        }
    }
}

/// A value as items of a list. What is said of an item stands in a list below it.
fn bullets(value: &Value, indent: &str) -> String {
    let below = format!("{indent}  ");
    let nested = |head: String, value: &Value| match bullets(value, &below) {
        list if list.is_empty() => format!("{indent}- {head}"),
        list => format!("{indent}- {head}\n{list}"),
    };
    let items: Vec<String> = match value {
        Value::Array(items) => items.iter().map(|item| bullets(item, indent)).collect(),
        Value::Object(members) => {
            if let Some(name) = NAMES.into_iter().find(|name| members.contains_key(*name)) {
                let mut others = members.clone();
                let head = others.shift_remove(name).unwrap_or_default();
                return nested(shown(&head), &others.into());
            }
            let member = |(name, value): (&String, &Value)| match value {
                Value::Array(_) | Value::Object(_) => nested(format!("{}:", label(name)), value),
                Value::Null => String::new(),
                text => format!("{indent}- {}: {}", label(name), shown(text)),
            };
            members.iter().map(member).collect()
        }
        Value::Null => Vec::new(),
        text => vec![format!("{indent}- {}", shown(text))],
    };
    items.into_iter().filter(|item| !item.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The name of a member in words: `rejected_because` is `Rejected because`.
fn label(name: &str) -> String {
    capital(&name.replace('_', " "))
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), line)
}
