//! Notes about what an artifact omits.

use serde_json::Value;

use super::check::FORMATS;
use crate::data::{Model, Shape};

/// Notes on what the reader of the model omitted, and on references that it could not follow.
pub fn of_reader(model: &Model) -> Vec<String> {
    /// So many references are named.
    const NAMED: usize = 5;
    let mut notes = model.notes.clone();
    let mut named: Vec<&str> = model.outside.iter().map(String::as_str).take(NAMED).collect();
    let more = model.outside.len().saturating_sub(NAMED);
    let last = format!("{more} more");
    named.extend((more > 0).then_some(last.as_str()));
    if !named.is_empty() {
        notes.push(format!(
            "any value is accepted for references to other documents: {}",
            named.join(", ")
        ));
    }
    notes
}

/// A note on schemas that list members and have no type.
pub fn forgotten_types(model: &Model) -> Option<String> {
    let forgets = |shape: &Shape| shape.types.is_empty() && !shape.object.properties.is_empty();
    let forgotten = model.entities.iter().filter(|(_, entity)| {
        forgets(&entity.shape) || entity.shape.object.properties.values().any(forgets)
    });
    let names: Vec<&str> = forgotten.map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "no \"type\": \"object\" beside the properties of {}: written as objects, although JSON Schema accepts every \
             other value too",
            names.join(", ")
        )
    })
}

/// Formats that the type of a number implies.
const NUMERIC: [&str; 4] = ["int32", "int64", "float", "double"];

/// A note on formats that no validator checks.
pub fn formats(model: &Model) -> Vec<String> {
    let value = serde_json::to_value(model).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    let mut open = vec![&value];
    while let Some(value) = open.pop() {
        let format =
            value.get("string").and_then(|rules| rules.get("format")).and_then(Value::as_str);
        if let Some(format) = format.filter(|format| {
            !FORMATS.contains(format)
                && !NUMERIC.contains(format)
                && !found.iter().any(|own| own == format)
        }) {
            found.push(format.to_owned());
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    found.sort();
    let sentence = |format: String| format!("the format {format:?} is not checked");
    found.into_iter().map(sentence).collect()
}
