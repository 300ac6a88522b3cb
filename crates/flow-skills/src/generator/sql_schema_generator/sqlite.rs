//! Migrates from one plan to another in SQLite, whose ALTER TABLE is limited: a table that changes otherwise than by more
//! columns is created again, filled from the old one, and renamed. Foreign keys are disabled during this.

use super::dialect::{Dialect, TableName};
use super::migrate::Change;
use super::tables::{Column, Key, Plan, Table};
use super::write;

const DIALECT: Dialect = Dialect::Sqlite;

/// The statements, by the order in which they must stand.
#[derive(Default)]
struct Steps {
    altered: Vec<String>,
    dropped: Vec<String>,
    renamed: Vec<String>,
    created: Vec<String>,
    indexes: Vec<String>,
}

pub(super) fn migrate(Change { old, new }: &Change<'_>) -> Vec<String> {
    let mut steps = Steps::default();
    for table in old.tables.values() {
        match new.tables.get(&table.key).map(|next| (next, added(table, next))) {
            None => steps.drop(table),
            Some((next, Some(columns))) => steps.alter(table, next, &columns),
            Some((next, None)) => steps.make_again(table, next),
        }
    }
    for table in new.tables.values().filter(|table| !old.tables.contains_key(&table.key)) {
        steps.created.push(create(&table.name, table));
        steps.index(table, &[]);
    }
    let Steps { altered, dropped, renamed, created, indexes } = steps;
    [altered, dropped, renamed, created, indexes].concat()
}

impl Steps {
    fn drop(&mut self, table: &Table) {
        self.dropped.push(format!("DROP TABLE {};", DIALECT.table(&table.name)));
    }

    /// Creates the indexes of a table but for those that are there already.
    fn index(&mut self, table: &Table, there: &[Key]) {
        let fresh = own_indexes(table).filter(|key| !there.contains(key));
        self.indexes.extend(fresh.map(|key| write::index(DIALECT, &table.name, key)));
    }

    fn alter(&mut self, table: &Table, next: &Table, added: &[(&String, &Column)]) {
        for (name, column) in added {
            let column = write::column(DIALECT, name, column, false);
            self.altered.push(write::alter(DIALECT, &next.name, &format!("ADD COLUMN {column}")));
        }
        let gone = own_indexes(table).filter(|key| !next.keys.contains(key));
        self.dropped.extend(gone.map(|key| format!("DROP INDEX {};", DIALECT.name(&key.name))));
        self.index(next, &table.keys);
    }

    /// Creates a table under another name, fills it from the old one, and gives it the name of that.
    fn make_again(&mut self, table: &Table, next: &Table) {
        let temporary = TableName { schema: None, name: format!("_flow_new_{}", next.key) };
        self.altered.push(create(&temporary, next));
        self.altered.extend(copy(table, next, &temporary));
        if counts(table) && counts(next) {
            self.altered.push(keep_count(&table.name, &temporary));
        }
        self.drop(table);
        let rename = format!("RENAME TO {}", DIALECT.table(&next.name));
        self.renamed.push(write::alter(DIALECT, &temporary, &rename));
        self.index(next, &[]);
    }
}

/// The names of the tables that are made again.
pub(super) fn made_again<'a>(change: &Change<'a>) -> Vec<&'a str> {
    let kept = Plan::kept(change.old, change.new);
    let again = kept.filter(|(table, next)| is_made_again(table, next));
    again.map(|(_, next)| next.name.name.as_str()).collect()
}

/// Whether a table of the old plan is created again, which drops its triggers.
pub(super) fn is_made_again(table: &Table, next: &Table) -> bool {
    added(table, next).is_none()
}

/// The columns that are added to a table, if it is the same but for them and SQLite can add them: at the end, with a
/// constant as default.
fn added<'a>(table: &Table, next: &'a Table) -> Option<Vec<(&'a String, &'a Column)>> {
    let (kept, added): (Vec<_>, Vec<_>) =
        next.columns.iter().partition(|(name, _)| table.columns.contains_key(*name));
    let is_addable = |(_, column): &(&String, &Column)| {
        let default = column.default.as_deref();
        let is_constant = |text: &str| {
            !text.starts_with('(') && !text.to_ascii_uppercase().starts_with("CURRENT_")
        };
        !column.is_identity
            && default.is_none_or(is_constant)
            && (!column.is_required || default.is_some())
    };
    let is_at_end = next.columns.keys().skip(kept.len()).eq(added.iter().map(|(name, _)| *name));
    let columns = kept.into_iter().map(|(name, column)| (name.clone(), column.clone())).collect();
    let rest = Table { columns, ..next.clone() };
    let is_same = create(&next.name, table) == create(&next.name, &rest);
    (is_same && is_at_end && added.iter().all(is_addable)).then_some(added)
}

fn create(name: &TableName, table: &Table) -> String {
    write::table(DIALECT, name, table, &table.foreign.iter().collect::<Vec<_>>())
}

fn own_indexes(table: &Table) -> impl Iterator<Item = &Key> {
    table.keys.iter().filter(|key| key.is_index)
}

/// Copies the columns that both tables have to `next`, called `to_name` until the old table is dropped.
fn copy(old: &Table, next: &Table, to_name: &TableName) -> Option<String> {
    let kept = old.columns.keys().filter(|name| next.columns.contains_key(*name)).cloned();
    let columns = DIALECT.names(&kept.collect::<Vec<_>>());
    (!columns.is_empty()).then(|| {
        let (to, from) = (DIALECT.table(to_name), DIALECT.table(&old.name));
        format!("INSERT INTO {to} ({columns})\n  SELECT {columns} FROM {from};")
    })
}

/// Whether SQLite keeps the largest number that a table ever gave.
fn counts(table: &Table) -> bool {
    let [key] = table.primary_key.as_slice() else { return false };
    table.columns.get(key).is_some_and(write::is_counter)
}

/// Gives a copy the count of its table, so that no number of a deleted row is given again. The rename takes it along.
fn keep_count(table: &TableName, copy: &TableName) -> String {
    let [from, to] = [table, copy].map(|name| DIALECT.text(&name.name));
    format!(
        "DELETE FROM sqlite_sequence WHERE name = {to};\n\
         INSERT INTO sqlite_sequence (name, seq)\n  SELECT {to}, seq FROM sqlite_sequence WHERE name = {from};"
    )
}
