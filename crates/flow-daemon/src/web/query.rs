//! The query of a request, checked against the parameters of its route.

use std::borrow::Cow;
use std::time::Duration;

use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::model::json::write_number;
use crate::model::span;
use crate::model::time::{self, Edge};
use crate::routes::{
    Kind, MOST_FIELDS, MOST_SEARCH_WORDS, MOST_SORT_KEYS, Parameter, Route, decode,
};

use super::reply::Reply;

/// A parameter that is accepted and ignored, so that a client can bypass its own cache.
const CACHE_BUSTER: &str = "_";

/// The given parameters, without empty ones.
#[derive(Debug, Default)]
pub struct Query {
    given: Vec<Given>,
    is_unique: bool,
}

/// A parameter and its values.
#[derive(Debug)]
struct Given {
    parameter: &'static Parameter,
    sense: Sense,
    values: Vec<String>,
}

/// How a record must relate to the values of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sense {
    /// `name=value`: it has one of them.
    Is,
    /// `name!=value`: it has none of them.
    IsNot,
}

/// Largest number of values of a parameter.
enum Most {
    Any,
    /// Given once, one value.
    One,
    /// One list with this many names.
    Names(usize),
}

impl Query {
    /// Parses a raw query. `is_known` says whether a value is documented for a parameter or some record has it.
    ///
    /// # Errors
    /// The answer to a parameter that the route does not have, or an invalid value.
    pub fn read(
        route: &'static Route,
        raw: &str,
        is_known: impl Fn(&Parameter, &str) -> bool,
    ) -> Result<Self, Reply> {
        let mut query = Self::default();
        for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).unwrap_or(Cow::Borrowed(name));
            if name == CACHE_BUSTER {
                query.is_unique = true;
                continue;
            }
            let (parameter, sense) = find(route, &name).ok_or_else(|| unknown(route, &name))?;
            let text = decode(value)
                .ok_or_else(|| invalid(parameter, value, "text in percent-encoded UTF-8"))?;
            query.take(Target { parameter, sense }, &text, &is_known)?;
        }
        for given in query.given.iter_mut().filter(|given| given.parameter.kind != Kind::Sort) {
            given.values.sort_unstable();
            given.values.dedup();
        }
        query.given.sort_by_key(|given| (given.parameter.name, given.sense == Sense::IsNot));
        Ok(query)
    }

    /// Adds a value, split at its commas. The whole text counts too if some record has it as its value.
    fn take(
        &mut self,
        target: Target,
        text: &str,
        is_known: &impl Fn(&Parameter, &str) -> bool,
    ) -> Result<(), Reply> {
        let parameter = target.parameter;
        match parameter.kind {
            Kind::Search => return self.take_words(target, text),
            Kind::Text(_) if text.is_empty() => return Ok(()),
            Kind::Text(_) => return self.add(target, text),
            _ => {}
        }
        let takes_any = matches!(parameter.kind, Kind::Terms | Kind::Known(_));
        let is_on_record = takes_any && text.contains(',') && is_known(parameter, text);
        let mut pieces = text.split(',').filter(|piece| !piece.is_empty()).peekable();
        if pieces.peek().is_none() && matches!(parameter.kind, Kind::Conditions(_)) {
            return Err(invalid(parameter, text, &allowed(parameter.kind)));
        }
        for piece in pieces {
            if !is_on_record {
                check(parameter, piece, is_known)?;
            }
            self.add(target, piece)?;
        }
        if is_on_record { self.add(target, text) } else { Ok(()) }
    }

    /// Adds the search words as one value.
    fn take_words(&mut self, target: Target, text: &str) -> Result<(), Reply> {
        let words = text.split_whitespace().count();
        if words > MOST_SEARCH_WORDS {
            return Err(invalid(target.parameter, text, &allowed(target.parameter.kind)));
        }
        if words == 0 { Ok(()) } else { self.add(target, text) }
    }

    fn add(&mut self, target: Target, text: &str) -> Result<(), Reply> {
        let Target { parameter, sense } = target;
        let known = self
            .given
            .iter_mut()
            .find(|given| given.parameter.name == parameter.name && given.sense == sense);
        let Some(Given { values, .. }) = known else {
            self.given.push(Given { parameter, sense, values: vec![text.to_owned()] });
            return Ok(());
        };
        let allowed = match most(parameter.kind) {
            Most::One => Some("given once".to_owned()),
            Most::Names(most) if values.len() >= most => Some(format!("at most {most} names")),
            Most::Any | Most::Names(_) => None,
        };
        if let Some(allowed) = allowed {
            let both = format!("{},{text}", values.join(","));
            return Err(invalid(parameter, &both, &allowed));
        }
        values.push(text.to_owned());
        Ok(())
    }

    /// Whether it contains `CACHE_BUSTER`, so that it will not be repeated.
    pub fn is_unique(&self) -> bool {
        self.is_unique
    }

    /// Whether no parameter was given.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The values of a parameter, without duplicates (except for sort keys); empty if it was not given.
    pub fn values(&self, name: &str) -> &[String] {
        self.with_sense(name, Sense::Is)
    }

    /// The values that a record must not have.
    pub fn excluded(&self, name: &str) -> &[String] {
        self.with_sense(name, Sense::IsNot)
    }

    fn with_sense(&self, name: &str, sense: Sense) -> &[String] {
        let is_asked = |given: &&Given| given.sense == sense && given.parameter.name == name;
        self.given.iter().find(is_asked).map_or(&[], |given| &given.values)
    }

    /// Every parameter as it is written in a query, with each of its values.
    pub fn pairs(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        self.given.iter().flat_map(|Given { parameter, sense, values }| {
            let values = values.iter().map(String::as_str);
            values.map(|value| (parameter.name, sense.mark(), value))
        })
    }

    /// An error about a given parameter.
    pub fn refusal(&self, name: &'static str, allowed: &str) -> Reply {
        let value = self.values(name).join(",");
        refusal(name, &value, allowed)
    }

    /// The single value of a parameter.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str)
    }

    /// The number given; it was checked before.
    pub fn number(&self, name: &str, default: u64) -> u64 {
        self.value(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    /// The time span given, which was checked before.
    pub fn span(&self, name: &str, default: Duration) -> Duration {
        self.value(name).and_then(span::parse).unwrap_or(default)
    }

    /// The time given, in nanoseconds since 1970.
    pub fn time(&self, name: &str, edge: Edge) -> Option<i64> {
        self.value(name).and_then(|text| time::parse(text, edge))
    }

    /// Writes the same text for all spellings of the same query.
    pub fn write_canonical(&self, out: &mut Vec<u8>) {
        for (at, Given { parameter, sense, values }) in self.given.iter().enumerate() {
            if at > 0 {
                out.push(b'&');
            }
            out.extend_from_slice(parameter.name.as_bytes());
            out.extend_from_slice(sense.mark().as_bytes());
            for value in values {
                // The length comes first, so that one value cannot look like two.
                out.push(b'=');
                write_number(value.len() as u64, out);
                out.push(b':');
                out.extend_from_slice(value.as_bytes());
            }
        }
    }
}

impl Sense {
    /// The character between the name and the equals sign.
    const fn mark(self) -> &'static str {
        match self {
            Self::Is => "",
            Self::IsNot => "!",
        }
    }
}

