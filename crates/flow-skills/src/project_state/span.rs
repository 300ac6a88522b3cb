//! A time span: `since` and `until`, each a time, a date, words relative to now, or absent; also at the end of a text.

use super::state::State;
use super::when::{self, When};
use crate::output::{Result, bad_text};
use flow_model::time::{self, Edge};

#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// The first moment, a date or a time.
    pub(crate) since: Option<String>,
    /// The last moment; a date means its end.
    pub(crate) until: Option<String>,
    first: i64,
    last: i64,
}

impl Span {
    /// Reads the fields `since` and `until`; `since` alone may contain both: `2026-03-09 until yesterday`.
    pub(crate) fn read(since: Option<&str>, until: Option<&str>, now: &str) -> Result<Self> {
        let (since, until) = match (since, until) {
            (Some(both), None) => ends(both),
            apart => apart,
        };
        let allowed = format!("{}, also `A until B`", when::ALLOWED);
        let read = |field: &str, given: Option<&str>| {
            let Some(text) = given else { return Ok(None) };
            when::dates_exist(field, text)?;
            let when = When::read(without_preposition(text), now);
            when.map(Some).ok_or_else(|| bad_text(field, text, &allowed))
        };
        let since = read("since", since)?.map(|when| when.first);
        let until = read("until", until)?.map(|when| when.last);
        let moment = |text: &Option<String>, edge| time::parse(text.as_deref()?, edge);
        let first = moment(&since, Edge::Start).unwrap_or(i64::MIN + 1);
        let last = moment(&until, Edge::End).unwrap_or(i64::MAX);
        if first > last {
            let end = until.as_deref().unwrap_or_default();
            return Err(bad_text("until", end, "a time that is not before since"));
        }
        Ok(Self { since, until, first, last })
    }

    pub(crate) fn is_all(&self) -> bool {
        self.since.is_none() && self.until.is_none()
    }

    /// Whether it ended before now.
    pub(crate) fn is_over(&self, now: &str) -> bool {
        time::parse(now, Edge::Start).is_some_and(|now| self.last < now)
    }

    /// Whether it begins after now.
    pub(crate) fn is_future(&self, now: &str) -> bool {
        time::parse(now, Edge::End).is_some_and(|now| self.first > now)
    }

    /// The span as parameters of `/api/bus/messages`.
    pub(crate) fn parameters(&self) -> String {
        let parameter = |name: &str, time: &Option<String>| {
            time.as_ref().map(|time| format!("{name}={}", State::encoded(time)))
        };
        let both = [parameter("since", &self.since), parameter("until", &self.until)];
        both.into_iter().flatten().collect::<Vec<_>>().join("&")
    }

    /// Whether a time is in it; a date is in it if part of the day is.
    pub(crate) fn holds(&self, written: &str) -> bool {
        let [start, end] = [Edge::Start, Edge::End].map(|edge| time::parse(written.trim(), edge));
        let is_in = |start: i64, end: i64| end >= self.first && start <= self.last;
        start.zip(end).is_some_and(|(start, end)| is_in(start, end))
    }

    /// Whether the time of a record is in it; a record without a time is only in an unbounded span.
    pub(crate) fn holds_any(&self, written: Option<&str>) -> bool {
        self.is_all() || written.is_some_and(|written| self.holds(written))
    }

    /// Its beginning and its end in whole seconds since 1970.
    pub(crate) fn seconds(&self) -> [Option<i64>; 2] {
        let seconds = |nanoseconds: i64| nanoseconds.div_euclid(1_000_000_000);
        [
            self.since.as_ref().map(|_| seconds(self.first)),
            self.until.as_ref().map(|_| seconds(self.last)),
        ]
    }

    /// A word followed by the span: `Changed since 2026-03-10`; only the word if the span is unbounded.
    pub(crate) fn qualify(&self, word: &str) -> String {
        match (&self.since, &self.until) {
            (None, None) => word.to_owned(),
            (Some(since), None) => format!("{word} since {since}"),
            (None, Some(until)) => format!("{word} until {until}"),
            (Some(since), Some(until)) => format!("{word} {since} until {until}"),
        }
    }
}

