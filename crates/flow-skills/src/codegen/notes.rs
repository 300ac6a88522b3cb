//! Notes about what an artifact omits.

use std::collections::BTreeSet;

use serde_json::Value;

use super::check::FORMATS;
use crate::data::{Model, Shape};
use crate::text::first;

/// Notes on what the reader of the model omitted, and on references that it could not follow.
pub(crate) fn of_reader(model: &Model) -> Vec<String> {
    /// So many references are named.
    const NAMED: usize = 5;
    let mut notes = model.notes.clone();
    if !model.outside.is_empty() {
        let named = first(&model.outside, NAMED, ", ");
        notes.push(format!("any value is accepted for references to other documents: {named}"));
    }
    notes
}

/// A note on schemas that list members and have no type.
pub(crate) fn forgotten_types(model: &Model) -> Option<String> {
    let forgets = |shape: &Shape| shape.types.is_empty() && !shape.object.properties.is_empty();
    let forgotten = model.entities.iter().filter(|(_, entity)| {
        forgets(&entity.shape) || entity.shape.object.properties.values().any(forgets)
    });
    let names: Vec<&str> = forgotten.map(|(name, _)| name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    Some(format!(
        "no \"type\": \"object\" beside the properties of {}: written as objects, although JSON Schema accepts every \
         other value too",
        names.join(", ")
    ))
}

/// Formats that the type of a number implies.
const NUMERIC: [&str; 4] = ["int32", "int64", "float", "double"];

/// A note on formats that no validator checks.
pub(crate) fn formats(model: &Model) -> Vec<String> {
    let value = serde_json::to_value(model).unwrap_or_default();
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![&value];
    while let Some(value) = open.pop() {
        let format = value.get("string").and_then(|rules| rules.get("format")?.as_str());
        let is_unchecked = |format: &&str| !FORMATS.contains(format) && !NUMERIC.contains(format);
        found.extend(format.filter(is_unchecked));
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    found.into_iter().map(|format| format!("the format {format:?} is not checked")).collect()
}
