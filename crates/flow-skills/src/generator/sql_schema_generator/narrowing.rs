//! Changes of a column after which not every value would be as it was: what they lose, and the rows that would lose. A
//! change is taken for one unless it is known to keep each value.

use std::collections::HashSet;

use super::column_type::ColumnType;
use super::dialect::Dialect;
use super::tables::{Column, Plan};
use crate::data::affinity;

#[derive(Debug, Clone)]
pub(super) struct Narrowing {
    pub(super) place: String,
    /// What changes and what is lost, as the rest of a sentence that begins with the place.
    pub(super) what: String,
    /// The table, as SQL.
    pub(super) table: String,
    pub(super) rows: Rows,
    /// Values of an enumeration that are dropped.
    pub(super) dropped: Vec<String>,
    /// Whether times are converted, which depends on the time zone of the session.
    pub(super) has_times: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Rows {
    /// Those that meet a condition.
    Where(String),
    /// Those whose value is another one after a conversion to a type and back, by a statement: MySQL has no cast to most types.
    Converted { column: String, old: String, new: String },
}

/// The changes from one plan to another that may lose, in the order of the old tables.
pub(super) fn all(dialect: Dialect, old: &Plan, new: &Plan) -> Vec<Narrowing> {
    let mut narrowings = Vec::new();
    for table in old.tables.values() {
        let Some(next) = new.tables.get(&table.key) else { continue };
        for (name, before) in &table.columns {
            let Some(after) = next.columns.get(name) else { continue };
            let change = Change {
                dialect,
                place: format!("{}.{name}", table.key),
                table: dialect.table(&table.name),
                column: dialect.name(name),
                before,
                after,
            };
            // The values of an enumeration stay.
            let kind = before.sql.trim_end_matches("[]");
            if before.sql != after.sql || !old.types.contains_key(kind) {
                narrowings.extend(change.of_labels().or_else(|| change.of_type()));
            }
            narrowings.extend(change.of_null());
        }
    }
    narrowings
}

/// Whether two types are one, in different spellings.
pub(super) fn is_same_type(dialect: Dialect, a: &Column, b: &Column) -> bool {
    if dialect == Dialect::Sqlite {
        return a.sql.eq_ignore_ascii_case(&b.sql);
    }
    a.sql == b.sql || ColumnType::of(dialect, &a.sql) == ColumnType::of(dialect, &b.sql)
}

/// The type to which SQLite casts the values of a column, if they change.
pub(super) fn cast(before: &Column, after: &Column) -> Option<String> {
    let [old, new] = [before, after].map(|column| affinity(&column.sql));
    // As BLOB, values stay as they are.
    (old != new && new != "BLOB").then(|| new.to_owned())
}

/// An expression of the type of one column of PostgreSQL as one of the type of another: what `USING` has, and the condition
/// on the rows that it would change. Times are those of the session's time zone, which is UTC where they may be lost.
pub(super) fn converted(expression: &str, from: &Column, to: &Column) -> String {
    let [old, new] = [from, to].map(|column| ColumnType::of(Dialect::Postgres, &column.sql));
    let through = if old == ColumnType::Boolean && new.is_number() {
        "::integer"
    } else if old.is_text()
        || new.is_text()
        || old.is_number() && new.is_number()
        || old.is_time() && new.is_time()
    {
        ""
    } else {
        "::text"
    };
    format!("{expression}{through}::{}", to.sql)
}

struct Change<'a> {
    dialect: Dialect,
    place: String,
    /// As SQL.
    table: String,
    /// As SQL.
    column: String,
    before: &'a Column,
    after: &'a Column,
}

