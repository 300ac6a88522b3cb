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

/// A table before and after.
#[derive(Clone, Copy)]
struct Pair<'a> {
    was: &'a Table,
    new: &'a Table,
}

pub(super) fn migrate(dialect: Dialect, change: &Change<'_>) -> Vec<String> {
    let Change { old, new } = *change;
    let pairs: Vec<_> = Plan::kept(old, new).map(|(was, new)| Pair { was, new }).collect();
    let migration = Migration { dialect, moved: moved(dialect, &pairs), pairs };
    let gone = old.tables.values().filter(|table| !new.tables.contains_key(&table.key));
    let fresh = new.tables.values().filter(|table| !old.tables.contains_key(&table.key));
    let fresh: Vec<_> = fresh.collect();
    let (created, late) = migration.create_tables(&fresh);
    let has_types = dialect == Dialect::Postgres;
    // A key stays as long as foreign keys need it: those of other tables too, and of those that go.
    [
        if has_types { needed_before(old, new) } else { Vec::new() },
        migration.kept(Migration::drop_foreigns),
        migration.drop_tables(&gone.collect::<Vec<_>>()),
        migration.kept(Migration::drop_keys),
        created,
        migration.kept(Migration::columns),
        migration.kept(Migration::add_keys),
        late,
        migration.kept(Migration::add_foreigns),
        fresh.iter().flat_map(|table| migration.comments(None, table)).collect(),
        migration.kept(|migration, Pair { was, new }| migration.comments(Some(was), new)),
        if has_types { unneeded_after(old, new) } else { Vec::new() },
    ]
    .concat()
}

/// Creates the schemas and enumerations that tables need, which only PostgreSQL has.
fn needed_before(old: &Plan, new: &Plan) -> Vec<String> {
    let existing = schemas(old);
    let wanted = schemas(new).into_iter().filter(|name| !existing.contains(name));
    let schema = |name| format!("CREATE SCHEMA IF NOT EXISTS {};", Dialect::Postgres.name(name));
    let fresh = new.types.iter().filter(|(name, _)| !old.types.contains_key(*name));
    wanted.map(schema).chain(fresh.map(|(name, labels)| write::enumeration(name, labels))).collect()
}

/// Drops those that no table needs any more.
fn unneeded_after(old: &Plan, new: &Plan) -> Vec<String> {
    let dialect = Dialect::Postgres;
    let types = old.types.keys().filter(|name| !new.types.contains_key(*name));
    let types = types.map(|name| format!("DROP TYPE {};", dialect.name(name)));
    let wanted = schemas(new);
    let gone = schemas(old).into_iter().filter(|name| !wanted.contains(name));
    types.chain(gone.map(|name| format!("DROP SCHEMA {};", dialect.name(name)))).collect()
}

/// Columns by the key of their table and their own name.
type Columns<'a> = HashSet<(&'a str, &'a str)>;

/// The columns whose type changes, or that lose a key: foreign keys on or to them are dropped first and added again.
fn moved<'a>(dialect: Dialect, pairs: &[Pair<'a>]) -> Columns<'a> {
    let is_other = |was: &Column, new: &Column| {
        !is_same_type(dialect, was, new)
            || (dialect == Dialect::MySql && new.is_required != was.is_required)
    };
    let mut moved = HashSet::new();
    for Pair { was, new } in pairs {
        let is_retyped = |(name, old): &(&String, &Column)| {
            new.columns.get(*name).is_none_or(|new| is_other(old, new))
        };
        let retyped = was.columns.iter().filter(is_retyped).map(|(name, _)| name);
        // MySQL's foreign keys may need any index.
        let is_lost =
            |key: &&Key| (key.is_unique || dialect == Dialect::MySql) && !new.keys.contains(key);
        let lost = was.keys.iter().filter(is_lost).flat_map(|key| &key.columns);
        moved.extend(retyped.chain(lost).map(|name| (new.key.as_str(), name.as_str())));
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

/// What every step depends on. A step is the statements of one kind, for a table before and after or for all tables.
struct Migration<'a> {
    dialect: Dialect,
    pairs: Vec<Pair<'a>>,
    moved: Columns<'a>,
}

