//! The types of columns as a family and two measures, as far as is needed to tell whether two types are one, and whether
//! the values of one are values of the other.

use super::dialect::Dialect;
use crate::data::decimal::Decimal;

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sort {
    /// Such as `number`, `text`, SQLite's affinity, or the type itself if nothing is known of it.
    pub(super) family: String,
    /// Numbers: the largest one, and the digits after the point. Texts: characters, and bytes. Floats: bits of the mantissa.
    /// Times: digits of a second.
    most: [u128; 2],
}

const ANY: u128 = u128::MAX;

impl Sort {
    pub(super) fn of(dialect: Dialect, sql: &str) -> Self {
        let sql = sql.trim().to_lowercase();
        let known = match dialect {
            Dialect::Sqlite => Some((affinity(&sql), [0, 0])),
            Dialect::Postgres | Dialect::MySql => known(&sql, dialect == Dialect::MySql),
        };
        match known {
            Some((family, most)) => Self { family: family.to_owned(), most },
            None => Self { family: sql, most: [0, 0] },
        }
    }

    /// Whether each value is, unchanged, one of another sort too.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let [[a, b], [c, d]] = [self.most, other.most];
        match (self.family.as_str(), other.family.as_str()) {
            (_, BLOB)
            | ("INTEGER", "TEXT" | "NUMERIC")
            | ("REAL", "NUMERIC")
            | ("date", "timestamp") => true,
            (own, other) if own == other => a <= c && b <= d,
            ("unsigned", "number") | ("char", "text") => a <= c && b <= d,
            ("number" | "unsigned", "float") => b == 0 && a <= 1 << c,
            ("json" | "jsonb", "text") => c == ANY,
            ("number" | "unsigned" | "uuid" | "date" | "time" | "timestamp", _) => other.is_long(),
            _ => false,
        }
    }

    pub(super) fn is_number(&self) -> bool {
        matches!(self.family.as_str(), "number" | "unsigned" | "float")
    }

    pub(super) fn is_time(&self) -> bool {
        matches!(self.family.as_str(), "date" | "time" | "timetz" | "timestamp" | "timestamptz")
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.family.as_str(), "text" | "char")
    }

    /// Whether it holds the text of each number, time and value of an enumeration.
    pub(super) fn is_long(&self) -> bool {
        self.family == "text" && self.most[0] >= 255
    }
}

/// The affinity of SQLite under which values stay as they are.
pub(super) const BLOB: &str = "BLOB";

/// The affinity of a declared type, by SQLite's rules.
fn affinity(sql: &str) -> &'static str {
    const RULES: [(&str, &str); 8] = [
        ("int", "INTEGER"),
        ("char", "TEXT"),
        ("clob", "TEXT"),
        ("text", "TEXT"),
        ("blob", BLOB),
        ("real", "REAL"),
        ("floa", "REAL"),
        ("doub", "REAL"),
    ];
    let rule = RULES.iter().find(|(part, _)| sql.contains(part));
    rule.map_or(if sql.is_empty() { BLOB } else { "NUMERIC" }, |(_, name)| name)
}

/// The family and the measures of a type in lower case.
fn known(sql: &str, is_mysql: bool) -> Option<(&'static str, [u128; 2])> {
    let (head, rest) = sql.split_once('(').unwrap_or((sql, ")"));
    let (digits, rest) = rest.split_once(')')?;
    let count = digits.trim().parse::<u128>().ok();
    let name = format!("{} {}", head.trim(), rest.trim());
    let name = name.trim().trim_end_matches(" without time zone");
    // A character takes four bytes at most.
    let text = |count: u128| [count, count.saturating_mul(4)];
    let second = [count.unwrap_or(if is_mysql { 0 } else { 6 }), 0];
    Some(match (name, is_mysql) {
        ("boolean" | "bool", false) => ("boolean", [0, 0]),
        ("boolean" | "bool" | "tinyint", true) => ("number", [1 << 7, 0]),
        ("smallint" | "int2", _) => ("number", [1 << 15, 0]),
        ("mediumint", true) => ("number", [1 << 23, 0]),
        ("integer" | "int" | "int4", _) => ("number", [1 << 31, 0]),
        ("bigint" | "int8", _) => ("number", [1 << 63, 0]),
        ("tinyint unsigned", true) => ("unsigned", [1 << 8, 0]),
        ("smallint unsigned", true) => ("unsigned", [1 << 16, 0]),
        ("mediumint unsigned", true) => ("unsigned", [1 << 24, 0]),
        ("int unsigned" | "integer unsigned", true) => ("unsigned", [1 << 32, 0]),
        ("bigint unsigned", true) => ("unsigned", [1 << 64, 0]),
        ("decimal" | "numeric" | "dec", false) if digits.is_empty() => ("number", [ANY, ANY]),
        ("decimal" | "numeric" | "dec" | "fixed", _) => {
            let digits = Decimal::read(if digits.is_empty() { "10" } else { digits })?;
            let scale = digits.scale;
            let whole = u32::from(digits.precision.saturating_sub(scale));
            ("number", [10_u128.checked_pow(whole)? - 1, scale.into()])
        }
        ("real" | "float4", false) | ("float", true) if digits.is_empty() => ("float", [24, 0]),
        ("double precision" | "double" | "float" | "float8" | "real", _) if digits.is_empty() => {
            ("float", [53, 0])
        }
        ("varchar" | "character varying", _) => ("text", text(count.unwrap_or(ANY))),
        ("text", false) => ("text", [ANY, ANY]),
        ("tinytext", true) => ("text", [255; 2]),
        ("text", true) => ("text", [65_535; 2]),
        ("mediumtext", true) => ("text", [16_777_215; 2]),
        ("longtext", true) => ("text", [4_294_967_295; 2]),
        ("char" | "character" | "bpchar", _) => ("char", text(count.unwrap_or(1))),
        ("timestamp", true) | ("timestamptz" | "timestamp with time zone", false) => {
            ("timestamptz", second)
        }
        ("datetime", true) | ("timestamp", false) => ("timestamp", second),
        ("date", _) => ("date", [0, 0]),
        ("time", _) => ("time", second),
        ("timetz" | "time with time zone", false) => ("timetz", second),
        _ => return None,
    })
}
