//! Properties of a table that only one SQL dialect can express: column types, expressions and options. A writer of the
//! same dialect preserves them; a writer of another mentions them in a note.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The SQL dialect of a database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SqlDialect {
    /// PostgreSQL.
    #[default]
    #[serde(rename = "postgresql")]
    Postgres,
    /// MySQL and MariaDB.
    MySql,
    /// SQLite.
    Sqlite,
}

impl SqlDialect {
    /// Its usual name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Postgres => "PostgreSQL",
            Self::MySql => "MySQL/MariaDB",
            Self::Sqlite => "SQLite",
        }
    }
}

/// The properties of a table in the dialect of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Native {
    /// The dialect of every text below.
    pub dialect: SqlDialect,
    /// The columns of the primary key, if they are more than names (prefixes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_key: Option<String>,
    /// Columns by name.
    pub columns: IndexMap<String, NativeColumn>,
    /// Every CHECK condition, including those in the shape.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<NativeCheck>,
    /// Indexes that are not over plain columns only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<NativeIndex>,
    /// PostgreSQL extensions that its indexes may need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// The text after the closing parenthesis, such as `ENGINE = InnoDB` or `WITHOUT ROWID`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// `PARTITION BY …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_by: Option<String>,
    /// PostgreSQL's partitions: their names and bounds (`FOR VALUES …`).
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub partitions: IndexMap<String, String>,
}

/// A column in its dialect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NativeColumn {
    /// The type, with character set and collation.
    pub sql: String,
    /// The name of its enum type in the database (`CREATE TYPE … AS ENUM`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enumeration: Option<String>,
    /// The default expression, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The text after the type of a computed column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    /// The text at the end of the definition, such as `ON UPDATE CURRENT_TIMESTAMP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
}

/// A condition on rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeCheck {
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The SQL expression.
    pub condition: String,
    /// Whether the shape of a column expresses it too, so that other dialects preserve it.
    #[serde(default)]
    pub is_in_shape: bool,
}

/// An index over expressions, prefixes or a part of the rows, or of a special kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NativeIndex {
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `UNIQUE`, `FULLTEXT`, `SPATIAL` or empty.
    pub kind: String,
    /// The text after the table: `USING gin (tags) WHERE …`, or the columns in parentheses.
    pub body: String,
    /// The plain columns at its beginning.
    pub columns: Vec<String>,
}
