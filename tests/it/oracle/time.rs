//! Times of messages and requests, in a comparable form.

use std::time::{SystemTime, UNIX_EPOCH};

use super::json::Json;

/// A point in time: whole seconds since 1970, then the digits of the fraction without trailing zeros.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(crate) i64, pub(crate) String);

const DAY: i64 = 86_400;

/// Reads RFC 3339 (also with a space or `t`, and without zone) or a date, which is its first moment.
pub(crate) fn read(text: &str) -> Option<Moment> {
    let day = day_number(text.get(..10)?)?;
    let rest = &text[10..];
    if rest.is_empty() {
        return Some(Moment(day * DAY, String::new()));
    }
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let seconds = clock_seconds(clock.get(..8)?)?;
    let rest = &clock[8..];
    let (fraction, zone) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            if end == 0 {
                return None;
            }
            rest.split_at(end)
        }
    };
    let at = day * DAY + seconds - zone_seconds(zone)?;
    Some(Moment(at, fraction.trim_end_matches('0').to_owned()))
}

/// The time of a record's member: a text, or the seconds or milliseconds since 1970.
pub(crate) fn of_record(value: &Json) -> Option<Moment> {
    match value {
        Json::Text(text) => read(text.plain.as_deref()?.trim()),
        value => of_message(value),
    }
}

/// The time of a message, whose texts are read as they are.
pub(crate) fn of_message(value: &Json) -> Option<Moment> {
    match value {
        Json::Text(text) => read(text.plain.as_deref()?),
        Json::Number(digits) => since_1970(digits),
        _ => None,
    }
}

/// 10 digits are seconds and 13 are milliseconds.
fn since_1970(digits: &str) -> Option<Moment> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match digits.len() {
        10 => Some(Moment(digits.parse().unwrap(), String::new())),
        13 => {
            let fraction = digits[10..].trim_end_matches('0').to_owned();
            Some(Moment(digits[..10].parse().unwrap(), fraction))
        }
        _ => None,
    }
}

/// Whether the text is only a date.
pub(crate) fn is_date(text: &str) -> bool {
    text.len() == 10 && read(text).is_some()
}

/// The first moment of the day after a date.
pub(crate) fn next_day(date: &str) -> Option<Moment> {
    read(date).map(|Moment(at, _)| Moment(at + DAY, String::new()))
}

/// A file's time as answers write it.
pub(crate) fn of_file(time: SystemTime) -> String {
    let past = time.duration_since(UNIX_EPOCH).expect("test files are younger than 1970");
    let thousandths = past.subsec_millis();
    format!("{}.{thousandths:03}Z", seconds(i64::try_from(past.as_secs()).unwrap()))
}

/// A whole second since 1970, as answers write it but for its fraction and zone.
pub(crate) fn seconds(at: i64) -> String {
    let (year, month, day) = date_of(at.div_euclid(DAY));
    let at = at.rem_euclid(DAY);
    let (hour, minute, second) = (at / 3600, at % 3600 / 60, at % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

fn number(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap())
}

/// Days from 1970-01-01 to `yyyy-mm-dd`, by counting.
fn day_number(date: &str) -> Option<i64> {
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || [year.len(), month.len(), day.len()] != [4, 2, 2] {
        return None;
    }
    let (year, month, day) = (number(year)?, number(month)?, number(day)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    let years: i64 = if year >= 1970 {
        (1970..year).map(days_in_year).sum()
    } else {
        -(year..1970).map(days_in_year).sum::<i64>()
    };
    Some(years + (1..month).map(|month| days_in(year, month)).sum::<i64>() + day - 1)
}

fn date_of(mut days: i64) -> (i64, i64, i64) {
    let (mut year, mut month) = (1970, 1);
    while days < 0 {
        year -= 1;
        days += days_in_year(year);
    }
    while days >= days_in_year(year) {
        days -= days_in_year(year);
        year += 1;
    }
    while days >= days_in(year, month) {
        days -= days_in(year, month);
        month += 1;
    }
    (year, month, days + 1)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_year(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => days_in_year(year) - 337,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Seconds of `hh:mm:ss`; a leap second is the first of the next minute.
fn clock_seconds(clock: &str) -> Option<i64> {
    let (hour, minute) = hour_and_minute(clock.get(..5)?)?;
    let second = number(clock[5..].strip_prefix(':')?)?;
    (second <= 60).then_some(hour * 3600 + minute * 60 + second)
}

fn hour_and_minute(text: &str) -> Option<(i64, i64)> {
    let (hour, minute) = text.split_once(':')?;
    if hour.len() != 2 || minute.len() != 2 {
        return None;
    }
    let (hour, minute) = (number(hour)?, number(minute)?);
    (hour <= 23 && minute <= 59).then_some((hour, minute))
}

fn zone_seconds(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first() {
        None => return Some(0),
        Some(b'Z' | b'z') => return (zone.len() == 1).then_some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    let (hour, minute) = hour_and_minute(&zone[1..])?;
    Some(sign * (hour * 3600 + minute * 60))
}
