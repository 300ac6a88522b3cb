//! The type names of the notation, and their JSON types.

use super::{Shape, Type};

/// The types by name: the name in the notation, the JSON type, and the format.
pub(super) const TYPES: [(&str, Type, &str); 31] = [
    ("string", Type::String, ""),
    ("str", Type::String, ""),
    ("text", Type::String, ""),
    ("varchar", Type::String, ""),
    ("char", Type::String, ""),
    ("uuid", Type::String, "uuid"),
    ("email", Type::String, "email"),
    ("uri", Type::String, "uri"),
    ("url", Type::String, "uri"),
    ("ipv4", Type::String, "ipv4"),
    ("ipv6", Type::String, "ipv6"),
    ("date", Type::String, "date"),
    ("time", Type::String, "time"),
    ("datetime", Type::String, "date-time"),
    ("date-time", Type::String, "date-time"),
    ("timestamp", Type::String, "date-time"),
    ("bytes", Type::String, "bytes"),
    ("blob", Type::String, "bytes"),
    ("int", Type::Integer, ""),
    ("integer", Type::Integer, ""),
    ("int32", Type::Integer, "int32"),
    ("int64", Type::Integer, "int64"),
    ("bigint", Type::Integer, "int64"),
    ("number", Type::Number, ""),
    ("float", Type::Number, ""),
    ("double", Type::Number, ""),
    ("real", Type::Number, ""),
    ("decimal", Type::Number, "decimal"),
    ("bool", Type::Boolean, ""),
    ("boolean", Type::Boolean, ""),
    ("object", Type::Object, ""),
];

/// The shape of a type name that implies one, such as `email` or `date`; `None` for a plain kind of text or number.
pub(super) fn named(name: &str) -> Option<Shape> {
    let lower = name.to_ascii_lowercase();
    let (_, own, format) = TYPES.iter().find(|(name, kind, format)| {
        *name == lower && *kind == Type::String && !format.is_empty()
    })?;
    let mut shape = Shape::of(*own);
    shape.string.format = Some((*format).to_owned());
    Some(shape)
}
