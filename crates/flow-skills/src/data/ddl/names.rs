//! Names as DDL spells them.

use sqlparser::ast::{Ident, ObjectName};

use crate::data::SqlDialect;

pub(super) fn respell(list: &mut [String], names: &[String]) {
    for name in list {
        if !names.contains(name)
            && let Some(same) = names.iter().find(|other| other.eq_ignore_ascii_case(name))
        {
            name.clone_from(same);
        }
    }
}

/// A name as the database keeps it: PostgreSQL folds those without quotes.
pub(super) fn ident(ident: &Ident, dialect: Option<SqlDialect>) -> String {
    match (ident.quote_style, dialect) {
        (None, Some(SqlDialect::Postgres)) => ident.value.to_lowercase(),
        _ => ident.value.clone(),
    }
}

/// The last part of a name, as the database keeps it.
pub(super) fn name(object: &ObjectName, dialect: Option<SqlDialect>) -> String {
    let part = object.0.last().and_then(|part| part.as_ident());
    part.map_or_else(|| object.to_string(), |own| ident(own, dialect))
}

/// The last part of a name, as written.
pub(super) fn last(object: &ObjectName) -> String {
    name(object, None)
}
