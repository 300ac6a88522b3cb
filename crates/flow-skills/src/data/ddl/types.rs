//! Column types and what values they hold.

use indexmap::IndexMap;
use serde_json::{Number, Value};
use sqlparser::ast::{ArrayElemTypeDef, DataType, EnumMember};

use crate::data::{Shape, Type};

/// A column's type, read.
pub(super) struct Read {
    pub(super) shape: Shape,
    pub(super) is_identity: bool,
    pub(super) note: Option<String>,
}

/// The values of a column type; `enums` are the enum types that the DDL declares.
pub(super) fn shape(kind: &DataType, enums: &IndexMap<String, Vec<String>>) -> Read {
    let plain = |shape| Read { shape, is_identity: false, note: None };
    match kind {
        DataType::Enum(members, _) => {
            let name = |member: &EnumMember| match member {
                EnumMember::Name(name) | EnumMember::NamedValue(name, _) => name.clone(),
            };
            return plain(one_of(members.iter().map(name)));
        }
        DataType::Array(
            ArrayElemTypeDef::SquareBracket(item, _)
            | ArrayElemTypeDef::AngleBracket(item)
            | ArrayElemTypeDef::Parenthesis(item),
        ) => {
            let item = shape(item, enums);
            let mut list = Shape::of(Type::Array);
            list.array.items = Some(Box::new(item.shape));
            return Read { shape: list, ..item };
        }
        _ => {}
    }
    let text = kind.to_string().replace(['"', '`'], "").to_uppercase();
    let last = text.rsplit('.').next().unwrap_or(&text).to_lowercase();
    if let Some(labels) = enums.get(&last) {
        return plain(one_of(labels.iter().cloned()));
    }
    let is_identity =
        matches!(text.as_str(), "SERIAL" | "BIGSERIAL" | "SMALLSERIAL" | "SERIAL4" | "SERIAL8");
    let (shape, note) = match named(&text) {
        Some(shape) => (shape, None),
        None => {
            (Shape::default(), Some(format!("the type {kind} is not known: any value is allowed")))
        }
    };
    Read { shape, is_identity, note }
}

/// A type by its text, such as `DECIMAL(10,2) UNSIGNED`.
fn named(text: &str) -> Option<Shape> {
    let head: String =
        text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let arguments = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(a, _)| a);
    let first = arguments.and_then(|a| a.split([',', ' ']).next()?.trim().parse::<u64>().ok());
    if head == "TINYINT" && first == Some(1) {
        return Some(Shape::of(Type::Boolean));
    }
    let mut shape = match head.as_str() {
        "BOOL" | "BOOLEAN" => Shape::of(Type::Boolean),
        "TINYINT" | "SMALLINT" | "INT2" | "SMALLSERIAL" | "YEAR" => format(Type::Integer, "int16"),
        "INT" | "INTEGER" | "INT4" | "MEDIUMINT" | "SERIAL" | "SERIAL4" => {
            format(Type::Integer, "int32")
        }
        "BIGINT" | "INT8" | "INT64" | "BIGSERIAL" | "SERIAL8" => format(Type::Integer, "int64"),
        "DECIMAL" | "NUMERIC" | "DEC" | "MONEY" => {
            let digits = arguments.map(|a| format!("decimal({})", a.replace(' ', "")));
            format(Type::Number, digits.as_deref().unwrap_or("decimal"))
        }
        "REAL" | "FLOAT" | "FLOAT4" | "FLOAT8" | "DOUBLE" => Shape::of(Type::Number),
        "CHAR" | "CHARACTER" | "VARCHAR" | "NVARCHAR" | "BPCHAR" | "NCHAR" | "STRING" => {
            let mut text = Shape::of(Type::String);
            text.string.max_length = first;
            text
        }
        "TEXT" | "TINYTEXT" | "MEDIUMTEXT" | "LONGTEXT" | "CLOB" | "CITEXT" => {
            Shape::of(Type::String)
        }
        "UUID" | "UNIQUEIDENTIFIER" => format(Type::String, "uuid"),
        "DATE" => format(Type::String, "date"),
        "TIME" | "TIMETZ" => format(Type::String, "time"),
        "DATETIME" | "TIMESTAMP" | "TIMESTAMPTZ" => format(Type::String, "date-time"),
        "INTERVAL" => format(Type::String, "duration"),
        "INET" => Shape::of(Type::String),
        "BYTEA" | "BLOB" | "TINYBLOB" | "MEDIUMBLOB" | "LONGBLOB" | "BINARY" | "VARBINARY" => {
            format(Type::String, "bytes")
        }
        "JSON" | "JSONB" | "ANY" => Shape::default(),
        _ => return None,
    };
    if text.ends_with("UNSIGNED") {
        shape.number.minimum = Some(Number::from(0));
        if shape.string.format.as_deref() == Some("int32") {
            shape.string.format = Some("int64".into());
        }
    }
    Some(shape)
}

fn format(kind: Type, format: &str) -> Shape {
    let mut shape = Shape::of(kind);
    shape.string.format = Some(format.to_owned());
    shape
}

fn one_of(values: impl Iterator<Item = String>) -> Shape {
    Shape { enumeration: Some(values.map(Value::String).collect()), ..Shape::of(Type::String) }
}

/// Adds null to what a column holds, or takes it away.
pub(super) fn nullable(shape: &mut Shape, is_nullable: bool) {
    if is_nullable {
        if !shape.types.is_empty() {
            shape.types.insert(0, Type::Null);
        }
        if let Some(values) = &mut shape.enumeration {
            values.push(Value::Null);
        }
    } else if shape.types.is_empty() {
        shape.types = vec![Type::Boolean, Type::Number, Type::String, Type::Array, Type::Object];
    }
}

/// A literal as the column holds it: `0` in a boolean column is false, `'1'` in a number's is 1.
pub(super) fn fit(literal: Value, shape: &Shape) -> Value {
    match (shape.types.as_slice(), &literal) {
        ([Type::Boolean], Value::Number(number)) => Value::Bool(number.as_i64() != Some(0)),
        ([Type::Integer | Type::Number], Value::String(text)) => {
            serde_json::from_str(text).ok().filter(Value::is_number).unwrap_or(literal)
        }
        ([] | [Type::Array | Type::Object], Value::String(text)) => {
            serde_json::from_str(text).unwrap_or(literal)
        }
        _ => literal,
    }
}
