//! JSON as text: members, elements and checks that preserve every digit and byte of a value as written.
//!
//! `serde_json` does the parsing. It knows neither records nor fields.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::Fault;

/// One member of an object, as text.
#[derive(Debug, Clone)]
pub struct Member<'a> {
    /// The key, with escapes decoded.
    pub name: Cow<'a, str>,
    /// The key with its quotes and escapes.
    pub key: &'a str,
    /// The value, without white space around it.
    pub value: &'a str,
}

/// Whether a text contains escapes. One scan of a whole line is cheaper than one of each of its strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escapes {
    /// It may contain some.
    Possible,
    /// It contains none.
    None,
}

impl Escapes {
    /// Scans a text.
    pub fn of(text: &str) -> Self {
        if memchr::memchr(b'\\', text.as_bytes()).is_some() { Self::Possible } else { Self::None }
    }
}

/// The members of an object in the order of the text, doubled ones included.
#[derive(Debug)]
pub struct Members<'a> {
    /// The members whose key can be decoded.
    pub list: Vec<Member<'a>>,
    /// The raw keys that contain a lone surrogate.
    pub unreadable: Vec<&'a str>,
    /// Whether there are escapes in any key or value.
    pub escapes: Escapes,
}

/// The members of an object in a text without escapes.
#[derive(Debug)]
pub struct Plain<'a>(Members<'a>);

impl<'a> From<Plain<'a>> for Members<'a> {
    fn from(plain: Plain<'a>) -> Self {
        plain.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Plain<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Members::collect(deserializer, Escapes::None, usize::MAX).map(Self)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::collect(deserializer, Escapes::Possible, usize::MAX)
    }
}

impl<'a> Members<'a> {
    fn collect<'de: 'a, D: Deserializer<'de>>(
        deserializer: D,
        escapes: Escapes,
        most: usize,
    ) -> Result<Self, D::Error> {
        struct Collect(Escapes, usize);
        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let Self(escapes, most) = self;
                let list = Vec::with_capacity(16);
                let mut members = Members { list, unreadable: Vec::new(), escapes };
                while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    if members.list.len() + members.unreadable.len() == most {
                        return Err(A::Error::custom(TOO_MANY));
                    }
                    let (key, value) = (key.get(), value.get());
                    match string_with(key, escapes) {
                        Ok(name) => members.list.push(Member { name, key, value }),
                        Err(_) => members.unreadable.push(key),
                    }
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Collect(escapes, most))
    }
}

/// Largest object in which duplicate keys are found by comparing pairs.
const SMALL_OBJECT: usize = 24;

impl<'a> Members<'a> {
    /// Each member once: of duplicates the last value, at the position of the first.
    ///
    /// # Errors
    /// When a key cannot be decoded.
    pub fn unique(self) -> Result<Vec<Member<'a>>, Fault> {
        if let Some(key) = self.unreadable.first() {
            return Err(string(key).err().unwrap_or(Fault::TooDeep));
        }
        let list = self.list;
        let doubled = |at: usize| list[..at].iter().any(|earlier| earlier.name == list[at].name);
        if list.len() <= SMALL_OBJECT && !(1..list.len()).any(doubled) {
            return Ok(list);
        }
        let mut unique: indexmap::IndexMap<Cow<'a, str>, Member<'a>> = indexmap::IndexMap::new();
        for member in list {
            unique.insert(member.name.clone(), member);
        }
        Ok(unique.into_values().collect())
    }
}

/// The members of an object, duplicates included.
///
/// # Errors
/// When the text is not an object.
pub fn members(object: &str) -> Result<Members<'_>, Fault> {
    Ok(serde_json::from_str(object)?)
}

/// The same, with at most `most` members; a text with more is an error.
///
/// # Errors
/// When the text is not an object, or has more members.
pub fn members_at_most(object: &str, most: usize) -> Result<Members<'_>, Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(object);
    let members = Members::collect(&mut deserializer, Escapes::of(object), most);
    let members = members.map_err(|error| limited(error, most))?;
    deserializer.end()?;
    Ok(members)
}

/// The elements of an array, as text.
///
/// # Errors
/// When the text is not an array.
pub fn elements(array: &str) -> Result<Vec<&str>, Fault> {
    elements_at_most(array, usize::MAX)
}

/// The same, with at most `most` elements; a text with more is an error.
///
/// # Errors
/// When the text is not an array, or has more elements.
pub fn elements_at_most(array: &str, most: usize) -> Result<Vec<&str>, Fault> {
    struct Collect(usize);
    impl<'de> Visitor<'de> for Collect {
        type Value = Vec<&'de str>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut elements = Vec::new();
            while let Some(element) = seq.next_element::<&RawValue>()? {
                if elements.len() == self.0 {
                    return Err(A::Error::custom(TOO_MANY));
                }
                elements.push(element.get());
            }
            Ok(elements)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(array);
    let elements = deserializer.deserialize_seq(Collect(most));
    let elements = elements.map_err(|error| limited(error, most))?;
    deserializer.end()?;
    Ok(elements)
}

/// The message by which a limited collection reports that there are more.
const TOO_MANY: &str = "too many";

fn limited(error: serde_json::Error, most: usize) -> Fault {
    if error.is_data() && error.to_string().starts_with(TOO_MANY) {
        return Fault::TooMany { most };
    }
    error.into()
}

/// The text of a JSON string, with escapes decoded.
///
/// # Errors
/// When it is not a string or contains a lone surrogate.
pub fn string(raw: &str) -> Result<Cow<'_, str>, Fault> {
    string_with(raw, Escapes::of(raw))
}

