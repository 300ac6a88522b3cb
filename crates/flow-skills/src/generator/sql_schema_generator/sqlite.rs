//! Migrates from one plan to another in SQLite, whose ALTER TABLE is limited: a changed table is created again, filled
//! from the old one, and renamed. Foreign keys are disabled during this.

use std::collections::HashSet;

use super::dialect::{Dialect, TableName};
use super::migrate::{Change, Way};
use super::tables::{Column, Table};
use super::write::{self, remark};

const DIALECT: Dialect = Dialect::Sqlite;

/// The statements that turn `old` into `new`.
pub(super) fn migrate(change: &Change<'_>) -> Vec<String> {
    let Change { old, new, renames, way } = *change;
    let mut out = Vec::new();
    let mut made = HashSet::new();
    let (mut dropped, mut moves, mut indexes) = (Vec::new(), Vec::new(), Vec::new());
    for table in old.tables.values() {
        let name = DIALECT.table(&table.name);
        let Some(next) = new.tables.get(renames.table(table)) else {
            dropped.push(remark(&format!("The rows of {} are lost here.", table.key)));
            dropped.push(format!("DROP TABLE {name};"));
            continue;
        };
        made.insert(next.key.as_str());
        let was = renames.apply(table);
        let is_same = create(&next.name, &was) == create(&next.name, next);
        if is_same && table.key == next.key {
            let (gone, fresh) = index_changes(table, next);
            dropped.extend(gone);
            indexes.extend(fresh);
            continue;
        }
        let temporary = TableName { schema: None, name: format!("_flow_new_{}", next.key) };
        out.push(create(&temporary, next));
        out.extend(copy(table, &was, next, &temporary, way));
        dropped.push(format!("DROP TABLE {name};"));
        moves.push(write::alter(
            DIALECT,
            &temporary,
            &format!("RENAME TO {}", DIALECT.table(&next.name)),
        ));
        indexes.extend(indexes_of(next));
    }
    out.extend(dropped);
    out.extend(moves);
    for table in new.tables.values().filter(|table| !made.contains(table.key.as_str())) {
        if way == Way::Down {
            out.push(remark(&format!("This restores the shape of {}, not its rows.", table.key)));
        }
        out.push(create(&table.name, table));
        indexes.extend(indexes_of(table));
    }
    out.extend(indexes);
    out
}

/// The statements that drop the indexes that `next` lacks, and those that create the ones that only it has.
fn index_changes(table: &Table, next: &Table) -> (Vec<String>, Vec<String>) {
    let gone = table.keys.iter().filter(|key| !key.is_constraint() && !next.keys.contains(key));
    let fresh = next.keys.iter().filter(|key| !key.is_constraint() && !table.keys.contains(key));
    (
        gone.map(|key| format!("DROP INDEX {};", DIALECT.name(&key.name))).collect(),
        fresh.map(|key| write::index(DIALECT, &next.name, key)).collect(),
    )
}

fn create(name: &TableName, table: &Table) -> String {
    write::table(DIALECT, name, table, &table.foreign.iter().collect::<Vec<_>>())
}

fn indexes_of(table: &Table) -> Vec<String> {
    let indexes = table.keys.iter().filter(|key| !key.is_constraint());
    indexes.map(|key| write::index(DIALECT, &table.name, key)).collect()
}

/// Copies the columns that both tables have to `next`, called `to_name` until the old table is dropped; the database
/// computes the others. `was` is the old table with its new names.
fn copy(old: &Table, was: &Table, next: &Table, to_name: &TableName, way: Way) -> Vec<String> {
    let mut out = Vec::new();
    let (mut to, mut from) = (Vec::new(), Vec::new());
    for ((name, before), (same, _)) in old.columns.iter().zip(&was.columns) {
        match next.columns.get(same) {
            Some(after) if after.computed.is_some() => {}
            Some(after) => {
                to.push(DIALECT.name(same));
                from.push(value(name, before, after));
            }
            None => out.push(remark(&format!("The values of {}.{name} are lost here.", old.key))),
        }
    }
    if way == Way::Down {
        let fresh = next.columns.keys().filter(|name| !was.columns.contains_key(*name));
        out.extend(fresh.map(|name| {
            remark(&format!("This restores the shape of {}.{name}, not its values.", next.key))
        }));
    }
    if !to.is_empty() {
        out.push(format!(
            "INSERT INTO {} ({})\n  SELECT {} FROM {};",
            DIALECT.table(to_name),
            to.join(", "),
            from.join(", "),
            DIALECT.table(&old.name)
        ));
    }
    out
}

fn value(name: &str, before: &Column, after: &Column) -> String {
    let mut text = DIALECT.name(name);
    if before.sql != after.sql && !after.sql.is_empty() {
        text = format!("CAST({text} AS {})", after.sql);
    }
    match &after.default {
        Some(default) if after.is_required && !before.is_required => {
            format!("coalesce({text}, {default})")
        }
        _ => text,
    }
}