/// The parameter that a pair of the query sets, and its sense.
#[derive(Clone, Copy)]
struct Target {
    parameter: &'static Parameter,
    sense: Sense,
}

fn find(route: &'static Route, name: &str) -> Option<(&'static Parameter, Sense)> {
    let known = |name: &str| route.parameters.iter().find(|parameter| parameter.name == name);
    if let Some(parameter) = known(name) {
        return Some((parameter, Sense::Is));
    }
    let parameter = known(name.strip_suffix(Sense::IsNot.mark())?)?;
    parameter.kind.can_be_negated().then_some((parameter, Sense::IsNot))
}

const fn most(kind: Kind) -> Most {
    match kind {
        Kind::Number { .. }
        | Kind::Time
        | Kind::Span
        | Kind::Word(_)
        | Kind::Text(_)
        | Kind::Search => Most::One,
        Kind::Fields => Most::Names(MOST_FIELDS),
        Kind::Sort => Most::Names(MOST_SORT_KEYS),
        Kind::Terms | Kind::Known(_) | Kind::Words(_) | Kind::Conditions(_) => Most::Any,
    }
}

fn check(
    parameter: &Parameter,
    text: &str,
    is_known: &impl Fn(&Parameter, &str) -> bool,
) -> Result<(), Reply> {
    let valid = match parameter.kind {
        Kind::Terms | Kind::Text(_) | Kind::Search => true,
        Kind::Known(_) | Kind::Fields => is_known(parameter, text),
        Kind::Sort => is_known(parameter, text.strip_prefix('-').unwrap_or(text)),
        Kind::Words(words) | Kind::Word(words) | Kind::Conditions(words) => words.contains(&text),
        Kind::Number { most } => {
            text.bytes().all(|c| c.is_ascii_digit())
                && text.parse::<u64>().is_ok_and(|number| number <= most)
        }
        Kind::Time => time::parse(text, Edge::Start).is_some(),
        Kind::Span => span::parse(text).is_some(),
    };
    if valid { Ok(()) } else { Err(invalid(parameter, text, &allowed(parameter.kind))) }
}

fn allowed(kind: Kind) -> String {
    match kind {
        Kind::Terms | Kind::Text(_) => "any text".to_owned(),
        Kind::Search => format!("at most {MOST_SEARCH_WORDS} words"),
        Kind::Fields => "names of fields that the records have".to_owned(),
        Kind::Sort => {
            "names of fields that the records have, with a minus before one to sort descending"
                .to_owned()
        }
        Kind::Known(words) => {
            format!("one of {}, or another one found in the file", words.join(", "))
        }
        Kind::Words(words) | Kind::Word(words) => format!("one of {}", words.join(", ")),
        Kind::Conditions(words) => format!("some of {}", words.join(", ")),
        Kind::Number { most } => format!("a whole number from 0 to {most}"),
        Kind::Time => {
            "an RFC 3339 time such as 2026-01-31T09:30:00Z, or a date such as 2026-01-31".to_owned()
        }
        Kind::Span => {
            "a number of seconds such as 90 or 0.5, or a time with a unit such as 30m, 1.5h or 2d"
                .to_owned()
        }
    }
}

fn unknown(route: &Route, name: &str) -> Reply {
    let known: Vec<&str> = route.parameters.iter().map(|parameter| parameter.name).collect();
    let sentence = format!("unknown parameter {name:?} for {}", route.path);
    let mut context = Map::new();
    context.insert("parameter".into(), name.into());
    context.insert("known".into(), json!(known));
    Reply::error(StatusCode::BAD_REQUEST, "invalid_parameter", &sentence, context)
}

fn invalid(parameter: &Parameter, value: &str, allowed: &str) -> Reply {
    refusal(parameter.name, value, allowed)
}

fn refusal(name: &str, value: &str, allowed: &str) -> Reply {
    let sentence = format!("the parameter {name} is {value:?}, but must be {allowed}");
    let mut context = Map::new();
    context.insert("parameter".into(), name.into());
    context.insert("value".into(), value.into());
    context.insert("allowed".into(), Value::from(allowed));
    Reply::error(StatusCode::BAD_REQUEST, "invalid_parameter", &sentence, context)
}
