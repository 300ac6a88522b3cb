//! What stands of a story at the end of its line: its size, and what it depends on: `Pay by card (5) after 1, US-0006`.

use super::effort::Effort;
use crate::text::{is_id, is_number, tagged};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) size: Option<Effort>,
    /// Ids, or numbers of lines of a list.
    pub(crate) after: Vec<String>,
}

impl Facts {
    /// Adds facts, unless one of them is given already.
    fn add(&mut self, other: Self) -> bool {
        let has_both = self.size.is_some() && other.size.is_some()
            || !self.after.is_empty() && !other.after.is_empty();
        if !has_both {
            self.size = self.size.or(other.size);
            self.after.extend(other.after);
        }
        !has_both
    }
}

/// The text before the facts at its end, and the facts, in any order and each once. Tags such as `#bug` may follow
/// them, and stay. A text that ends with none is as it was.
pub(crate) fn read(text: &str) -> (String, Facts) {
    let (whole, tags) = tagged(text.trim_end_matches(['.', '!']));
    match facts(whole) {
        (rest, _) if rest.len() == whole.len() => (text.to_owned(), Facts::default()),
        (rest, facts) => (format!("{}{tags}", rest.trim_end_matches('.')), facts),
    }
}

fn facts(text: &str) -> (&str, Facts) {
    let mut facts = Facts::default();
    let mut rest = text;
    while let Some((before, more)) =
        bracketed(rest).or_else(|| follows(rest)).or_else(|| sized(rest))
    {
        if !facts.add(more) {
            break;
        }
        rest = before.trim_end_matches([',', ';', ' ']);
    }
    (rest, facts)
}

/// Facts in parentheses at the end: `(5)`, `(5 points, needs 1)`. Only here, a size may have no unit.
fn bracketed(text: &str) -> Option<(&str, Facts)> {
    let (before, inside) = text.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let (rest, mut more) = facts(inside);
    let is_read = match Effort::parse(rest) {
        Some(size) => more.add(Facts { size: Some(size), ..Facts::default() }),
        None => rest.is_empty() && !inside.is_empty(),
    };
    is_read.then_some((before, more))
}

/// A size with its unit after a separator: `, 3h`, `- 8 points`.
fn sized(text: &str) -> Option<(&str, Facts)> {
    let separator =
        [",", ";", " - ", " – "].iter().filter_map(|mark| Some((text.rfind(mark)?, mark.len())));
    let (at, length) = separator.max().unwrap_or_default();
    let (before, last) = (text.get(..at)?, text.get(at + length..)?);
    let size = Effort::parse(last).filter(|_| last.contains(char::is_alphabetic))?;
    Some((before, Facts { size: Some(size), ..Facts::default() }))
}

/// Reads `after 1, 2 and US-0006` at the end, if it consists of numbers and ids.
fn follows(text: &str) -> Option<(&str, Facts)> {
    let lower = text.to_ascii_lowercase();
    let words = ["after ", "needs ", "depends on ", "blocked by "];
    words.iter().find_map(|word| {
        let at = lower.rfind(word)?;
        let (before, list) = (text.get(..at)?, text.get(at + word.len()..)?);
        let is_word = before.is_empty() || before.ends_with([' ', ',', ';']);
        let after = references(list).filter(|_| is_word)?;
        Some((before, Facts { after, ..Facts::default() }))
    })
}

/// Numbers of lines and ids in any case, separated by commas or "and"; `None` if there is anything else.
fn references(list: &str) -> Option<Vec<String>> {
    let words = list.split([',', ' ']).filter(|word| !word.is_empty() && *word != "and");
    let reference = |word: &str| {
        let upper = word.to_uppercase();
        (is_id(&upper) || word.len() <= 9 && is_number(word)).then_some(upper)
    };
    let references: Vec<String> = words.map(reference).collect::<Option<_>>()?;
    (!references.is_empty()).then_some(references)
}
