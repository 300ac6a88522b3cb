//! The parts of a plan in terms of one database: tables, columns, keys and conditions.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::dialect::{Kind, TableName};
use crate::data::Relation;
use crate::output::{Result, bad_given};
use crate::reach::finishing_order;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) kind: Kind,
    pub(super) sql: String,
    pub(super) is_required: bool,
    pub(super) default: Option<String>,
    /// Whether the database numbers it.
    pub(super) is_identity: bool,
    pub(super) comment: Option<String>,
    /// Its values, if they are listed texts.
    pub(super) labels: Option<Vec<String>>,
}

/// A unique constraint or an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) is_unique: bool,
    /// It is a separate index rather than a constraint of the table.
    pub(super) is_index: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) condition: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Foreign {
    pub(super) name: String,
    /// Its `to` is the key of a table.
    pub(super) relation: Relation,
    pub(super) to: TableName,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) key: String,
    pub(super) name: TableName,
    pub(super) columns: IndexMap<String, Column>,
    pub(super) primary_key: Vec<String>,
    pub(super) primary_name: String,
    pub(super) keys: Vec<Key>,
    pub(super) checks: Vec<Check>,
    pub(super) foreign: Vec<Foreign>,
    pub(super) comment: Option<String>,
    /// Whether its source is SQL of the same dialect, which a database has accepted already.
    pub(super) is_own: bool,
}

/// Tables by their keys.
pub(super) type Tables = IndexMap<String, Table>;

/// The tables, and the objects that they need.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub(super) tables: Tables,
    /// Enumerations by name (PostgreSQL).
    pub(super) types: IndexMap<String, Vec<String>>,
    pub(super) notes: Vec<String>,
}

impl Plan {
    /// The tables of one plan that another has too.
    pub(super) fn kept<'a>(
        old: &'a Self,
        new: &'a Self,
    ) -> impl Iterator<Item = (&'a Table, &'a Table)> {
        old.tables.values().filter_map(|was| Some((was, new.tables.get(&was.key)?)))
    }
}

/// Checks the foreign keys of tables that no database has accepted yet.
pub(super) fn finish(tables: &Tables) -> Result<()> {
    let mut all = tables.values().filter(|table| !table.is_own);
    all.try_for_each(|table| {
        table.foreign.iter().try_for_each(|foreign| check(table, &foreign.relation, tables))
    })
}

fn check(table: &Table, relation: &Relation, tables: &Tables) -> Result<()> {
    let field = format!("{}.{}", table.key, relation.columns.join(", "));
    let bad = |given: String, allowed: String| Err(bad_given(&field, given, &allowed));
    let Some(target) = tables.get(&relation.to) else {
        let known: Vec<_> = tables.keys().take(20).cloned().collect();
        let given = format!("a reference to {:?}", relation.to);
        return bad(given, format!("to a table: {}", known.join(", ")));
    };
    let place = format!("a reference to {}({})", relation.to, relation.to_columns.join(", "));
    let same = |columns: &[String]| {
        let wanted: HashSet<_> = relation.to_columns.iter().collect();
        !columns.is_empty()
            && columns.len() == relation.to_columns.len()
            && columns.iter().all(|c| wanted.contains(c))
    };
    let is_unique = same(&target.primary_key)
        || target.keys.iter().any(|key| key.is_unique && same(&key.columns));
    if !is_unique || relation.columns.len() != relation.to_columns.len() {
        return bad(place, "to its primary key or to columns that are unique together".into());
    }
    Ok(())
}

/// The tables in an order in which each comes after those that it refers to, except in cycles.
pub(super) fn ordered<'a>(tables: &[&'a Table]) -> Vec<&'a Table> {
    let places: HashMap<&str, usize> =
        tables.iter().enumerate().map(|(at, table)| (table.key.as_str(), at)).collect();
    let to = |foreign: &Foreign| places.get(foreign.relation.to.as_str()).copied();
    let needs = |table: &&Table| table.foreign.iter().filter_map(to).collect();
    let next: Vec<Vec<usize>> = tables.iter().map(needs).collect();
    finishing_order(&next).into_iter().map(|at| tables[at]).collect()
}
