//! The differences between the three databases in syntax: quoting, types, literals, and the names of tables.

use std::borrow::Cow;

use serde_json::Value;

use crate::data::Generated;
pub(super) use crate::data::SqlDialect as Dialect;
use crate::data::decimal::Decimal;
use crate::output::{Result, bad_given};
use crate::text::lists;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TableName {
    /// PostgreSQL's schema; `None` is the default one.
    pub(super) schema: Option<String>,
    pub(super) name: String,
}

impl TableName {
    pub(super) fn key(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{schema}.{}", self.name),
            None => self.name.clone(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    Int16,
    Int32,
    Int64,
    /// With its digits, if they are given.
    Decimal(Option<Decimal>),
    Float,
    /// With its maximum number of characters.
    Text(Option<u64>),
    Uuid,
    Date,
    Time,
    DateTime,
    Bytes,
    Json,
}

/// Reserved words: a name that is one must be quoted. PostgreSQL 15: `pg_get_keywords()`, categories R and T.
const RESERVED_POSTGRESQL: &str = include_str!("reserved.postgresql.txt");
/// What MariaDB 10.11 refuses as the name of a table or a column, and the words that the MySQL 8.4 manual adds.
const RESERVED_MYSQL: &str = include_str!("reserved.mysql.txt");
/// What SQLite 3.40 refuses, and its names of constants.
const RESERVED_SQLITE: &str = include_str!("reserved.sqlite.txt");
/// Longest VARCHAR of four-byte characters that a MySQL row can hold.
const LONGEST_VARCHAR: u64 = 16_383;

impl Dialect {
    /// A name, quoted if the database would change it or read it as a keyword.
    pub(super) fn name(self, name: &str) -> String {
        let name = &*without_nul(name);
        let is_letter = |c: char| match self {
            // PostgreSQL folds unquoted capitals.
            Self::Postgres => c.is_ascii_lowercase() || c == '_',
            Self::MySql | Self::Sqlite => c.is_ascii_alphabetic() || c == '_',
        };
        let reserved = match self {
            Self::Postgres => RESERVED_POSTGRESQL,
            Self::MySql => RESERVED_MYSQL,
            Self::Sqlite => RESERVED_SQLITE,
        };
        let is_plain = name.starts_with(is_letter)
            && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
            && !lists(reserved, &name.to_ascii_lowercase());
        match self {
            _ if is_plain => name.to_owned(),
            Self::MySql => format!("`{}`", name.replace('`', "``")),
            Self::Postgres | Self::Sqlite => format!("\"{}\"", name.replace('"', "\"\"")),
        }
    }

    pub(super) fn table(self, name: &TableName) -> String {
        match &name.schema {
            Some(schema) => format!("{}.{}", self.name(schema), self.name(&name.name)),
            None => self.name(&name.name),
        }
    }

    pub(super) fn names(self, names: &[String]) -> String {
        let quoted: Vec<_> = names.iter().map(|name| self.name(name)).collect();
        quoted.join(", ")
    }

    pub(super) fn text(self, text: &str) -> String {
        let text = without_nul(text).replace('\'', "''");
        match self {
            Self::MySql => format!("'{}'", text.replace('\\', "\\\\")),
            Self::Postgres | Self::Sqlite => format!("'{text}'"),
        }
    }

    /// Refuses a name that the database would change, or that no database has. Other names it refuses itself.
    pub(super) fn check_name(self, what: &str, name: &str) -> Result<()> {
        let allowed = match self {
            _ if name.is_empty() || name.contains('\0') => {
                "a name of at least one character, none of them NUL"
            }
            Self::Postgres if name.len() > 63 => {
                "at most 63 bytes, as PostgreSQL cuts longer names"
            }
            _ => return Ok(()),
        };
        Err(bad_given(what, Value::from(name).to_string(), allowed))
    }

    /// A column type; bytes in a key must have a length in MySQL.
    pub(super) fn kind(self, kind: &Kind, is_key: bool) -> String {
        let [postgres, mysql, sqlite] = match kind {
            Kind::Boolean => ["boolean", "boolean", "INTEGER"],
            Kind::Int16 => ["smallint", "smallint", "INTEGER"],
            Kind::Int32 => ["integer", "integer", "INTEGER"],
            Kind::Int64 => ["bigint", "bigint", "INTEGER"],
            Kind::Decimal(Some(digits)) if self == Self::Postgres => {
                return format!("numeric{digits}");
            }
            Kind::Decimal(Some(digits)) if self == Self::MySql => {
                return format!("decimal{digits}");
            }
            Kind::Decimal(_) => ["numeric", "decimal(65,30)", "REAL"],
            Kind::Float => ["double precision", "double", "REAL"],
            Kind::Text(most) => match (self, most) {
                (Self::Postgres, Some(most @ 1..=10_485_760))
                | (Self::MySql, Some(most @ 1..=LONGEST_VARCHAR)) => {
                    return format!("varchar({most})");
                }
                _ => ["text", "longtext", "TEXT"],
            },
            Kind::Uuid => ["uuid", "char(36)", "TEXT"],
            Kind::Date => ["date", "date", "TEXT"],
            Kind::Time => ["time", "time(6)", "TEXT"],
            Kind::DateTime => ["timestamptz", "datetime(6)", "TEXT"],
            Kind::Bytes => ["bytea", if is_key { "varbinary(255)" } else { "longblob" }, "BLOB"],
            Kind::Json => ["jsonb", "json", "TEXT"],
        };
        let kind = match self {
            Self::Postgres => postgres,
            Self::MySql => mysql,
            Self::Sqlite => sqlite,
        };
        kind.to_owned()
    }

    /// The default expression of a generated value; `None` if the column type does not allow it.
    pub(super) fn generated(self, generated: Generated, kind: &Kind, sql: &str) -> Option<String> {
        let text = match (generated, kind, self) {
            (Generated::Now, Kind::DateTime, Self::MySql) => {
                // As many digits as the type has.
                let digits = sql.split_once('(').map(|(_, digits)| format!("({digits}"));
                return Some(format!("CURRENT_TIMESTAMP{}", digits.unwrap_or_default()));
            }
            (Generated::Now, Kind::DateTime | Kind::Text(_), Self::Postgres | Self::Sqlite) => {
                "CURRENT_TIMESTAMP"
            }
            (Generated::Now, Kind::Date, Self::MySql) => "(CURRENT_DATE)",
            (Generated::Now, Kind::Date, _) => "CURRENT_DATE",
            (Generated::Now, Kind::Time, Self::MySql) => "(CURRENT_TIME(6))",
            (Generated::Now, Kind::Time, _) => "CURRENT_TIME",
            (Generated::Uuid, Kind::Uuid, Self::Postgres) => "gen_random_uuid()",
            (Generated::Uuid, Kind::Uuid | Kind::Text(_), Self::MySql) => "(uuid())",
            (Generated::Uuid, Kind::Uuid | Kind::Text(_), Self::Sqlite) => {
                "(lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) \
                 || '-' || substr('89ab', 1 + abs(random() % 4), 1) || substr(hex(randomblob(2)), 2) \
                 || '-' || hex(randomblob(6))))"
            }
            _ => return None,
        };
        Some(text.to_owned())
    }

    /// A literal for a column; `None` if the value is not of its type.
    pub(super) fn literal(self, value: &Value, kind: &Kind) -> Option<String> {
        match (kind, value) {
            (Kind::Json, value) => {
                let text = self.text(&value.to_string());
                Some(if self == Self::Postgres { format!("{text}::jsonb") } else { text })
            }
            (Kind::Boolean, Value::Bool(value)) if self == Self::Sqlite => {
                Some(u8::from(*value).to_string())
            }
            (Kind::Boolean, Value::Bool(value)) => Some(value.to_string()),
            (Kind::Int16 | Kind::Int32 | Kind::Int64, Value::Number(number)) => {
                let whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
                whole.then(|| number.to_string())
            }
            (Kind::Decimal(_) | Kind::Float, Value::Number(number)) => Some(number.to_string()),
            (Kind::Date | Kind::DateTime, Value::String(text))
                if self == Self::Postgres && text.starts_with("0000") =>
            {
                None
            }
            (Kind::DateTime, Value::String(text)) if self == Self::MySql => {
                let text = text.strip_suffix('Z').unwrap_or(text).replace('T', " ");
                (!text.contains('+')).then(|| self.text(&text))
            }
            (
                Kind::Text(_) | Kind::Uuid | Kind::Date | Kind::Time | Kind::DateTime,
                Value::String(text),
            ) => (!text.contains('\0')).then(|| self.text(text)),
            _ => None,
        }
    }
}

/// A text without NUL: the clients of databases end the line there, which would leave the quotes open.
fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}
