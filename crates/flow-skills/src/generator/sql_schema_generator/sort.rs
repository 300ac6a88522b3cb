//! The types of columns by what they hold, as far as is needed to tell whether a type is another one, and whether the
//! values of one are values of the other.

use super::dialect::Dialect;
use crate::data::decimal::Decimal;

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sort {
    Boolean,
    /// Integers of a range.
    Integer(i128, i128),
    /// Decimal numbers; without digits they are of any size.
    Decimal(Option<Decimal>),
    /// Binary fractions, with the number of bits of the mantissa.
    Float(u32),
    Text(Text),
    /// The most bytes.
    Bytes(Option<u64>),
    Date,
    /// The number of digits of the fraction of a second.
    Time(u16),
    Timestamp {
        has_zone: bool,
        digits: u16,
    },
    Json,
    /// JSON without its layout, the order of its members and repeated ones.
    Jsonb,
    Uuid,
    /// SQLite's affinity; its columns hold values of other types too.
    Affinity(Affinity),
    /// A type of which nothing is known but its text.
    Other(String),
}

/// A limit on texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) characters: Option<u64>,
    pub(super) bytes: Option<u64>,
    /// Whether blanks at the end do not count.
    pub(super) is_padded: bool,
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

/// A type by its parts: `varchar`, `9`, and ` collate x`.
struct Parts {
    head: String,
    arguments: Option<String>,
    rest: String,
}

impl Parts {
    fn of(sql: &str) -> Self {
        let sql = sql.trim().to_lowercase();
        let (head, arguments, rest) = if let Some((head, rest)) = sql.split_once('(') {
            let (arguments, rest) = rest.split_once(')').unwrap_or((rest, ""));
            (head, Some(arguments.trim().to_owned()), rest)
        } else {
            // A type of two words, or one with a character set.
            let long = ["double precision", "character varying"];
            let long = long.iter().find(|long| sql.starts_with(**long));
            let end = long.map_or_else(|| sql.find(' ').unwrap_or(sql.len()), |name| name.len());
            let (head, rest) = sql.split_at(end);
            (head, None, rest)
        };
        let (head, rest) = (head.trim().to_owned(), rest.trim().to_owned());
        Self { head, arguments, rest }
    }

    fn number(&self) -> Option<u64> {
        self.arguments.as_ref()?.parse().ok()
    }

    /// The digits of the fraction of a second, `usual` where they are not given.
    fn digits(&self, usual: u16) -> u16 {
        self.number().and_then(|digits| u16::try_from(digits).ok()).unwrap_or(usual)
    }

    fn decimal(&self) -> Option<Decimal> {
        let digits = Decimal::read(self.arguments.as_deref()?)?;
        Some(Decimal { scale: Some(digits.after_point()), ..digits })
    }

    const fn text(characters: Option<u64>, is_padded: bool) -> Sort {
        Sort::Text(Text { characters, bytes: None, is_padded })
    }
}

fn integer(bits: u32, is_unsigned: bool) -> Sort {
    let all = 1_i128 << bits;
    if is_unsigned { Sort::Integer(0, all - 1) } else { Sort::Integer(-all / 2, all / 2 - 1) }
}

impl Sort {
    /// Whether its values are times of a time zone.
    pub(super) fn has_zone(&self) -> bool {
        matches!(self, Self::Timestamp { has_zone: true, .. })
    }

    pub(super) fn of(dialect: Dialect, sql: &str) -> Self {
        let other = || Self::Other(sql.trim().to_lowercase());
        match dialect {
            Dialect::Sqlite => Self::Affinity(Affinity::of(sql)),
            Dialect::Postgres => postgres(&Parts::of(sql)).unwrap_or_else(other),
            Dialect::MySql => mysql(&Parts::of(sql)).unwrap_or_else(other),
        }
    }
}

fn postgres(parts: &Parts) -> Option<Sort> {
    let has_zone = parts.rest == "with time zone";
    let is_bare = parts.rest.is_empty();
    Some(match parts.head.as_str() {
        "text" => Parts::text(None, false),
        "varchar" | "character varying" => Parts::text(parts.number(), false),
        "char" | "character" | "bpchar" => Parts::text(Some(parts.number().unwrap_or(1)), true),
        "timestamp" if has_zone || is_bare || parts.rest == "without time zone" => {
            Sort::Timestamp { has_zone, digits: parts.digits(6) }
        }
        "timestamptz" => Sort::Timestamp { has_zone: true, digits: parts.digits(6) },
        "time" if is_bare || parts.rest == "without time zone" => Sort::Time(parts.digits(6)),
        _ if !is_bare => return None,
        "boolean" | "bool" => Sort::Boolean,
        "smallint" | "int2" => integer(16, false),
        "integer" | "int" | "int4" => integer(32, false),
        "bigint" | "int8" => integer(64, false),
        "decimal" | "numeric" | "dec" if parts.arguments.is_none() => Sort::Decimal(None),
        "decimal" | "numeric" | "dec" => Sort::Decimal(Some(parts.decimal()?)),
        "real" | "float4" => Sort::Float(24),
        "float" if parts.number().is_some_and(|bits| bits <= 24) => Sort::Float(24),
        "double precision" | "float8" | "float" => Sort::Float(53),
        "uuid" => Sort::Uuid,
        "date" => Sort::Date,
        "json" => Sort::Json,
        "jsonb" => Sort::Jsonb,
        "bytea" => Sort::Bytes(None),
        _ => return None,
    })
}

fn mysql(parts: &Parts) -> Option<Sort> {
    let number = parts.number();
    let is_unsigned = parts.rest == "unsigned" || parts.rest == "unsigned zerofill";
    let sized = |bytes: u64| Sort::Text(Text { bytes: Some(bytes), ..Text::default() });
    Some(match parts.head.as_str() {
        "varchar" | "character varying" => Parts::text(number, false),
        "char" | "character" => Parts::text(Some(number.unwrap_or(1)), true),
        "tinytext" => sized(255),
        "text" => sized(65_535),
        "mediumtext" => sized(16_777_215),
        "longtext" => sized(4_294_967_295),
        "boolean" | "bool" => integer(8, false),
        "tinyint" => integer(8, is_unsigned),
        "smallint" => integer(16, is_unsigned),
        "mediumint" => integer(24, is_unsigned),
        "integer" | "int" => integer(32, is_unsigned),
        "bigint" => integer(64, is_unsigned),
        _ if !parts.rest.is_empty() => return None,
        "decimal" | "numeric" | "dec" | "fixed" => {
            let usual = Decimal { precision: 10, scale: Some(0) };
            let is_given = parts.arguments.is_some();
            Sort::Decimal(Some(if is_given { parts.decimal()? } else { usual }))
        }
        "float" if number.is_none() => Sort::Float(24),
        "double" | "double precision" | "real" if number.is_none() => Sort::Float(53),
        "date" => Sort::Date,
        "time" => Sort::Time(parts.digits(0)),
        "datetime" => Sort::Timestamp { has_zone: false, digits: parts.digits(0) },
        "timestamp" => Sort::Timestamp { has_zone: true, digits: parts.digits(0) },
        "json" => Sort::Json,
        "uuid" => Sort::Uuid,
        "varbinary" => Sort::Bytes(number),
        "tinyblob" => Sort::Bytes(Some(255)),
        "blob" => Sort::Bytes(Some(65_535)),
        "mediumblob" => Sort::Bytes(Some(16_777_215)),
        "longblob" => Sort::Bytes(Some(4_294_967_295)),
        _ => return None,
    })
}