fn string_with(raw: &str, escapes: Escapes) -> Result<Cow<'_, str>, Fault> {
    let inner = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner {
        Some(inner) if escapes == Escapes::None || Escapes::of(inner) == Escapes::None => {
            Ok(Cow::Borrowed(inner))
        }
        _ => Ok(Cow::Owned(serde_json::from_str(raw)?)),
    }
}

/// A value as text to search in: the text of a string, the compact JSON of any other value, and nothing for null.
pub fn word(raw: &str) -> Option<Cow<'_, str>> {
    word_with(raw, Escapes::of(raw))
}

/// The same, if it is known whether there are escapes.
pub fn word_with(raw: &str, escapes: Escapes) -> Option<Cow<'_, str>> {
    match raw.as_bytes().first()? {
        b'"' => string_with(raw, escapes).ok(),
        b'n' => None,
        b'{' | b'[' => {
            let mut text = Vec::with_capacity(raw.len());
            write_compact(raw, &mut text);
            String::from_utf8(text).ok().map(Cow::Owned)
        }
        _ => Some(Cow::Borrowed(raw)),
    }
}

/// Whether a value is an object.
pub fn is_object(raw: &str) -> bool {
    raw.starts_with('{')
}

/// Whether a value is null.
pub fn is_null(raw: &str) -> bool {
    raw == "null"
}

/// Checks a value of valid syntax: no lone surrogate, no number beyond a double, no nesting over the limit.
///
/// # Errors
/// The first violation.
pub fn check(raw: &str, escapes: Escapes) -> Result<(), Fault> {
    match raw.as_bytes().first() {
        Some(b'"') if escapes == Escapes::None || Escapes::of(raw) == Escapes::None => Ok(()),
        Some(b't' | b'f' | b'n') => Ok(()),
        Some(b'{' | b'[') if raw.len() == 2 => Ok(()),
        Some(b'0'..=b'9') if raw.len() < 20 && !raw.contains(['e', 'E']) => Ok(()),
        _ => Ok(serde_json::from_str::<Readable<false>>(raw).map(drop)?),
    }
}

/// Deepest nesting, including the outermost object.
const DEEPEST: usize = 128;

/// Whether a text of valid syntax is nested deeper than 128 levels.
pub fn is_too_deep(text: &str) -> bool {
    is_deeper_than(text, DEEPEST)
}

/// Whether a text of valid syntax is nested deeper than so many levels.
pub fn is_deeper_than(text: &str, most: usize) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => at = end_of_string(bytes, at + 1),
            _ => {}
        }
        if depth > most {
            return true;
        }
        at += 1;
    }
    false
}

/// The offset of the quote that ends the string whose text begins at `at`.
fn end_of_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

/// Any value whose objects have each key once. A key that is given twice is an error that names it: a parser keeps one of its
/// values, and the other would be lost in silence.
pub type UniqueKeys = Readable<true>;

/// Reads a whole value and discards it; with `UNIQUE` it refuses a key that an object has twice.
#[derive(Debug)]
pub struct Readable<const UNIQUE: bool>;

impl<'de, const UNIQUE: bool> Deserialize<'de> for Readable<UNIQUE> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de, const UNIQUE: bool> Visitor<'de> for Readable<UNIQUE> {
    type Value = Self;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while seq.next_element::<Self>()?.is_some() {}
        Ok(self)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        if !UNIQUE {
            while map.next_entry::<Self, Self>()?.is_some() {}
            return Ok(self);
        }
        let mut seen = HashSet::new();
        while let Some((key, _)) = map.next_entry::<String, Self>()? {
            if let Some(key) = seen.replace(key) {
                return Err(A::Error::custom(format_args!("the key {key:?} is given twice")));
            }
        }
        Ok(self)
    }
}

/// Writes a value without white space and without duplicate keys. Digits, escapes and order are preserved.
pub fn write_compact(raw: &str, out: &mut Vec<u8>) {
    match raw.as_bytes().first() {
        Some(b'{') if raw.len() > 2 => write_object(raw, out),
        Some(b'[') if raw.len() > 2 => write_array(raw, out),
        _ => out.extend_from_slice(raw.as_bytes()),
    }
}

/// Whether [`write_compact`] writes the value unchanged.
pub fn is_compact(raw: &str) -> bool {
    if !raw.starts_with(['{', '[']) || raw.len() == 2 {
        return true;
    }
    let mut text = Vec::with_capacity(raw.len());
    write_compact(raw, &mut text);
    text == raw.as_bytes()
}

fn write_object(raw: &str, out: &mut Vec<u8>) {
    // Only checked text gets here; any other would still be served unchanged.
    let Ok(members) = members(raw).and_then(Members::unique) else {
        return out.extend_from_slice(raw.as_bytes());
    };
    out.push(b'{');
    for (at, member) in members.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(member.key.as_bytes());
        out.push(b':');
        write_compact(member.value, out);
    }
    out.push(b'}');
}

fn write_array(raw: &str, out: &mut Vec<u8>) {
    let Ok(elements) = elements(raw) else { return out.extend_from_slice(raw.as_bytes()) };
    out.push(b'[');
    for (at, element) in elements.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write_compact(element, out);
    }
    out.push(b']');
}

/// Writes a number.
pub fn write_number(number: u64, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, &number);
}

/// Writes a text as a JSON string.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, text);
}
