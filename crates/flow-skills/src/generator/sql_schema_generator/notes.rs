//! Notes on a migration: what is dropped, first of all, what may be lost, and why it may fail.

use super::dialect::Dialect;
use super::migrate::Change;
use super::narrowing::{self, Narrowing};
use super::renames::Renames;
use super::tables::{Column, Plan, Table};
use super::write;
use crate::text::first;

/// Largest number of tables, columns and values that the comment of a script names.
const NAMED: usize = 20;

/// Something that a migration drops.
enum Drop {
    Table(String),
    Column(String),
}

fn drops(old: &Plan, new: &Plan, renames: &Renames) -> Vec<Drop> {
    let mut found = Vec::new();
    for table in old.tables.values() {
        let Some(next) = new.tables.get(renames.table(table)) else {
            found.push(Drop::Table(table.key.clone()));
            continue;
        };
        let was = renames.apply(table);
        let gone = was.columns.keys().filter(|name| !next.columns.contains_key(*name));
        found.extend(gone.map(|name| Drop::Column(format!("{}.{name}", next.key))));
    }
    found.sort_by_key(|own| matches!(own, Drop::Column(_)));
    found
}

/// What up drops, each in a sentence.
pub(super) fn of_drops(old: &Plan, new: &Plan, renames: &Renames) -> Vec<String> {
    let hint = "declare it in renames if it has another name now";
    let sentence = |own: &Drop| match own {
        Drop::Table(name) => format!("the table {name} is dropped with its rows; {hint}"),
        Drop::Column(name) => format!("the column {name} is dropped with its values; {hint}"),
    };
    drops(old, new, renames).iter().map(sentence).collect()
}

/// The comment of a script on what it drops; empty if that is nothing.
pub(super) fn drops_of_script(
    old: &Plan,
    new: &Plan,
    renames: &Renames,
    narrowings: &[Narrowing],
) -> String {
    let name = |own: &Drop| match own {
        Drop::Table(name) => format!("the table {name} with its rows"),
        Drop::Column(name) => format!("the column {name} with its values"),
    };
    let mut all: Vec<String> = drops(old, new, renames).iter().map(name).collect();
    for Narrowing { place, dropped, .. } in narrowings {
        all.extend(dropped.iter().map(|label| format!("the value {label:?} of {place}")));
    }
    if all.is_empty() {
        return String::new();
    }
    write::remark(&format!("Drops {}.", listed(&all))) + "\n"
}

/// `a, b, and c`, as far as they are named.
fn listed(all: &[String]) -> String {
    match all {
        [most @ .., last] if !most.is_empty() && all.len() <= NAMED => {
            format!("{}, and {last}", most.join(", "))
        }
        all => first(all, NAMED, ", "),
    }
}

/// What a migration up may lose, or why it may fail.
pub(super) fn of_changes(
    dialect: Dialect,
    change: &Change<'_>,
    narrowings: &[Narrowing],
) -> Vec<String> {
    let Change { old, new, renames, .. } = *change;
    let stops = |own: &Narrowing| {
        format!("{} {}: up stops on the first row that would lose", own.place, own.what)
    };
    let mut notes: Vec<String> = narrowings.iter().map(stops).collect();
    let reversed = renames.reversed();
    for table in old.tables.values() {
        let Some(next) = new.tables.get(renames.table(table)) else { continue };
        let was = renames.apply(table);
        notes.extend(column_risks(dialect, &was, next));
        let key = &next.key;
        notes.extend(narrowing::fresh_keys(&was, next).map(|columns| {
            format!("{key}: {columns} becomes unique: rows that are equal in it stop the migration")
        }));
        if has_other_storage(&was, next) {
            notes.push(format!("{key}: the change of its options or partitions is not migrated"));
        }
        let back = reversed.apply(next);
        let is_last = back.columns.keys().next_back() == table.columns.keys().next_back();
        let is_gone = was.columns.keys().any(|name| !next.columns.contains_key(name));
        if is_gone && !is_last {
            notes.push(format!(
                "{key}: down puts columns back at the end where the database cannot place them"
            ));
        }
    }
    notes
}

/// Why the rows of a table may not fit its new columns, or what becomes of them.
fn column_risks(dialect: Dialect, was: &Table, next: &Table) -> Vec<String> {
    let risk = |(name, column): (&String, &Column)| {
        let risk = match was.columns.get(name) {
            None if column.is_required && column.default.is_none() && column.identity.is_none() => {
                "is new, required and has no default: up fails where there are rows".to_owned()
            }
            Some(before) if narrowing::is_filled(dialect, before, column) => {
                let default = column.default.as_deref().unwrap_or_default();
                format!("becomes required: rows without a value get the default {default}")
            }
            Some(before) if dialect == Dialect::Postgres && before.computed != column.computed => {
                "has another expression, which is not migrated: drop it, and add it again"
                    .to_owned()
            }
            _ => return None,
        };
        Some(format!("{}.{name} {risk}", next.key))
    };
    next.columns.iter().filter_map(risk).collect()
}

fn has_other_storage(was: &Table, next: &Table) -> bool {
    let storage = |table: &Table| {
        let native = table.native.as_ref()?;
        Some((native.options.clone(), native.partition_by.clone(), native.partitions.clone()))
    };
    storage(was) != storage(next)
}
