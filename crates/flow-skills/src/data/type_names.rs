//! The type names of the notation, and their JSON types.

use super::{Shape, Type};
use crate::text::lists;

/// The types: their names in the notation, the JSON type, and the format.
const TYPES: [(&str, Type, &str); 17] = [
    ("string str text varchar char", Type::String, ""),
    ("uuid", Type::String, "uuid"),
    ("email", Type::String, "email"),
    ("uri url", Type::String, "uri"),
    ("ipv4", Type::String, "ipv4"),
    ("ipv6", Type::String, "ipv6"),
    ("date", Type::String, "date"),
    ("time", Type::String, "time"),
    ("datetime date-time timestamp", Type::String, "date-time"),
    ("bytes blob", Type::String, "bytes"),
    ("int integer", Type::Integer, ""),
    ("int32", Type::Integer, "int32"),
    ("int64 bigint", Type::Integer, "int64"),
    ("number float double real", Type::Number, ""),
    ("decimal", Type::Number, "decimal"),
    ("bool boolean", Type::Boolean, ""),
    ("object", Type::Object, ""),
];

/// The names of all types.
pub(super) fn all() -> String {
    let names = TYPES.iter().flat_map(|(names, ..)| names.split(' '));
    names.collect::<Vec<_>>().join(", ")
}

/// The JSON type and the format of a type by its name in small letters.
pub(super) fn find(lower: &str) -> Option<(Type, &'static str)> {
    let found = TYPES.iter().find(|(names, ..)| lists(names, lower));
    found.map(|(_, kind, format)| (*kind, *format))
}

/// The shape of a type name that implies one, such as `email` or `date`; `None` for a plain kind of text or number.
pub(super) fn named(name: &str) -> Option<Shape> {
    let (kind, format) = find(&name.to_ascii_lowercase())?;
    if kind != Type::String || format.is_empty() {
        return None;
    }
    let mut shape = Shape::of(kind);
    shape.string.format = Some(format.to_owned());
    Some(shape)
}
