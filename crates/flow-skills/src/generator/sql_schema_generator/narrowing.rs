//! Changes of a column after which not every value would be as it was: what they lose, and the condition on the rows
//! that would lose. A change is taken for one unless it is known to keep each value.

use std::collections::HashSet;

use super::dialect::Dialect;
use super::renames::Renames;
use super::sort::{Affinity, Sort, Text};
use super::tables::{Column, Plan, Table};
use super::using;

/// Longest text of a value of the other scalar types, in characters: a time of PostgreSQL with its zone has 35.
const SCALAR: u64 = 40;
/// Number of digits of each decimal number that a float of 53 bits gives back.
const EXACT: u16 = 15;

/// A change of a column that may lose.
#[derive(Debug, Clone)]
pub(super) struct Narrowing {
    /// The table and the column, by their new names.
    pub(super) place: String,
    /// What changes and what is lost, as the rest of a sentence that begins with the place.
    pub(super) what: String,
    /// The table, by its old name, as SQL.
    pub(super) table: String,
    /// The condition on its rows that would lose.
    pub(super) condition: String,
    /// Values of an enumeration that are dropped.
    pub(super) dropped: Vec<String>,
}

/// The changes from one plan to another that may lose, in the order of the old tables.
pub(super) fn all(dialect: Dialect, old: &Plan, new: &Plan, renames: &Renames) -> Vec<Narrowing> {
    let mut narrowings = Vec::new();
    for table in old.tables.values() {
        let Some(next) = new.tables.get(renames.table(table)) else { continue };
        let was = renames.apply(table);
        for ((key, before), name) in table.columns.iter().zip(was.columns.keys()) {
            let Some(after) = next.columns.get(name) else { continue };
            let change = Change { dialect, column: dialect.name(key), before, after };
            let narrowing = |(what, condition, dropped)| Narrowing {
                place: format!("{}.{name}", next.key),
                what,
                table: dialect.table(&table.name),
                condition,
                dropped,
            };
            narrowings.extend(change.losses().into_iter().map(narrowing));
        }
    }
    narrowings
}

/// Whether two types are one, in different spellings.
pub(super) fn is_same_type(dialect: Dialect, a: &Column, b: &Column) -> bool {
    if dialect == Dialect::Sqlite {
        return a.sql.eq_ignore_ascii_case(&b.sql);
    }
    a.sql == b.sql || Sort::of(dialect, &a.sql) == Sort::of(dialect, &b.sql)
}

/// The type to which SQLite casts the values of a column, if they change.
pub(super) fn cast(before: &Column, after: &Column) -> Option<&'static str> {
    let [old, new] = [before, after].map(|column| Sort::of(Dialect::Sqlite, &column.sql));
    match new {
        Sort::Affinity(affinity) if old != new => affinity.name(),
        _ => None,
    }
}

/// Whether a column becomes required, and its default takes the place of the values that rows lack.
pub(super) fn is_filled(dialect: Dialect, before: &Column, after: &Column) -> bool {
    after.is_required
        && !before.is_required
        && after.default.is_some()
        && is_same_type(dialect, before, after)
}

/// The keys that are unique from now on, by their tables: two rows that are equal stop the migration.
pub(super) fn fresh_keys<'a>(was: &'a Table, next: &'a Table) -> impl Iterator<Item = String> {
    let is_fresh = |key: &&super::tables::Key| {
        key.is_unique && !was.keys.iter().any(|old| old.is_unique && old.columns == key.columns)
    };
    next.keys.iter().filter(is_fresh).map(|key| key.columns.join(", "))
}

struct Change<'a> {
    dialect: Dialect,
    /// The column's old name, as SQL.
    column: String,
    before: &'a Column,
    after: &'a Column,
}

/// What is lost, the condition, and dropped values.
type Loss = (String, String, Vec<String>);