impl<'a> Migration<'a> {
    /// A step of all tables of both plans.
    fn kept(&self, step: fn(&Self, Pair<'a>) -> Vec<String>) -> Vec<String> {
        self.pairs.iter().flat_map(|pair| step(self, *pair)).collect()
    }

    fn alter(&self, table: &TableName, what: &str) -> String {
        write::alter(self.dialect, table, what)
    }

    /// Whether a foreign key is not that of the same table in the other plan, or must be added again.
    fn is_changed(&self, foreign: &Foreign, other: &Table) -> bool {
        let relation = &foreign.relation;
        let is_moved = |table: &str, columns: &[String]| {
            columns.iter().any(|column| self.moved.contains(&(table, column.as_str())))
        };
        !other.foreign.contains(foreign)
            || is_moved(&other.key, &relation.columns)
            || is_moved(&relation.to, &relation.to_columns)
    }

    fn drop_foreigns(&self, Pair { was, new }: Pair<'_>) -> Vec<String> {
        let changed = was.foreign.iter().filter(|foreign| self.is_changed(foreign, new));
        changed.map(|foreign| self.drop_foreign(&was.name, foreign)).collect()
    }

    fn add_foreigns(&self, Pair { was, new }: Pair<'_>) -> Vec<String> {
        let changed = new.foreign.iter().filter(|foreign| self.is_changed(foreign, was));
        changed.map(|foreign| self.add_foreign(&new.name, foreign)).collect()
    }

    fn drop_keys(&self, Pair { was, new }: Pair<'_>) -> Vec<String> {
        let checks = was.checks.iter().filter(|check| !new.checks.contains(check));
        let check = |name| format!("DROP CONSTRAINT {}", self.dialect.name(name));
        let checks = checks.map(|gone| self.alter(&was.name, &check(&gone.name)));
        let keys = was.keys.iter().filter(|key| !new.keys.contains(key));
        checks.chain(keys.map(|key| self.drop_key(&was.name, key))).collect()
    }

    fn add_keys(&self, Pair { was, new }: Pair<'_>) -> Vec<String> {
        let (dialect, name) = (self.dialect, &new.name);
        let keys = new.keys.iter().filter(|key| !was.keys.contains(key));
        let keys = keys.map(|key| {
            if key.is_index {
                return write::index(dialect, name, key);
            }
            self.alter(name, &format!("ADD {}", write::unique(dialect, key)))
        });
        let checks = new.checks.iter().filter(|check| !was.checks.contains(check));
        let check = |check| format!("ADD {}", write::check(dialect, check));
        keys.chain(checks.map(|fresh| self.alter(name, &check(fresh)))).collect()
    }

    fn add_foreign(&self, table: &TableName, foreign: &Foreign) -> String {
        self.alter(table, &format!("ADD {}", write::foreign(self.dialect, foreign)))
    }

    fn drop_foreign(&self, table: &TableName, foreign: &Foreign) -> String {
        let what = if self.dialect == Dialect::MySql { "FOREIGN KEY" } else { "CONSTRAINT" };
        self.alter(table, &format!("DROP {what} {}", self.dialect.name(&foreign.name)))
    }

    fn drop_key(&self, table: &TableName, key: &Key) -> String {
        let name = self.dialect.name(&key.name);
        match (self.dialect, key.is_index) {
            (Dialect::MySql, _) => self.alter(table, &format!("DROP INDEX {name}")),
            (_, false) => self.alter(table, &format!("DROP CONSTRAINT {name}")),
            (_, true) => {
                let index = TableName { schema: table.schema.clone(), name: key.name.clone() };
                format!("DROP INDEX {};", self.dialect.table(&index))
            }
        }
    }

    /// The comments that are separate statements.
    fn comments(&self, was: Option<&Table>, new: &Table) -> Vec<String> {
        if self.dialect == Dialect::Postgres { write::comments(was, new) } else { Vec::new() }
    }

    fn drop_tables(&self, gone: &[&Table]) -> Vec<String> {
        let order: Vec<_> = ordered(gone).into_iter().rev().collect();
        let mut out = Vec::new();
        let mut dropped = HashSet::new();
        for table in &order {
            let is_to_dropped = |foreign: &&Foreign| dropped.contains(foreign.relation.to.as_str());
            let early = table.foreign.iter().filter(is_to_dropped);
            out.extend(early.map(|foreign| self.drop_foreign(&table.name, foreign)));
            dropped.insert(table.key.as_str());
        }
        let drop = |table: &&Table| format!("DROP TABLE {};", self.dialect.table(&table.name));
        out.extend(order.iter().map(drop));
        out
    }

    /// Creates tables; the second list adds the foreign keys that must wait until the other tables exist.
    fn create_tables(&self, fresh: &[&Table]) -> (Vec<String>, Vec<String>) {
        let (mut out, mut late) = (Vec::new(), Vec::new());
        let mut created = HashSet::new();
        for table in ordered(fresh) {
            created.insert(table.key.as_str());
            let is_now = |foreign: &&Foreign| created.contains(foreign.relation.to.as_str());
            let (now, later): (Vec<_>, Vec<_>) = table.foreign.iter().partition(is_now);
            out.push(write::table(self.dialect, &table.name, table, &now));
            if self.dialect == Dialect::Postgres {
                let indexes = table.keys.iter().filter(|key| key.is_index);
                out.extend(indexes.map(|key| write::index(self.dialect, &table.name, key)));
            }
            late.extend(later.into_iter().map(|foreign| self.add_foreign(&table.name, foreign)));
        }
        (out, late)
    }

    fn columns(&self, Pair { was, new }: Pair<'_>) -> Vec<String> {
        let dialect = self.dialect;
        let mut parts = Vec::new();
        for (name, column) in &new.columns {
            let declared = || write::column(dialect, name, column, false);
            match was.columns.get(name) {
                None => parts.push(format!("ADD COLUMN {}", declared())),
                Some(old) if dialect == Dialect::MySql && is_changed_column(old, column) => {
                    parts.push(format!("MODIFY COLUMN {}", declared()));
                }
                Some(old) if dialect == Dialect::Postgres => {
                    parts.extend(changes(name, old, column));
                }
                Some(_) => {}
            }
        }
        let gone = was.columns.keys().filter(|name| !new.columns.contains_key(*name));
        parts.extend(gone.map(|name| format!("DROP COLUMN {}", dialect.name(name))));
        if dialect == Dialect::MySql && was.comment != new.comment {
            let comment = dialect.text(new.comment.as_deref().unwrap_or_default());
            parts.push(format!("COMMENT = {comment}"));
        }
        let parts = parts.join(",\n  ");
        let altered = (!parts.is_empty()).then(|| self.alter(&new.name, &format!("\n  {parts}")));
        altered.into_iter().chain(self.sequences(Pair { was, new })).collect()
    }

    /// The sequence of a `serial` of PostgreSQL keeps its type when the column gets another one.
    fn sequences(&self, Pair { was, new }: Pair<'_>) -> Vec<String> {
        let dialect = Dialect::Postgres;
        if self.dialect != dialect {
            return Vec::new();
        }
        let table = dialect.text(&dialect.table(&new.name));
        let numbered = new.columns.iter().filter(|(name, column)| {
            let old = was.columns.get(*name);
            column.is_identity && old.is_some_and(|old| !is_same_type(dialect, old, column))
        });
        let statement = |(name, Column { sql, .. }): (&String, &Column)| {
            let name = dialect.text(name);
            format!(
                "DO $flow$ BEGIN\n  EXECUTE coalesce('ALTER SEQUENCE ' || pg_get_serial_sequence({table}, {name}) || ' AS {sql}', 'SELECT');\nEND $flow$;"
            )
        };
        numbered.map(statement).collect()
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
