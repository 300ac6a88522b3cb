//! Notes about the model that code is generated from.

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
