//! Migrates from one plan to another by ALTER, for PostgreSQL and MySQL. Down is the same with the plans exchanged.

use std::collections::HashSet;
use std::fmt::Write as _;

use indexmap::IndexSet;

use super::dialect::{Dialect, TableName};
use super::narrowing::is_same_type;
use super::tables::{Column, Foreign, Key, Plan, Table, ordered};
use super::{column_type, write};

#[derive(Debug, Clone, Copy)]
pub(super) struct Change<'a> {
    pub(super) old: &'a Plan,
    pub(super) new: &'a Plan,
}

struct Pair<'a> {
    was: &'a Table,
    new: &'a Table,
}

pub(super) fn migrate(dialect: Dialect, change: &Change<'_>) -> Vec<String> {
    let Change { old, new } = *change;
    let pairs: Vec<_> = Plan::kept(old, new).map(|(was, new)| Pair { was, new }).collect();
    let gone = old.tables.values().filter(|table| !new.tables.contains_key(&table.key));
    let gone: Vec<_> = gone.collect();
    let fresh = new.tables.values().filter(|table| !old.tables.contains_key(&table.key));
    let fresh: Vec<_> = fresh.collect();
    let mut migration = Migration { dialect, out: Vec::new() };
    if dialect == Dialect::Postgres {
        migration.surround_before(old, new);
    }
    let moved = moved(dialect, &pairs);
    // A key stays as long as foreign keys need it: those of other tables too, and of those that go.
    for pair in &pairs {
        migration.drop_foreigns(pair, &moved);
    }
    migration.drop_tables(&gone);
    for pair in &pairs {
        migration.drop_keys(pair);
    }
    let late = migration.create_tables(&fresh);
    for pair in &pairs {
        migration.columns(pair);
    }
    for pair in &pairs {
        migration.add_keys(pair);
    }
    for (table, foreign) in late {
        migration.add_foreign(&table.name, foreign);
    }
    for pair in &pairs {
        let is_changed = |foreign: &&Foreign| is_changed(foreign, pair.was, &pair.new.key, &moved);
        for foreign in pair.new.foreign.iter().filter(is_changed) {
            migration.add_foreign(&pair.new.name, foreign);
        }
    }
    migration.comment(&fresh, &pairs);
    if dialect == Dialect::Postgres {
        migration.surround_after(old, new);
    }
    migration.out
}

/// Columns by the new name of their table and their own.
type Columns<'a> = HashSet<(&'a str, &'a str)>;

