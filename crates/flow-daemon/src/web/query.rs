//! The query of a request, checked against the parameters that its route knows.

use std::borrow::Cow;

use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::model::time::{self, Edge};
use crate::routes::{Kind, Parameter, Route, decode};

use super::reply::Reply;

/// A parameter that is let through and means nothing, so that a client can get around its own cache.
const CACHE_BUSTER: &str = "_";

/// The parameters that were given, without empty ones.
#[derive(Debug, Default)]
pub struct Query {
    given: Vec<(&'static Parameter, Vec<String>)>,
}

impl Query {
    /// Reads a raw query. `is_known` says whether a value is documented for a parameter or is one that a record has.
    ///
    /// # Errors
    /// The answer to a parameter that the route does not know, or a value that it does not take.
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
                continue;
            }
            let known = route.parameters.iter().find(|parameter| parameter.name == name);
            let parameter = known.ok_or_else(|| unknown(route, &name))?;
            let text = decode(value)
                .ok_or_else(|| invalid(parameter, value, "text in percent-encoded UTF-8"))?;
            query.take(parameter, &text, &is_known)?;
        }
        for (_, values) in &mut query.given {
            values.sort_unstable();
            values.dedup();
        }
        query.given.sort_by_key(|(parameter, _)| parameter.name);
        Ok(query)
    }

    /// Takes a value, divided at its commas. The undivided text counts too where it is a value that a record has.
    fn take(
        &mut self,
        parameter: &'static Parameter,
        text: &str,
        is_known: &impl Fn(&Parameter, &str) -> bool,
    ) -> Result<(), Reply> {
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
            self.add(parameter, piece)?;
        }
        if is_on_record { self.add(parameter, text) } else { Ok(()) }
    }

    fn add(&mut self, parameter: &'static Parameter, text: &str) -> Result<(), Reply> {
        match self.given.iter_mut().find(|(known, _)| known.name == parameter.name) {
            Some((_, values)) if is_single(parameter.kind) => {
                let both = format!("{},{text}", values.join(","));
                return Err(invalid(parameter, &both, "given once"));
            }
            Some((_, values)) => values.push(text.to_owned()),
            None => self.given.push((parameter, vec![text.to_owned()])),
        }
        Ok(())
    }

    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The values of a parameter, each once; none when it was not given.
    pub fn values(&self, name: &str) -> &[String] {
        self.given.iter().find(|(known, _)| known.name == name).map_or(&[], |(_, values)| values)
    }

    /// The one value of a parameter.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str)
    }

    /// The number that was given, which was checked before.
    pub fn number(&self, name: &str, default: u64) -> u64 {
        self.value(name).and_then(|text| text.parse().ok()).unwrap_or(default)
    }

    /// The time that was given, in nanoseconds since 1970.
    pub fn time(&self, name: &str, edge: Edge) -> Option<i64> {
        self.value(name).and_then(|text| time::parse(text, edge))
    }

    /// Writes the same text for all spellings of the same query.
    pub fn write_canonical(&self, out: &mut Vec<u8>) {
        for (at, (parameter, values)) in self.given.iter().enumerate() {
            if at > 0 {
                out.push(b'&');
            }
            out.extend_from_slice(parameter.name.as_bytes());
            for value in values {
                // Length first, so that no value can pretend to be two.
                out.extend_from_slice(format!("={}:{value}", value.len()).as_bytes());
            }
        }
    }
}

const fn is_single(kind: Kind) -> bool {
    matches!(kind, Kind::Number { .. } | Kind::Time | Kind::Word(_) | Kind::Text)
}

fn check(
    parameter: &Parameter,
    text: &str,
    is_known: &impl Fn(&Parameter, &str) -> bool,
) -> Result<(), Reply> {
    let valid = match parameter.kind {
        Kind::Terms | Kind::Text => true,
        Kind::Known(_) => is_known(parameter, text),
        Kind::Words(words) | Kind::Word(words) | Kind::Conditions(words) => words.contains(&text),
        Kind::Number { most } => {
            text.bytes().all(|c| c.is_ascii_digit())
                && text.parse::<u64>().is_ok_and(|number| number <= most)
        }
        Kind::Time => time::parse(text, Edge::Start).is_some(),
    };
    if valid { Ok(()) } else { Err(invalid(parameter, text, &allowed(parameter.kind))) }
}

fn allowed(kind: Kind) -> String {
    match kind {
        Kind::Terms | Kind::Text => "any text".to_owned(),
        Kind::Known(words) => {
            format!("one of {}, or another one found in the file", words.join(", "))
        }
        Kind::Words(words) | Kind::Word(words) => format!("one of {}", words.join(", ")),
        Kind::Conditions(words) => format!("some of {}", words.join(", ")),
        Kind::Number { most } => format!("a whole number from 0 to {most}"),
        Kind::Time => {
            "an RFC 3339 time such as 2026-01-31T09:30:00Z, or a date such as 2026-01-31".to_owned()
        }
    }
}

fn unknown(route: &Route, name: &str) -> Reply {
    let known: Vec<&str> = route.parameters.iter().map(|parameter| parameter.name).collect();
    let sentence = format!("{} does not know the parameter {name:?}", route.path);
    let mut context = Map::new();
    context.insert("parameter".into(), name.into());
    context.insert("known".into(), json!(known));
    Reply::error(StatusCode::BAD_REQUEST, "invalid_parameter", &sentence, context)
}

fn invalid(parameter: &Parameter, value: &str, allowed: &str) -> Reply {
    let name = parameter.name;
    let sentence = format!("the parameter {name} is {value:?}, but must be {allowed}");
    let mut context = Map::new();
    context.insert("parameter".into(), name.into());
    context.insert("value".into(), value.into());
    context.insert("allowed".into(), Value::from(allowed));
    Reply::error(StatusCode::BAD_REQUEST, "invalid_parameter", &sentence, context)
}
