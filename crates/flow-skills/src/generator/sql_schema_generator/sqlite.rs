//! From one plan to another in SQLite, which cannot alter a table much: a changed table is made anew, filled from the old
//! one, and takes its name. Foreign keys rest meanwhile.

use std::collections::HashSet;

use super::dialect::Dialect;
use super::migrate::{Change, Way};
use super::plan::{Column, Table};
use super::write::{self, remark};

const DIALECT: Dialect = Dialect::Sqlite;

/// The statements that turn `old` into `new`.
pub(super) fn migrate(change: &Change<'_>) -> Vec<String> {
    let Change { old, new, renames, way } = *change;
    let mut out = Vec::new();
    let mut made = HashSet::new();
    let (mut dropped, mut moves, mut indexes) = (Vec::new(), Vec::new(), Vec::new());
    for table in old.tables.values() {
        let name = DIALECT.name(&table.name);
        let Some(next) = new.tables.get(renames.table(table)) else {
            dropped.push(remark(&format!("The rows of {} are lost here.", table.name)));
            dropped.push(format!("DROP TABLE {name};"));
            continue;
        };
        made.insert(next.name.as_str());
        let is_same = create(&next.name, &renames.apply(table)) == create(&next.name, next);
        if is_same && table.name == next.name {
            let gone = table.keys.iter().filter(|key| !key.is_unique && !next.keys.contains(key));
            dropped.extend(gone.map(|key| format!("DROP INDEX {};", DIALECT.name(&key.name))));
            let fresh = next.keys.iter().filter(|key| !key.is_unique && !table.keys.contains(key));
            indexes.extend(fresh.map(|key| write::index(DIALECT, &next.name, key)));
            continue;
        }
        let temporary = format!("_flow_new_{}", next.name);
        out.push(create(&temporary, next));
        out.extend(copy(table, &renames.apply(table), next, (&temporary, way)));
        dropped.push(format!("DROP TABLE {name};"));
        moves.push(write::alter(
            DIALECT,
            &temporary,
            &format!("RENAME TO {}", DIALECT.name(&next.name)),
        ));
        indexes.extend(indexes_of(next));
    }
    out.extend(dropped);
    out.extend(moves);
    for table in new.tables.values().filter(|table| !made.contains(table.name.as_str())) {
        if way == Way::Down {
            out.push(remark(&format!("This restores the shape of {}, not its rows.", table.name)));
        }
        out.push(create(&table.name, table));
        indexes.extend(indexes_of(table));
    }
    out.extend(indexes);
    out
}

fn create(name: &str, table: &Table) -> String {
    write::table(DIALECT, name, table, &table.foreign.iter().collect::<Vec<_>>())
}

fn indexes_of(table: &Table) -> Vec<String> {
    let indexes = table.keys.iter().filter(|key| !key.is_unique);
    indexes.map(|key| write::index(DIALECT, &table.name, key)).collect()
}

/// Copies the columns that both have; `was` is the old table with its new names.
fn copy(old: &Table, was: &Table, next: &Table, (temporary, way): (&str, Way)) -> Vec<String> {
    let mut out = Vec::new();
    let (mut to, mut from) = (Vec::new(), Vec::new());
    for ((name, before), (same, _)) in old.columns.iter().zip(&was.columns) {
        match next.columns.get(same) {
            Some(after) => {
                to.push(DIALECT.name(same));
                from.push(value(name, before, after));
            }
            None => out.push(remark(&format!("The values of {}.{name} are lost here.", old.name))),
        }
    }
    if way == Way::Down {
        let fresh = next.columns.keys().filter(|name| !was.columns.contains_key(*name));
        out.extend(fresh.map(|name| {
            remark(&format!("This restores the shape of {}.{name}, not its values.", next.name))
        }));
    }
    if !to.is_empty() {
        out.push(format!(
            "INSERT INTO {} ({})\n  SELECT {} FROM {};",
            DIALECT.name(temporary),
            to.join(", "),
            from.join(", "),
            DIALECT.name(&old.name)
        ));
    }
    out
}

fn value(name: &str, before: &Column, after: &Column) -> String {
    let mut text = DIALECT.name(name);
    if before.sql != after.sql {
        text = format!("CAST({text} AS {})", after.sql);
    }
    match &after.default {
        Some(default) if after.is_required && !before.is_required => {
            format!("coalesce({text}, {default})")
        }
        _ => text,
    }
}
