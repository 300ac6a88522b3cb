//! Bounds: `between 0 and 10000`, `at least 3`, `8 characters or more`, `less than 5 MB`, `expires after 30 minutes`.

use serde_json::Number;

use crate::text::lists;

/// A range of numbers in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest number.
    pub least: Option<Number>,
    /// The largest number.
    pub most: Option<Number>,
    /// The unit of the numbers, such as `MB`, or the sign of a currency.
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
    /// A duration: `within 5 minutes`. It is a time limit if it is one for what happens, and not a part of a condition.
    Deadline,
}

/// Numbers that are written as words.
const WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];
/// The signs of currencies, which stand before the number.
pub(crate) const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];
const TIMES: &str = "ms s sec min h second seconds minute minutes hour hours day days week weeks \
    month months year years";
/// Words that are not units.
const NO_UNIT: &str = "a after an and are as at before but by can cannot for from has have if in is \
    may must of on only or per shall should than the then to when will with within";
/// Words that make the rest of a clause a condition.
const CONDITIONS: &str = "after if once that unless until when where which while who whose";
const NEGATIONS: &str = "cannot can't mustn't never no nobody not";
const MODALS: &str = "can may must shall should will";
/// Words between a verb and a bound: `must be a whole number from 1 to 5`, `has a maximum length of 50`.
const BETWEEN: &str = "a an integer number positive the valid value whole";
/// Words of a comparison, each before "than", or behind "or".
const MORE: &str = "above greater higher larger longer more older over";
const LESS: &str = "below fewer less lower shorter smaller under younger";

/// The bounds in a text, in their order.
pub fn find(text: &str) -> Vec<Bounds> {
    let words: Vec<Word> = text.split_whitespace().flat_map(Word::all).collect();
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let form = first(&lower[at..]).or_else(|| trailing(&words, at));
        match form.and_then(|form| read(&words, &lower, at, &form)) {
            Some((bounds, used)) => {
                found.push(bounds);
                at = used;
            }
            None => at += 1,
        }
    }
    found
}

/// A form of bounds, with the indexes of its numbers behind its beginning.
struct Form {
    low: Option<usize>,
    high: Option<usize>,
    sort: Sort,
    /// Number of words behind the unit.
    behind: usize,
}

/// The bounds that begin at an index, and the index after them; `None` if the words around do not fit.
fn read(words: &[Word], lower: &[&str], at: usize, form: &Form) -> Option<(Bounds, usize)> {
    let number = |place: Option<usize>| Some(words.get(at + place?)?.number()?.0);
    let (unit, used) = unit(words, at + form.high.or(form.low)?);
    let used = used + form.behind;
    let (before, next) = (&lower[..at], lower.get(used).copied().unwrap_or("and"));
    let is_end = next == "and" || words[used - 1].text.ends_with(['.', ';', ')']);
    let begin = words[..at].iter().rposition(Word::ends).map_or(0, |last| last + 1);
    let clause = &lower[begin..at];
    let is_time = unit.as_ref().and_then(|unit| unit.rsplit(' ').next());
    let is_time = is_time.is_some_and(|noun| lists(TIMES, noun));
    let sort = if form.sort == Sort::Deadline && !is_time { Sort::Limit } else { form.sort };
    let is_only = lower[at] == "only";
    let is_counted = match lower.get(used..).unwrap_or_default() {
        ["is" | "are", right, ..] => ["accepted", "allowed", "permitted"].contains(right),
        [modal, ..] => ["can", "may"].contains(modal),
        [] => false,
    };
    let is_limit = !clause.iter().any(|word| lists(CONDITIONS, word))
        && match sort {
            Sort::Expiry => true,
            Sort::Deadline => is_deadline(clause, is_end),
            _ if is_only && ["or", "to"].contains(&next) => false,
            _ => is_only && is_counted || is_limit(before, is_end, sort),
        };
    // Elsewhere these words say something else: `only 3 are left`, `the pages 5 to 10`.
    let is_dubious = is_only || form.low == Some(0) && form.high.is_some();
    let bounds = Bounds { least: number(form.low), most: number(form.high), unit, sort, is_limit };
    (is_limit || !is_dubious).then_some((bounds, used))
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

    /// The words in a text without blanks: `3-20` is `3 to 20`.
    fn all(text: &'a str) -> Vec<Self> {
        let range = text.split_once(['-', '–']).map(|(low, high)| (Self::of(low), Self::of(high)));
        let is_number = |word: &Self| word.bare.starts_with(|c: char| c.is_ascii_digit());
        match range {
            Some((low, high)) if is_number(&low) && is_number(&high) => {
                vec![low, Self::of("to"), high]
            }
            _ => vec![Self::of(text)],
        }
    }

    /// The number at its beginning, with `_` or `,` between thousands, and the unit after it or the currency before it.
    fn number(&self) -> Option<(Number, &'a str)> {
        if let Some(number) = WORDS.iter().position(|word| *word == self.lower) {
            return Some((number.into(), ""));
        }
        let amount = self.bare.trim_start_matches(CURRENCIES);
        let sign = self.bare.strip_suffix(amount)?;
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, '_' | ',' | '.' | '-' | '+');
        let end = amount.find(|c| !is_part(c)).unwrap_or(amount.len());
        let (figures, unit) = amount.split_at_checked(end)?;
        let is_unit = unit.chars().all(|c| c.is_alphabetic() || c == '%' || c == '°');
        let number = serde_json::from_str(&figures.replace(['_', ','], "")).ok()?;
        is_unit.then_some((number, if sign.is_empty() { unit } else { sign }))
    }

    /// Whether a part of a sentence ends with it.
    fn ends(&self) -> bool {
        self.text.ends_with([',', '.', ';', ':', '!', '?', ')'])
    }
}

