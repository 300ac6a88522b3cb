//! Bounds of which the least is more than the greatest: no value fits them, which the writer did not mean.

use serde_json::Number;

use super::{Model, Shape};

/// Most contradictions that are named.
const MOST: usize = 20;

/// What is said of each shape that allows no value because of its bounds.
pub(crate) fn notes(model: &Model) -> Vec<String> {
    let mut open: Vec<(String, &Shape)> =
        model.entities.iter().rev().map(|(name, entity)| (name.clone(), &entity.shape)).collect();
    let mut notes = Vec::new();
    while let Some((place, shape)) = open.pop() {
        if let Some((what, least, greatest)) = contradiction(shape) {
            notes.push(format!(
                "{place} allows no value: {what} is at least {least} and at most {greatest}"
            ));
        }
        if notes.len() == MOST {
            break;
        }
        let members = shape.object.properties.iter().rev();
        open.extend(members.map(|(name, member)| (format!("{place}.{name}"), member)));
        open.extend(shape.array.items.as_deref().map(|item| (format!("{place}[]"), item)));
    }
    notes
}

fn contradiction(shape: &Shape) -> Option<(&'static str, Number, Number)> {
    let (number, string, array) = (&shape.number, &shape.string, &shape.array);
    let count = |count: Option<u64>| count.map(Number::from);
    let bounds = [
        ("it", number.minimum.clone(), number.maximum.clone()),
        ("its length", count(string.min_length), count(string.max_length)),
        ("the number of its items", count(array.min_items), count(array.max_items)),
    ];
    bounds.into_iter().find_map(|(what, least, greatest)| {
        let (least, greatest) = (least?, greatest?);
        (least.as_f64()? > greatest.as_f64()?).then_some((what, least, greatest))
    })
}
