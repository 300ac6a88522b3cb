//! Merges the generated document into an existing one. Existing content is kept, byte for byte if its text can be
//! edited; merging twice equals merging once.

use serde_json::Value;

use super::input::{Format, Version};
use crate::output::{Fault, Result, bad};
use crate::text::yaml;
use crate::text::yaml::insert::{Addition, insert};

/// Depth down to which members are merged; below it, an operation, a schema or a server is a unit.
const DEEPEST: usize = 2;

pub(super) struct Existing {
    pub(super) value: Value,
    pub(super) version: Version,
    pub(super) format: Format,
    /// Its text; `None` if it was given as a value.
    text: Option<String>,
}

pub(super) struct Merged {
    pub(super) value: Value,
    pub(super) text: String,
    pub(super) notes: Vec<String>,
}

impl Existing {
    pub(super) fn read(given: &Value) -> Result<Self> {
        let (value, format, text) = match given {
            Value::String(text) => {
                let json = serde_json::from_str(text).map(|value| (value, Format::Json));
                let yaml = |_| (yaml::read(text).unwrap_or(Value::Null), Format::Yaml);
                let (value, format) = json.unwrap_or_else(yaml);
                (value, format, Some(text.clone()))
            }
            other => (other.clone(), Format::Yaml, None),
        };
        let version = match value.get("openapi").and_then(Value::as_str) {
            Some(version) if version.starts_with("3.0") => Version::V30,
            Some(version) if version.starts_with("3.1") => Version::V31,
            _ => {
                if let Some(version) = value.get("swagger").and_then(Value::as_str) {
                    return Err(Fault::Refused(format!(
                        "the document is Swagger {version}; convert it to OpenAPI 3 first"
                    )));
                }
                let allowed = "an OpenAPI document of version 3.0 or 3.1, as JSON or YAML";
                return Err(bad("merge", given, allowed));
            }
        };
        Ok(Self { value, version, format, text })
    }

    /// The document with the generated content merged.
    pub(super) fn merge(self, made: &Value, format: Format) -> Merged {
        let mut merger = Merger::default();
        let mut value = self.value;
        merger.merge(&mut value, made, &mut Vec::new());
        let Merger { additions, mut notes } = merger;
        if additions.is_empty() {
            notes.push("nothing to add: the document has all of it".to_owned());
        }
        let text = self.text.filter(|_| format == self.format).and_then(|text| {
            if additions.is_empty() {
                return Some(text);
            }
            let edited = insert(&text, &additions).filter(|edited| is(edited, &value));
            if edited.is_none() {
                notes.push("the document is written anew: comments and layout are lost, its text could not be edited".to_owned());
            }
            edited
        });
        let text = text.unwrap_or_else(|| super::write(&value, format));
        Merged { value, text, notes }
    }
}

/// Whether a text parses to a value, with members in any order.
fn is(text: &str, value: &Value) -> bool {
    serde_json::from_str::<Value>(text)
        .or_else(|_| yaml::read(text))
        .is_ok_and(|own: Value| own == *value)
}

#[derive(Default)]
struct Merger {
    additions: Vec<Addition>,
    notes: Vec<String>,
}

impl Merger {
    /// Adds what `own` lacks.
    fn merge(&mut self, own: &mut Value, made: &Value, place: &mut Vec<String>) {
        match (own, made) {
            (Value::Object(own), Value::Object(made)) if place.len() <= DEEPEST => {
                for (key, value) in made {
                    if let Some(there) = own.get_mut(key) {
                        place.push(key.clone());
                        self.merge(there, value, place);
                        place.pop();
                    } else {
                        self.add(place, Some(key), value);
                        own.insert(key.clone(), value.clone());
                    }
                }
            }
            (own @ Value::Null, Value::Object(made)) if !made.is_empty() => {
                for (key, value) in made {
                    self.add(place, Some(key), value);
                }
                *own = Value::Object(made.clone());
            }
            (Value::Array(own), Value::Array(made)) if place.as_slice() == ["tags"] => {
                for value in made {
                    if !own.iter().any(|there| there.get("name") == value.get("name")) {
                        self.add(place, None, value);
                        own.push(value.clone());
                    }
                }
            }
            (own, made) if own != made => {
                self.notes.push(format!("{} stays as the document has it", shown_place(place)));
            }
            _ => {}
        }
    }

    fn add(&mut self, place: &[String], key: Option<&String>, value: &Value) {
        let (place, key, value) = (place.to_vec(), key.cloned(), value.clone());
        self.additions.push(Addition { place, key, value });
    }
}

/// A path for messages: `GET /users` for `paths`, `/users`, `get`.
fn shown_place(place: &[String]) -> String {
    match place {
        [paths, path, method] if paths == "paths" => format!("{} {path}", method.to_uppercase()),
        _ => place.join("."),
    }
}
