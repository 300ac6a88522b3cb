//! The time that a report is about: `since` and `until`, each a time or a date, or none.

use serde_json::Value;

use crate::fields;
use crate::input::Input;
use crate::output::{Fault, Result};
use crate::project_state::state::State;
use flow_model::time::{self, Edge};

/// What a time may be.
const ALLOWED: &str = "an RFC 3339 time or a date, such as 2026-03-10";
/// Words of a sentence before its first time, and before its last.
const SINCE: [&str; 4] = ["since", "from", "after", "of"];
const UNTIL: [&str; 4] = ["until", "till", "to", "up"];

/// From when until when.
#[derive(Debug, Clone)]
pub struct Span {
    /// The first moment as given.
    pub since: Option<String>,
    /// The last moment as given; a date means its end.
    pub until: Option<String>,
    first: i64,
    last: i64,
}

impl Span {
    /// Reads the fields `since` and `until`; `since` may be a sentence such as `since 2026-03-10 until 2026-03-11`.
    ///
    /// # Errors
    /// When one is no time, or the end is before the beginning.
    pub fn read(input: &Input) -> Result<Self> {
        let given = fields::one(input, "since")?;
        let (since, spoken) = match &given {
            Some(text) => sentence(text).ok_or_else(|| bad("since", text))?,
            None => (None, None),
        };
        let until = fields::one(input, "until")?.or(spoken);
        let parse = |field: &str, text: &Option<String>, edge: Edge| match text {
            Some(text) => time::parse(text, edge).map(Some).ok_or_else(|| bad(field, text)),
            None => Ok(None),
        };
        let first = parse("since", &since, Edge::Start)?.unwrap_or(i64::MIN + 1);
        let last = parse("until", &until, Edge::End)?.unwrap_or(i64::MAX);
        if first > last {
            let until = Value::from(until);
            return Err(fields::bad("until", &until, "a time that is not before since"));
        }
        Ok(Self { since, until, first, last })
    }

    /// Whether it is all of time.
    pub fn is_all(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    /// It as parameters of `/api/bus/messages`.
    pub fn parameters(&self) -> String {
        let parameter = |name: &str, time: &Option<String>| {
            time.as_ref().map(|time| format!("{name}={}", State::encoded(time)))
        };
        let both = [parameter("since", &self.since), parameter("until", &self.until)];
        both.into_iter().flatten().collect::<Vec<_>>().join("&")
    }

    /// Whether a written time is in it; a date is where some of its day is.
    pub fn holds(&self, written: &str) -> bool {
        let [start, end] = [Edge::Start, Edge::End].map(|edge| time::parse(written.trim(), edge));
        let is_in = |start: i64, end: i64| end >= self.first && start <= self.last;
        start.zip(end).is_some_and(|(start, end)| is_in(start, end))
    }

    /// Its beginning in whole seconds since 1970.
    pub fn since_seconds(&self) -> Option<i64> {
        self.since.as_ref().map(|_| self.first.div_euclid(1_000_000_000))
    }

    /// It in words.
    pub fn said(&self) -> String {
        match (&self.since, &self.until) {
            (None, None) => "the whole log".to_owned(),
            (Some(since), None) => format!("since {since}"),
            (None, Some(until)) => format!("until {until}"),
            (Some(since), Some(until)) => format!("{since} until {until}"),
        }
    }
}

/// The times of a sentence: a time, or `since A`, `until B`, `since A until B`.
fn sentence(text: &str) -> Option<(Option<String>, Option<String>)> {
    let is_time = |text: &str| time::parse(text, Edge::Start).is_some();
    if is_time(text) {
        return Some((Some(text.to_owned()), None));
    }
    let (mut since, mut until, mut is_until) = (None, None, false);
    for word in text.split_whitespace() {
        let spoken = word.to_lowercase();
        if is_time(word) {
            let place = if is_until || since.is_some() { &mut until } else { &mut since };
            if place.replace(word.to_owned()).is_some() {
                return None;
            }
        } else if UNTIL.contains(&spoken.as_str()) {
            is_until = true;
        } else if !SINCE.contains(&spoken.as_str()) {
            return None;
        }
    }
    (since.is_some() || until.is_some()).then_some((since, until))
}

fn bad(field: &str, given: &str) -> Fault {
    fields::bad_text(field, given, ALLOWED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(since: &str) -> Result<String> {
        let fields = [("since".to_owned(), Value::from(since))].into_iter().collect();
        Span::read(&Input { fields, upstream: None }).map(|span| span.said())
    }

    #[test]
    fn a_span_is_read_from_words() {
        for (text, said) in [
            ("", "the whole log"),
            ("2026-03-10", "since 2026-03-10"),
            ("2026-03-10 09:00:00", "since 2026-03-10 09:00:00"),
            ("since 2026-03-10T09:00:00Z", "since 2026-03-10T09:00:00Z"),
            ("until 2026-03-10", "until 2026-03-10"),
            ("from 2026-03-09 to 2026-03-10", "2026-03-09 until 2026-03-10"),
            ("2026-03-09 2026-03-10", "2026-03-09 until 2026-03-10"),
            ("2026-03-10 up to 2026-03-10", "2026-03-10 until 2026-03-10"),
        ] {
            assert_eq!(read(text).unwrap(), said, "{text:?}");
        }
        for text in
            ["yesterday", "since", "2026-02-30", "2026-03-09 2026-03-10 2026-03-11", "until"]
        {
            let fault = read(text).unwrap_err().to_string();
            assert!(fault.contains(r#""since""#), "{fault}");
        }
        let fault = read("2026-03-10 until 2026-03-09").unwrap_err().to_string();
        assert!(fault.contains(r#""until""#), "{fault}");
    }

    #[test]
    fn a_day_is_in_a_span_that_touches_it() {
        let fields =
            [("since".to_owned(), Value::from("2026-03-10T09:00:00Z"))].into_iter().collect();
        let span = Span::read(&Input { fields, upstream: None }).unwrap();
        assert!(span.holds("2026-03-10") && span.holds("2026-03-10T09:00:00Z"));
        assert!(!span.holds("2026-03-09") && !span.holds("2026-03-10T08:59:59Z"));
        assert!(!span.holds("soon"));
    }
}
