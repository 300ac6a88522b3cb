//! Reserved words of each database: a name that is one must be quoted.
//!
//! PostgreSQL 15: `pg_get_keywords()`, categories R and T. MySQL: what MariaDB 10.11 refuses as the name of a table or a
//! column, and the words that the MySQL 8.4 manual adds. SQLite 3.40: what it refuses, and its names of constants.

use crate::data::SqlDialect;
use crate::text::lists;

pub(super) fn is_reserved(word: &str, dialect: SqlDialect) -> bool {
    let words = match dialect {
        SqlDialect::Postgres => include_str!("reserved.postgresql.txt"),
        SqlDialect::MySql => include_str!("reserved.mysql.txt"),
        SqlDialect::Sqlite => include_str!("reserved.sqlite.txt"),
    };
    lists(words, &word.to_ascii_lowercase())
}