/// The unit of a number, and the index after it: a noun, with an adjective before it (`5 business days`, `one special
/// character`).
fn unit(words: &[Word], at: usize) -> (Option<String>, usize) {
    let glued = words.get(at).and_then(Word::number).map_or("", |(_, unit)| unit);
    if !glued.is_empty() {
        return (Some(glued.to_owned()), at + 1);
    }
    let behind = |at: usize| {
        let next = words.get(at + 1).filter(|_| !words[at].ends())?;
        let is_word = next.bare.chars().all(|c| c.is_alphabetic() || c == '%');
        Some(next).filter(|_| is_word && !next.bare.is_empty() && !lists(NO_UNIT, &next.lower))
    };
    let Some(first) = behind(at) else { return (None, at + 1) };
    let is_plural = |word: &Word| word.lower.ends_with('s') && !word.lower.ends_with("ss");
    let is_one = ["one", "1"].contains(&words[at].bare);
    // Behind a singular a verb may follow: `one item ships`.
    let fits = |noun: &&Word| is_plural(noun) != is_one && (!is_one || behind(at + 2).is_none());
    let is_adjective = first.bare.len() > 3 && !is_plural(first);
    match behind(at + 1).filter(|noun| is_adjective && fits(noun)) {
        Some(noun) => (Some(format!("{} {}", first.bare, noun.bare)), at + 3),
        None => (Some(first.bare.to_owned()), at + 2),
    }
}

/// Whether a duration after these words of its clause limits the time for what happens: it ends the clause, or follows
/// a modal verb or a passive. After another number it belongs to that: `5 wrong codes within 10 minutes`.
fn is_deadline(clause: &[&str], is_end: bool) -> bool {
    let is_count = |word: &&str| *word != "one" && Word::of(word).number().is_some();
    let is_modal = |word: &&str| lists(MODALS, word);
    let is_passive = clause.iter().rev().take(2).any(|word| ["is", "are", "be"].contains(word));
    !clause.iter().any(|word| lists(NEGATIONS, word) || is_count(word))
        && (is_end || is_passive || clause.iter().any(is_modal))
}

