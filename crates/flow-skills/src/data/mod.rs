//! The data model of types, validation, SQL, API documents and ER diagrams: many readers, one model, many writers.
//!
//! A [`Model`] consists of named shapes. A [`Shape`] describes the allowed values with the semantics of JSON Schema
//! 2020-12: every keyword applies only to values of its own type, and an empty shape allows everything. Schemas without
//! `type` mean just that, so types and constraints are separate. An entity that is stored in a table also has a
//! [`Table`].

pub mod ddl;
pub(crate) mod decimal;
pub(crate) mod json_schema;
pub(crate) mod inherited;
pub(crate) mod in_place;
mod infer;
pub(crate) mod openapi;
pub(crate) mod recognise;
pub(crate) mod samples;
mod sql;
pub(crate) mod text;
mod type_names;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

pub(crate) use sql::affinity;
pub use sql::{SqlDialect, SqlSource, SqlType};

/// Named shapes, in the order in which they were read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    /// The entities by name, as the input names them.
    pub entities: IndexMap<String, Entity>,
    /// The entity of the whole document, if there is one (the root of a schema, the shape of the samples).
    pub root: Option<String>,
    /// What the input does not specify about the data, as questions. The model contains a default instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
    /// What the reader omitted, for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Model {
    /// Whether an entity refers to another by a key or a field.
    pub fn refers(&self, from: &str, to: &str) -> bool {
        self.entities.get(from).is_some_and(|entity| {
            let mut relations = entity.table.iter().flat_map(|table| &table.relations);
            let mut fields = entity.shape.object.properties.values().flat_map(Shape::references);
            relations.any(|relation| relation.to == to) || fields.any(|target| target == to)
        })
    }
}

impl crate::input::kind::Payload for Model {
    const KIND: crate::input::kind::Kind = crate::input::kind::Kind::Model;
}

/// A named shape.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Entity {
    /// The shape of its values.
    pub shape: Shape,
    /// Its table, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
}

/// Name, keys and indexes of a table. Columns are the properties of the entity's shape.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Table {
    /// Its name in the database, if the source specifies it; else a writer derives one from the entity's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether the source quotes no name, so that a database may fold their case.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_unquoted: bool,
    /// Its schema in the database, if it is not the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The columns of the primary key.
    pub primary_key: Vec<String>,
    /// Sets of columns that are unique together.
    pub unique: Vec<Vec<String>>,
    /// Sets of columns that are indexed together.
    pub indexes: Vec<Vec<String>>,
    /// References to other entities.
    pub relations: Vec<Relation>,
    /// Columns whose value the database generates if a row has none.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub generated: IndexMap<String, Generated>,
    /// The names of keys that the source specifies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<KeyName>,
    /// The types of its columns, if the source is SQL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SqlSource>,
}

impl Table {
    /// The name of a key in the source.
    pub fn name_of(&self, kind: KeyKind, columns: &[String]) -> Option<&String> {
        let mut all = self.names.iter();
        all.find(|name| name.kind == kind && name.columns == columns).map(|name| &name.name)
    }

    /// Whether the unique columns are an index in the source rather than a constraint.
    pub fn is_unique_index(&self, columns: &[String]) -> bool {
        self.name_of(KeyKind::UniqueIndex, columns).is_some()
    }

    /// Whether the source has a condition on a column that is in its shape.
    pub fn has_check(&self, column: &str) -> bool {
        self.name_of(KeyKind::Check, &[column.to_owned()]).is_some()
    }
}

/// A key's name in the source. One without a name records that unique columns are an index, or that a column has a condition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyName {
    /// The kind of the key.
    pub kind: KeyKind,
    /// Its columns.
    pub columns: Vec<String>,
    /// Its name; empty if it has none.
    pub name: String,
}

/// The kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    /// A primary key.
    Primary,
    /// A unique constraint.
    Unique,
    /// A unique index that is not a constraint, which PostgreSQL and SQLite distinguish.
    UniqueIndex,
    /// An index.
    Index,
    /// A foreign key.
    Foreign,
    /// A condition on a column.
    Check,
}

/// A value that a database generates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Generated {
    /// The next number.
    Identity,
    /// The time of the insertion.
    Now,
    /// A random UUID.
    Uuid,
}

/// A foreign key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// The referring columns.
    pub columns: Vec<String>,
    /// The entity that they refer to.
    pub to: String,
    /// The columns that they refer to.
    pub to_columns: Vec<String>,
    /// The action when the referenced row is deleted.
    #[serde(default)]
    pub on_delete: OnDelete,
    /// The action when the referenced key changes.
    #[serde(default, skip_serializing_if = "crate::output::is_default")]
    pub on_update: OnDelete,
}

/// The action on a deletion of the referenced row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnDelete {
    /// The deletion is refused at the end of the statement.
    #[default]
    NoAction,
    /// The deletion is refused at once.
    Restrict,
    /// This row is deleted too.
    Cascade,
    /// The columns become null.
    SetNull,
}

/// A JSON type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "JSON Schema's own names")]
pub enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

crate::text::display_as_serde!(Type);