/// The columns whose type changes, or that lose a key: foreign keys on or to them are dropped first and added again.
fn moved<'a>(dialect: Dialect, pairs: &'a [Pair<'_>]) -> Columns<'a> {
    let is_other = |was: &Column, new: &Column| {
        !is_same_type(dialect, was, new)
            || (dialect == Dialect::MySql && new.is_required != was.is_required)
    };
    let mut moved = HashSet::new();
    for Pair { was, new, .. } in pairs {
        let is_retyped = |(name, old): &(&String, &Column)| {
            new.columns.get(*name).is_none_or(|new| is_other(old, new))
        };
        let retyped = was.columns.iter().filter(is_retyped).map(|(name, _)| name);
        // MySQL's foreign keys may need any index.
        let is_lost =
            |key: &&Key| (key.is_unique || dialect == Dialect::MySql) && !new.keys.contains(key);
        let lost = was.keys.iter().filter(is_lost).flat_map(|key| &key.columns);
        let all = retyped.chain(lost);
        moved.extend(all.map(|name| (new.key.as_str(), name.as_str())));
    }
    moved
}

/// Whether MySQL must declare a column anew.
fn is_changed_column(old: &Column, new: &Column) -> bool {
    old.is_required != new.is_required
        || old.default != new.default
        || old.comment != new.comment
        || !is_same_type(Dialect::MySql, old, new)
}

fn is_changed(foreign: &Foreign, other: &Table, table: &str, moved: &Columns<'_>) -> bool {
    let relation = &foreign.relation;
    let is_moved = |table: &str, columns: &[String]| {
        columns.iter().any(|column| moved.contains(&(table, column.as_str())))
    };
    !other.foreign.contains(foreign)
        || is_moved(table, &relation.columns)
        || is_moved(&relation.to, &relation.to_columns)
}

struct Migration {
    dialect: Dialect,
    out: Vec<String>,
}

impl Migration {
    fn alter(&mut self, table: &TableName, what: &str) {
        self.out.push(write::alter(self.dialect, table, what));
    }

    fn drop_foreigns(&mut self, pair: &Pair<'_>, moved: &Columns<'_>) {
        for foreign in &pair.was.foreign {
            if is_changed(foreign, pair.new, &pair.new.key, moved) {
                self.drop_foreign(&pair.was.name, foreign);
            }
        }
    }

    fn drop_keys(&mut self, pair: &Pair<'_>) {
        let (dialect, name) = (self.dialect, &pair.was.name);
        for check in pair.was.checks.iter().filter(|check| !pair.new.checks.contains(check)) {
            self.alter(name, &format!("DROP CONSTRAINT {}", dialect.name(&check.name)));
        }
        for key in pair.was.keys.iter().filter(|key| !pair.new.keys.contains(key)) {
            self.drop_key(name, key);
        }
    }

    fn add_foreign(&mut self, table: &TableName, foreign: &Foreign) {
        self.alter(table, &format!("ADD {}", write::foreign(self.dialect, foreign)));
    }

    /// Adds comments, if they are separate statements.
    fn comment(&mut self, fresh: &[&Table], pairs: &[Pair<'_>]) {
        if self.dialect == Dialect::Postgres {
            self.out.extend(fresh.iter().flat_map(|table| write::comments(None, table)));
            let kept = pairs.iter().flat_map(|pair| write::comments(Some(pair.was), pair.new));
            self.out.extend(kept);
        }
    }

    fn drop_foreign(&mut self, table: &TableName, foreign: &Foreign) {
        let what = if self.dialect == Dialect::MySql { "FOREIGN KEY" } else { "CONSTRAINT" };
        self.alter(table, &format!("DROP {what} {}", self.dialect.name(&foreign.name)));
    }

    fn drop_key(&mut self, table: &TableName, key: &Key) {
        let name = self.dialect.name(&key.name);
        match (self.dialect, key.is_index) {
            (Dialect::MySql, _) => self.alter(table, &format!("DROP INDEX {name}")),
            (_, false) => self.alter(table, &format!("DROP CONSTRAINT {name}")),
            (_, true) => {
                let index = TableName { schema: table.schema.clone(), name: key.name.clone() };
                self.out.push(format!("DROP INDEX {};", self.dialect.table(&index)));
            }
        }
    }

    fn drop_tables(&mut self, gone: &[&Table]) {
        let order: Vec<_> = ordered(gone).into_iter().rev().collect();
        let mut dropped = HashSet::new();
        for table in &order {
            let is_to_dropped = |foreign: &&Foreign| dropped.contains(foreign.relation.to.as_str());
            let early = table.foreign.iter().filter(is_to_dropped);
            early.for_each(|foreign| self.drop_foreign(&table.name, foreign));
            dropped.insert(table.key.as_str());
        }
        for table in order {
            self.out.push(format!("DROP TABLE {};", self.dialect.table(&table.name)));
        }
    }

    /// Creates tables; returns the foreign keys that must wait until the other tables exist.
    fn create_tables<'a>(&mut self, fresh: &[&'a Table]) -> Vec<(&'a Table, &'a Foreign)> {
        let mut late = Vec::new();
        let mut created = HashSet::new();
        for table in ordered(fresh) {
            created.insert(table.key.as_str());
            let is_now = |foreign: &&Foreign| created.contains(foreign.relation.to.as_str());
            let (now, later): (Vec<_>, Vec<_>) = table.foreign.iter().partition(is_now);
            self.out.push(write::table(self.dialect, &table.name, table, &now));
            if self.dialect == Dialect::Postgres {
                let indexes = table.keys.iter().filter(|key| key.is_index);
                self.out.extend(indexes.map(|key| write::index(self.dialect, &table.name, key)));
            }
            late.extend(later.into_iter().map(|foreign| (table, foreign)));
        }
        late
    }

    fn columns(&mut self, pair: &Pair<'_>) {
        let dialect = self.dialect;
        let Pair { was, new } = *pair;
        let mut parts = Vec::new();
        for (name, column) in &new.columns {
            match was.columns.get(name) {
                None => {
                    let column = write::column(dialect, name, column, false);
                    parts.push(format!("ADD COLUMN {column}"));
                }
                Some(old) if dialect == Dialect::MySql && is_changed_column(old, column) => {
                    parts.push(format!(
                        "MODIFY COLUMN {}",
                        write::column(dialect, name, column, false)
                    ));
                }
                Some(old) if dialect == Dialect::Postgres => {
                    parts.extend(changes(name, old, column));
                }
                Some(_) => {}
            }
        }
        for name in was.columns.keys().filter(|name| !new.columns.contains_key(*name)) {
            parts.push(format!("DROP COLUMN {}", dialect.name(name)));
        }
        if dialect == Dialect::MySql && was.comment != new.comment {
            let comment = dialect.text(new.comment.as_deref().unwrap_or_default());
            parts.push(format!("COMMENT = {comment}"));
        }
        if !parts.is_empty() {
            self.alter(&new.name, &format!("\n  {}", parts.join(",\n  ")));
        }
        if dialect == Dialect::Postgres {
            self.sequences(pair);
        }
    }

    /// The sequence of a `serial` of PostgreSQL keeps its type when the column gets another one.
    fn sequences(&mut self, Pair { was, new }: &Pair<'_>) {
        let dialect = self.dialect;
        let table = dialect.text(&dialect.table(&new.name));
        for (name, column) in new.columns.iter().filter(|(_, column)| column.is_identity) {
            if was.columns.get(name).is_some_and(|old| !is_same_type(dialect, old, column)) {
                let (name, sql) = (dialect.text(name), &column.sql);
                self.out.push(format!(
                    "DO $flow$ BEGIN\n  EXECUTE coalesce('ALTER SEQUENCE ' || pg_get_serial_sequence({table}, {name}) || ' AS {sql}', 'SELECT');\nEND $flow$;"
                ));
            }
        }
    }

    fn add_keys(&mut self, pair: &Pair<'_>) {
        let (dialect, name) = (self.dialect, &pair.new.name);
        for key in pair.new.keys.iter().filter(|key| !pair.was.keys.contains(key)) {
            if key.is_index {
                self.out.push(write::index(dialect, name, key));
            } else {
                self.alter(name, &format!("ADD {}", write::unique(dialect, key)));
            }
        }
        for check in pair.new.checks.iter().filter(|check| !pair.was.checks.contains(check)) {
            self.alter(name, &format!("ADD {}", write::check(dialect, check)));
        }
    }

    /// Creates the schemas and enumerations that tables need.
    fn surround_before(&mut self, old: &Plan, new: &Plan) {
        let (dialect, existing) = (self.dialect, schemas(old));
        let wanted = schemas(new).into_iter().filter(|name| !existing.contains(name));
        let text = |name| format!("CREATE SCHEMA IF NOT EXISTS {};", dialect.name(name));
        self.out.extend(wanted.map(text));
        let fresh = new.types.iter().filter(|(name, _)| !old.types.contains_key(*name));
        self.out.extend(fresh.map(|(name, labels)| write::enumeration(name, labels)));
    }

    /// Drops the objects that no table needs any more.
    fn surround_after(&mut self, old: &Plan, new: &Plan) {
        let dialect = self.dialect;
        let gone = old.types.keys().filter(|name| !new.types.contains_key(*name));
        self.out.extend(gone.map(|name| format!("DROP TYPE {};", dialect.name(name))));
        let wanted = schemas(new);
        let gone = schemas(old).into_iter().filter(|name| !wanted.contains(name));
        self.out.extend(gone.map(|name| format!("DROP SCHEMA {};", dialect.name(name))));
    }
}

