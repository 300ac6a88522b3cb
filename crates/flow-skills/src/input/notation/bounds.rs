//! Bounds: `between 0 and 10000`, `at least 3`, `8 characters or more`, `less than 5 MB`, `within 30 minutes`. Only these
//! forms are read; what a sentence says of the values outside is not.

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
    /// Whether the number itself is outside: `over 100`, `less than 5`.
    pub is_excluded: bool,
}

/// Numbers that are written as words.
const WORDS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];
/// The signs of currencies, which stand before the number.
pub(crate) const CURRENCIES: [char; 4] = ['$', '€', '£', '¥'];
/// Words that are not units.
const NO_UNIT: &str = "a after an and are as at before but by can cannot for from has have if in is \
    may must of on only or per shall should than the then to when will with within";
/// Words of a comparison, each before "than", or behind "or".
const MORE: &str = "above greater higher larger longer more older over";
const LESS: &str = "below fewer less lower shorter smaller under younger";

/// The bounds in a text, in their order.
pub fn find(text: &str) -> Vec<Bounds> {
    let words: Vec<Word> = text.split_whitespace().flat_map(Word::all).collect();
    let lower: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let form = first(&lower[at..]).or_else(|| trailing(&words, at));
        match form.and_then(|form| read(&words, at, &form)) {
            Some((bounds, used)) => {
                all.push(bounds);
                at = used;
            }
            None => at += 1,
        }
    }
    all
}

/// A form of bounds, with the indexes of its numbers behind its beginning.
#[derive(Default)]
struct Form {
    low: Option<usize>,
    high: Option<usize>,
    is_excluded: bool,
    /// Number of words behind the unit.
    behind: usize,
}

/// The bounds that begin at an index, and the index after them.
fn read(words: &[Word], at: usize, form: &Form) -> Option<(Bounds, usize)> {
    let number = |place: Option<usize>| Some(words.get(at + place?)?.number()?.0);
    let (unit, used) = unit(words, at + form.high.or(form.low)?);
    // Without a unit, `9 to 5` may be anything.
    if form.low == Some(0) && unit.is_none() {
        return None;
    }
    let (least, most) = (number(form.low), number(form.high));
    Some((Bounds { least, most, unit, is_excluded: form.is_excluded }, used + form.behind))
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

/// The unit of a number, and the index after it: a word, or two if the second is a plural or ends the text (`5 business
/// days`, `one special character`).
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
    let is_last = at + 3 >= words.len();
    let second = behind(at + 1).filter(|_| first.bare.len() > 3 && !first.lower.ends_with('s'));
    match second.filter(|noun| is_last || noun.lower.ends_with('s')) {
        Some(noun) => (Some(format!("{} {}", first.bare, noun.bare)), at + 3),
        None => (Some(first.bare.to_owned()), at + 2),
    }
}

/// The form with a number at an index, and words behind it: `8 characters or more`, `6 to 12 characters`.
fn trailing(words: &[Word], at: usize) -> Option<Form> {
    words[at].number()?;
    if words.get(at + 1).is_some_and(|word| word.lower == "to") {
        words.get(at + 2)?.number()?;
        return Some(Form { low: Some(0), high: Some(2), ..Form::default() });
    }
    let (_, used) = unit(words, at);
    let word = words.get(used + 1).filter(|_| words[used].lower == "or")?;
    let (more, less) = (lists(MORE, &word.lower), lists(LESS, &word.lower));
    let place = |is_it: bool| is_it.then_some(0);
    let form = Form { low: place(more), high: place(less), behind: 2, ..Form::default() };
    (more || less).then_some(form)
}

/// The form at the beginning of words.
fn first(words: &[&str]) -> Option<Form> {
    let is_number = |at: usize| words.get(at).is_some_and(|word| Word::of(word).number().is_some());
    let (low, high, is_excluded) = match words {
        ["between", _, "and", _, ..] | ["from", _, "to", _, ..] => (Some(1), Some(3), false),
        ["exactly", _, ..] => (Some(1), Some(1), false),
        ["no" | "not", "more", "than", _, ..] | ["max" | "maximum", _, "of" | "is", _, ..] => {
            (None, Some(3), false)
        }
        ["no" | "not", "less" | "fewer", "than", _, ..]
        | ["min" | "minimum", _, "of" | "is", _, ..] => (Some(3), None, false),
        ["at", "least", _, ..] | ["min" | "minimum", "of", _, ..] => (Some(2), None, false),
        ["at", "most", _, ..]
        | ["up", "to", _, ..]
        | ["not", "exceed", _, ..]
        | ["max" | "maximum", "of", _, ..]
        | ["expires", "after" | "in", _, ..] => (None, Some(2), false),
        [word, "than", _, ..] if lists(LESS, word) => (None, Some(2), true),
        [word, "than", _, ..] if lists(MORE, word) => (Some(2), None, true),
        ["min" | "minimum" | ">=" | "≥", _, ..] => (Some(1), None, false),
        ["max" | "maximum" | "<=" | "≤" | "within", _, ..] => (None, Some(1), false),
        ["under" | "below" | "<", _, ..] => (None, Some(1), true),
        ["over" | "above" | ">", _, ..] => (Some(1), None, true),
        _ => return None,
    };
    let is_whole = low.is_none_or(is_number) && high.is_none_or(is_number);
    is_whole.then_some(Form { low, high, is_excluded, behind: 0 })
}
