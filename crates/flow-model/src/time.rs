//! Times in messages, queries and answers. It reads no clock.
//!
//! Formats: RFC 3339 (<https://www.rfc-editor.org/rfc/rfc3339>), also with a space for the `T`, without a zone (which
//! means UTC), or a date alone; in records also a number of 10 or 13 digits, seconds or milliseconds since 1970.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::temporal::DateTimePrinter;
use jiff::tz::TimeZone;

use super::json;

/// The end of the day that a date without a time means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// 00:00:00.
    Start,
    /// The day's last nanosecond.
    End,
}

/// Texts that stand for no time, without case.
pub const PLACEHOLDERS: [&str; 12] =
    ["-", "–", "n/a", "na", "none", "null", "tbd", "tba", "never", "unknown", "pending", "?"];

const SECOND: i128 = 1_000_000_000;
const DAY: i64 = 86_400_000_000_000;

/// Parses a time to nanoseconds since 1970. Times before 1678 and after 2261 are clamped to what 64 bits hold;
/// `i64::MIN` is never returned.
pub fn parse(text: &str, edge: Edge) -> Option<i64> {
    let bytes = text.as_bytes();
    if !shape(bytes.get(..10)?, b"dddd-dd-dd") {
        return None;
    }
    let [year, month, day] = [number(&bytes[..4])?, number(&bytes[5..7])?, number(&bytes[8..10])?];
    let Some((separator, rest)) = bytes[10..].split_first() else {
        let start = nanoseconds(civil([year, month, day], [0, 0, 0])?);
        return Some(clamp(
            start.saturating_add(if edge == Edge::End { DAY - 1 } else { 0 }.into()),
        ));
    };
    if !matches!(separator, b'T' | b't' | b' ') || !shape(rest.get(..8)?, b"dd:dd:dd") {
        return None;
    }
    let [hour, minute, second] = [number(&rest[..2])?, number(&rest[3..5])?, number(&rest[6..8])?];
    // A leap second counts as the first second of the next minute.
    let leap = i128::from(second == 60);
    let civil = civil([year, month, day], [hour, minute, second - i32::from(second == 60)])?;
    let (fraction, zone) = fraction(&rest[8..])?;
    let offset = zone_offset(zone)?;
    Some(clamp(nanoseconds(civil) + fraction + (leap - i128::from(offset)) * SECOND))
}

/// The time that the value of a message is: a text ([`parse`]), or a number of 10 or 13 digits.
pub fn of_json(raw: &str) -> Option<i64> {
    match raw.as_bytes().first()? {
        b'"' => parse(&json::string(raw).ok()?, Edge::Start),
        _ => since_1970(raw),
    }
}

/// The same for a record, whose texts may have space around them.
pub fn of_member(raw: &str) -> Option<i64> {
    match raw.as_bytes().first()? {
        b'"' => parse(json::string(raw).ok()?.trim(), Edge::Start),
        _ => since_1970(raw),
    }
}

/// Seconds of 10 digits, or milliseconds of 13: the years 2001 to 2286.
fn since_1970(digits: &str) -> Option<i64> {
    let unit: i64 = match digits.len() {
        10 => 1_000_000_000,
        13 => 1_000_000,
        _ => return None,
    };
    let is_digit = digits.bytes().all(|c| c.is_ascii_digit());
    let number: i64 = is_digit.then(|| digits.parse().ok()).flatten()?;
    Some(number.saturating_mul(unit))
}

fn shape(text: &[u8], pattern: &[u8]) -> bool {
    text.len() == pattern.len()
        && text
            .iter()
            .zip(pattern)
            .all(|(c, p)| if *p == b'd' { c.is_ascii_digit() } else { c == p })
}

/// Parses at most nine digits.
fn number(digits: &[u8]) -> Option<i32> {
    let more = |number: i32, digit: &u8| number * 10 + i32::from(digit.wrapping_sub(b'0'));
    (!digits.is_empty()).then(|| digits.iter().fold(0, more))
}

