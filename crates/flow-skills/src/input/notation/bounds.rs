//! Bounds: `between 0 and 10000`, `at least 3`, `at most 80 characters`, `less than 5 MB`, `expires after 30 minutes`.

use serde_json::Number;

/// A range of numbers in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest number.
    pub least: Option<Number>,
    /// The largest number.
    pub most: Option<Number>,
    /// The unit of the numbers, such as `MB`.
    pub unit: Option<String>,
    /// The meaning of the range.
    pub sort: Sort,
    /// Whether the text allows only values in the range, so that others are refused. Else it states something about
    /// the values in the range, and nothing about others: `orders between 10 and 500 EUR ship free`.
    pub is_limit: bool,
}

/// The meaning of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// The allowed values, both ends included: `at most 80`.
    Limit,
    /// A comparison that excludes the number itself: `over 100`, `less than 5`.
    Comparison,
    /// A duration of validity: `expires after 30 minutes`.
    Expiry,
    /// A time limit: `within 5 minutes`.
    Deadline,
}

/// Numbers that are written as words.
const WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];
/// Words that are not units.
const NO_UNIT: [&str; 20] = [
    "a", "after", "and", "are", "as", "at", "before", "but", "by", "for", "from", "in", "is", "of",
    "on", "or", "than", "the", "then", "to",
];

/// Conjunctions that make the rest of a sentence a condition.
const CONDITIONS: [&str; 5] = ["if", "once", "unless", "when", "while"];

/// The bounds in a text, in their order.
pub fn find(text: &str) -> Vec<Bounds> {
    let words: Vec<Word> = text.split_whitespace().map(Word::of).collect();
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match first(&lower[at..]) {
            Some((low, high, sort)) => {
                let last = at + high.or(low).unwrap_or_default();
                let number = |place: Option<usize>| Some(words.get(at + place?)?.number()?.0);
                let (unit, used) = unit(&words, last);
                let is_end = lower.get(used).is_none_or(|next| *next == "and")
                    || words[used - 1].text.ends_with(['.', ';', ')']);
                let is_limit = is_limit(&lower[..at], is_end, sort);
                let (low, high) = (number(low), number(high));
                found.push(Bounds { least: low, most: high, unit, sort, is_limit });
                at = used;
            }
            None => at += 1,
        }
    }
    found
}

/// A word of a text.
struct Word<'a> {
    /// The word without surrounding punctuation.
    bare: &'a str,
    text: &'a str,
    lower: String,
}

impl<'a> Word<'a> {
    fn of(text: &'a str) -> Self {
        let bare = text.trim_matches([',', '.', ';', ':', '!', '?', ')', '(']);
        Self { bare, text, lower: bare.to_lowercase() }
    }

    /// The number at its beginning, with `_` or `,` between thousands, and the unit after it.
    fn number(&self) -> Option<(Number, &'a str)> {
        if let Some(number) = WORDS.iter().position(|word| *word == self.lower) {
            return Some((number.into(), ""));
        }
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '_' | ',' | '.' | '-' | '+');
        let end = self.bare.find(|c| !is_part(c)).unwrap_or(self.bare.len());
        let (figures, unit) = self.bare.split_at_checked(end)?;
        let is_unit = unit.chars().all(|c| c.is_alphabetic() || c == '%' || c == '°');
        let number = serde_json::from_str(&figures.replace(['_', ','], "")).ok()?;
        is_unit.then_some((number, unit))
    }
}

/// The unit of a number, and the index after it.
fn unit(words: &[Word], at: usize) -> (Option<String>, usize) {
    let glued = words.get(at).and_then(Word::number).map_or("", |(_, unit)| unit);
    if !glued.is_empty() {
        return (Some(glued.to_owned()), at + 1);
    }
    let ends =
        words.get(at).is_none_or(|word| word.text.ends_with([',', '.', ';', ':', '!', '?', ')']));
    let next = words.get(at + 1).filter(|word| {
        let is_word = word.bare.chars().all(|c| c.is_alphabetic() || c == '%');
        !ends && is_word && !word.bare.is_empty() && !NO_UNIT.contains(&word.lower.as_str())
    });
    (next.map(|word| word.bare.to_owned()), at + 1 + usize::from(next.is_some()))
}

/// Whether bounds after these words restrict values: they are the object of a modal verb's verb (`must have at least 3`),
/// follow `is`, `are`, `has` or `have`, or end a part of a sentence that has at most a name before them (`Amount between
/// 0 and 500`).
fn is_limit(before: &[&str], is_end: bool, sort: Sort) -> bool {
    let is_modal = |word: &&str| ["can", "may", "must", "shall", "should"].contains(word);
    if before.iter().any(|word| CONDITIONS.contains(word)) {
        return false;
    }
    let is_object = before.iter().rev().take(2).any(is_modal);
    let is_stated = before.last().is_some_and(|last| ["is", "are", "has", "have"].contains(last));
    let is_named = matches!(before, [] | [_] | ["a" | "an" | "the" | "each", _]) && is_end;
    is_object || is_stated || is_named && sort == Sort::Limit
}

/// The bounds at the beginning of words: the indexes of the smallest and largest number, and their meaning.
fn first(words: &[&str]) -> Option<(Option<usize>, Option<usize>, Sort)> {
    use Sort::{Comparison, Deadline, Expiry, Limit};
    let found = match words {
        ["between", _, "and", _, ..] | ["from", _, "to", _, ..] => (Some(1), Some(3), Limit),
        ["exactly", _, ..] => (Some(1), Some(1), Limit),
        ["no" | "not", "more", "than", _, ..] => (None, Some(3), Limit),
        ["no" | "not", "less" | "fewer", "than", _, ..] => (Some(3), None, Limit),
        ["at", "least", _, ..] | ["min" | "minimum", "of", _, ..] => (Some(2), None, Limit),
        ["at", "most", _, ..]
        | ["up" | "limited", "to", _, ..]
        | ["max" | "maximum", "of", _, ..] => (None, Some(2), Limit),
        ["expire" | "expires", "after" | "in", _, ..] => (None, Some(2), Expiry),
        ["less" | "fewer" | "shorter" | "smaller" | "lower" | "younger", "than", _, ..] => {
            (None, Some(2), Comparison)
        }
        ["more" | "longer" | "greater" | "larger" | "higher" | "older", "than", _, ..] => {
            (Some(2), None, Comparison)
        }
        ["min" | "minimum" | ">=" | "≥", _, ..] => (Some(1), None, Limit),
        ["max" | "maximum" | "<=" | "≤", _, ..] => (None, Some(1), Limit),
        ["under" | "below" | "<", _, ..] => (None, Some(1), Comparison),
        ["over" | "above" | "exceeds" | ">", _, ..] => (Some(1), None, Comparison),
        ["within", _, ..] => (None, Some(1), Deadline),
        _ => return None,
    };
    let is_number = |place: Option<usize>| {
        place.is_none_or(|at| words.get(at).is_some_and(|word| Word::of(word).number().is_some()))
    };
    (is_number(found.0) && is_number(found.1)).then_some(found)
}
