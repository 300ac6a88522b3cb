//! What only one SQL dialect can say of a table: its own column types, expressions and options. A writer of the same
//! dialect keeps it; a writer of another one names it in a note.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A database's SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SqlDialect {
    /// PostgreSQL.
    #[serde(rename = "postgresql")]
    Postgres,
    /// MySQL and MariaDB.
    MySql,
    /// SQLite.
    Sqlite,
}

impl SqlDialect {
    /// The name that people know it by.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::MySql => "MySQL/MariaDB",
            Self::Sqlite => "SQLite",
        }
    }
}

/// What the dialect of the source says of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Native {
    /// The dialect of every text below.
    pub dialect: SqlDialect,
    /// The columns of the primary key, where they are more than their names (prefixes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_key: Option<String>,
    /// By column.
    pub columns: IndexMap<String, NativeColumn>,
    /// Every CHECK condition, also those that the shape holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<NativeCheck>,
    /// Indexes over more than plain columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<NativeIndex>,
    /// PostgreSQL's extensions that its indexes may need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// What stands after the closing parenthesis, such as `ENGINE = InnoDB` or `WITHOUT ROWID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// `PARTITION BY …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_by: Option<String>,
    /// PostgreSQL's partitions: their names and bounds (`FOR VALUES …`).
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub partitions: IndexMap<String, String>,
}

impl Native {
    /// Of a table without columns.
    pub fn of(dialect: SqlDialect) -> Self {
        Self {
            dialect,
            primary_key: None,
            columns: IndexMap::new(),
            checks: Vec::new(),
            indexes: Vec::new(),
            extensions: Vec::new(),
            options: None,
            partition_by: None,
            partitions: IndexMap::new(),
        }
    }
}

/// A column in its dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NativeColumn {
    /// The type, with character set and collation.
    pub sql: String,
    /// The name of its type where that is an enumeration of the database's own (`CREATE TYPE … AS ENUM`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enumeration: Option<String>,
    /// An expression, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Of a computed column: what stands after its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    /// What stands after everything else, such as `ON UPDATE CURRENT_TIMESTAMP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
}

/// A condition on rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeCheck {
    /// Its name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// In SQL.
    pub condition: String,
    /// Whether the shape of a column says it too, so that other dialects keep it.
    #[serde(default)]
    pub is_in_shape: bool,
}

/// An index over expressions, prefixes or some rows, or of a special kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeIndex {
    /// Its name, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `UNIQUE`, `FULLTEXT`, `SPATIAL` or nothing.
    pub kind: String,
    /// What stands after the table: `USING gin (tags) WHERE …`, or the columns in parentheses.
    pub body: String,
    /// The plain columns that it begins with.
    pub columns: Vec<String>,
}
