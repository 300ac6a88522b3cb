//! How PostgreSQL converts the values of a column to another type: the same expression in `USING` and in the condition
//! that finds the rows which it would change.

use super::dialect::Dialect;
use super::sort::Sort;
use super::tables::Column;

const DIALECT: Dialect = Dialect::Postgres;

/// An expression of one type as one of another.
pub(super) fn converted(expression: &str, from: &Column, to: &Column) -> String {
    let [old, new] = [from, to].map(|column| Sort::of(DIALECT, &column.sql));
    let sql = &to.sql;
    let zone = |sort: &Sort| match sort {
        Sort::Timestamp { has_zone, .. } => Some(*has_zone),
        _ => None,
    };
    match (&old, &new) {
        // The session's time zone would decide otherwise.
        _ if zone(&old).zip(zone(&new)).is_some_and(|(old, new)| old != new) => {
            format!("({expression} AT TIME ZONE 'UTC')::{sql}")
        }
        (Sort::Timestamp { has_zone: true, .. }, Sort::Date | Sort::Time(_)) => {
            format!("({expression} AT TIME ZONE 'UTC')::{sql}")
        }
        (Sort::Date, Sort::Timestamp { has_zone: true, .. }) => {
            format!("({expression}::timestamp AT TIME ZONE 'UTC')::{sql}")
        }
        (Sort::Boolean, Sort::Integer(..)) | (Sort::Integer(..), Sort::Boolean) => {
            format!("{expression}::integer::{sql}")
        }
        (_, Sort::Text(_)) => format!("{expression}::{sql}"),
        (old, new) if is_direct(old, new) && from.labels.is_none() => {
            format!("{expression}::{sql}")
        }
        _ => format!("{expression}::text::{sql}"),
    }
}

/// Whether there is a cast, or both are of the same family.
fn is_direct(old: &Sort, new: &Sort) -> bool {
    let family = |sort: &Sort| match sort {
        Sort::Integer(..) | Sort::Decimal(_) | Sort::Float(_) => 1,
        Sort::Date | Sort::Time(_) | Sort::Timestamp { .. } => 2,
        Sort::Json | Sort::Jsonb => 3,
        Sort::Other(_) => 4,
        Sort::Text(_) => 5,
        Sort::Bytes(_) => 6,
        Sort::Boolean | Sort::Uuid | Sort::Affinity(_) => 0,
    };
    matches!(old, Sort::Text(_)) || family(old) == family(new)
}

/// The condition on the rows whose value is another one after it is converted, and back.
pub(super) fn is_changed(column: &str, from: &Column, to: &Column) -> String {
    let back = converted(&format!("({})", converted(column, from, to)), to, from);
    // JSON and most other types have no equality; their texts do.
    let is_comparable = !matches!(Sort::of(DIALECT, &from.sql), Sort::Json | Sort::Other(_));
    let text = if is_comparable { "" } else { "::text" };
    format!("({back}){text} IS DISTINCT FROM {column}{text}")
}
