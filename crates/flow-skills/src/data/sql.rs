//! The types of a table's columns in the SQL dialect of its source, so that a writer of the same dialect keeps them.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::text::lists;

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

/// The source of a table that SQL defines.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlSource {
    /// The dialect of the types.
    pub dialect: SqlDialect,
    /// The types of the columns by name.
    pub columns: IndexMap<String, SqlType>,
}

/// The type of a column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlType {
    /// The type as SQL, or the name of the enumeration.
    pub sql: String,
    /// Whether its values are those of the shape: a type of `CREATE TYPE … AS ENUM`, or MySQL's `enum`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_enumeration: bool,
}

/// SQLite's affinity of a declared type: any words are a type, and their parts determine which values it prefers.
pub(crate) fn affinity(declared: &str) -> &'static str {
    const RULES: [(&str, &str); 8] = [
        ("int", "INTEGER"),
        ("char", "TEXT"),
        ("clob", "TEXT"),
        ("text", "TEXT"),
        ("blob", "BLOB"),
        ("real", "REAL"),
        ("floa", "REAL"),
        ("doub", "REAL"),
    ];
    let declared = declared.trim().to_lowercase();
    if declared.is_empty() {
        return "BLOB";
    }
    let rule = RULES.iter().find(|(part, _)| declared.contains(part));
    rule.map_or("NUMERIC", |(_, affinity)| affinity)
}

/// What follows the type of a column in its definition.
const AFTER_TYPE: &str =
    "AS CHECK COLLATE CONSTRAINT DEFAULT GENERATED KEY NOT NULL ON PRIMARY REFERENCES UNIQUE";

impl SqlType {
    /// Whether the text is a type and nothing else, which a model given as JSON need not have: words, digits in brackets,
    /// and `[]`.
    pub fn is_plain(&self) -> bool {
        let text = self.sql.trim_end_matches("[]");
        let (head, rest) = text.split_once('(').unwrap_or((text, ")"));
        let Some((digits, rest)) = rest.split_once(')') else { return false };
        let is_word = |word: &str| {
            word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !lists(AFTER_TYPE, &word.to_uppercase())
        };
        if self.is_enumeration && text.contains(' ') {
            return false;
        }
        let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
        (text.is_empty() || head.starts_with(is_start))
            && digits.chars().all(|c| c.is_ascii_digit() || c == ',')
            && head.split(' ').chain(rest.split(' ')).all(|word| word.is_empty() || is_word(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_words_and_digits() {
        let is_plain = |sql: &str| SqlType { sql: sql.into(), is_enumeration: false }.is_plain();
        for sql in ["", "int", "numeric(10,2)", "text[]", "double precision", "int(11) unsigned"] {
            assert!(is_plain(sql), "{sql}");
        }
        for sql in
            ["int DEFAULT 1", "int, b int", "int) x (", "a'b", "int;", "(1)", "int -- x", "a\nb"]
        {
            assert!(!is_plain(sql), "{sql}");
        }
    }
}
