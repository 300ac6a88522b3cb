//! A cursor of `flow wait`: what was told up to now, as a text that the caller keeps. It depends on nothing that is stored
//! elsewhere, so it stays valid when the server ends.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};

/// The cursor before everything: what is there now is told too.
pub(super) const START: &str = "start";
/// Largest number of keys that a cursor holds; the text has to fit into an argument of a command (128 KiB on Linux).
pub(super) const MOST_KEYS: usize = 12_000;
/// The bits of a key's hash that a cursor holds, and their digits.
const BITS: u32 = 40;
const DIGITS: usize = 10;
/// The digits of the id of a history, and the most of a number in it.
const HISTORY: usize = 16;
const LONGEST_COUNT: usize = 20;
/// The digits of a condition's hash.
const CONDITION: usize = 8;

/// Where the answers were from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Server,
    Files,
}

/// What was told up to now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cursor {
    condition: u64,
    pub(super) place: Place,
    /// The position in the recorded changes.
    pub(super) position: Option<String>,
    /// The hashes of the keys that were told and still hold.
    pub(super) told: BTreeSet<u64>,
    /// Of a server: those of them that were told before their change was recorded. Of the files: others that a server told, and
    /// that the files cannot tell.
    pub(super) aside: BTreeSet<u64>,
}

/// The hash of a key.
pub(super) fn hash(key: &str) -> u64 {
    xxh3_64(key.as_bytes()) >> (u64::BITS - BITS)
}

impl Cursor {
    /// The cursor of a condition of which nothing was told.
    pub(super) fn new(condition: &str, place: Place) -> Self {
        let condition = xxh3_64(condition.as_bytes()) >> u32::BITS;
        let (told, aside) = (BTreeSet::new(), BTreeSet::new());
        Self { condition, place, position: None, told, aside }
    }

    /// Reads the output of [`Cursor::text`].
    ///
    /// # Errors
    /// When the text is not a cursor, or belongs to another condition.
    pub(super) fn read(text: &str, condition: &str) -> Result<Self> {
        let cursor = Self::parse(text).ok_or_else(|| {
            Error::Usage(format!(
                "--since {text:?} is not a cursor; use the one that flow wait printed, or {START}"
            ))
        })?;
        if cursor.condition != Self::new(condition, Place::Server).condition {
            return Err(Error::Usage(format!(
                "the cursor after --since belongs to another condition than {condition:?}; to get one: flow wait --timeout 0"
            )));
        }
        Ok(cursor)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let condition = number(parts.next()?, CONDITION)?;
        let place = match parts.next()? {
            "s" => Place::Server,
            "f" => Place::Files,
            _ => return None,
        };
        let position = parts.next().map(|text| (!text.is_empty()).then(|| text.to_owned()))?;
        if position.as_deref().is_some_and(|position| !is_position(position)) {
            return None;
        }
        let told = numbers(parts.next()?)?;
        let aside = numbers(parts.next()?)?;
        let is_whole = parts.next().is_none() && told.len() + aside.len() <= MOST_KEYS;
        is_whole.then_some(Self { condition, place, position, told, aside })
    }

    /// The cursor as a text.
    pub(super) fn text(&self) -> String {
        let Self { condition, place, position, told, aside } = self;
        let place = if *place == Place::Server { 's' } else { 'f' };
        let position = position.as_deref().unwrap_or_default();
        let mut text = format!("{condition:0CONDITION$x}.{place}.{position}.");
        for hash in told.iter().take(MOST_KEYS) {
            let _ = write!(text, "{hash:0DIGITS$x}");
        }
        text.push('.');
        for hash in aside.iter().take(MOST_KEYS.saturating_sub(told.len())) {
            let _ = write!(text, "{hash:0DIGITS$x}");
        }
        text
    }
}

/// Whether a text is a position in the recorded changes: the digits of a history's id, and a number.
fn is_position(text: &str) -> bool {
    let parts = text.split_once('-').filter(|(_, count)| count.len() <= LONGEST_COUNT);
    parts.is_some_and(|(history, count)| {
        let is_count = !count.is_empty() && count.bytes().all(|c| c.is_ascii_digit());
        number(history, HISTORY).is_some() && is_count
    })
}

fn number(text: &str, digits: usize) -> Option<u64> {
    let is_plain = text.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f'));
    u64::from_str_radix(text, 16).ok().filter(|_| is_plain && text.len() == digits)
}

fn numbers(text: &str) -> Option<BTreeSet<u64>> {
    let pieces = text.as_bytes().chunks(DIGITS);
    pieces.map(|piece| number(std::str::from_utf8(piece).ok()?, DIGITS)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_round_trips_and_no_other_text_is_accepted() {
        let mut cursor = Cursor::new("needs-you", Place::Files);
        assert_eq!(Cursor::read(&cursor.text(), "needs-you").unwrap(), cursor);
        cursor.position = Some("00000000000000af-100003".to_owned());
        cursor.told = (0..MOST_KEYS as u64 - 1).collect();
        cursor.aside.insert(hash("x"));
        let text = cursor.text();
        assert!(text.len() < 128 * 1024, "{}", text.len());
        assert_eq!(Cursor::read(&text, "needs-you").unwrap(), cursor);
        assert!(Cursor::read(&text, "change").unwrap_err().to_string().contains("another"));
        let short = Cursor::new("change", Place::Server).text();
        let not_there = short.replacen("..", ".0-1.", 1);
        for wrong in
            ["", "start", "x", &not_there, &short[1..], &format!("{short}0"), &format!("{short}.")]
        {
            assert!(Cursor::read(wrong, "change").is_err(), "{wrong}");
        }
    }
}
