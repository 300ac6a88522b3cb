//! Migrates from one plan to another in SQLite, whose ALTER TABLE is limited: a changed table is created again, filled
//! from the old one, and renamed. Foreign keys are disabled during this.

use std::collections::HashSet;

use super::dialect::{Dialect, TableName};
use super::migrate::{Change, Way};
use super::tables::{Column, Key, Table};
use super::write;

const DIALECT: Dialect = Dialect::Sqlite;

pub(super) fn migrate(change: &Change<'_>) -> Vec<String> {
    let Change { old, new, renames, way } = *change;
    let mut out = Vec::new();
    let mut made = HashSet::new();
    let (mut dropped, mut moves, mut indexes) = (Vec::new(), Vec::new(), Vec::new());
    for table in old.tables.values() {
        let name = DIALECT.table(&table.name);
        let Some(next) = new.tables.get(renames.table(table)) else {
            dropped.push(write::lost(&format!("rows of {}", table.key)));
            dropped.push(format!("DROP TABLE {name};"));
            continue;
        };
        made.insert(next.key.as_str());
        let was = renames.apply(table);
        let is_same = create(&next.name, &was) == create(&next.name, next);
        if is_same && table.key == next.key {
            let gone = own_indexes(table).filter(|key| !next.keys.contains(key));
            dropped.extend(gone.map(|key| format!("DROP INDEX {};", DIALECT.name(&key.name))));
            let fresh = own_indexes(next).filter(|key| !table.keys.contains(key));
            indexes.extend(fresh.map(|key| write::index(DIALECT, &next.name, key)));
            continue;
        }
        let temporary = TableName { schema: None, name: format!("_flow_new_{}", next.key) };
        out.push(create(&temporary, next));
        out.extend(copy(table, &was, next, &temporary, way));
        dropped.push(format!("DROP TABLE {name};"));
        let rename = format!("RENAME TO {}", DIALECT.table(&next.name));
        moves.push(write::alter(DIALECT, &temporary, &rename));
        indexes.extend(indexes_of(next));
    }
    out.extend(dropped);
    out.extend(moves);
    for table in new.tables.values().filter(|table| !made.contains(table.key.as_str())) {
        if way == Way::Down {
            out.push(write::restored(&table.key, "rows"));
        }
        out.push(create(&table.name, table));
        indexes.extend(indexes_of(table));
    }
    out.extend(indexes);
    out
}

fn create(name: &TableName, table: &Table) -> String {
    write::table(DIALECT, name, table, &table.foreign.iter().collect::<Vec<_>>())
}

fn own_indexes(table: &Table) -> impl Iterator<Item = &Key> {
    table.keys.iter().filter(|key| !key.is_constraint())
}

fn indexes_of(table: &Table) -> impl Iterator<Item = String> {
    own_indexes(table).map(|key| write::index(DIALECT, &table.name, key))
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
            None => out.push(write::lost(&format!("values of {}.{name}", old.key))),
        }
    }
    if way == Way::Down {
        let fresh = next.columns.keys().filter(|name| !was.columns.contains_key(*name));
        let column = |name: &String| format!("{}.{name}", next.key);
        out.extend(fresh.map(|name| write::restored(&column(name), "values")));
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
