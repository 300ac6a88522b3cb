//! The parts of a plan in terms of one database: tables, columns, keys and conditions.

use indexmap::IndexMap;

use super::dialect::{Kind, TableName};
use crate::data::Relation;

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

impl Column {
    /// Whether another column is declared in the same way, but for its type.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.is_required == other.is_required
            && self.default == other.default
            && self.is_identity == other.is_identity
            && self.comment == other.comment
    }
}

/// A unique constraint or an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    pub(super) is_unique: bool,
    /// It is a separate index, though it is unique.
    pub(super) is_index: bool,
}

impl Key {
    /// Whether it is a constraint of the table rather than a separate index.
    pub(super) fn is_constraint(&self) -> bool {
        self.is_unique && !self.is_index
    }
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
    /// It is part of a cycle of tables, so that it is checked at the end of a transaction.
    pub(super) is_circular: bool,
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
