//! The shape of a property as one without references to follow, and without null.

use std::cmp::Ordering;
use std::fmt::Display;

use serde_json::{Number, Value};

use crate::data::{ArrayRules, Model, ObjectRules, Shape, Type};

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

/// The values that two shapes both allow. A rule for which one shape has no place beside another is unchecked.
fn united(outer: Shape, inner: Shape) -> Shape {
    let mut shape = inner;
    shape.never |= outer.never;
    shape.types = common(shape.types, outer.types, &mut shape.unchecked);
    shape.description = outer.description.or(shape.description);
    shape.default = outer.default.or(shape.default);
    if let (Some(values), Some(others)) = (&mut shape.enumeration, &outer.enumeration) {
        values.retain(|value| others.contains(value));
    }
    shape.enumeration = shape.enumeration.or(outer.enumeration);
    let (number, string) = (&mut shape.number, &mut shape.string);
    let least = |one: &mut Option<Number>, other: Option<Number>| {
        *one = one.take().into_iter().chain(other).max_by(by_value);
    };
    let most = |one: &mut Option<Number>, other: Option<Number>| {
        *one = one.take().into_iter().chain(other).min_by(by_value);
    };
    least(&mut number.minimum, outer.number.minimum);
    least(&mut number.exclusive_minimum, outer.number.exclusive_minimum);
    most(&mut number.maximum, outer.number.maximum);
    most(&mut number.exclusive_maximum, outer.number.exclusive_maximum);
    string.min_length = string.min_length.max(outer.string.min_length);
    string.max_length = string.max_length.into_iter().chain(outer.string.max_length).min();
    let lost = &mut shape.unchecked;
    keep(&mut number.multiple_of, outer.number.multiple_of, "multipleOf", lost);
    keep(&mut string.pattern, outer.string.pattern, "the pattern", lost);
    keep(&mut string.format, outer.string.format, "the format", lost);
    keep(&mut shape.constant, outer.constant, "the constant", lost);
    keep(&mut shape.reference, outer.reference, "the reference to", lost);
    if shape.array == ArrayRules::default() {
        shape.array = outer.array;
    }
    if shape.object == ObjectRules::default() {
        shape.object = outer.object;
    }
    shape.all_of.extend(outer.all_of);
    for (own, other, word) in
        [(&mut shape.any_of, outer.any_of, "anyOf"), (&mut shape.one_of, outer.one_of, "oneOf")]
    {
        if own.is_empty() {
            *own = other;
        } else if !other.is_empty() {
            lost.push(word.to_owned());
        }
    }
    lost.extend(outer.unchecked);
    shape
}

/// The types that are in both lists, where an empty one is all.
fn common(one: Vec<Type>, other: Vec<Type>, lost: &mut Vec<String>) -> Vec<Type> {
    if one.is_empty() {
        return other;
    }
    if other.is_empty() {
        return one;
    }
    let has = |types: &[Type], kind| {
        types.contains(&kind) || kind == Type::Integer && types.contains(&Type::Number)
    };
    let all = one.iter().chain(&other).copied();
    let mut both: Vec<Type> = all.filter(|kind| has(&one, *kind) && has(&other, *kind)).collect();
    both.sort_unstable();
    both.dedup();
    if both.is_empty() {
        lost.push("a second type".to_owned());
        return one;
    }
    both
}

fn by_value(one: &Number, other: &Number) -> Ordering {
    one.as_f64().partial_cmp(&other.as_f64()).unwrap_or(Ordering::Equal)
}

/// Keeps one of two rules; the other is lost.
fn keep<T: PartialEq + Display>(
    own: &mut Option<T>,
    other: Option<T>,
    what: &str,
    lost: &mut Vec<String>,
) {
    match (own.as_ref(), other) {
        (None, other) => *own = other,
        (Some(kept), Some(other)) if *kept != other => lost.push(format!("{what} {other}")),
        _ => {}
    }
}