/// The ends in a text: `[since] A [until B]`, `A to B`, or `until B`.
fn ends(text: &str) -> (Option<&str>, Option<&str>) {
    let lower = text.to_ascii_lowercase();
    if lower.trim_start().starts_with("until ") {
        return (None, Some(text));
    }
    let between = [" until ", " to "].iter().find_map(|word| Some((lower.find(word)?, word.len())));
    match between {
        Some((at, length)) => (Some(&text[..at]), Some(&text[at + length..])),
        None => (Some(text), None),
    }
}

/// A time without the preposition before it.
fn without_preposition(text: &str) -> &str {
    let text = text.trim();
    crate::text::after(text, &["since ", "from ", "until "]).map_or(text, str::trim)
}

/// The words at the end of a text that can be a time span: more than the longest notation has.
const SPAN_WORDS: usize = 16;

/// The names at the beginning of a text, and the time span at its end: the longest of at most [`SPAN_WORDS`] words.
pub(crate) fn names_and_time<'t>(text: &'t str, now: &str) -> (&'t str, Option<&'t str>) {
    let words = text.rmatch_indices(' ').map(|(at, _)| at + 1);
    let mut starts: Vec<usize> = words.chain([0]).take(SPAN_WORDS).collect();
    starts.reverse();
    match starts.into_iter().find(|at| is_time(&text[*at..], now)) {
        Some(at) => (text[..at].trim(), Some(&text[at..])),
        None => (text.trim(), None),
    }
}

/// Whether a text is a time or a time span, even if that ends before it begins.
fn is_time(text: &str, now: &str) -> bool {
    let is_one = |text: &str| Span::read(Some(text), None, now).is_ok();
    is_one(text) || text.split_once(" until ").is_some_and(|(from, to)| is_one(from) && is_one(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-03-11T09:30:00Z";

    fn read(since: &str) -> Result<String> {
        Span::read(Some(since), None, NOW).map(|span| span.qualify("Done"))
    }

    #[test]
    fn a_span_is_read_from_its_notation() {
        for (text, said) in [
            ("2026-03-10", "since 2026-03-10"),
            ("2026-03-10 09:00:00", "since 2026-03-10 09:00:00"),
            ("since 2026-03-10T09:00:00Z", "since 2026-03-10T09:00:00Z"),
            ("until 2026-03-10", "until 2026-03-10"),
            ("since last week", "since 2026-03-02"),
            ("Last week until last week", "2026-03-02 until 2026-03-08"),
            ("2026-03-09 Until yesterday", "2026-03-09 until 2026-03-10"),
            ("from 2026-03-09 to yesterday", "2026-03-09 until 2026-03-10"),
        ] {
            assert_eq!(read(text).unwrap(), format!("Done {said}"), "{text:?}");
        }
        assert_eq!(Span::read(None, None, NOW).unwrap().qualify("Done"), "Done");
        for text in ["soon", "since", "2026-03-09 2026-03-10", "until", "what was done yesterday"] {
            let fault = read(text).unwrap_err().to_string();
            assert!(fault.contains(r#""since""#) && fault.contains("yesterday"), "{fault}");
        }
        let fault = read("2026-02-30").unwrap_err().to_string();
        assert!(fault.contains("a date that exists"), "{fault}");
        let fault = read("2026-03-10 until 2026-03-09").unwrap_err().to_string();
        assert!(fault.contains(r#""until""#), "{fault}");
        let twice = Span::read(Some("2026-03-09 until today"), Some("today"), NOW);
        assert!(twice.unwrap_err().to_string().contains(r#""since""#));
    }

    #[test]
    fn a_day_is_in_a_span_that_touches_it() {
        let span = Span::read(Some("2026-03-10T09:00:00Z"), None, NOW).unwrap();
        assert!(span.holds("2026-03-10") && span.holds("2026-03-10T09:00:00Z"));
        assert!(!span.holds("2026-03-09") && !span.holds("2026-03-10T08:59:59Z"));
        assert!(!span.holds("soon") && !span.holds_any(None));
    }
}
