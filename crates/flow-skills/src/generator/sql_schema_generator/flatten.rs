//! The shape of a property as one without references to follow, and without null.

use serde_json::Value;

use crate::data::{Model, Shape, Type};

/// A property with references resolved and null separated.
pub(super) struct Flat {
    pub(super) shape: Shape,
    pub(super) is_nullable: bool,
}

/// Follows references to entities that are not tables, unites what applies to the same value, and removes null from
/// unions.
pub(super) fn flatten(shape: &Shape, model: &Model, is_table: &dyn Fn(&str) -> bool) -> Flat {
    let mut shape = shape.clone();
    let mut is_nullable = false;
    // It ends: a model whose entities refer to each other in a circle for the same value is refused where it is read.
    loop {
        let allows_null = shape.types.is_empty() || shape.types.contains(&Type::Null);
        let parts = if shape.any_of.is_empty() { &mut shape.one_of } else { &mut shape.any_of };
        if parts.iter().any(is_null) {
            is_nullable |= allows_null;
            parts.retain(|part| !is_null(part));
        }
        let single = [parts, &mut shape.all_of].into_iter().find(|parts| parts.len() == 1);
        let entity = |name: &String| {
            model.entities.get(name).filter(|_| !is_table(name)).map(|entity| entity.shape.clone())
        };
        let inner = if let Some(part) = single.and_then(Vec::pop) {
            part
        } else if let Some(target) = shape.reference.as_ref().and_then(entity) {
            shape.reference = None;
            target
        } else {
            break;
        };
        shape = united(shape, inner);
    }
    let allows_null = if let Some(values) = &shape.enumeration {
        values.contains(&Value::Null)
    } else {
        let is_union = !(shape.any_of.is_empty() && shape.one_of.is_empty());
        shape.constant.is_none() && shape.reference.is_none() && !is_union
    };
    is_nullable |= shape.types.contains(&Type::Null) || allows_null && shape.types.is_empty();
    shape.types.retain(|kind| *kind != Type::Null);
    if let Some(values) = &mut shape.enumeration {
        values.retain(|value| !value.is_null());
    }
    Flat { shape, is_nullable }
}

fn is_null(shape: &Shape) -> bool {
    shape.types == [Type::Null] || shape.constant == Some(Value::Null)
}

/// What two shapes say of the same value. Where both have rules of a kind, those of the outer one are unchecked.
fn united(outer: Shape, inner: Shape) -> Shape {
    let mut shape = inner;
    shape.never |= outer.never;
    shape.description = outer.description.or(shape.description);
    shape.default = outer.default.or(shape.default);
    shape.all_of.extend(outer.all_of);
    let lost = &mut shape.unchecked;
    keep(&mut shape.types, outer.types, "a second type", lost);
    keep(&mut shape.enumeration, outer.enumeration, "a second list of values", lost);
    keep(&mut shape.constant, outer.constant, "a second constant", lost);
    keep(&mut shape.reference, outer.reference, "a second reference", lost);
    keep(&mut shape.number, outer.number, "a second rule on the number", lost);
    keep(&mut shape.string, outer.string, "a second rule on the text", lost);
    keep(&mut shape.array, outer.array, "a second rule on the list", lost);
    keep(&mut shape.object, outer.object, "a second rule on the object", lost);
    keep(&mut shape.any_of, outer.any_of, "a second anyOf", lost);
    keep(&mut shape.one_of, outer.one_of, "a second oneOf", lost);
    lost.extend(outer.unchecked);
    shape
}

/// Keeps the first one of two rules; the other is lost.
fn keep<T: PartialEq + Default>(own: &mut T, other: T, what: &str, lost: &mut Vec<String>) {
    let none = T::default();
    if *own == none {
        *own = other;
    } else if other != none && other != *own {
        lost.push(what.to_owned());
    }
}
