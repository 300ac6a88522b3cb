//! The kind of the values of a column, and the conditions on them.

use serde_json::Value;

use super::dialect::{Dialect, Kind};
use crate::data::decimal::Decimal;
use crate::data::{ArrayRules, NumberRules, ObjectRules, Shape, SqlType, StringRules, Type};

pub(super) fn kind(shape: &Shape) -> Kind {
    let listed = values(shape).map(|values| values.iter().map(Type::of).collect::<Vec<_>>());
    let types = match (&listed, shape.types.as_slice()) {
        (Some(listed), []) => listed.as_slice(),
        (_, types) => types,
    };
    let all = |wanted: &[Type]| !types.is_empty() && types.iter().all(|kind| wanted.contains(kind));
    let format = shape.string.format.as_deref().unwrap_or_default();
    if shape.reference.is_some() {
        Kind::Json
    } else if all(&[Type::Boolean]) {
        Kind::Boolean
    } else if all(&[Type::Integer]) {
        match format {
            "int16" => Kind::Int16,
            "int32" => Kind::Int32,
            _ => Kind::Int64,
        }
    } else if all(&[Type::Integer, Type::Number]) {
        match Decimal::of_format(format) {
            None if format != Decimal::format(None) => Kind::Float,
            digits => Kind::Decimal(digits),
        }
    } else if all(&[Type::String]) {
        match format {
            "uuid" => Kind::Uuid,
            "date" => Kind::Date,
            "time" => Kind::Time,
            "date-time" => Kind::DateTime,
            "bytes" | "binary" | "byte" => Kind::Bytes,
            _ => Kind::Text(shape.string.max_length),
        }
    } else {
        Kind::Json
    }
}

fn values(shape: &Shape) -> Option<Vec<Value>> {
    let constant = shape.constant.as_ref().map(|value| vec![value.clone()]);
    constant.or_else(|| shape.enumeration.clone())
}

/// Collects the conditions on a column, and those that this database cannot express.
pub(super) struct Conditions {
    dialect: Dialect,
    column: String,
    pub(super) all: Vec<String>,
    pub(super) lost: Vec<String>,
}

/// What a column comes from: the shape of its values, their kind, its type, and that type if the source is SQL.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) shape: &'a Shape,
    pub(super) kind: &'a Kind,
    pub(super) sql: &'a str,
    pub(super) exact: Option<&'a SqlType>,
}

pub(super) fn conditions(dialect: Dialect, name: &str, source: Source<'_>) -> Conditions {
    let Source { shape, kind, sql, exact } = source;
    let column = dialect.name(name);
    let mut conditions = Conditions { dialect, column, all: Vec::new(), lost: Vec::new() };
    if exact.is_none_or(|exact| !exact.is_enumeration) {
        conditions.listed(shape, kind);
    }
    match kind {
        Kind::Int16 | Kind::Int32 | Kind::Int64 | Kind::Decimal(_) | Kind::Float => {
            conditions.number(shape, sql);
        }
        Kind::Text(_) => conditions.text(shape, sql, exact.is_some()),
        Kind::Json => {
            if exact.is_none() {
                conditions.json(shape);
            }
        }
        Kind::Boolean => {
            if dialect == Dialect::Sqlite && exact.is_none() {
                conditions.all.push(format!("{} IN (0, 1)", conditions.column));
            }
        }
        Kind::Uuid | Kind::Date | Kind::Time | Kind::DateTime | Kind::Bytes => {
            let rules = StringRules { format: None, ..shape.string.clone() };
            if rules != StringRules::default() {
                conditions.lost.push("each rule on its text".to_owned());
            }
            if *kind == Kind::Uuid && dialect == Dialect::Sqlite && exact.is_none() {
                conditions.all.push(format!("length({}) = 36", conditions.column));
            }
        }
    }
    conditions.lost.extend(shape.unchecked.iter().cloned());
    if *kind != Kind::Json {
        let unions = [(&shape.all_of, "allOf"), (&shape.any_of, "anyOf"), (&shape.one_of, "oneOf")];
        let unions = unions.into_iter().filter(|(parts, _)| !parts.is_empty());
        conditions.lost.extend(unions.map(|(_, word)| word.to_owned()));
    }
    conditions
}

impl Conditions {
    fn listed(&mut self, shape: &Shape, kind: &Kind) {
        let Some(values) = values(shape) else { return };
        let literals: Option<Vec<_>> =
            values.iter().map(|value| self.dialect.literal(value, kind)).collect();
        match literals.filter(|list| !list.is_empty() && *kind != Kind::Json) {
            Some(list) => self.all.push(format!("{} IN ({})", self.column, list.join(", "))),
            None => self.lost.push("the list of allowed values".into()),
        }
    }

    fn number(&mut self, shape: &Shape, sql: &str) {
        let rules = &shape.number;
        let minimum = rules.minimum.as_ref();
        // The type of MySQL says it.
        let minimum =
            minimum.filter(|least| !(sql.ends_with("unsigned") && least.as_u64() == Some(0)));
        let bounds = [
            (minimum, ">="),
            (rules.exclusive_minimum.as_ref(), ">"),
            (rules.maximum.as_ref(), "<="),
            (rules.exclusive_maximum.as_ref(), "<"),
        ];
        for (bound, operator) in bounds {
            if let Some(bound) = bound {
                self.all.push(format!("{} {operator} {bound}", self.column));
            }
        }
        self.lost.extend(rules.multiple_of.iter().map(|step| format!("multipleOf {step}")));
    }

    fn text(&mut self, shape: &Shape, sql: &str, is_exact: bool) {
        let rules = &shape.string;
        let length = match self.dialect {
            Dialect::Sqlite => format!("length({})", self.column),
            Dialect::Postgres | Dialect::MySql => format!("char_length({})", self.column),
        };
        if let Some(least) = rules.min_length.filter(|least| *least > 0) {
            self.all.push(format!("{length} >= {least}"));
        }
        let is_in_type = |most: &u64| length_of_type(sql) == Some(*most);
        if let Some(most) = rules.max_length.filter(|most| !is_in_type(most)) {
            self.all.push(format!("{length} <= {most}"));
        }
        if let Some(pattern) = &rules.pattern {
            self.lost.push(format!("the pattern {pattern}"));
        }
        if let Some(format) = rules.format.as_ref().filter(|_| !is_exact) {
            self.lost.push(format!("the format {format}"));
        }
    }

    fn json(&mut self, shape: &Shape) {
        if self.dialect == Dialect::Sqlite {
            self.all.push(format!("({0} IS NULL OR json_valid({0}))", self.column));
        }
        let has_parts = shape.types.iter().any(|kind| matches!(kind, Type::Array | Type::Object))
            || shape.array != ArrayRules::default()
            || shape.object != ObjectRules::default()
            || shape.number != NumberRules::default()
            || shape.string != StringRules::default();
        if has_parts || shape.reference.is_some() || shape.in_place().next().is_some() {
            self.lost.push("what is inside the JSON".into());
        }
    }
}

/// The length of a type such as `varchar(80)`.
fn length_of_type(sql: &str) -> Option<u64> {
    sql.split_once('(')?.1.split_once(')')?.0.trim().parse().ok()
}
