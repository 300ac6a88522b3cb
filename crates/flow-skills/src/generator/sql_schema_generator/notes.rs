//! Notes on a migration: what is dropped, first of all, what may be lost, and why it may fail.

use super::dialect::Dialect;
use super::migrate::Change;
use super::narrowing::Narrowing;
use super::sqlite;
use super::tables::{Column, Plan, Table};
use super::write;
use crate::text::first;

/// Largest number of tables and columns that the comment of a script names.
const NAMED: usize = 20;

/// What a migration drops: tables, then columns.
fn drops(old: &Plan, new: &Plan) -> Vec<String> {
    let (mut tables, mut columns) = (Vec::new(), Vec::new());
    for table in old.tables.values() {
        let Some(next) = new.tables.get(&table.key) else {
            tables.push(format!("the table {} with its rows", table.key));
            continue;
        };
        let gone = table.columns.keys().filter(|name| !next.columns.contains_key(*name));
        columns.extend(gone.map(|name| format!("the column {}.{name} with its values", next.key)));
    }
    tables.into_iter().chain(columns).collect()
}

/// What up drops, each in a sentence.
pub(super) fn of_drops(old: &Plan, new: &Plan) -> Vec<String> {
    let hint = "if it only has another name now, rename it by hand first, in the older model too";
    drops(old, new).iter().map(|dropped| format!("{dropped} is dropped; {hint}")).collect()
}

/// The comment of a script on what it drops; empty if that is nothing.
pub(super) fn drops_of_script(old: &Plan, new: &Plan) -> String {
    let all = drops(old, new);
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
    let Change { old, new } = *change;
    let stops = |narrowing: &Narrowing| {
        format!("{} {}: up stops on the first row that would lose", narrowing.place, narrowing.what)
    };
    let mut notes: Vec<String> = narrowings.iter().map(stops).collect();
    let more = new
        .types
        .iter()
        .filter(|(name, labels)| old.types.get(*name).is_some_and(|before| before != *labels));
    notes.extend(more.map(|(name, _)| format!("the new values of {name} stay after down")));
    for (table, next) in Plan::kept(old, new) {
        notes.extend(column_risks(table, next));
        if dialect == Dialect::Sqlite && sqlite::is_made_again(table, next) {
            let key = &next.key;
            notes.push(format!("{key} is made again, without its triggers: create them again"));
        }
    }
    notes
}

/// The new columns for which rows have no value.
fn column_risks(was: &Table, next: &Table) -> Vec<String> {
    let is_empty = |(name, column): &(&String, &Column)| {
        let is_given = column.default.is_some() || column.is_identity;
        column.is_required && !is_given && !was.columns.contains_key(*name)
    };
    let risk = "is new, required and has no default: up fails where there are rows";
    let all = next.columns.iter().filter(is_empty);
    all.map(|(name, _)| format!("{}.{name} {risk}", next.key)).collect()
}
