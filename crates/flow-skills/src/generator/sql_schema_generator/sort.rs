//! The types of columns by what they hold, as far as is needed to tell whether a type is another one, and whether the
//! values of one are values of the other.

use super::dialect::Dialect;
use crate::data::decimal::Decimal;

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sort {
    /// Integers and decimal numbers of a range, with the digits after the point.
    Number { least: i128, most: i128, scale: u16 },
    /// Binary fractions, with the number of bits of the mantissa.
    Float(u32),
    /// Texts, with the most characters and bytes; blanks at the end of padded ones do not count.
    Text { characters: Option<u64>, bytes: Option<u64>, is_padded: bool },
    /// A type of dates or times, with the digits of the fraction of a second.
    Time(String, u64),
    /// SQLite's affinity; its columns hold values of other types too.
    Affinity(Affinity),
    /// A type of which nothing is known but its text.
    Other(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Affinity {
    Integer,
    Real,
    Numeric,
    Text,
    /// Values stay as they are.
    Blob,
}

impl Affinity {
    /// The type whose name has this affinity; `None` if values stay as they are.
    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Integer => Some("INTEGER"),
            Self::Real => Some("REAL"),
            Self::Numeric => Some("NUMERIC"),
            Self::Text => Some("TEXT"),
            Self::Blob => None,
        }
    }

    /// The affinity of a declared type, by SQLite's rules.
    fn of(sql: &str) -> Self {
        let sql = sql.to_ascii_uppercase();
        let has = |words: &[&str]| words.iter().any(|word| sql.contains(word));
        if has(&["INT"]) {
            Self::Integer
        } else if has(&["CHAR", "CLOB", "TEXT"]) {
            Self::Text
        } else if sql.is_empty() || has(&["BLOB"]) {
            Self::Blob
        } else if has(&["REAL", "FLOA", "DOUB"]) {
            Self::Real
        } else {
            Self::Numeric
        }
    }
}

/// A type by its parts: `varchar`, `9`, and `collate x`.
struct Parts {
    head: String,
    arguments: Option<String>,
    rest: String,
}

impl Parts {
    fn of(sql: &str) -> Self {
        let sql = sql.trim().to_lowercase();
        let sql = sql.replace("double precision", "double").replace("character varying", "varchar");
        let (head, arguments, rest) = if let Some((head, rest)) = sql.split_once('(') {
            let (arguments, rest) = rest.split_once(')').unwrap_or((rest, ""));
            (head, Some(arguments.trim().to_owned()), rest)
        } else {
            let (head, rest) = sql.split_once(' ').unwrap_or((&sql, ""));
            (head, None, rest)
        };
        let (head, rest) = (head.trim(), rest.trim());
        match rest {
            "with time zone" => Self { head: format!("{head}tz"), arguments, rest: String::new() },
            "without time zone" => Self { head: head.to_owned(), arguments, rest: String::new() },
            _ => Self { head: head.to_owned(), arguments, rest: rest.to_owned() },
        }
    }

    fn count(&self) -> Option<u64> {
        self.arguments.as_ref()?.parse().ok()
    }

    /// A decimal number; without digits one of any size, in MySQL of ten digits.
    fn decimal(&self, is_mysql: bool) -> Option<Sort> {
        let digits = match &self.arguments {
            Some(digits) => Decimal::read(digits)?,
            None if is_mysql => Decimal { precision: 10, scale: None },
            None => {
                return Some(Sort::Number { least: i128::MIN, most: i128::MAX, scale: u16::MAX });
            }
        };
        let scale = digits.after_point();
        let whole = u32::from(digits.precision.saturating_sub(scale));
        let most = 10_i128.checked_pow(whole)? - 1;
        Some(Sort::Number { least: -most, most, scale })
    }
}

impl Sort {
    pub(super) fn of(dialect: Dialect, sql: &str) -> Self {
        if dialect == Dialect::Sqlite {
            return Self::Affinity(Affinity::of(sql));
        }
        let known = Self::known(dialect == Dialect::MySql, &Parts::of(sql));
        known.unwrap_or_else(|| Self::Other(sql.trim().to_lowercase()))
    }

