//! What an artifact does not say, for the reader: sentences.

use serde_json::Value;

use super::check::FORMATS;
use crate::data::{Model, Shape};

/// That a schema lists members and does not say that it means an object.
pub fn forgotten_types(model: &Model) -> Option<String> {
    let forgets = |shape: &Shape| shape.types.is_empty() && !shape.object.properties.is_empty();
    let forgotten = model.entities.iter().filter(|(_, entity)| {
        forgets(&entity.shape) || entity.shape.object.properties.values().any(forgets)
    });
    let names: Vec<&str> = forgotten.map(|(name, _)| name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "Members are listed without \"type\": \"object\" in {}: they are written as objects, although JSON Schema \
             lets every other value pass.",
            names.join(", ")
        )
    })
}

/// The formats that are named, but that no validator asserts.
pub fn formats(model: &Model) -> Vec<String> {
    let value = serde_json::to_value(model).unwrap_or_default();
    let mut found: Vec<String> = Vec::new();
    let mut open = vec![&value];
    while let Some(value) = open.pop() {
        let format =
            value.get("string").and_then(|rules| rules.get("format")).and_then(Value::as_str);
        if let Some(format) = format
            .filter(|format| !FORMATS.contains(format) && !found.iter().any(|own| own == format))
        {
            found.push(format.to_owned());
        }
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    found.sort();
    let sentence = |format: String| {
        format!("The format {format:?} is not checked: it is only said what is meant.")
    };
    found.into_iter().map(sentence).collect()
}
