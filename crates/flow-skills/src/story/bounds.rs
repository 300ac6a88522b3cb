//! Bounds: `between 0 and 10000`, `at least 3`, `8 characters or more`, `less than 5 MB`, `within 30 minutes`. Only these
//! forms are read; what a sentence says of the values outside is not.

use serde_json::Number;

use crate::text::lists;

/// A range of numbers in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
/// What stands before the least number, and before the greatest; the same where the number itself is outside.
const LEAST: &str = "at least|min|minimum|min of|minimum of|no less than|no fewer than|not less than|never less than|never below|not below|never under|>=|≥";
const MOST: &str = "at most|max|maximum|max of|maximum of|up to|not exceed|never exceed|never exceeds|within|expires after|expires in|<=|≤";
const ABOVE: &str = "more than|greater than|higher than|longer than|larger than|over|above|>";
const BELOW: &str = "less than|fewer than|lower than|shorter than|smaller than|under|below|<";
/// What stands behind a number and its unit.
const OR_MORE: &str = "or more|or longer|or older|or greater|or above";
const OR_LESS: &str = "or less|or fewer|or shorter|or younger|or below";

/// The bounds in a text, in their order.
pub fn find(text: &str) -> Vec<Bounds> {
    let words: Vec<&str> = text.split_whitespace().flat_map(ranged).collect();
    let (mut all, mut at) = (Vec::new(), 0);
    while at < words.len() {
        match read(&words[at..]) {
            Some((bounds, used)) => {
                all.push(bounds);
                at += used;
            }
            None => at += 1,
        }
    }
    all
}

/// The words in a text without blanks: `3-20` is `3 to 20`.
fn ranged(text: &str) -> Vec<&str> {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    match text.split_once(['-', '–']) {
        Some((low, high)) if is_number(low) && is_number(high) => vec![low, "to", high],
        _ => vec![text],
    }
}

/// The bounds at the beginning of words, and how many words they are.
fn read(words: &[&str]) -> Option<(Bounds, usize)> {
    if let Some(bounds) = range(words) {
        return Some(bounds);
    }
    let not = negation(words);
    let forms: &[(&str, bool, bool)] = if not > 0 {
        &[(ABOVE, false, false), (BELOW, true, false)]
    } else {
        &[(LEAST, true, false), (MOST, false, false), (ABOVE, true, true), (BELOW, false, true)]
    };
    for (forms, is_least, is_excluded) in forms.iter().copied() {
        let length = words.get(not..).map_or(0, |words| longest(forms, words));
        let before = not + length;
        if length > 0
            && let Some((number, _)) = words.get(before).and_then(|word| number(word))
        {
            let (unit, used) = unit(words, before);
            let bounds = Bounds { unit, is_excluded, ..one(number, is_least) };
            return Some((bounds, used));
        }
    }
    let (number, _) = number(words.first()?)?;
    let (unit, used) = unit(words, 0);
    let behind = words.get(used..)?;
    let (more, less) = (longest(OR_MORE, behind), longest(OR_LESS, behind));
    let bounds = Bounds { unit, ..one(number, more > 0) };
    (more + less > 0).then_some((bounds, used + more + less))
}

/// How many words at the beginning say that what follows does not hold: `not`, `may never be`.
fn negation(words: &[&str]) -> usize {
    let is_one = |at: usize, list: &str| {
        words.get(at).is_some_and(|word| lists(list, &bare(word).to_lowercase()))
    };
    let is_negated = is_one(0, "no not never cannot");
    usize::from(is_negated) + usize::from(is_negated && is_one(1, "be have"))
}

fn one(number: Number, is_least: bool) -> Bounds {
    let (least, most) = if is_least { (Some(number), None) } else { (None, Some(number)) };
    Bounds { least, most, ..Bounds::default() }
}

/// `between 1 and 3`, `from 1 to 3`, `exactly 3`, and with a unit, since `9 to 5` may be anything, `1 to 3 items`.
fn range(words: &[&str]) -> Option<(Bounds, usize)> {
    let word = |at: usize| words.get(at).map(|word| bare(word).to_lowercase());
    let (low, high) = match (word(0)?.as_str(), word(1)?.as_str(), word(2).as_deref()) {
        ("between", _, Some("and")) | ("from", _, Some("to")) => (1, 3),
        ("exactly", ..) => (1, 1),
        (_, "to", Some(_)) => (0, 2),
        _ => return None,
    };
    let number = |at: usize| words.get(at).and_then(|word| number(word)).map(|(number, _)| number);
    let (least, most) = (Some(number(low)?), Some(number(high)?));
    let (unit, used) = unit(words, high);
    // A range that ends before it begins is not one.
    let value = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
    let is_sure = (low > 0 || unit.is_some()) && value(&least) <= value(&most);
    is_sure.then_some((Bounds { least, most, unit, is_excluded: false }, used))
}

/// How many words the longest of the forms has that words begin with.
fn longest(forms: &str, words: &[&str]) -> usize {
    let is_it = |form: &&str| {
        let mut all = form.split(' ').enumerate();
        all.all(|(at, one)| words.get(at).is_some_and(|word| bare(word).eq_ignore_ascii_case(one)))
    };
    forms.split('|').filter(is_it).map(|form| form.split(' ').count()).max().unwrap_or(0)
}

/// A word without surrounding punctuation.
fn bare(word: &str) -> &str {
    word.trim_matches([',', '.', ';', ':', '!', '?', ')', '('])
}

/// The number that a word is, with `_` or `,` between thousands, and the unit after it or the currency before it.
fn number(word: &str) -> Option<(Number, &str)> {
    let word = bare(word);
    if let Some(number) = WORDS.iter().position(|known| known.eq_ignore_ascii_case(word)) {
        return Some((number.into(), ""));
    }
    let amount = word.trim_start_matches(CURRENCIES);
    let sign = word.strip_suffix(amount)?;
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '_' | ',' | '.' | '-' | '+');
    let end = amount.find(|c| !is_part(c)).unwrap_or(amount.len());
    let (figures, unit) = amount.split_at_checked(end)?;
    let is_unit = unit.chars().all(|c| c.is_alphabetic() || c == '%' || c == '°');
    let number = serde_json::from_str(&figures.replace(['_', ','], "")).ok()?;
    is_unit.then_some((number, if sign.is_empty() { unit } else { sign }))
}

/// The unit of the number at an index, and the index after it: a word, or two if the second is a plural (`5 business
/// days`).
fn unit(words: &[&str], at: usize) -> (Option<String>, usize) {
    let glued = number(words[at]).map_or("", |(_, unit)| unit);
    if !glued.is_empty() {
        return (Some(glued.to_owned()), at + 1);
    }
    let behind = |at: usize| {
        let is_end = words[at].ends_with([',', '.', ';', ':', '!', '?', ')']);
        let next = words.get(at + 1).map(|word| bare(word)).filter(|_| !is_end)?;
        let is_word = !next.is_empty() && next.chars().all(|c| c.is_alphabetic() || c == '%');
        Some(next).filter(|next| is_word && !lists(NO_UNIT, &next.to_lowercase()))
    };
    let Some(first) = behind(at) else { return (None, at + 1) };
    let second = behind(at + 1).filter(|noun| !first.ends_with('s') && noun.ends_with('s'));
    match second.filter(|_| first.len() > 3) {
        Some(noun) => (Some(format!("{first} {noun}")), at + 3),
        None => (Some(first.to_owned()), at + 2),
    }
}
