//! Column types and their values.

use indexmap::IndexMap;
use serde_json::{Number, Value};
use sqlparser::ast::{ArrayElemTypeDef, DataType, EnumMember};

use crate::data::decimal::Decimal;
use crate::data::{Shape, SqlDialect, SqlType, Type, type_names};
use crate::text::lists;

pub(super) struct Read {
    pub(super) shape: Shape,
    pub(super) is_identity: bool,
    /// The type in its own dialect; `None` if it is more than words and digits.
    pub(super) sql: Option<SqlType>,
    pub(super) note: Option<String>,
}

impl Read {
    fn new(shape: Shape, sql: String, is_enumeration: bool) -> Self {
        let sql = Some(SqlType { sql, is_enumeration }).filter(SqlType::is_plain);
        Self { shape, is_identity: false, sql, note: None }
    }
}

/// The values of a column type; `enums` are the enum types that the DDL declares.
pub(super) fn shape(
    kind: &DataType,
    enums: &IndexMap<String, Vec<String>>,
    dialect: Option<SqlDialect>,
) -> Read {
    match kind {
        DataType::Unspecified => Read::new(Shape::default(), String::new(), false),
        DataType::Enum(members, _) => {
            let name = |member: &EnumMember| match member {
                EnumMember::Name(name) | EnumMember::NamedValue(name, _) => name.clone(),
            };
            Read::new(one_of(members.iter().map(name)), "enum".to_owned(), true)
        }
        DataType::Set(_) => {
            let note = Some("the type SET becomes text".to_owned());
            Read { note, sql: None, ..Read::new(Shape::of(Type::String), String::new(), false) }
        }
        DataType::Array(
            ArrayElemTypeDef::SquareBracket(item, _)
            | ArrayElemTypeDef::AngleBracket(item)
            | ArrayElemTypeDef::Parenthesis(item),
        ) => {
            let item = shape(item, enums, dialect);
            let mut list = Shape::of(Type::Array);
            list.array.items = Some(Box::new(item.shape));
            let sql = item.sql.map(|item| SqlType { sql: format!("{}[]", item.sql), ..item });
            Read { shape: list, sql, ..item }
        }
        _ => by_text(kind, enums, dialect),
    }
}

fn by_text(
    kind: &DataType,
    enums: &IndexMap<String, Vec<String>>,
    dialect: Option<SqlDialect>,
) -> Read {
    let text = kind.to_string().replace(['"', '`'], "").to_uppercase();
    let last = text.rsplit('.').next().unwrap_or(&text).to_lowercase();
    if let Some(labels) = enums.get(&last) {
        return Read::new(one_of(labels.iter().cloned()), last, true);
    }
    let text = text.trim_start_matches("PG_CATALOG.").trim_start_matches("PUBLIC.");
    let is_identity = type_names::is_numbered(&text.to_lowercase());
    let is_sqlite = dialect == Some(SqlDialect::Sqlite);
    let sql = if is_sqlite { kind.to_string().replace('"', "") } else { spelled(text) };
    let sql = if is_identity { sql.replace("serial", "int") } else { sql };
    let known = named(text).or_else(|| is_sqlite.then(|| by_affinity(text)));
    let known = known.or_else(|| lists(TEXTUAL, &head(text)).then(|| Shape::of(Type::String)));
    let note = known.is_none().then(|| {
        format!("the type {kind} is not known: any value is allowed, and the database must have it")
    });
    Read { is_identity, note, ..Read::new(known.unwrap_or_default(), sql, false) }
}

/// Types of PostgreSQL and MySQL that the model holds as text.
const TEXTUAL: &str = "BIT VARBIT TSVECTOR TSQUERY CIDR MACADDR MACADDR8 XML POINT LINE LSEG BOX PATH POLYGON CIRCLE \
    INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE DATERANGE INT4MULTIRANGE NUMMULTIRANGE TSTZMULTIRANGE OID REGCLASS \
    REGTYPE REGPROC NAME JSONPATH PG_LSN TXID_SNAPSHOT XID CID TID GEOMETRY LINESTRING MULTIPOINT MULTILINESTRING \
    MULTIPOLYGON GEOMETRYCOLLECTION INET6 INET4 INTERVAL";

