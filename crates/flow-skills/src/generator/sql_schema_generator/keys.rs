//! Keys, indexes and references of a table, and the names of all constraints.

use xxhash_rust::xxh3::xxh3_64;

use super::dialect::{Dialect, TableName};
use super::plan::Planner;
use super::tables::{Foreign, Key, Table};
use crate::data::{KeyKind, Relation, Table as Keys};
use crate::output::{Fault, Result, bad_given};
use crate::text::first;

/// Longest name that each database accepts, in bytes.
const LONGEST: usize = 63;
/// Length of a truncated name before its hash, in bytes.
const CUT: usize = 46;
/// Largest number of keys of a table: each is compared with the others.
const MOST: usize = 2_000;
/// Largest number of columns that an error names.
const NAMED: usize = 20;

impl Planner<'_> {
    pub(super) fn add_keys(&mut self, entity: &str, table: &mut Table, keys: &Keys) -> Result<()> {
        let count = keys.unique.len() + keys.indexes.len() + keys.relations.len();
        if count > MOST {
            let text =
                format!("the table {:?} has {count} keys, over the limit of {MOST}", table.key);
            return Err(Fault::Refused(text));
        }
        check_columns(entity, table, keys)?;
        for columns in &keys.unique {
            self.add_key(table, keys, columns, true);
        }
        for columns in &keys.indexes {
            self.add_key(table, keys, columns, false);
        }
        for relation in &keys.relations {
            self.add_foreign(table, keys, relation);
        }
        Ok(())
    }

    fn add_key(&mut self, table: &mut Table, keys: &Keys, columns: &[String], is_unique: bool) {
        if columns.is_empty() {
            return;
        }
        if table.keys.iter().any(|key| key.columns == columns && key.is_unique == is_unique) {
            let columns = columns.join(", ");
            return self.note(format!("{}: a second key over {columns} is left out", table.key));
        }
        // MySQL does not distinguish a unique index from a constraint.
        let is_index =
            !is_unique || (self.dialect != Dialect::MySql && keys.is_unique_index(columns));
        let kind = if is_unique { KeyKind::Unique } else { KeyKind::Index };
        let name = self.key_name(&table.key, kind, columns, keys);
        let columns = columns.to_vec();
        table.keys.push(Key { name, columns, is_unique, is_index });
    }

    fn add_foreign(&mut self, table: &mut Table, keys: &Keys, relation: &Relation) {
        let columns = &relation.columns;
        let name = self.key_name(&table.key, KeyKind::Foreign, columns, keys);
        let is_covered = table.primary_key.starts_with(columns)
            || table.keys.iter().any(|key| key.columns.starts_with(columns));
        // MySQL creates an index for each foreign key that has none, and keeps it: better a known one. The others create
        // none, so that each change of the referred row scans the table; but tables that the user wrote stay as they are.
        let is_written = keys.name.is_some()
            && keys.source.as_ref().is_none_or(|source| source.dialect == self.dialect);
        if !is_covered && (self.dialect == Dialect::MySql || !is_written) {
            let name = self.fresh(&table.key, columns, KeyKind::Index);
            let columns = columns.clone();
            table.keys.push(Key { name, columns, is_unique: false, is_index: true });
        }
        let to = self.names.get(&relation.to).cloned();
        let to = to.unwrap_or_else(|| TableName { schema: None, name: relation.to.clone() });
        let relation = Relation { to: to.key(), ..relation.clone() };
        table.foreign.push(Foreign { name, relation, to });
    }

    /// The name of a key: its own, unless another constraint has it; else one in PostgreSQL's style.
    pub(super) fn key_name(
        &mut self,
        table: &str,
        kind: KeyKind,
        columns: &[String],
        keys: &Keys,
    ) -> String {
        match keys.name_of(kind, columns).filter(|name| !name.is_empty()) {
            Some(given) if self.reserve(table, given, kind) => given.clone(),
            _ => self.fresh(table, columns, kind),
        }
    }

    /// A name with the scope in which it must be unique: MySQL's indexes are named within their table, PostgreSQL's
    /// within the schema. A table has no kind.
    pub(super) fn scope(&self, table: &str, name: &str, kind: Option<KeyKind>) -> String {
        let schema = table.rsplit_once('.').map_or("", |(schema, _)| schema);
        let is_index =
            matches!(kind, Some(KeyKind::Unique | KeyKind::UniqueIndex | KeyKind::Index));
        let within = match self.dialect {
            Dialect::MySql if is_index => table,
            Dialect::Postgres => schema,
            _ => "",
        };
        format!("{within}\0{}", name.to_lowercase())
    }

    /// Takes a name for a constraint; false if it is too long or another has it.
    fn reserve(&mut self, table: &str, name: &str, kind: KeyKind) -> bool {
        let scope = self.scope(table, name, Some(kind));
        name.len() <= LONGEST && self.used.insert(scope)
    }

    /// A unique name for a constraint, short enough for each database.
    fn fresh(&mut self, table: &str, columns: &[String], kind: KeyKind) -> String {
        let is_schema = self.dialect == Dialect::Postgres;
        let bare = table.rsplit_once('.').filter(|_| is_schema).map_or(table, |(_, name)| name);
        let suffix = match kind {
            KeyKind::Primary => "pkey",
            KeyKind::Unique | KeyKind::UniqueIndex => "key",
            KeyKind::Index => "idx",
            KeyKind::Foreign => "fkey",
            KeyKind::Check => "check",
        };
        let columns = if kind == KeyKind::Primary { &[] } else { columns };
        let columns = columns.iter().map(String::as_str);
        let parts: Vec<_> = std::iter::once(bare).chain(columns).chain([suffix]).collect();
        let plain = parts.join("_");
        let start = &plain[..plain.floor_char_boundary(CUT)];
        let mut hash = xxh3_64(parts.join("\0").as_bytes());
        let mut name = plain.clone();
        while !self.reserve(table, &name, kind) {
            name = format!("{start}_{hash:016x}");
            hash = hash.wrapping_add(1);
        }
        name
    }
}

fn check_columns(entity: &str, table: &Table, keys: &Keys) -> Result<()> {
    let relations = keys.relations.iter().map(|relation| &relation.columns);
    let all = keys.unique.iter().chain(&keys.indexes).chain(relations).chain([&keys.primary_key]);
    match all.flatten().find(|name| !table.columns.contains_key(*name)) {
        Some(column) => {
            let known = first(table.columns.keys(), NAMED, " and ");
            let allowed = format!("over its columns: {known}");
            Err(bad_given(entity, format!("a key over {column:?}"), &allowed))
        }
        None => Ok(()),
    }
}