    fn known(is_mysql: bool, parts: &Parts) -> Option<Self> {
        let is_unsigned = is_mysql && parts.rest.starts_with("unsigned");
        if !parts.rest.is_empty() && !is_unsigned {
            return None;
        }
        let count = parts.count();
        let integer = |bits: u32| {
            let all = 1_i128 << bits;
            let (least, most) = if is_unsigned { (0, all - 1) } else { (-all / 2, all / 2 - 1) };
            Some(Self::Number { least, most, scale: 0 })
        };
        let text = |characters: Option<u64>, bytes: Option<u64>, is_padded: bool| {
            Some(Self::Text { characters, bytes, is_padded })
        };
        let time = |name: &str| {
            Some(Self::Time(name.to_owned(), count.unwrap_or(if is_mysql { 0 } else { 6 })))
        };
        match parts.head.as_str() {
            "boolean" | "bool" | "tinyint" if is_mysql => integer(8),
            "boolean" | "bool" => Some(Self::Other("boolean".to_owned())),
            "smallint" | "int2" => integer(16),
            "mediumint" => integer(24),
            "integer" | "int" | "int4" => integer(32),
            "bigint" | "int8" => integer(64),
            _ if is_unsigned => None,
            "decimal" | "numeric" | "dec" | "fixed" => parts.decimal(is_mysql),
            "float4" => Some(Self::Float(24)),
            "real" if !is_mysql => Some(Self::Float(24)),
            "float" if is_mysql && count.is_none() => Some(Self::Float(24)),
            "real" | "float" | "float8" | "double" if parts.arguments.is_none() => {
                Some(Self::Float(53))
            }
            "varchar" => text(count, None, false),
            "char" | "character" | "bpchar" => text(Some(count.unwrap_or(1)), None, true),
            "tinytext" => text(None, Some(255), false),
            "text" if is_mysql => text(None, Some(65_535), false),
            "text" => text(None, None, false),
            "mediumtext" => text(None, Some(16_777_215), false),
            "longtext" => text(None, Some(4_294_967_295), false),
            "timestamp" if is_mysql => time("timestamptz"),
            "datetime" if is_mysql => time("timestamp"),
            name @ ("date" | "time" | "timetz" | "timestamp" | "timestamptz") => time(name),
            _ => None,
        }
    }

    /// Whether each value is, unchanged, one of another sort too.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Number { least, most, scale },
                Self::Number { least: lower, most: upper, scale: digits },
            ) => lower <= least && most <= upper && scale <= digits,
            (Self::Float(bits), Self::Float(more)) => bits <= more,
            (Self::Number { least, most, scale: 0 }, Self::Float(bits)) => {
                *most <= 1 << bits && *least >= -(1 << bits)
            }
            (Self::Other(name), text @ Self::Text { characters, bytes, .. }) => {
                let has_limit = characters.is_some() || bytes.is_some();
                text.is_long() && (name == "uuid" || name.starts_with("json") && !has_limit)
            }
            (
                Self::Text { characters, bytes, is_padded },
                Self::Text { characters: most, bytes: largest, is_padded: pads },
            ) => {
                // A character takes four bytes at most.
                let size = bytes.or(characters.map(|count| count.saturating_mul(4)));
                (*is_padded || !pads)
                    && is_at_most(characters.or(*bytes), *most)
                    && is_at_most(size, *largest)
            }
            (Self::Time(name, _), Self::Text { .. }) if name.ends_with("tz") => false,
            (Self::Number { .. } | Self::Time(..), text @ Self::Text { .. }) => text.is_long(),
            (Self::Time(date, _), Self::Time(name, _)) if date == "date" && name == "timestamp" => {
                true
            }
            (Self::Time(name, digits), Self::Time(other, more)) => name == other && digits <= more,
            (Self::Affinity(from), Self::Affinity(to)) => matches!(
                (from, to),
                (_, Affinity::Blob)
                    | (Affinity::Integer, Affinity::Text | Affinity::Numeric)
                    | (Affinity::Real, Affinity::Numeric)
            ),
            _ => false,
        }
    }

    /// Whether it holds the text of each number, time and value of an enumeration.
    pub(super) fn is_long(&self) -> bool {
        let Self::Text { characters, bytes, is_padded: false } = self else { return false };
        characters.or(*bytes).is_none_or(|most| most >= 255)
    }
}

/// Whether every length within the first limit is within the second; without a second limit, each is.
fn is_at_most(before: Option<u64>, after: Option<u64>) -> bool {
    after.is_none_or(|after| before.is_some_and(|before| before <= after))
}
