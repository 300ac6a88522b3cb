//! The names of types, in the notation of entities and in SQL, with what their values are in JSON.

use super::{Shape, Type};
use crate::text::lists;

/// Names, the JSON type (any, where there is none), and the format.
type Row = (&'static str, Option<Type>, &'static str);

/// Names that only the notation has, or that mean something else in SQL.
const NOTATION: [Row; 9] = [
    ("str", Some(Type::String), ""),
    ("email", Some(Type::String), "email"),
    ("uri url", Some(Type::String), "uri"),
    ("ipv4", Some(Type::String), "ipv4"),
    ("ipv6", Some(Type::String), "ipv6"),
    ("date-time", Some(Type::String), "date-time"),
    ("int integer", Some(Type::Integer), ""),
    ("number", Some(Type::Number), ""),
    ("object", Some(Type::Object), ""),
];
/// Built-in types of SQL.
const SQL: [Row; 15] = [
    ("bool boolean", Some(Type::Boolean), ""),
    ("tinyint smallint int2 int16 smallserial year", Some(Type::Integer), "int16"),
    ("int integer int4 int32 mediumint serial serial4", Some(Type::Integer), "int32"),
    ("bigint int8 int64 bigserial serial8", Some(Type::Integer), "int64"),
    ("decimal numeric dec money fixed", Some(Type::Number), "decimal"),
    ("real float float4 float8 double", Some(Type::Number), ""),
    (SIZED, Some(Type::String), ""),
    ("text tinytext mediumtext longtext clob citext inet", Some(Type::String), ""),
    ("uuid uniqueidentifier", Some(Type::String), "uuid"),
    ("date", Some(Type::String), "date"),
    ("time timetz", Some(Type::String), "time"),
    ("datetime timestamp timestamptz", Some(Type::String), "date-time"),
    ("interval", Some(Type::String), "duration"),
    ("bytes bytea blob tinyblob mediumblob longblob binary varbinary", Some(Type::String), "bytes"),
    ("json jsonb any", None, ""),
];
/// Types of texts whose argument is the most characters.
const SIZED: &str = "char character varchar nvarchar bpchar nchar string varchar2 nvarchar2";
/// Integers that the database numbers.
const NUMBERED: &str = "serial bigserial smallserial serial4 serial8";

/// Some of the names, for errors.
pub(super) const EXAMPLES: &str = "string, int, number, decimal(10,2), bool, date, time, datetime, uuid, email, url, ipv4, ipv6, bytes, json, \
    object, another type of SQL such as varchar(80)";

/// Whether a type in small letters is a text whose argument is the most characters.
pub(super) fn is_sized(lower: &str) -> bool {
    lists(SIZED, lower)
}

/// Whether a type in small letters is an integer that the database numbers.
pub(super) fn is_numbered(lower: &str) -> bool {
    lists(NUMBERED, lower)
}

/// The shape of a type of SQL by its name in small letters.
pub(super) fn of_sql(lower: &str) -> Option<Shape> {
    shape(&SQL, lower)
}

/// The shape of a type of the notation by its name in small letters.
pub(super) fn of_notation(lower: &str) -> Option<Shape> {
    shape(&NOTATION, lower).or_else(|| of_sql(lower))
}

fn shape(rows: &[Row], lower: &str) -> Option<Shape> {
    let (_, kind, format) = rows.iter().find(|(names, ..)| lists(names, lower))?;
    let mut shape = kind.map_or_else(Shape::default, Shape::of);
    if !format.is_empty() {
        shape.string.format = Some((*format).to_owned());
    }
    Some(shape)
}

/// The shape of a field's name that implies one, such as `email`, `date` or `created_at`; `None` for a plain kind of text or
/// number.
pub(super) fn implied(name: &str) -> Option<Shape> {
    let is_time = ["_at", "At"].iter().any(|end| name.len() > end.len() && name.ends_with(end));
    let name = if is_time { "datetime".to_owned() } else { name.to_ascii_lowercase() };
    let shape = of_notation(&name)?;
    let format = shape.string.format.as_deref()?;
    (shape.types == [Type::String] && format != "duration").then_some(shape)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::notation::entities::TYPES;

    #[test]
    fn the_notation_knows_each_type() {
        let rows = NOTATION.iter().chain(&SQL).flat_map(|(names, ..)| names.split_whitespace());
        let known: BTreeSet<&str> = rows.chain(["enum"]).collect();
        assert_eq!(TYPES.split_whitespace().collect::<BTreeSet<&str>>(), known);
    }
}
