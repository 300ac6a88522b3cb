//! What the type of a column holds, as far as is needed to tell whether two types are one, and whether the values of one are
//! values of the other.

use super::dialect::Dialect;
use crate::data::affinity;
use crate::data::decimal::Decimal;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ColumnType {
    Boolean,
    Number {
        /// No number of it is larger.
        most: u128,
        /// Digits after the point.
        scale: u128,
        is_unsigned: bool,
    },
    /// With the bits of its mantissa.
    Float(u32),
    Text {
        characters: u128,
        bytes: u128,
        /// `char`, which databases fill with spaces.
        is_padded: bool,
    },
    Time {
        clock: Clock,
        /// Digits of a second.
        digits: u128,
    },
    /// SQLite's affinity.
    Affinity(&'static str),
    /// A type of which nothing else is known, in lower case.
    Other(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Date,
    Time,
    TimeInZone,
    Timestamp,
    TimestampInZone,
}

/// No limit.
const ANY: u128 = u128::MAX;

impl ColumnType {
    pub(super) fn of(dialect: Dialect, sql: &str) -> Self {
        let sql = sql.trim().to_lowercase();
        match dialect {
            Dialect::Sqlite => Self::Affinity(affinity(&sql)),
            Dialect::Postgres | Dialect::MySql => {
                let known = known(&sql, dialect == Dialect::MySql);
                known.unwrap_or(Self::Other(sql))
            }
        }
    }

    /// Whether each value is, unchanged, one of another type too.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            _ if self == other => true,
            (Self::Affinity(from), Self::Affinity(to)) => {
                matches!(
                    (*from, *to),
                    (_, "BLOB") | ("INTEGER", "TEXT" | "NUMERIC") | ("REAL", "NUMERIC")
                )
            }
            (
                Self::Number { most, scale, is_unsigned },
                Self::Number { most: to_most, scale: to_scale, is_unsigned: is_other_unsigned },
            ) => (*is_unsigned || !is_other_unsigned) && most <= to_most && scale <= to_scale,
            (Self::Number { most, scale: 0, .. }, Self::Float(to_bits)) => *most <= 1 << to_bits,
            (Self::Float(bits), Self::Float(to_bits)) => bits <= to_bits,
            (
                Self::Text { characters, bytes, is_padded },
                Self::Text {
                    characters: to_characters,
                    bytes: to_bytes,
                    is_padded: is_other_padded,
                },
            ) => {
                (*is_padded || !is_other_padded) && characters <= to_characters && bytes <= to_bytes
            }
            (Self::Time { clock: Clock::Date, .. }, Self::Time { clock, .. }) => {
                *clock == Clock::Timestamp
            }
            (Self::Time { clock, digits }, Self::Time { clock: to_clock, digits: to_digits }) => {
                clock == to_clock && digits <= to_digits
            }
            (Self::Other(name), Self::Text { characters, is_padded: false, .. })
                if matches!(name.as_str(), "json" | "jsonb") =>
            {
                *characters == ANY
            }
            (Self::Other(name), _) => name == "uuid" && other.is_long(),
            // At most 39 digits before the point if it has a limit; PostgreSQL's `numeric` has up to 131,072.
            (Self::Number { scale, .. }, Self::Text { characters: to_characters, .. }) => {
                other.is_long() && (*scale < 200 || *to_characters == ANY)
            }
            (Self::Time { clock, .. }, _) => {
                !matches!(clock, Clock::TimeInZone | Clock::TimestampInZone) && other.is_long()
            }
            _ => false,
        }
    }

    pub(super) const fn is_number(&self) -> bool {
        matches!(self, Self::Number { .. } | Self::Float(_))
    }

    pub(super) const fn is_time(&self) -> bool {
        matches!(self, Self::Time { .. })
    }

    pub(super) const fn is_text(&self) -> bool {
        matches!(self, Self::Text { .. })
    }

    /// Whether it holds the text of each number, time and value of an enumeration.
    pub(super) fn is_long(&self) -> bool {
        matches!(self, Self::Text { characters: 255.., is_padded: false, .. })
    }
}

