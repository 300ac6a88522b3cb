//! Notes on a migration: what is dropped, first of all, what may be lost, and why it may fail.

use super::dialect::Dialect;
use super::migrate::Change;
use super::narrowing::{self, Narrowing};
use super::renames::Renames;
use super::sqlite;
use super::tables::{Column, Plan, Table};
use super::write;
use crate::text::first;

/// Largest number of tables, columns and values that the comment of a script names.
const NAMED: usize = 20;

/// What a migration drops: tables, then columns.
fn drops(old: &Plan, new: &Plan, renames: &Renames) -> Vec<String> {
    let (mut tables, mut columns) = (Vec::new(), Vec::new());
    for table in old.tables.values() {
        let Some(next) = new.tables.get(renames.table(table)) else {
            tables.push(format!("the table {} with its rows", table.key));
            continue;
        };
        let was = renames.apply(table);
        let gone = was.columns.keys().filter(|name| !next.columns.contains_key(*name));
        columns.extend(gone.map(|name| format!("the column {}.{name} with its values", next.key)));
    }
    tables.into_iter().chain(columns).collect()
}

/// What up drops, each in a sentence.
pub(super) fn of_drops(old: &Plan, new: &Plan, renames: &Renames) -> Vec<String> {
    let hint = "declare it in renames if it has another name now";
    drops(old, new, renames).iter().map(|dropped| format!("{dropped} is dropped; {hint}")).collect()
}

/// The comment of a script on what it drops; empty if that is nothing.
pub(super) fn drops_of_script(
    old: &Plan,
    new: &Plan,
    renames: &Renames,
    narrowings: &[Narrowing],
) -> String {
    let mut all = drops(old, new, renames);
    for Narrowing { place, dropped, .. } in narrowings {
        all.extend(dropped.iter().map(|label| format!("the value {label:?} of {place}")));
    }
    if all.is_empty() {
        return String::new();
    }
    write::remark(&format!("Drops {}.", first(&all, NAMED, ", "))) + "\n"
}

/// What a migration up may lose, or why it may fail.
pub(super) fn of_changes(
    dialect: Dialect,
    change: &Change<'_>,
    narrowings: &[Narrowing],
) -> Vec<String> {
    let Change { old, new, renames, .. } = *change;
    let stops = |narrowing: &Narrowing| {
        format!("{} {}: up stops on the first row that would lose", narrowing.place, narrowing.what)
    };
    let mut notes: Vec<String> = narrowings.iter().map(stops).collect();
    for table in old.tables.values() {
        let Some(next) = new.tables.get(renames.table(table)) else { continue };
        let was = renames.apply(table);
        notes.extend(column_risks(dialect, &was, next));
        let key = &next.key;
        if dialect == Dialect::Sqlite && sqlite::is_made_again(table, next) {
            notes.push(format!("{key} is made again, without its triggers: create them again"));
        }
        notes.extend(narrowing::fresh_keys(&was, next).map(|columns| {
            format!("{key}: {columns} becomes unique: rows that are equal in it stop the migration")
        }));
    }
    notes
}

/// Why the rows of a table may not fit its new columns, or what becomes of them.
fn column_risks(dialect: Dialect, was: &Table, next: &Table) -> Vec<String> {
    let risk = |(name, column): (&String, &Column)| {
        let risk = match was.columns.get(name) {
            None if column.is_required && column.default.is_none() && !column.is_identity => {
                "is new, required and has no default: up fails where there are rows".to_owned()
            }
            Some(before) if narrowing::is_filled(dialect, before, column) => {
                let default = column.default.as_deref().unwrap_or_default();
                format!("becomes required: rows without a value get the default {default}")
            }
            _ => return None,
        };
        Some(format!("{}.{name} {risk}", next.key))
    };
    next.columns.iter().filter_map(risk).collect()
}
