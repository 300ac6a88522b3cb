//! What the type of a column holds, as far as is needed to tell what a change of it does to the values.

use super::dialect::Dialect;
use super::tables::Column;
use crate::data::affinity;
use crate::data::decimal::Decimal;

/// What a change of a type does to the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// It is one type, in different spellings.
    Same,
    /// Each value stays as it is.
    Wider,
    /// Each value stays as it is but for those that meet the condition.
    Narrower(String),
    /// Values become others, as databases convert them or as settings of the session say.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ColumnType {
    Number {
        /// Each number of it is larger.
        below: i128,
        /// Each number of it is smaller.
        above: i128,
        /// Digits after the point.
        scale: u32,
    },
    Text {
        characters: u64,
        bytes: u64,
    },
    /// MySQL's, with values that are compared apart.
    Enumeration,
    /// SQLite's affinity.
    Affinity(&'static str),
    /// Another type, in lower case.
    Other(String),
}

/// What becomes of the values of a column, whose name is SQL already.
pub(super) fn change(dialect: Dialect, column: &str, before: &Column, after: &Column) -> Change {
    use ColumnType::{Affinity, Enumeration, Number, Text};
    let is_case_ignored = dialect == Dialect::Sqlite;
    if before.sql == after.sql || is_case_ignored && before.sql.eq_ignore_ascii_case(&after.sql) {
        return Change::Same;
    }
    let [old, new] = [before, after].map(|column| ColumnType::of(dialect, &column.sql));
    let (is_wider, condition) = match (&old, &new) {
        (Affinity(old), Affinity(new)) => {
            return if old == new { Change::Wider } else { Change::Other };
        }
        (Enumeration, Enumeration) => return Change::Wider,
        _ if old == new => return Change::Same,
        (
            Number { below, above, scale },
            Number { below: to_below, above: to_above, scale: to_scale },
        ) => (
            below >= to_below && above <= to_above && scale <= to_scale,
            format!(
                "{column} <= {to_below} OR {column} >= {to_above} OR {column} <> round({column}, {to_scale})"
            ),
        ),
        (Text { characters, bytes }, Text { characters: to_characters, bytes: to_bytes }) => (
            characters <= to_characters && bytes <= to_bytes,
            if to_characters == to_bytes {
                format!("octet_length({column}) > {to_bytes}")
            } else {
                format!("char_length({column}) > {to_characters}")
            },
        ),
        _ => return Change::Other,
    };
    if is_wider { Change::Wider } else { Change::Narrower(condition) }
}

impl ColumnType {
    fn of(dialect: Dialect, sql: &str) -> Self {
        let sql = sql.trim().to_lowercase();
        match dialect {
            Dialect::Sqlite => Self::Affinity(affinity(&sql)),
            Dialect::MySql if sql.starts_with("enum(") => Self::Enumeration,
            Dialect::Postgres | Dialect::MySql => {
                let known = known(&sql, dialect == Dialect::MySql);
                known.unwrap_or(Self::Other(sql))
            }
        }
    }
}

/// Whole numbers of so many bits.
const fn whole(bits: u32) -> ColumnType {
    let above = 1 << (bits - 1);
    ColumnType::Number { below: -above - 1, above, scale: 0 }
}

const fn unsigned(bits: u32) -> ColumnType {
    ColumnType::Number { below: -1, above: 1 << bits, scale: 0 }
}

/// A text of at most so many characters, which take four bytes at most.
const fn characters(most: u64) -> ColumnType {
    ColumnType::Text { characters: most, bytes: most.saturating_mul(4) }
}

/// A text of at most so many bytes.
const fn bytes(most: u64) -> ColumnType {
    ColumnType::Text { characters: most, bytes: most }
}

/// A type in lower case; `None` if it is none of the common ones.
fn known(sql: &str, is_mysql: bool) -> Option<ColumnType> {
    // A type without arguments has empty ones, and nothing after them.
    let (head, rest) = sql.split_once('(').unwrap_or((sql, ")"));
    let (digits, rest) = rest.split_once(')')?;
    let name = format!("{} {}", head.trim(), rest.trim());
    Some(match (name.trim(), is_mysql) {
        ("bool", false) => ColumnType::Other("boolean".to_owned()),
        ("float4", false) => ColumnType::Other("real".to_owned()),
        ("float" | "float8", false) => ColumnType::Other("double precision".to_owned()),
        ("boolean" | "bool" | "tinyint", true) => whole(8),
        ("smallint" | "int2", _) => whole(16),
        ("mediumint", true) => whole(24),
        ("integer" | "int" | "int4", _) => whole(32),
        ("bigint" | "int8", _) => whole(64),
        ("tinyint unsigned", true) => unsigned(8),
        ("smallint unsigned", true) => unsigned(16),
        ("mediumint unsigned", true) => unsigned(24),
        ("int unsigned" | "integer unsigned", true) => unsigned(32),
        ("bigint unsigned", true) => unsigned(64),
        ("decimal" | "numeric" | "dec", false) if digits.is_empty() => {
            ColumnType::Number { below: i128::MIN, above: i128::MAX, scale: u32::MAX }
        }
        ("decimal" | "numeric" | "dec" | "fixed", _) => {
            let digits = Decimal::read(if digits.is_empty() { "10" } else { digits })?;
            let before_point = digits.precision.saturating_sub(digits.scale);
            let above = 10_i128.checked_pow(before_point.into())?;
            ColumnType::Number { below: -above, above, scale: digits.scale.into() }
        }
        ("varchar" | "character varying" | "text", false) if digits.is_empty() => {
            characters(u64::MAX)
        }
        ("varchar" | "character varying", _) => characters(digits.trim().parse().ok()?),
        ("tinytext", true) => bytes(255),
        ("text", true) => bytes(65_535),
        ("mediumtext", true) => bytes(16_777_215),
        ("longtext", true) => bytes(4_294_967_295),
        _ => return None,
    })
}