/// Whether bounds after these words restrict values: they follow a modal verb and its verb (`must have at least 3`, `must
/// be sent at least 3 days before`), `is`, `are`, `has` or `have`, or end a part of a sentence that has at most a name
/// before them (`Amount between 0 and 500`).
fn is_limit(before: &[&str], is_end: bool, sort: Sort) -> bool {
    let is_between = |word: &&str| lists(BETWEEN, word);
    let verb = before.iter().rposition(|word| !is_between(word)).map_or(0, |last| last + 1);
    let verb = &before[..verb];
    let is_object = match verb {
        [.., modal, "be", "able", "to", _] | [.., modal, "only" | "be", _] => lists(MODALS, modal),
        _ => verb.iter().rev().take(2).any(|word| lists(MODALS, word)),
    };
    let is_stated = verb.last().is_some_and(|last| ["is", "are", "has", "have"].contains(last));
    let is_named = matches!(before, [] | [_] | ["a" | "an" | "the" | "each", _]) && is_end;
    is_object || is_stated || is_named && sort == Sort::Limit
}

/// The form with a number at an index, and words behind it: `8 characters or more`, `6 to 12 characters`.
fn trailing(words: &[Word], at: usize) -> Option<Form> {
    words[at].number()?;
    if words.get(at + 1).is_some_and(|word| word.lower == "to") {
        let form = Form { low: Some(0), high: Some(2), sort: Sort::Limit, behind: 0 };
        return words.get(at + 2)?.number().map(|_| form);
    }
    let (_, used) = unit(words, at);
    let word = words.get(used + 1).filter(|_| words[used].lower == "or")?;
    let (more, less) = (lists(MORE, &word.lower), lists(LESS, &word.lower));
    let place = |is_it: bool| is_it.then_some(0);
    let form = Form { low: place(more), high: place(less), sort: Sort::Limit, behind: 2 };
    (more || less).then_some(form)
}

/// The form at the beginning of words.
fn first(words: &[&str]) -> Option<Form> {
    use Sort::{Comparison, Deadline, Expiry, Limit};
    let is_number = |at: usize| words.get(at).is_some_and(|word| Word::of(word).number().is_some());
    let (low, high, sort) = match words {
        ["between", _, "and", _, ..] | ["from", _, "to", _, ..] => (Some(1), Some(3), Limit),
        ["exactly", _, ..] => (Some(1), Some(1), Limit),
        ["no" | "not", "more", "than", _, ..]
        | ["do" | "does", "not", "exceed", _, ..]
        | ["max" | "maximum", _, "of" | "is", _, ..] => (None, Some(3), Limit),
        ["no" | "not", "less" | "fewer", "than", _, ..]
        | ["min" | "minimum", _, "of" | "is", _, ..] => (Some(3), None, Limit),
        [word, "than", "or", "equal", "to", _, ..] if lists(MORE, word) => (Some(5), None, Limit),
        [word, "than", "or", "equal", "to", _, ..] if lists(LESS, word) => (None, Some(5), Limit),
        ["at", "least", _, ..] | ["min" | "minimum", "of", _, ..] => (Some(2), None, Limit),
        ["at", "most", _, ..]
        | ["up" | "limited", "to", _, ..]
        | ["max" | "maximum", "of", _, ..] => (None, Some(2), Limit),
        ["expire" | "expires", "after" | "in", _, ..] => (None, Some(2), Expiry),
        [word, "than", _, ..] if lists(LESS, word) => (None, Some(2), Comparison),
        [word, "than", _, ..] if lists(MORE, word) => (Some(2), None, Comparison),
        ["min" | "minimum" | ">=" | "≥", _, ..] => (Some(1), None, Limit),
        ["only", verb, ..] if !is_number(1) && !lists(NO_UNIT, verb) => (None, Some(2), Limit),
        ["max" | "maximum" | "<=" | "≤" | "only", _, ..] => (None, Some(1), Limit),
        ["under" | "below" | "<", _, ..] => (None, Some(1), Comparison),
        ["over" | "above" | "exceed" | "exceeds" | ">", _, ..] => (Some(1), None, Comparison),
        ["within", _, ..] => (None, Some(1), Deadline),
        _ => return None,
    };
    let is_whole = low.is_none_or(is_number) && high.is_none_or(is_number);
    is_whole.then_some(Form { low, high, sort, behind: 0 })
}