fn civil([year, month, day]: [i32; 3], [hour, minute, second]: [i32; 3]) -> Option<DateTime> {
    let small = |n: i32| i8::try_from(n).ok();
    let year = i16::try_from(year).ok()?;
    DateTime::new(year, small(month)?, small(day)?, small(hour)?, small(minute)?, small(second)?, 0)
        .ok()
}

/// Nanoseconds since 1970 of a time of the system; 0 before.
pub fn of_system(time: SystemTime) -> i64 {
    let time = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
}

/// UTC nanoseconds; jiff's own range ends a day before the calendar's, far beyond what 64 bits hold.
fn nanoseconds(civil: DateTime) -> i128 {
    match TimeZone::UTC.to_timestamp(civil) {
        Ok(time) => time.as_nanosecond(),
        Err(_) if civil.year() > 0 => i128::from(i64::MAX),
        Err(_) => i128::from(i64::MIN),
    }
}

fn clamp(nanoseconds: i128) -> i64 {
    i64::try_from(nanoseconds.clamp(i128::from(i64::MIN + 1), i128::from(i64::MAX)))
        .unwrap_or(i64::MAX)
}

/// Parses `.ddd…` to nanoseconds, and returns the rest. Digits beyond the ninth are ignored.
fn fraction(text: &[u8]) -> Option<(i128, &[u8])> {
    let Some(rest) = text.strip_prefix(b".") else { return Some((0, text)) };
    let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
    let kept = &rest[..digits.min(9)];
    // At least one digit is required.
    let nanoseconds = (kept.len()..9).fold(i64::from(number(kept)?), |scaled, _| scaled * 10);
    Some((nanoseconds.into(), &rest[digits..]))
}

/// Offset from UTC, in seconds, positive to the east.
fn zone_offset(zone: &[u8]) -> Option<i32> {
    match zone {
        b"" | b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), rest @ ..] if shape(rest, b"dd:dd") => {
            let (hours, minutes) = (number(&rest[..2])?, number(&rest[3..])?);
            let seconds = (hours <= 23 && minutes <= 59).then_some(hours * 3600 + minutes * 60)?;
            Some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

/// RFC 3339 in UTC with milliseconds.
const MILLISECONDS: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// A parsed time ([`parse`]) as [`format()`] writes it; `None` for one that was clamped, which is not known exactly.
pub fn format_nanoseconds(nanoseconds: i64) -> Option<String> {
    let is_exact = nanoseconds > i64::MIN + 1 && nanoseconds < i64::MAX;
    let stamp = Timestamp::from_nanosecond(nanoseconds.into()).ok().filter(|_| is_exact)?;
    Some(MILLISECONDS.timestamp_to_string(&stamp))
}

/// RFC 3339 in UTC with milliseconds. A time beyond the calendar is written as 1970.
pub fn format(time: SystemTime) -> String {
    let mut text = String::new();
    write(time, &mut text);
    text
}

/// Writes what [`format()`] returns.
pub fn write(time: SystemTime, out: impl jiff::fmt::Write) {
    let stamp = Timestamp::try_from(time).unwrap_or_default();
    // Writing to memory does not fail.
    let _ = MILLISECONDS.print_timestamp(&stamp, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_calendar_are_the_ends_of_64_bits() {
        assert_eq!(parse("9999-12-31T23:59:59Z", Edge::Start), Some(i64::MAX));
        assert_eq!(parse("0000-01-01", Edge::Start), Some(i64::MIN + 1));
        assert_eq!(
            parse("2026-01-01", Edge::End),
            parse("2026-01-01T23:59:59.999999999Z", Edge::Start)
        );
    }

    #[test]
    fn shown_in_milliseconds() {
        assert_eq!(format(SystemTime::UNIX_EPOCH), "1970-01-01T00:00:00.000Z");
    }
}
