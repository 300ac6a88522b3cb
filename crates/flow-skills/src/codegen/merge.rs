//! Merges the members of `allOf` into the surrounding shape, as far as that changes no verdict.

use serde_json::{Map, Value};

use crate::data::{Shape, Type};

/// The shape with every member of `all_of` merged that can be.
pub(crate) fn flatten(mut shape: Shape) -> Shape {
    let members = std::mem::take(&mut shape.all_of);
    let mut left = Vec::new();
    for member in members {
        let member = flatten(member);
        match merged(&shape, &member) {
            Some(both) => shape = both,
            None => left.push(member),
        }
    }
    shape.all_of.extend(left);
    shape
}

/// One shape that is equivalent to both together.
fn merged(a: &Shape, b: &Shape) -> Option<Shape> {
    let looks_at_siblings = |shape: &Shape| {
        shape.never
            || shape.object.unevaluated_properties.is_some()
            || shape.array.unevaluated_items.is_some()
            || shape.object.additional.as_deref().is_some_and(|rest| *rest != Shape::default())
    };
    // `additionalProperties` and similar keywords depend on the members in their own schema only.
    if looks_at_siblings(a) || looks_at_siblings(b) {
        return None;
    }
    let has_condition = |shape: &Shape| {
        shape.if_shape.is_some() || shape.then_shape.is_some() || shape.else_shape.is_some()
    };
    let has_items =
        |shape: &Shape| shape.array.items.is_some() || !shape.array.prefix_items.is_empty();
    if has_condition(a) && has_condition(b) || has_items(a) && has_items(b) {
        return None;
    }
    let mut both = a.clone();
    both.types = types(&a.types, &b.types)?;
    both.all_of.extend(b.all_of.iter().cloned());
    for name in &b.object.required {
        if !both.object.required.contains(name) {
            both.object.required.push(name.clone());
        }
    }
    for (key, shape) in &b.object.properties {
        let own = both.object.properties.entry(key.clone()).or_default();
        if own == &Shape::default() {
            *own = shape.clone();
        } else if own != shape {
            let first = std::mem::take(own);
            own.description.clone_from(&first.description);
            own.all_of = vec![first, shape.clone()];
        }
    }
    let own = serde_json::to_value(&both).ok()?;
    let more = serde_json::to_value(b).ok()?;
    let none = serde_json::to_value(Shape::default()).ok()?;
    let (Value::Object(mut own), Value::Object(more), Value::Object(none)) = (own, more, none)
    else {
        return None;
    };
    fill(&mut own, &more, &none).then(|| serde_json::from_value(Value::Object(own)).ok())?
}

/// Copies the values that `own` leaves at their default; false if both are set and differ.
fn fill(
    own: &mut Map<String, Value>,
    more: &Map<String, Value>,
    none: &Map<String, Value>,
) -> bool {
    const DONE: [&str; 4] = ["types", "all_of", "required", "properties"];
    const ANNOTATIONS: [&str; 4] = ["title", "description", "default", "examples"];
    more.iter().filter(|(key, _)| !DONE.contains(&key.as_str())).all(|(key, value)| {
        let default = none.get(key).unwrap_or(&Value::Null);
        let Some(mine) = own.get_mut(key) else { return false };
        if value == default || mine == value {
            return true;
        }
        if mine == default {
            *mine = value.clone();
            return true;
        }
        match (mine, value, default) {
            // A struct of rules has a default for each field; a map of names does not.
            (Value::Object(mine), Value::Object(value), Value::Object(default))
                if !default.is_empty() =>
            {
                fill(mine, value, default)
            }
            _ => ANNOTATIONS.contains(&key.as_str()),
        }
    })
}

/// The types that both allow; `None` if there is none.
fn types(a: &[Type], b: &[Type]) -> Option<Vec<Type>> {
    if a.is_empty() || b.is_empty() {
        return Some(if a.is_empty() { b.to_vec() } else { a.to_vec() });
    }
    let has = |list: &[Type], kind: Type| {
        list.contains(&kind) || kind == Type::Integer && list.contains(&Type::Number)
    };
    let mut both: Vec<Type> = a.iter().chain(b).copied().collect();
    both.retain(|kind| has(a, *kind) && has(b, *kind));
    both.sort_unstable();
    both.dedup();
    (!both.is_empty()).then_some(both)
}
