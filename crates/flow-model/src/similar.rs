//! Whether a name or a word resembles another so closely that it may be a misspelling of it.

use super::names::plain;

/// Longest text that is compared, in characters: longer ones are not misspellings of a documented name.
const LONGEST: usize = 32;
/// Shortest text that can be a misspelling.
const SHORTEST: usize = 4;

/// How many errors may lie between a word and a misspelling of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errors {
    /// In the name of a member: one in a word of four or five characters, two in a longer one, but one in names of
    /// times and ids, since many other participles and nouns differ by two letters (`sorted_at`, `study_id`).
    Name,
    /// In a status: one in a word of four to eight characters, two in a longer one (`placed` is not `planned`).
    Status,
    /// In the name of a collection: one.
    Collection,
}

impl Errors {
    /// The largest number of errors; `None` for a word that is too short for any.
    fn most(self, word: &str) -> Option<usize> {
        let length = word.chars().count();
        let is_long = match self {
            Self::Name => length >= 6 && !word.ends_with("_at") && !word.ends_with("_id"),
            Self::Status => length >= 9,
            Self::Collection => false,
        };
        (length > 3).then_some(if is_long { 2 } else { 1 })
    }
}

/// Whether `text` may be a misspelling of `word`: it begins with the same letter, and few others differ. Case and
/// separators do not count.
pub fn resembles(text: &str, word: &str, errors: Errors) -> bool {
    let Some(most) = errors.most(word) else { return false };
    let length = text.chars().count();
    if !(SHORTEST..=LONGEST).contains(&length) {
        return false;
    }
    let (text, word) = (plain(text), plain(word));
    text.chars().next() == word.chars().next()
        && text.chars().count().abs_diff(word.chars().count()) <= most
        && letters(&text).difference(letters(&word)) <= 2 * most
        && distance(&text, &word) <= most
}

/// The part of an id such as `US-0009` before its number; `None` for an id of another form.
pub fn id_prefix(id: &str) -> Option<&str> {
    let (prefix, number) = id.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = !prefix.is_empty() && prefix.chars().all(char::is_alphabetic);
    (is_number && is_name).then_some(prefix)
}

/// Whether two ids are the same but for letter case and the zeros before their number: `us-9` and `US-0009`.
pub fn is_same_id(id: &str, other: &str) -> bool {
    let parts = |id: &str| {
        let prefix = id_prefix(id)?;
        let number = id.get(prefix.len() + 1..)?.trim_start_matches('0').to_owned();
        Some((prefix.to_lowercase(), number))
    };
    let parts_of = parts(id);
    id.eq_ignore_ascii_case(other) || parts_of.is_some() && parts_of == parts(other)
}

/// The number of errors between two texts: a character too many, missing, another, or exchanged with its neighbour
/// (optimal string alignment). Texts beyond `LONGEST` characters are infinitely far apart.
pub fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().max(other.len()) > 2 * LONGEST {
        return usize::MAX;
    }
    // Rows of the table: two back, the last, the current.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1; other.len() + 1];
        for (j, b) in other.iter().enumerate() {
            let replaced = last[j] + usize::from(a != b);
            row[j + 1] = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            let is_exchanged = i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b;
            if is_exchanged {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[other.len()]
}

/// The set of letters of a text. Texts with few errors between them have nearly the same set, which rules out most pairs
/// without computing a distance.
#[derive(Clone, Copy)]
struct Letters(u32);

impl Letters {
    fn difference(self, other: Self) -> usize {
        (self.0 ^ other.0).count_ones() as usize
    }
}

fn letters(text: &str) -> Letters {
    let bit = |byte: u8| 1 << (byte.to_ascii_lowercase().wrapping_sub(b'a').min(31));
    Letters(text.bytes().fold(0, |set, byte| set | bit(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_is_one_error() {
        assert_eq!(distance("stauts", "status"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("ca", "abc"), 3);
    }
}