fn head(text: &str) -> String {
    let head = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
    head.unwrap_or_default().to_uppercase()
}

/// A type in the spelling that is usual.
fn spelled(text: &str) -> String {
    let text = text.to_lowercase();
    [
        ("character varying", "varchar"),
        ("timestamp with time zone", "timestamptz"),
        ("timestamp without time zone", "timestamp"),
    ]
    .into_iter()
    .fold(text, |text, (long, short)| text.replace(long, short))
}

/// SQLite's type affinity: any word is a type, and its parts determine the preferred values.
fn by_affinity(text: &str) -> Shape {
    const AFFINITIES: [(&str, Type, Option<&str>); 4] = [
        ("INT", Type::Integer, Some("int64")),
        ("CHAR CLOB TEXT", Type::String, None),
        ("REAL FLOA DOUB", Type::Number, None),
        ("BLOB", Type::String, Some("bytes")),
    ];
    let is_it = |words: &str| words.split(' ').any(|word| text.contains(word));
    let affinity = AFFINITIES.iter().find(|(words, ..)| is_it(words));
    let Some((_, kind, format)) = affinity else { return Shape::default() };
    let mut shape = Shape::of(*kind);
    shape.string.format = format.map(str::to_owned);
    shape
}

/// A type by its text, such as `DECIMAL(10,2) UNSIGNED`.
fn named(text: &str) -> Option<Shape> {
    let head = head(text).to_lowercase();
    let arguments = text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(a, _)| a);
    let first = arguments.and_then(|a| a.split([',', ' ']).next()?.trim().parse::<u64>().ok());
    if head == "tinyint" && first == Some(1) {
        return Some(Shape::of(Type::Boolean));
    }
    let mut shape = type_names::of_sql(&head)?;
    if type_names::is_sized(&head) {
        shape.string.max_length = first;
    }
    if let (Some("decimal"), Some(digits)) = (shape.string.format.as_deref(), arguments) {
        shape.string.format = Some(Decimal::format(Decimal::read(digits)));
    }
    if text.ends_with("UNSIGNED") {
        shape.number.minimum = Some(Number::from(0));
        if shape.string.format.as_deref() == Some("int32") {
            shape.string.format = Some("int64".into());
        }
    }
    Some(shape)
}

fn one_of(values: impl Iterator<Item = String>) -> Shape {
    Shape { enumeration: Some(values.map(Value::String).collect()), ..Shape::of(Type::String) }
}

/// Adds null to the values of a column, or removes it.
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

/// A literal as a value of the column: `0` in a boolean column is false, `'1'` in a numeric one is 1.
pub(super) fn fit(literal: Value, shape: &Shape) -> Value {
    match (shape.types.as_slice(), &literal) {
        ([Type::Boolean], Value::Number(number)) => Value::Bool(number.as_i64() != Some(0)),
        ([Type::Integer | Type::Number], Value::String(text)) => {
            serde_json::from_str(text).ok().filter(Value::is_number).unwrap_or(literal)
        }
        ([Type::Array], Value::String(text)) if text.starts_with('{') => {
            elements(text, shape).unwrap_or(literal)
        }
        ([] | [Type::Array | Type::Object], Value::String(text)) => {
            serde_json::from_str(text).unwrap_or(literal)
        }
        _ => literal,
    }
}

/// The values of PostgreSQL's literal of a list, `{a,b}`; `None` if it has quotes or lists.
fn elements(text: &str, shape: &Shape) -> Option<Value> {
    let inside = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    if inside.contains(['"', '{', '\\']) {
        return None;
    }
    let parts = inside.split(',').map(str::trim).filter(|part| !part.is_empty());
    let fitted = |part: &str| match &shape.array.items {
        _ if part.eq_ignore_ascii_case("null") => Value::Null,
        Some(item) => fit(part.into(), item),
        None => part.into(),
    };
    Some(parts.map(fitted).collect())
}
