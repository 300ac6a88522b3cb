//! Types of columns: their values, and what they are called in their own dialect.

use indexmap::IndexMap;
use serde_json::{Number, Value};
use sqlparser::ast::{ArrayElemTypeDef, DataType, EnumMember};

use crate::data::decimal::Decimal;
use crate::data::{Shape, SqlDialect, SqlType, Type, affinity, type_names};
use crate::text::lists;

/// What a column type says.
pub(super) struct DeclaredType {
    pub(super) shape: Shape,
    pub(super) is_identity: bool,
    /// The type in its own dialect; `None` if it is more than words and digits.
    pub(super) sql: Option<SqlType>,
    pub(super) note: Option<String>,
}

impl DeclaredType {
    fn new(shape: Shape, sql: String, is_enumeration: bool) -> Self {
        let sql = Some(SqlType { sql, is_enumeration }).filter(SqlType::is_plain);
        Self { shape, is_identity: false, sql, note: None }
    }
}

/// The values of a column type; `enums` are the enum types that the DDL declares.
pub(super) fn of_type(
    kind: &DataType,
    enums: &IndexMap<String, Vec<String>>,
    dialect: Option<SqlDialect>,
) -> DeclaredType {
    match kind {
        DataType::Unspecified => DeclaredType::new(Shape::default(), String::new(), false),
        DataType::Enum(members, _) => {
            let name = |member: &EnumMember| match member {
                EnumMember::Name(name) | EnumMember::NamedValue(name, _) => name.clone(),
            };
            DeclaredType::new(one_of(members.iter().map(name)), "enum".to_owned(), true)
        }
        DataType::Set(_) => {
            let note = Some("the type SET becomes text".to_owned());
            DeclaredType {
                note,
                sql: None,
                ..DeclaredType::new(Shape::of(Type::String), String::new(), false)
            }
        }
        DataType::Array(
            ArrayElemTypeDef::SquareBracket(item, _)
            | ArrayElemTypeDef::AngleBracket(item)
            | ArrayElemTypeDef::Parenthesis(item),
        ) => {
            let item = of_type(item, enums, dialect);
            let mut list = Shape::of(Type::Array);
            list.array.items = Some(Box::new(item.shape));
            let sql = item.sql.map(|item| SqlType { sql: format!("{}[]", item.sql), ..item });
            DeclaredType { shape: list, sql, ..item }
        }
        _ => of_name(kind, enums, dialect),
    }
}

/// The values of a type that is a name with arguments.
fn of_name(
    kind: &DataType,
    enums: &IndexMap<String, Vec<String>>,
    dialect: Option<SqlDialect>,
) -> DeclaredType {
    let written = kind.to_string().replace(['"', '`'], "").to_uppercase();
    let last = written.rsplit('.').next().unwrap_or(&written).to_lowercase();
    if let Some(labels) = enums.get(&last) {
        return DeclaredType::new(one_of(labels.iter().cloned()), last, true);
    }
    let name = written.trim_start_matches("PG_CATALOG.").trim_start_matches("PUBLIC.");
    let is_identity = type_names::is_numbered(&name.to_lowercase());
    let is_sqlite = dialect == Some(SqlDialect::Sqlite);
    let mut sql = if is_sqlite { kind.to_string().replace('"', "") } else { spelled(name) };
    if is_identity {
        sql = sql.replace("serial", "int");
    }
    let mut note = None;
    let shape = if let Some(shape) = named(name) {
        shape
    } else if is_sqlite {
        of_affinity(name)
    } else if lists(TEXTUAL, &head(name)) {
        Shape::of(Type::String)
    } else {
        note = Some(format!(
            "the type {kind} is not known: any value is allowed, and the database must have it"
        ));
        Shape::default()
    };
    DeclaredType { is_identity, note, ..DeclaredType::new(shape, sql, false) }
}

/// Types of PostgreSQL and MySQL that the model holds as text.
const TEXTUAL: &str = "BIT VARBIT TSVECTOR TSQUERY CIDR MACADDR MACADDR8 XML POINT LINE LSEG BOX PATH POLYGON CIRCLE \
    INT4RANGE INT8RANGE NUMRANGE TSRANGE TSTZRANGE DATERANGE INT4MULTIRANGE NUMMULTIRANGE TSTZMULTIRANGE OID REGCLASS \
    REGTYPE REGPROC NAME JSONPATH PG_LSN TXID_SNAPSHOT XID CID TID GEOMETRY LINESTRING MULTIPOINT MULTILINESTRING \
    MULTIPOLYGON GEOMETRYCOLLECTION INET6 INET4";

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

/// The values that SQLite prefers in a column, in which it keeps any other too.
fn of_affinity(declared: &str) -> Shape {
    let (kind, format) = match affinity(declared) {
        "INTEGER" => (Type::Integer, Some("int64")),
        "TEXT" => (Type::String, None),
        "REAL" => (Type::Number, None),
        "BLOB" => (Type::String, Some("bytes")),
        _ => return Shape::default(),
    };
    let mut shape = Shape::of(kind);
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
