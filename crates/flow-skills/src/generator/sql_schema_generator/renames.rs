//! Declared renames of tables and columns, and their application to a table.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;

use super::dialect::TableName;
use super::naming;
use super::tables::{Table, Tables};
use crate::input::values::{Line, undescribed};
use crate::output::{Result, bad_given};

/// A renamed table or column: `users -> people`, `users.email -> mail`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "Line")]
#[schemars(transform = undescribed)]
pub(super) struct Rename {
    /// The table: its old name, or for a column its name afterwards.
    table: String,
    /// The old name of a column; absent for a table.
    column: Option<String>,
    /// The new name.
    to: String,
}

impl TryFrom<Line> for Rename {
    type Error = &'static str;

    fn try_from(line: Line) -> std::result::Result<Self, &'static str> {
        const FORM: &str = "a rename such as `users -> people` or `users.email -> mail`";
        let (from, to) = line.split_once("->").ok_or(FORM)?;
        let (from, to) = (from.trim(), to.trim());
        let (table, column) =
            from.rsplit_once('.').map_or((from, None), |(table, name)| (table, Some(name)));
        // `users.email -> users.mail`
        let new = column.and_then(|_| to.strip_prefix(table)?.strip_prefix('.'));
        let to = new.unwrap_or(to);
        if [table, to, column.unwrap_or(table)].contains(&"") {
            return Err(FORM);
        }
        Ok(Self { table: table.to_owned(), column: column.map(str::to_owned), to: to.to_owned() })
    }
}

/// Old names and their new ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Renames {
    tables: IndexMap<String, String>,
    /// By the table's new name and the column's old one.
    columns: IndexMap<(String, String), String>,
    /// The tables of both plans by their keys.
    names: IndexMap<String, TableName>,
}

/// What a rename must be where a model has both names: a database refuses to rename to a name that is taken.
const IN_BOTH: &str =
    "between names of which each model has one; migrate to a third name first, then to this one";

impl Renames {
    pub(super) fn of(list: &[Rename]) -> Self {
        let mut renames = Self::default();
        for Rename { table, column, to } in list.iter().cloned() {
            match column {
                Some(column) => _ = renames.columns.insert((table, column), to),
                None => _ = renames.tables.insert(table, to),
            }
        }
        renames
    }

    /// Refuses renames from or to something that does not exist. Entities may stand for their tables.
    pub(super) fn check(&mut self, old: &Tables, new: &Tables) -> Result<()> {
        let key = |name: &String, all: &Tables| {
            if all.contains_key(name) { name.clone() } else { naming::table_name(name) }
        };
        self.tables = self.tables.iter().map(|(from, to)| (key(from, old), key(to, new))).collect();
        let columns = std::mem::take(&mut self.columns);
        self.columns =
            columns.into_iter().map(|((table, from), to)| ((key(&table, new), from), to)).collect();
        let all = old.values().chain(new.values());
        self.names = all.map(|table| (table.key.clone(), table.name.clone())).collect();
        let bad = |given: String, allowed: &str| Err(bad_given("renames", given, allowed));
        let is_wrong =
            |(from, to): &(&String, &String)| !old.contains_key(*from) || !new.contains_key(*to);
        if let Some((from, to)) = self.tables.iter().find(is_wrong) {
            let allowed = "from a table of the older model to one of the new model";
            return bad(format!("{from:?} to {to:?}"), allowed);
        }
        let is_taken =
            |(from, to): &(&String, &String)| old.contains_key(*to) || new.contains_key(*from);
        if let Some((from, to)) = self.tables.iter().find(is_taken) {
            return bad(format!("{from:?} to {to:?}"), IN_BOTH);
        }
        for ((table, from), to) in &self.columns {
            let before = old.values().find(|candidate| self.table(candidate) == table);
            let is_there = before.is_some_and(|candidate| candidate.columns.contains_key(from))
                && new.get(table).is_some_and(|candidate| candidate.columns.contains_key(to));
            if !is_there {
                let allowed = "from a column of the older table to one of the new table, which is named by its new name";
                return bad(format!("{table}.{from} to {to:?}"), allowed);
            }
            let is_taken = before.is_some_and(|candidate| candidate.columns.contains_key(to))
                || new.get(table).is_some_and(|candidate| candidate.columns.contains_key(from));
            if is_taken {
                return bad(format!("{table}.{from} to {to:?}"), IN_BOTH);
            }
        }
        Ok(())
    }

    pub(super) fn table<'a>(&'a self, table: &'a Table) -> &'a str {
        self.name(&table.key)
    }

    fn name<'a>(&'a self, table: &'a str) -> &'a str {
        self.tables.get(table).map_or(table, String::as_str)
    }

    /// A table by its key, which includes a schema only if it contains a dot.
    fn target(&self, key: &str) -> TableName {
        let table = self.names.get(key).cloned();
        table.unwrap_or_else(|| TableName { schema: None, name: key.to_owned() })
    }

    fn column(&self, table: &str, column: &str) -> String {
        let key = (table.to_owned(), column.to_owned());
        self.columns.get(&key).cloned().unwrap_or(key.1)
    }

    /// A table with the new names of tables and columns; names of constraints and conditions are kept.
    pub(super) fn apply(&self, table: &Table) -> Table {
        let mut table = table.clone();
        let name = self.name(&table.key).to_owned();
        if name != table.key {
            table.name = self.target(&name);
            table.key.clone_from(&name);
        }
        let all = |columns: &mut Vec<String>, of: &str| {
            for column in columns.iter_mut() {
                *column = self.column(of, column);
            }
        };
        let columns = table.columns.into_iter();
        table.columns = columns.map(|(column, kept)| (self.column(&name, &column), kept)).collect();
        all(&mut table.primary_key, &name);
        table.keys.iter_mut().for_each(|key| all(&mut key.columns, &name));
        for foreign in &mut table.foreign {
            let to = self.name(&foreign.relation.to).to_owned();
            if to != foreign.relation.to {
                foreign.to = self.target(&to);
                foreign.relation.to = to;
            }
            all(&mut foreign.relation.columns, &name);
            let to = foreign.relation.to.clone();
            all(&mut foreign.relation.to_columns, &to);
        }
        table
    }

    pub(super) fn reversed(&self) -> Self {
        let old = |table: &String| {
            self.tables
                .iter()
                .find(|(_, to)| *to == table)
                .map_or_else(|| table.clone(), |(from, _)| from.clone())
        };
        let tables = self.tables.iter().map(|(from, to)| (to.clone(), from.clone())).collect();
        let columns = self.columns.iter();
        let columns =
            columns.map(|((table, from), to)| ((old(table), to.clone()), from.clone())).collect();
        Self { tables, columns, names: self.names.clone() }
    }
}