impl Change<'_> {
    fn losses(&self) -> Vec<Loss> {
        let Self { dialect, column, before, after } = self;
        let mut losses = Vec::new();
        losses.extend(self.of_labels());
        if losses.is_empty() {
            losses.extend(self.of_type());
        }
        if after.is_required
            && !before.is_required
            && !after.is_identity
            && !is_filled(*dialect, before, after)
        {
            let what = "becomes required: rows without a value have no place in it";
            losses.push((what.to_owned(), format!("{column} IS NULL"), Vec::new()));
        }
        losses
    }

    /// Values that an enumeration does not have any more, or texts that are none of its values.
    fn of_labels(&self) -> Option<Loss> {
        let Self { dialect, column, before, after } = self;
        let labels = after.labels.as_ref()?;
        let kept: HashSet<&String> = labels.iter().collect();
        let old = before.labels.iter().flatten();
        let dropped: Vec<String> = old.filter(|label| !kept.contains(label)).cloned().collect();
        if before.labels.is_some() && dropped.is_empty() {
            return None;
        }
        let list: Vec<String> = labels.iter().map(|label| dialect.text(label)).collect();
        let text = match dialect {
            Dialect::Postgres => format!("{column}::text"),
            // Collations may take other texts for one of these.
            Dialect::MySql => format!("CAST(CONVERT({column} USING utf8mb4) AS BINARY)"),
            Dialect::Sqlite => format!("CAST({column} AS TEXT) COLLATE BINARY"),
        };
        let what = if dropped.is_empty() {
            format!("allows only {} from now on, and loses other values", list.join(", "))
        } else {
            let dropped: Vec<String> = dropped.iter().map(|label| dialect.text(label)).collect();
            format!("loses the value {}, which it does not allow any more", dropped.join(" and "))
        };
        Some((what, format!("{text} NOT IN ({})", list.join(", ")), dropped))
    }

    fn of_type(&self) -> Option<Loss> {
        let Self { dialect, column, before, after } = self;
        if is_same_type(*dialect, before, after) {
            return None;
        }
        let [old, new] = [before, after].map(|column| Sort::of(*dialect, &column.sql));
        // Values of enumerations are compared by their labels.
        let are_listed = before.labels.is_some() && after.labels.is_some();
        let is_listed = are_listed && matches!((&old, &new), (Sort::Other(_), Sort::Other(_)));
        if old == new || is_listed || keeps(*dialect, self.before, &old, &new) {
            return None;
        }
        let condition = match dialect {
            Dialect::Postgres => using::is_changed(column, before, after),
            Dialect::MySql => mysql(column, &old, &new),
            Dialect::Sqlite => sqlite(column, &new),
        };
        let shown = |column: &Column| {
            if column.sql.is_empty() { "no type".to_owned() } else { column.sql.clone() }
        };
        let (from, to) = (shown(before), shown(after));
        let what = format!("changes from {from} to {to}, which loses {}", lost(&old, &new, &to));
        Some((what, condition, Vec::new()))
    }
}

/// What a conversion loses, in words.
fn lost(old: &Sort, new: &Sort, to: &str) -> String {
    let is_time = |sort: &Sort| matches!(sort, Sort::Timestamp { .. } | Sort::Date);
    if is_time(old) && is_time(new) && old.has_zone() != new.has_zone() {
        return "the meaning of its time zone: values are converted as UTC".to_owned();
    }
    format!("values that {to} does not hold")
}

/// Number of digits of the integers of a range.
fn digits(least: i128, most: i128) -> u16 {
    let digits =
        |number: i128| u16::try_from(number.unsigned_abs().to_string().len()).unwrap_or(u16::MAX);
    digits(least).max(digits(most))
}

