//! The types of input fields. Each validates its text when it is deserialised, so that no generator checks again, and
//! each provides its own schema.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::page::{bullets, listed};
use crate::text;

/// Declares a text type with its validation and its schema.
macro_rules! text_type {
    ($(#[$doc:meta])* $name:ident, $read:expr, $schema:tt) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub struct $name(String);

        impl $name {
            /// The text, validated.
            ///
            /// # Errors
            /// What the text must be, in words.
            pub fn new(text: &str) -> Result<Self, &'static str> {
                let read: fn(&str) -> Result<String, &'static str> = $read;
                read(text).map(Self)
            }

            /// The text.
            pub fn into_inner(self) -> String {
                self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                Self::new(&text).map_err(D::Error::custom)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_type!(
    /// Text on one line: runs of white space become one space. Never empty.
    Line,
    |text| {
        let line = text::line(text);
        if line.is_empty() { Err("text that is not empty") } else { Ok(line) }
    },
    { "type": "string", "minLength": 1 }
);

text_type!(
    /// Text of several lines: line ends become `\n`, trailing blanks and empty lines at either end are removed.
    Block,
    |text| {
        let text = text.replace("\r\n", "\n");
        if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            return Err("text without control characters");
        }
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let block = lines.join("\n").trim_matches('\n').to_owned();
        if block.is_empty() { Err("text that is not empty") } else { Ok(block) }
    },
    { "type": "string", "minLength": 1 }
);

text_type!(
    /// A word without white space, such as an id or a name in code. Never empty.
    Word,
    |text| {
        let word = text.trim();
        let is_word = !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c.is_control());
        if is_word { Ok(word.to_owned()) } else { Err("one word") }
    },
    { "type": "string", "minLength": 1 }
);

text_type!(
    /// A date, `2026-01-31`.
    Date,
    |text| {
        let text = text.trim();
        // A month in words is unambiguous, unlike one in digits behind a day; two digits are no year.
        let named = ["%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"];
        let has_year = text.rsplit(' ').next().is_some_and(|year| year.len() == 4);
        let named = named.iter().filter(|_| has_year);
        let day = named.clone().find_map(|form| jiff::civil::Date::strptime(form, text).ok());
        let day = day.or_else(|| text.parse().ok().filter(|_| text.len() == 10));
        day.map(|day| day.to_string()).ok_or("a date such as 2026-01-31")
    },
    { "type": "string", "format": "date" }
);

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Int<const MIN: i64, const MAX: i64>(i64);

impl<const MIN: i64, const MAX: i64> Int<MIN, MAX> {
    /// The number.
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl<'de, const MIN: i64, const MAX: i64> Deserialize<'de> for Int<MIN, MAX> {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a whole number in range is what it is kept for"
    )]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let whole = number as i64;
        if number.fract() != 0.0 || !(MIN..=MAX).contains(&whole) {
            return Err(D::Error::custom(format!("a whole number from {MIN} to {MAX}")));
        }
        Ok(Self(whole))
    }
}

impl<const MIN: i64, const MAX: i64> JsonSchema for Int<MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Int{MIN}To{MAX}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}

/// A text, or a value in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Either<T, V> {
    /// The text.
    Text(T),
    /// The value.
    Value(V),
}

/// An object, or a line in its place, such as an error case in its notation.
pub type TextOr<V> = Either<Line, V>;

/// A list, or the whole list as text in the notation of lists.
pub type TextOrList<V> = Either<Block, Vec<V>>;

impl<'de, T: DeserializeOwned, V: DeserializeOwned> Deserialize<'de> for Either<T, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = match Value::deserialize(deserializer)? {
            text @ Value::String(_) => serde_json::from_value(text).map(Self::Text),
            value => serde_json::from_value(value).map(Self::Value),
        };
        read.map_err(D::Error::custom)
    }
}

impl<T, V: JsonSchema> JsonSchema for Either<T, V> {
    fn schema_name() -> Cow<'static, str> {
        format!("TextOr{}", V::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = generator.subschema_for::<V>();
        let kind = schema.get("type").cloned();
        schema.insert("type".into(), serde_json::json!(["string", kind]));
        schema
    }
}

impl TextOrList<Block> {
    /// It as paragraphs.
    pub fn paragraphs(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Value(items) => items.iter().map(|item| &**item).collect::<Vec<_>>().join("\n\n"),
        }
    }
}

impl TextOrList<Line> {
    /// It as text with a line for each item.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Value(items) => items.iter().map(|item| &**item).collect::<Vec<_>>().join("\n"),
        }
    }

    /// It as Markdown; a text of one line is a list of the parts between marks.
    pub fn markdown(&self, marks: &[char]) -> String {
        match self {
            Self::Text(text) => listed(text, marks),
            Self::Value(items) => bullets(items.iter().map(|item| &**item)),
        }
    }
}

/// Removes a type's own description from its schema: the field of the list that such values are in has one.
pub fn undescribed(schema: &mut Schema) {
    schema.remove("description");
}

/// Names in one text, between commas or words such as `and`; or a list of them, in which each is one text.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "Either<Line, Vec<Line>>")]
#[schemars(with = "Either<Line, Vec<Line>>", transform = undescribed)]
pub struct Names(pub Vec<Line>);

impl TryFrom<Either<Line, Vec<Line>>> for Names {
    type Error = &'static str;

    fn try_from(given: Either<Line, Vec<Line>>) -> Result<Self, &'static str> {
        match given {
            Either::Text(names) => Ok(Self(vec![names])),
            Either::Value(names) if names.is_empty() => Err("a name"),
            Either::Value(names) => Ok(Self(names)),
        }
    }
}

/// A text or a number, such as the number of a record or a capacity; kept as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(with = "Value", extend("type" = ["string", "number"]), transform = undescribed)]
pub struct TextOrNumber(pub String);

impl<'de> Deserialize<'de> for TextOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = match Value::deserialize(deserializer)? {
            Value::String(text) => text::line(&text),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        if line.is_empty() { Err(D::Error::custom("text or a number")) } else { Ok(Self(line)) }
    }
}
