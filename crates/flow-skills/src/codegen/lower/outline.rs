//! Shapes without the parts that do not matter for a question about them, so that no reference inside of those is
//! followed.

use crate::data::{ObjectRules, Shape};

/// A shape without what is inside of its members and items: enough to know whether its values are objects.
pub(super) fn outline(shape: &Shape) -> Shape {
    let all = |parts: &[Shape]| parts.iter().map(outline).collect();
    Shape {
        never: shape.never,
        enumeration: shape.enumeration.clone(),
        constant: shape.constant.clone(),
        any_of: all(&shape.any_of),
        one_of: all(&shape.one_of),
        all_of: all(&shape.all_of),
        ..own(shape)
    }
}

/// The members of a shape of objects, without anything but their lists of values.
pub(super) fn members(shape: &Shape) -> Shape {
    Shape { all_of: shape.all_of.iter().map(members).collect(), ..own(shape) }
}

/// The types, the reference and the members of a shape itself.
fn own(shape: &Shape) -> Shape {
    let listed = |member: &Shape| Shape {
        enumeration: member.enumeration.clone(),
        constant: member.constant.clone(),
        ..Shape::default()
    };
    let properties = shape.object.properties.iter();
    let object = ObjectRules {
        properties: properties.map(|(key, member)| (key.clone(), listed(member))).collect(),
        required: shape.object.required.clone(),
        additional: shape.object.additional.clone().filter(|rest| rest.never),
        ..ObjectRules::default()
    };
    Shape {
        types: shape.types.clone(),
        reference: shape.reference.clone(),
        object,
        ..Shape::default()
    }
}