const fn whole(most: u128) -> ColumnType {
    ColumnType::Number { most, scale: 0, is_unsigned: false }
}

const fn unsigned(most: u128) -> ColumnType {
    ColumnType::Number { most, scale: 0, is_unsigned: true }
}

/// A text of at most so many characters, which take four bytes at most.
const fn characters(most: u128, is_padded: bool) -> ColumnType {
    ColumnType::Text { characters: most, bytes: most.saturating_mul(4), is_padded }
}

/// A text of at most so many bytes.
const fn bytes(most: u128) -> ColumnType {
    ColumnType::Text { characters: most, bytes: most, is_padded: false }
}

/// A type in lower case; `None` if it is none of the common ones.
fn known(sql: &str, is_mysql: bool) -> Option<ColumnType> {
    // A type without arguments has empty ones, and nothing after them.
    let (head, rest) = sql.split_once('(').unwrap_or((sql, ")"));
    let (digits, rest) = rest.split_once(')')?;
    let count = digits.trim().parse::<u128>().ok();
    let name = format!("{} {}", head.trim(), rest.trim());
    let name = name.trim().trim_end_matches(" without time zone");
    let time = |clock| {
        let digits = count.unwrap_or(if is_mysql { 0 } else { 6 });
        ColumnType::Time { clock, digits }
    };
    Some(match (name, is_mysql) {
        ("boolean" | "bool", false) => ColumnType::Boolean,
        ("boolean" | "bool" | "tinyint", true) => whole(1 << 7),
        ("smallint" | "int2", _) => whole(1 << 15),
        ("mediumint", true) => whole(1 << 23),
        ("integer" | "int" | "int4", _) => whole(1 << 31),
        ("bigint" | "int8", _) => whole(1 << 63),
        ("tinyint unsigned", true) => unsigned(1 << 8),
        ("smallint unsigned", true) => unsigned(1 << 16),
        ("mediumint unsigned", true) => unsigned(1 << 24),
        ("int unsigned" | "integer unsigned", true) => unsigned(1 << 32),
        ("bigint unsigned", true) => unsigned(1 << 64),
        ("decimal" | "numeric" | "dec", false) if digits.is_empty() => {
            ColumnType::Number { most: ANY, scale: ANY, is_unsigned: false }
        }
        ("decimal" | "numeric" | "dec" | "fixed", _) => {
            let digits = Decimal::read(if digits.is_empty() { "10" } else { digits })?;
            let before_point = u32::from(digits.precision.saturating_sub(digits.scale));
            ColumnType::Number {
                most: 10_u128.checked_pow(before_point)? - 1,
                scale: digits.scale.into(),
                is_unsigned: false,
            }
        }
        ("real" | "float4", false) | ("float", true) if digits.is_empty() => ColumnType::Float(24),
        ("double precision" | "double" | "float" | "float8" | "real", _) if digits.is_empty() => {
            ColumnType::Float(53)
        }
        ("varchar" | "character varying", _) => characters(count.unwrap_or(ANY), false),
        ("text", false) => characters(ANY, false),
        ("tinytext", true) => bytes(255),
        ("text", true) => bytes(65_535),
        ("mediumtext", true) => bytes(16_777_215),
        ("longtext", true) => bytes(4_294_967_295),
        ("bpchar", false) => characters(count.unwrap_or(ANY), true),
        ("char" | "character", _) => characters(count.unwrap_or(1), true),
        ("timestamp", true) | ("timestamptz" | "timestamp with time zone", false) => {
            time(Clock::TimestampInZone)
        }
        ("datetime", true) | ("timestamp", false) => time(Clock::Timestamp),
        ("date", _) => ColumnType::Time { clock: Clock::Date, digits: 0 },
        ("time", _) => time(Clock::Time),
        ("timetz" | "time with time zone", false) => time(Clock::TimeInZone),
        _ => return None,
    })
}