impl Change<'_> {
    fn loses(&self, what: String, condition: String) -> Narrowing {
        Narrowing {
            place: self.place.clone(),
            what,
            table: self.table.clone(),
            rows: Rows::Where(condition),
            dropped: Vec::new(),
            has_times: false,
        }
    }

    fn of_null(&self) -> Option<Narrowing> {
        let Self { column, before, after, .. } = self;
        let is_new = after.is_required && !before.is_required && !after.is_identity;
        let what = "becomes required: rows without a value have no place in it";
        is_new.then(|| self.loses(what.to_owned(), format!("{column} IS NULL")))
    }

    /// Values that an enumeration does not have any more, or texts that are none of its values.
    fn of_labels(&self) -> Option<Narrowing> {
        let Self { dialect, column, before, after, .. } = self;
        let labels = after.labels.as_ref()?;
        let kept: HashSet<&String> = labels.iter().collect();
        let old = before.labels.iter().flatten();
        let dropped: Vec<String> = old.filter(|label| !kept.contains(label)).cloned().collect();
        if before.labels.is_some() && dropped.is_empty() {
            return None;
        }
        let texts = |labels: &[String], separator: &str| {
            let texts: Vec<String> = labels.iter().map(|label| dialect.text(label)).collect();
            texts.join(separator)
        };
        let list = texts(labels, ", ");
        let text = match dialect {
            Dialect::Postgres => format!("{column}::text"),
            // Collations may take other texts for one of these.
            Dialect::MySql => format!("CAST(CONVERT({column} USING utf8mb4) AS BINARY)"),
            Dialect::Sqlite => format!("CAST({column} AS TEXT) COLLATE BINARY"),
        };
        let what = if dropped.is_empty() {
            format!("allows only {list} from now on, and loses other values")
        } else {
            let dropped = texts(&dropped, " and ");
            format!("loses the value {dropped}, which it does not allow any more")
        };
        let narrowing = self.loses(what, format!("{text} NOT IN ({list})"));
        Some(Narrowing { dropped, ..narrowing })
    }

    fn of_type(&self) -> Option<Narrowing> {
        let Self { dialect, column, before, after, .. } = self;
        if is_same_type(*dialect, before, after) {
            return None;
        }
        let [old, new] = [before, after].map(|column| ColumnType::of(*dialect, &column.sql));
        // Values of enumerations are compared by their labels.
        let is_listed = after.labels.is_some() && *dialect != Dialect::Sqlite;
        let is_known = new.is_text() || new.is_number() || new.is_time();
        let is_kept = before.labels.is_some() && (new.is_long() || is_listed && !is_known);
        if is_kept || old.is_within(&new) {
            return None;
        }
        let rows = match dialect {
            Dialect::Postgres => {
                let back =
                    converted(&format!("({})", converted(column, before, after)), after, before);
                Rows::Where(format!("({back})::text IS DISTINCT FROM {column}::text"))
            }
            Dialect::MySql => Rows::Converted {
                column: column.clone(),
                old: before.sql.clone(),
                new: after.sql.clone(),
            },
            Dialect::Sqlite => Rows::Where(changed_by_sqlite(column, affinity(&after.sql))),
        };
        let shown = |column: &Column| {
            if column.sql.is_empty() { "no type".to_owned() } else { column.sql.clone() }
        };
        let (from, to) = (shown(before), shown(after));
        let has_times = old.is_time() || new.is_time();
        let zone = if has_times { ", in UTC" } else { "" };
        let what = format!(
            "changes from {from} to {to}{zone}, which loses values that {to} does not hold"
        );
        Some(Narrowing { rows, has_times, ..self.loses(what, String::new()) })
    }
}

/// Rows of SQLite that a cast would change: one that is cast back to what it was is not as it was. Blobs always are.
fn changed_by_sqlite(column: &str, affinity: &str) -> String {
    let back = |of: &str| {
        format!("WHEN '{}' THEN CAST(CAST({column} AS {affinity}) AS {of})", of.to_lowercase())
    };
    let all = ["INTEGER", "REAL", "TEXT"].map(back).join(" ");
    format!("CASE typeof({column}) {all} END IS NOT {column}")
}
