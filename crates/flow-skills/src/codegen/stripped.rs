//! Members that a schema removes because they are not named, as `z.object` does, although a predicate after it reads
//! them.

use serde_json::Value;

use super::kind::{Extra, Kind, Member};
use crate::data::{ObjectRules, Shape};

/// Whether the schema of a kind may remove members from a value, at any depth.
pub(super) fn removes_members(kind: &Kind) -> bool {
    match kind.base() {
        Kind::Object { extra: Extra::Unspecified, .. } | Kind::Reference(_) => true,
        other => other.children().into_iter().any(removes_members),
    }
}

/// Whether a predicate after the schema of a kind depends on members that the schema may remove.
pub(super) fn hides_members(kind: &Kind, predicate: &Shape) -> bool {
    let fields =
        if let Kind::Object { fields, .. } = kind.base() { fields.as_slice() } else { &[] };
    removes_members(kind) && !reads_only(predicate, fields)
}

/// Whether a predicate depends on no members of objects but these.
fn reads_only(shape: &Shape, fields: &[Member]) -> bool {
    let object = &shape.object;
    let is_field = |name: &String| fields.iter().any(|field| field.key == *name);
    let pairs = object.dependent_required.iter();
    let mut names = (object.required.iter().chain(object.properties.keys()))
        .chain(pairs.flat_map(|(name, needed)| std::iter::once(name).chain(needed)))
        .chain(object.dependent_schemas.keys());
    let is_about_names = ObjectRules {
        required: Vec::new(),
        properties: [].into(),
        dependent_required: [].into(),
        dependent_schemas: [].into(),
        ..object.clone()
    } == ObjectRules::default();
    let array = &shape.array;
    let inner = (object.properties.values().chain(&array.prefix_items))
        .chain([&array.items, &array.contains].into_iter().flatten().map(|own| &**own));
    let mut values = shape.enumeration.iter().flatten().chain(&shape.constant);
    shape.reference.is_none()
        && is_about_names
        && names.all(is_field)
        && !array.unique_items
        && array.unevaluated_items.is_none()
        && !values.any(|value| matches!(value, Value::Object(_) | Value::Array(_)))
        && shape.in_place().all(|shape| reads_only(shape, fields))
        && inner.into_iter().all(|shape| reads_only(shape, &[]))
}
