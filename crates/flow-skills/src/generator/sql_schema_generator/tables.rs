//! The parts of a plan in terms of one database: tables, columns, keys and conditions.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;

use super::dialect::TableName;
use crate::data::Relation;
use crate::output::{Result, bad_given};
use crate::reach::finishing_order;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
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

/// Refuses foreign keys to what is no key of a table, but for those that a database has accepted already.
pub(super) fn check(tables: &Tables) -> Result<()> {
    for table in tables.values().filter(|table| !table.is_own) {
        for Foreign { relation, .. } in &table.foreign {
            let wanted: HashSet<_> = relation.to_columns.iter().collect();
            let is_it = |key: &Vec<String>| key.iter().collect::<HashSet<_>>() == wanted;
            let is_key = tables.get(&relation.to).is_some_and(|target| {
                let mut unique = target.keys.iter().filter(|key| key.is_unique);
                is_it(&target.primary_key) || unique.any(|key| is_it(&key.columns))
            });
            if !is_key || wanted.is_empty() || relation.columns.len() != wanted.len() {
                let field = format!("{}.{}", table.key, relation.columns.join(", "));
                let to = relation.to_columns.join(", ");
                let given = format!("a reference to {}({to})", relation.to);
                let allowed = "to a primary key or to columns that are unique together";
                return Err(bad_given(&field, given, allowed));
            }
        }
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
