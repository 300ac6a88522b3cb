//! Parameters of a request: which are known, what they may be, and which are wrong.

use super::time;

/// What a parameter may be.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Terms,
    Words(&'static [&'static str]),
    /// One of these, once.
    Word(&'static [&'static str]),
    /// A whole number up to this, once.
    Number(u128),
    /// Once.
    Time,
}

pub(crate) type Known = &'static [(&'static str, Kind)];

pub(crate) const SESSIONS: Known = &[("active", Kind::Words(&["true", "false", "all"]))];
pub(crate) const TASKS: Known =
    &[("state", Kind::Terms), ("story_id", Kind::Terms), ("subagent_type", Kind::Terms)];
pub(crate) const STORIES: Known =
    &[("status", Kind::Terms), ("epic_id", Kind::Terms), ("owner", Kind::Terms)];
pub(crate) const MESSAGES: Known = &[
    ("limit", Kind::Number(10_000)),
    ("offset", Kind::Number((1 << 63) - 1)),
    ("story_id", Kind::Terms),
    ("from", Kind::Terms),
    ("since", Kind::Time),
    ("until", Kind::Time),
    ("type", Kind::Terms),
    ("to", Kind::Terms),
    ("order", Kind::Word(&["asc", "desc"])),
];

/// A query, read.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    /// Each known parameter and its values; empty ones are left out.
    values: Vec<(&'static str, Vec<String>)>,
    /// Parameters whose value cannot be.
    pub(crate) wrong: Vec<String>,
    /// Parameters that nobody knows.
    pub(crate) unknown: Vec<String>,
}

impl Parameters {
    /// The values of a parameter; none means that it was not given.
    pub(crate) fn all(&self, name: &str) -> &[String] {
        self.values.iter().find(|(other, _)| *other == name).map_or(&[], |(_, values)| values)
    }

    /// The value of a parameter that may be given once.
    pub(crate) fn one(&self, name: &str) -> Option<&str> {
        self.all(name).first().map(String::as_str)
    }

    /// The value of a number.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.one(name).map(|digits| digits.parse().expect("it was read before"))
    }

    /// Whether no value was asked for, or this one.
    pub(crate) fn wants(&self, name: &str, value: &str) -> bool {
        self.all(name).is_empty() || self.all(name).iter().any(|wanted| wanted == value)
    }
}

/// Reads a query.
pub(crate) fn read(query: &str, known: Known) -> Parameters {
    let mut read = Parameters {
        values: known.iter().map(|(name, _)| (*name, Vec::new())).collect(),
        ..Parameters::default()
    };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode(name).unwrap_or_else(|| name.to_owned());
        if name == "_" {
            continue;
        }
        let Some((_, values)) = read.values.iter_mut().find(|(other, _)| *other == name) else {
            read.unknown.push(name);
            continue;
        };
        for piece in text.split(',').filter(|piece| !piece.is_empty()) {
            match decode(piece) {
                Some(value) => values.push(value),
                None => read.wrong.push(name.clone()),
            }
        }
    }
    for ((name, kind), (_, values)) in known.iter().zip(&read.values) {
        if !is_right(*kind, values) {
            read.wrong.push((*name).to_owned());
        }
    }
    read
}

fn is_right(kind: Kind, values: &[String]) -> bool {
    let among = |words: &[&str]| values.iter().all(|value| words.contains(&value.as_str()));
    match kind {
        Kind::Terms => true,
        Kind::Words(words) => among(words),
        Kind::Word(words) => values.len() < 2 && among(words),
        Kind::Number(most) => values.len() < 2 && values.iter().all(|value| is_number(value, most)),
        Kind::Time => values.len() < 2 && values.iter().all(|value| time::read(value).is_some()),
    }
}

fn is_number(value: &str, most: u128) -> bool {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    digits && value.parse().is_ok_and(|number: u128| number <= most)
}

/// Undoes percent-encoding; `None` when it is wrong or not UTF-8.
pub(crate) fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, after @ ..] = after else { return None };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).unwrap());
        rest = after;
    }
    String::from_utf8(bytes).ok()
}
