//! Names in DDL.

use indexmap::IndexMap;
use sqlparser::ast::{Ident, ObjectName};

use crate::data::SqlDialect;

/// The key that a name means: the same one, else the first that differs only by case.
pub(super) fn spelling<'a, V>(all: &'a IndexMap<String, V>, name: &str) -> Option<&'a String> {
    let exact = all.get_key_value(name).map(|(key, _)| key);
    exact.or_else(|| all.keys().find(|other| other.eq_ignore_ascii_case(name)))
}

/// A name as the database stores it: PostgreSQL folds unquoted names.
pub(super) fn ident(ident: &Ident, dialect: Option<SqlDialect>) -> String {
    match (ident.quote_style, dialect) {
        (None, Some(SqlDialect::Postgres)) => ident.value.to_lowercase(),
        _ => ident.value.clone(),
    }
}

/// The last part of a name, as the database stores it.
pub(super) fn name(object: &ObjectName, dialect: Option<SqlDialect>) -> String {
    let part = object.0.last().and_then(|part| part.as_ident());
    part.map_or_else(|| object.to_string(), |part| ident(part, dialect))
}

/// The last part of a name, as written.
pub(super) fn last(object: &ObjectName) -> String {
    name(object, None)
}