/// Whether each value stays as it is.
fn keeps(dialect: Dialect, before: &Column, old: &Sort, new: &Sort) -> bool {
    match (old, new) {
        (Sort::Integer(least, most), Sort::Integer(lower, upper)) => {
            lower <= least && most <= upper
        }
        (Sort::Boolean, Sort::Integer(..)) | (_, Sort::Decimal(None))
            if matches!(old, Sort::Boolean | Sort::Integer(..) | Sort::Decimal(_)) =>
        {
            true
        }
        (Sort::Integer(least, most), Sort::Decimal(Some(from))) => {
            from.precision.saturating_sub(from.after_point()) >= digits(*least, *most)
        }
        (Sort::Integer(least, most), Sort::Float(bits)) => {
            least.unsigned_abs().max(most.unsigned_abs()) <= 1 << bits
        }
        (Sort::Decimal(Some(from)), Sort::Decimal(Some(other))) => {
            let before_point = |decimal: &crate::data::decimal::Decimal| {
                decimal.precision.saturating_sub(decimal.after_point())
            };
            other.after_point() >= from.after_point() && before_point(other) >= before_point(from)
        }
        (Sort::Decimal(Some(from)), Sort::Integer(_, most)) => {
            from.after_point() == 0
                && u32::from(from.precision) < most.checked_ilog10().unwrap_or(0) + 1
        }
        (Sort::Decimal(Some(from)), Sort::Float(53)) => from.precision <= EXACT,
        (Sort::Float(from), Sort::Float(other)) => from <= other,
        (Sort::Text(from), Sort::Text(other)) => keeps_texts(from, other),
        (_, Sort::Text(text)) => is_written(dialect, before, old, text),
        (Sort::Bytes(before), Sort::Bytes(after)) => is_within(*before, *after),
        (Sort::Date, Sort::Timestamp { has_zone: false, .. }) | (Sort::Jsonb, Sort::Json) => true,
        (Sort::Time(from), Sort::Time(digits)) => from <= digits,
        (
            Sort::Timestamp { has_zone: from, digits: before },
            Sort::Timestamp { has_zone, digits },
        ) => from == has_zone && before <= digits,
        (Sort::Affinity(from), Sort::Affinity(other)) => keeps_affinity(*from, *other),
        _ => false,
    }
}

/// Whether every length within the first limit is within the second; without a second limit, each is.
fn is_within(before: Option<u64>, after: Option<u64>) -> bool {
    after.is_none_or(|after| before.is_some_and(|before| before <= after))
}

fn keeps_texts(before: &Text, after: &Text) -> bool {
    // A character takes four bytes at most.
    let bytes = before.bytes.or(before.characters.map(|most| most.saturating_mul(4)));
    let characters = before.characters.or(before.bytes);
    (before.is_padded || !after.is_padded)
        && is_within(characters, after.characters)
        && is_within(bytes, after.bytes)
}

/// Whether each value of another type has a text that determines the value and is not longer than the new type allows.
fn is_written(dialect: Dialect, before: &Column, old: &Sort, text: &Text) -> bool {
    let limit = text.characters.or(text.bytes).unwrap_or(u64::MAX);
    let label = |all: &Vec<String>| {
        all.iter().map(|label| label.chars().count() as u64).max().unwrap_or_default()
    };
    let longest = match old {
        _ if text.is_padded => None,
        _ if before.labels.is_some() => before.labels.as_ref().map(label),
        Sort::Integer(least, most) => Some(u64::from(digits(*least, *most)) + 1),
        Sort::Decimal(Some(digits)) => Some(u64::from(digits.precision) + 3),
        Sort::Boolean | Sort::Uuid | Sort::Date | Sort::Time(_) | Sort::Timestamp { .. } => {
            Some(SCALAR)
        }
        Sort::Float(_) if dialect == Dialect::Postgres => Some(SCALAR),
        Sort::Decimal(None) | Sort::Json | Sort::Jsonb => {
            // Longer than any limit but that of LONGTEXT.
            Some(if dialect == Dialect::MySql { 1 << 30 } else { u64::MAX })
        }
        _ => None,
    };
    longest.is_some_and(|longest| longest <= limit)
}

const fn keeps_affinity(from: Affinity, other: Affinity) -> bool {
    matches!(
        (from, other),
        (_, Affinity::Blob)
            | (Affinity::Integer, Affinity::Text | Affinity::Numeric)
            | (Affinity::Real, Affinity::Numeric)
    )
}