/// PostgreSQL's clauses of ALTER TABLE for the changes of a column.
fn changes(name: &str, old: &Column, new: &Column) -> Vec<String> {
    let column = Dialect::Postgres.name(name);
    let mut parts = Vec::new();
    let retyped = !is_same_type(Dialect::Postgres, old, new);
    if old.default.is_some() && (retyped || new.default.is_none()) {
        parts.push(format!("ALTER COLUMN {column} DROP DEFAULT"));
    }
    if retyped {
        parts.push(format!("ALTER COLUMN {column} TYPE {}", new.sql));
    }
    let default = new.default.as_ref().filter(|_| retyped || old.default != new.default);
    if let Some(default) = default {
        parts.push(format!("ALTER COLUMN {column} SET DEFAULT {default}"));
    }
    if old.is_required != new.is_required {
        let verb = if new.is_required { "SET" } else { "DROP" };
        parts.push(format!("ALTER COLUMN {column} {verb} NOT NULL"));
    }
    parts
}

/// Whether the old values are there still, in their order.
fn is_extended(before: &[String], labels: &[String]) -> bool {
    let mut rest = labels.iter();
    before.iter().all(|label| rest.any(|other| other == label))
}

/// What no script says: a change for which a database has no statement, or one that depends on what the values mean.
pub(super) fn unwritten(dialect: Dialect, old: &Plan, new: &Plan) -> Option<String> {
    let is_moved = |(name, labels): &(&String, &Vec<String>)| {
        old.types.get(*name).is_some_and(|before| !is_extended(before, labels))
    };
    if let Some((name, _)) = new.types.iter().find(is_moved) {
        return Some(format!("the enumeration {name} loses or moves a value"));
    }
    Plan::kept(old, new).find_map(|(was, new)| {
        if was.primary_key != new.primary_key {
            return Some(format!("{} gets another primary key", new.key));
        }
        new.columns.iter().find_map(|(name, after)| {
            let before = was.columns.get(name)?;
            let place = format!("{}.{name}", new.key);
            if before.is_identity != after.is_identity {
                return Some(format!("{place} begins or ceases to be numbered"));
            }
            let is_other =
                column_type::change(dialect, "", before, after) == column_type::Change::Other;
            let shown = |sql: &str| if sql.is_empty() { "no type" } else { sql }.to_owned();
            let [from, to] = [&before.sql, &after.sql].map(|sql| shown(sql));
            is_other.then(|| format!("{place} changes from {from} to {to}"))
        })
    })
}

/// The statements that give enumerations more values. They stand before the transaction, which could not use them.
pub(super) fn added_values(old: &Plan, new: &Plan) -> String {
    let dialect = Dialect::Postgres;
    let mut out = String::new();
    for (name, labels) in &new.types {
        let Some(before) = old.types.get(name).filter(|before| is_extended(before, labels)) else {
            continue;
        };
        let mut kept = before.iter().peekable();
        let is_added = |(_, label): &(usize, &String)| kept.next_if_eq(label).is_none();
        for (at, label) in labels.iter().enumerate().filter(is_added) {
            let previous = at.checked_sub(1).and_then(|at| labels.get(at));
            let place = match (previous, before.first()) {
                (Some(previous), _) => format!(" AFTER {}", dialect.text(previous)),
                (None, Some(first)) => format!(" BEFORE {}", dialect.text(first)),
                (None, None) => String::new(),
            };
            let (name, label) = (dialect.name(name), dialect.text(label));
            let _ = writeln!(out, "ALTER TYPE {name} ADD VALUE IF NOT EXISTS {label}{place};");
        }
    }
    out
}

fn schemas(plan: &Plan) -> IndexSet<&str> {
    plan.tables.values().filter_map(|table| table.name.schema.as_deref()).collect()
}