impl Type {
    /// The type of a value; a number that is written with a fraction or an exponent is not an integer.
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Number(number) if number.is_f64() => Self::Number,
            Value::Number(_) => Self::Integer,
            Value::String(_) => Self::String,
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

/// The allowed values. Absent means unconstrained.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "JSON Schema's own names, except where said")]
pub struct Shape {
    /// The boolean schema `false`: nothing is allowed.
    pub never: bool,
    /// Allowed types, sorted; empty means all.
    pub types: Vec<Type>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub default: Option<Value>,
    pub examples: Vec<Value>,
    pub enumeration: Option<Vec<Value>>,
    pub constant: Option<Value>,
    /// The name of an entity of the model.
    pub reference: Option<String>,
    pub number: NumberRules,
    pub string: StringRules,
    pub array: ArrayRules,
    pub object: ObjectRules,
    pub all_of: Vec<Shape>,
    pub any_of: Vec<Shape>,
    pub one_of: Vec<Shape>,
    /// Keywords that restrict the values further, in a way that no writer checks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unchecked: Vec<String>,
    /// Keywords that say something of a value for which only types and validators could have a word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<String>,
}

/// Constraints on numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "JSON Schema's own names")]
pub struct NumberRules {
    pub minimum: Option<Number>,
    pub maximum: Option<Number>,
    pub exclusive_minimum: Option<Number>,
    pub exclusive_maximum: Option<Number>,
    pub multiple_of: Option<Number>,
}

/// Constraints on strings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "JSON Schema's own names")]
pub struct StringRules {
    /// Least and largest number of code points.
    pub min_length: Option<u64>,
    pub max_length: Option<u64>,
    /// ECMA-262, unicode mode, not anchored.
    pub pattern: Option<String>,
    /// `date-time`, `date`, `time`, `email`, `uuid`, `uri`, `ipv4`, `ipv6`, …; also `int32`, `int64`, `decimal(p,s)`
    /// and `bytes` from SQL, which other writers ignore.
    pub format: Option<String>,
}

/// Constraints on arrays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "JSON Schema's own names")]
pub struct ArrayRules {
    pub items: Option<Box<Shape>>,
    pub prefix_items: Vec<Shape>,
    pub min_items: Option<u64>,
    pub max_items: Option<u64>,
    pub unique_items: bool,
}

/// Constraints on objects.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "JSON Schema's own names")]
pub struct ObjectRules {
    pub properties: IndexMap<String, Shape>,
    pub required: Vec<String>,
    /// The shape of members besides `properties`; a `never` shape forbids them.
    pub additional: Option<Box<Shape>>,
    pub property_names: Option<Box<Shape>>,
}

impl Shape {
    /// A shape that allows one type.
    pub fn of(kind: Type) -> Self {
        Self { types: vec![kind], ..Self::default() }
    }

    /// A shape that refers to an entity.
    pub fn reference(entity: &str) -> Self {
        Self { reference: Some(entity.to_owned()), ..Self::default() }
    }

    /// A shape that allows nothing.
    pub fn never() -> Self {
        Self { never: true, ..Self::default() }
    }

    /// The shapes that apply to the same value.
    pub(crate) fn in_place(&self) -> impl Iterator<Item = &Self> {
        self.all_of.iter().chain(&self.any_of).chain(&self.one_of)
    }

    /// The shapes of members and of items.
    pub(crate) fn inside(&self) -> impl Iterator<Item = &Self> {
        let single =
            [&self.array.items, &self.object.additional, &self.object.property_names].into_iter();
        let named = self.object.properties.values().chain(&self.array.prefix_items);
        named.chain(single.filter_map(Option::as_deref))
    }

    /// The shape and all shapes in it.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Self> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let shape = open.pop()?;
            open.extend(shape.in_place().chain(shape.inside()));
            Some(shape)
        })
    }

    /// The entities that a value may be.
    pub fn references(&self) -> impl Iterator<Item = &String> {
        std::iter::once(self).chain(self.in_place()).filter_map(|part| part.reference.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use serde_json::Value;

    use super::{ddl, json_schema};

    /// A stack smaller than that of any thread of the program, in bytes.
    const STACK: usize = 1 << 20;

    #[test]
    fn texts_that_nest_are_read_or_refused_on_a_small_stack() {
        let read = || {
            for depth in [5, 10, 20, 30, 40, 60, 100, 120, 20_000] {
                let nested = |open: &str, inner: &str, close: &str| {
                    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
                };
                for check in [
                    nested("(", "a > 1", ")"),
                    nested("NOT ", "a > 1", ""),
                    nested("CAST(", "a", " AS int)"),
                    nested("CASE WHEN ", "a", " THEN 1 END"),
                    nested("f(", "a", ")"),
                    nested("(SELECT ", "a", ")"),
                ] {
                    let _ = ddl::read(&format!("CREATE TABLE t (a int CHECK ({check}));"), None);
                }
                for kind in [nested("ARRAY<", "int", ">"), nested("STRUCT<a ", "int", ">")] {
                    let _ = ddl::read(&format!("CREATE TABLE t (a {kind});"), None);
                }
                for (open, close) in [(r#"{"items":"#, "}"), (r#"{"allOf":["#, "]}")] {
                    let schema: Result<Value, _> = serde_json::from_str(&nested(open, "{}", close));
                    let _ = schema.map(|schema| json_schema::read(&schema, "Root", "schema"));
                }
            }
        };
        let reader = thread::Builder::new().stack_size(STACK).spawn(read).unwrap();
        reader.join().unwrap();
    }
}