/// Rows of SQLite that a cast would change: one that is cast back to what it was is not as it was. Blobs always are.
pub(super) fn sqlite(column: &str, new: &Sort) -> String {
    let Sort::Affinity(affinity) = new else { return "1".to_owned() };
    let Some(name) = affinity.name() else { return "0".to_owned() };
    let back = |of: &str| {
        format!("WHEN '{}' THEN CAST(CAST({column} AS {name}) AS {of})", of.to_lowercase())
    };
    let all = ["INTEGER", "REAL", "TEXT"].map(back).join(" ");
    format!("CASE typeof({column}) {all} END IS NOT {column}")
}

/// Rows of MySQL that a conversion would change. It has no cast to most types, so that the condition says what fits; of
/// conversions of which nothing is known, every value.
pub(super) fn mysql(column: &str, old: &Sort, new: &Sort) -> String {
    const WHOLE: &str = "'^(0|-?[1-9][0-9]{0,18})\\\\z'";
    let is_number = matches!(old, Sort::Integer(..) | Sort::Decimal(_) | Sort::Float(_));
    match (old, new) {
        (_, Sort::Integer(least, most)) if is_number => {
            format!("{column} NOT BETWEEN {least} AND {most} OR {column} <> floor({column})")
        }
        (Sort::Text(_), Sort::Integer(least, most)) => format!(
            "CASE WHEN {column} REGEXP {WHOLE} THEN CAST({column} AS DECIMAL(65)) NOT BETWEEN {least} AND {most} ELSE {column} IS NOT NULL END"
        ),
        (_, Sort::Decimal(Some(digits))) if is_number => {
            let scale = digits.after_point();
            let nines = |count: u16| "9".repeat(usize::from(count));
            let whole = nines(digits.precision.saturating_sub(scale));
            let most = format!("{whole}.{}", nines(scale));
            let most = if whole.is_empty() { format!("0{most}") } else { most };
            let most = most.trim_end_matches('.');
            format!(
                "{column} NOT BETWEEN -{most} AND {most} OR {column} <> round({column}, {scale})"
            )
        }
        (Sort::Integer(..), Sort::Float(bits)) => {
            let most = 1_u64 << bits;
            format!("{column} NOT BETWEEN -{most} AND {most}")
        }
        (Sort::Float(_), Sort::Float(_)) => format!("{column} <> CAST({column} AS FLOAT)"),
        (Sort::Float(_) | Sort::Bytes(_) | Sort::Other(_), Sort::Text(_)) => {
            format!("{column} IS NOT NULL")
        }
        // Their texts say the values.
        (_, Sort::Text(text)) => texts(column, text),
        (Sort::Bytes(_), Sort::Bytes(Some(most))) => format!("octet_length({column}) > {most}"),
        (Sort::Timestamp { .. } | Sort::Date, Sort::Timestamp { has_zone, digits }) => {
            let fraction = format!("{column} <> CAST({column} AS DATETIME({digits}))");
            // Before and after these, the type has no values.
            let range = "'1970-01-01 00:00:01' AND '2038-01-19 03:14:07'";
            if *has_zone && !old.has_zone() {
                format!("{column} NOT BETWEEN {range} OR {fraction}")
            } else {
                fraction
            }
        }
        (Sort::Timestamp { .. }, Sort::Date) => format!("{column} <> CAST({column} AS DATE)"),
        (Sort::Time(_), Sort::Time(digits)) => {
            format!("{column} <> CAST({column} AS TIME({digits}))")
        }
        (Sort::Text(_), Sort::Json) => format!("NOT json_valid({column})"),
        _ => format!("{column} IS NOT NULL"),
    }
}

fn texts(column: &str, text: &Text) -> String {
    let longer = text.characters.map(|most| format!("char_length({column}) > {most}"));
    let larger = text.bytes.map(|most| format!("octet_length({column}) > {most}"));
    let blank = text.is_padded.then(|| format!("{column} LIKE '% '"));
    longer.into_iter().chain(larger).chain(blank).collect::<Vec<_>>().join(" OR ")
}
