//! A list or an object of a decision, such as options with their reasons, as Markdown.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

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
            Value::Array(items) if items.iter().any(|item| name_of(item).is_some()) => {
                items.iter().map(headed).collect::<Vec<_>>().join("\n\n")
            }
            Value::Object(_) => headed(&given),
            list => bullets(list, ""),
        };
        if written.trim().is_empty() {
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

/// A heading and what is said below it: of an object with a name, its other members; of another, a heading for each.
fn headed(item: &Value) -> String {
    let below = |name: &str, text: String| format!("### {name}\n\n{text}").trim_end().to_owned();
    let Value::Object(members) = item else { return below(&shown(item), String::new()) };
    if let Some(key) = name_of(item) {
        let others = members.iter().filter(|(name, _)| *name != key);
        let others: Map<String, Value> =
            others.map(|(name, value)| (name.clone(), value.clone())).collect();
        return below(&shown(&members[key]), bullets(&others.into(), ""));
    }
    let parts = members.iter().map(|(name, value)| {
        let is_nested = value.is_object() || value.is_array();
        below(&label(name), if is_nested { bullets(value, "") } else { shown(value) })
    });
    parts.collect::<Vec<_>>().join("\n\n")
}

/// The member that names an object.
fn name_of(item: &Value) -> Option<&'static str> {
    NAMES.into_iter().find(|name| item.get(name).is_some())
}

/// A value as items of a list; a list in it is nested.
fn bullets(value: &Value, indent: &str) -> String {
    let below = format!("{indent}  ");
    let items: Vec<String> = match value {
        Value::Array(items) => items.iter().map(|item| bullets(item, indent)).collect(),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| match value {
                Value::Array(_) | Value::Object(_) => {
                    format!("{indent}- {}:\n{}", label(name), bullets(value, &below))
                }
                text => format!("{indent}- {}: {}", label(name), shown(text)),
            };
            members.iter().map(member).collect()
        }
        Value::Null => Vec::new(),
        text => vec![format!("{indent}- {}", shown(text))],
    };
    items.join("\n")
}

/// The name of a member in words: `rejected_because` is `Rejected because`.
fn label(name: &str) -> String {
    capital(&name.replace('_', " "))
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), line)
}
