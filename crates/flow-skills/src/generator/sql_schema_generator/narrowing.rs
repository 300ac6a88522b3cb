//! Changes of a column after which not every value would be as it was: what they lose, and the rows that would lose. A
//! change is taken for one unless it is known to keep each value.

use std::collections::HashSet;

use super::column_type;
use super::dialect::Dialect;
use super::tables::{Column, Plan};

#[derive(Debug, Clone)]
pub(super) struct Narrowing {
    pub(super) place: String,
    /// What changes and what is lost, as the rest of a sentence that begins with the place.
    pub(super) what: String,
    /// The table, as SQL.
    pub(super) table: String,
    /// What the rows meet that would lose.
    pub(super) condition: String,
}

/// The changes from one plan to another that may lose, in the order of the old tables.
pub(super) fn all(dialect: Dialect, old: &Plan, new: &Plan) -> Vec<Narrowing> {
    let mut narrowings = Vec::new();
    for (table, next) in Plan::kept(old, new) {
        for (name, before) in &table.columns {
            let Some(after) = next.columns.get(name) else { continue };
            let column = dialect.name(name);
            // The values of an enumeration stay.
            let is_left = before.sql == after.sql && old.types.contains_key(&before.sql);
            let labels = || of_labels(dialect, &column, before, after);
            let losses = [
                (!is_left).then(labels).flatten(),
                of_type(dialect, &column, before, after),
                of_null(&column, before, after),
            ];
            narrowings.extend(losses.into_iter().flatten().map(|(what, condition)| Narrowing {
                place: format!("{}.{name}", table.key),
                what,
                table: dialect.table(&table.name),
                condition,
            }));
        }
    }
    narrowings
}

/// Whether two types are one, in different spellings.
pub(super) fn is_same_type(dialect: Dialect, a: &Column, b: &Column) -> bool {
    column_type::change(dialect, "", a, b) == column_type::Change::Same
}

/// What a change loses, and the condition on the rows that would lose.
type Loss = Option<(String, String)>;

fn of_null(column: &str, before: &Column, after: &Column) -> Loss {
    let is_new = after.is_required && !before.is_required && !after.is_identity;
    let what = "becomes required: rows without a value have no place in it";
    is_new.then(|| (what.to_owned(), format!("{column} IS NULL")))
}

/// Values that an enumeration does not have any more, or texts that are none of its values.
fn of_labels(dialect: Dialect, column: &str, before: &Column, after: &Column) -> Loss {
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
        // The condition of the table that is made stops the copy.
        Dialect::Sqlite => column.to_owned(),
    };
    let what = if dropped.is_empty() {
        format!("allows only {list} from now on, and loses other values")
    } else {
        let dropped = texts(&dropped, " and ");
        format!("loses the value {dropped}, which it does not allow any more")
    };
    Some((what, format!("{text} NOT IN ({list})")))
}

fn of_type(dialect: Dialect, column: &str, before: &Column, after: &Column) -> Loss {
    let change = column_type::change(dialect, column, before, after);
    let column_type::Change::Narrower(condition) = change else { return None };
    let (from, to) = (&before.sql, &after.sql);
    let what = format!("changes from {from} to {to}, which loses values that {to} does not hold");
    Some((what, condition))
}
