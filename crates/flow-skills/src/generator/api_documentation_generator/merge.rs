//! What an existing document lacks of the generated one, and both as one document. Existing content is kept; merging twice
//! equals merging once.

use serde_json::{Map, Value};

use super::input::{Format, Version};
use crate::input::content::Content;
use crate::output::{Fault, Result, bad};

/// Depth down to which members are merged; below it, an operation, a schema or a server is a unit.
const DEEPEST: usize = 2;

pub(super) struct Existing {
    pub(super) value: Value,
    pub(super) version: Version,
    pub(super) format: Format,
    /// Its text; `None` if it was given as a value.
    pub(super) text: Option<String>,
}

impl Existing {
    pub(super) fn read(content: &Content) -> Result<Self> {
        let Content { value, text, .. } = content;
        let is_json = text.trim_start().starts_with('{');
        let format = if is_json { Format::Json } else { Format::Yaml };
        let text = Some(text.clone()).filter(|text| !text.is_empty());
        let value = value.clone().unwrap_or_else(|| Value::from(text.clone()));
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
                return Err(bad("merge", &value, allowed));
            }
        };
        Ok(Self { value, version, format, text })
    }
}

/// Adds to the existing value what it lacks of the generated one, and returns that.
pub(super) fn add(
    existing: &mut Value,
    generated: &Value,
    place: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> Option<Value> {
    match (existing, generated) {
        (Value::Object(existing), Value::Object(generated)) if place.len() <= DEEPEST => {
            let mut missing = Map::new();
            for (key, value) in generated {
                let added = if let Some(member) = existing.get_mut(key) {
                    place.push(key.clone());
                    let added = add(member, value, place, notes);
                    place.pop();
                    added
                } else {
                    existing.insert(key.clone(), value.clone());
                    Some(value.clone())
                };
                missing.extend(added.map(|added| (key.clone(), added)));
            }
            (!missing.is_empty()).then_some(Value::Object(missing))
        }
        (existing, generated) => {
            if existing != generated {
                notes.push(format!("{} stays as the document has it", place.join(".")));
            }
            None
        }
    }
}
