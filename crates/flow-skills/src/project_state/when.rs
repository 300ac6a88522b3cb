//! Parses times: RFC 3339, a date, or words relative to now such as `yesterday`, `last week`, `monday`, `2 weeks`.
//!
//! Days are days in UTC, weeks begin on Monday.

use flow_model::time::{self, Edge};
use jiff::civil::{Date, Weekday};
use jiff::fmt::strtime::BrokenDownTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan};

use crate::output::{Result, bad_text};

/// The accepted forms, for errors.
pub const ALLOWED: &str =
    "a time or a date such as 2026-03-10, or today, yesterday, monday, last week, 2 weeks";

/// The first and the last moment of a text, each a date or an RFC 3339 time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// The value for `since`.
    pub first: String,
    /// The value for `until`; a date means its end.
    pub last: String,
}

impl When {
    /// Parses a text, relative to `now` (RFC 3339 or a date); `None` if it is not a time.
    pub fn read(text: &str, now: &str) -> Option<Self> {
        let text = text.trim();
        if time::parse(text, Edge::Start).is_some() {
            return Some(Self { first: text.to_owned(), last: text.to_owned() });
        }
        let nanoseconds = time::parse(now, Edge::Start)?;
        let now = Timestamp::from_nanosecond(nanoseconds.into()).ok()?;
        let today = TimeZone::UTC.to_datetime(now).date();
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["now"] => Some(Self::moment(now)),
            ["today"] => Some(Self::day(today)),
            ["yesterday"] => Some(Self::day(today.yesterday().ok()?)),
            ["this" | "last", "week" | "month" | "year"] => {
                Self::calendar(words[0], words[1], today)
            }
            [day] if weekday(day).is_some() => back_to(today, weekday(day)?),
            ["last", day] if weekday(day).is_some() => {
                back_to(today.yesterday().ok()?, weekday(day)?)
            }
            ["last" | "past", rest @ ..] | [rest @ .., "ago"] => ago(rest, now, today),
            all => ago(all, now, today),
        }
    }

    fn moment(at: Timestamp) -> Self {
        let text = format!("{at:.0}");
        Self { first: text.clone(), last: text }
    }

    fn day(day: Date) -> Self {
        Self { first: day.to_string(), last: day.to_string() }
    }

    /// The current or the last week, month or year.
    fn calendar(which: &str, unit: &str, today: Date) -> Option<Self> {
        let (first, length): (Date, Span) = match unit {
            "week" => {
                let past = i64::from(today.weekday().to_monday_zero_offset());
                (today.checked_sub(past.days()).ok()?, 1.week())
            }
            "month" => (today.first_of_month(), 1.month()),
            _ => (today.first_of_year(), 1.year()),
        };
        let first = if which == "last" { first.checked_sub(length).ok()? } else { first };
        let last = first.checked_add(length).ok()?.yesterday().ok()?;
        Some(Self { first: first.to_string(), last: last.to_string() })
    }
}

/// Refuses a text with a date that no calendar has: `2026-02-31`.
pub(crate) fn dates_exist(field: &str, text: &str) -> Result<()> {
    let is_date = |day: &&str| {
        let is_part = |byte: u8| byte == b'-' || byte.is_ascii_digit();
        day.split('-').map(str::len).eq([4, 2, 2]) && day.bytes().all(is_part)
    };
    let mut dates = text.split_whitespace().filter_map(|word| word.get(..10)).filter(is_date);
    let missing = dates.find(|day| day.parse::<Date>().is_err());
    missing.map_or(Ok(()), |day| Err(bad_text(field, day, "a date that exists")))
}

/// The latest day with this name, not after `newest`.
fn back_to(newest: Date, name: Weekday) -> Option<When> {
    let past = i64::from(newest.weekday().since(name));
    Some(When::day(newest.checked_sub(past.days()).ok()?))
}

/// A duration before now: one of hours and less exact to the second, a longer one to the day.
fn ago(words: &[&str], now: Timestamp, today: Date) -> Option<When> {
    let span: Span = words.join(" ").parse().ok()?;
    if !span.is_positive() {
        return None;
    }
    match now.checked_sub(span) {
        Ok(exact) => Some(When::moment(exact)),
        // A timestamp has no days.
        Err(_) => Some(When::day(today.checked_sub(span).ok()?)),
    }
}

fn weekday(word: &str) -> Option<Weekday> {
    ["%A", "%a"].iter().find_map(|form| BrokenDownTime::parse(form, word).ok()?.weekday())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Wednesday.
    const NOW: &str = "2026-03-11T09:30:00Z";

    #[test]
    fn times_are_relative_to_now() {
        for (text, first, last) in [
            ("2026-03-10 09:00:00", "2026-03-10 09:00:00", "2026-03-10 09:00:00"),
            ("now", "2026-03-11T09:30:00Z", "2026-03-11T09:30:00Z"),
            ("Today", "2026-03-11", "2026-03-11"),
            ("yesterday", "2026-03-10", "2026-03-10"),
            ("this week", "2026-03-09", "2026-03-15"),
            ("last week", "2026-03-02", "2026-03-08"),
            ("last month", "2026-02-01", "2026-02-28"),
            ("last year", "2025-01-01", "2025-12-31"),
            ("monday", "2026-03-09", "2026-03-09"),
            ("Wednesday", "2026-03-11", "2026-03-11"),
            ("last wed", "2026-03-04", "2026-03-04"),
            ("thu", "2026-03-05", "2026-03-05"),
            ("2 weeks", "2026-02-25", "2026-02-25"),
            ("past 2  weeks", "2026-02-25", "2026-02-25"),
            ("3 days ago", "2026-03-08", "2026-03-08"),
            ("1 month", "2026-02-11", "2026-02-11"),
            ("24h", "2026-03-10T09:30:00Z", "2026-03-10T09:30:00Z"),
        ] {
            let expected = When { first: first.to_owned(), last: last.to_owned() };
            assert_eq!(When::read(text, NOW), Some(expected), "{text:?}");
        }
        for text in [
            "",
            "soon",
            "2",
            "weeks",
            "last",
            "ago",
            "-1 days",
            "0 days",
            "2 fortnights",
            "two weeks",
            "9 March",
        ] {
            assert_eq!(When::read(text, NOW), None, "{text:?}");
        }
        assert_eq!(When::read("yesterday", "soon"), None);
    }
}
