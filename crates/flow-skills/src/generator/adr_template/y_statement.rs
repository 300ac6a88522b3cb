//! Y-statements: a decision as one sentence, "In the context of …, facing …, we decided for … and against …, to achieve
//! …, accepting that …". A sentence is read whole, or stays text.

use super::input::Given;
use super::input::Input;
use crate::input::values::{Block, Line, TextOr, TextOrList};
use crate::text::{after, capital, line, title};

/// The parts of a statement.
#[derive(Debug, PartialEq, Eq)]
struct Statement {
    /// "In the context of …, facing …", as written.
    context: String,
    chosen: String,
    /// The options that were decided against.
    against: Vec<String>,
    /// "to achieve …", and "because …" if it is given.
    reason: String,
    accepted: String,
}

/// The input with the parts of a statement in its fields, if its topic or its context is one. What is given by a field
/// of its own stays.
pub(super) fn applied(mut input: Input) -> Input {
    let text = input.context.as_ref().unwrap_or(&input.topic);
    let Some(found) = Statement::read(text) else { return input };
    let Some(context) = Block::new(&found.context).ok() else { return input };
    if input.context.is_none() {
        input.topic = Block::new(&title(&found.chosen)).unwrap_or(input.topic);
    }
    input.context = Some(context);
    if input.options.is_none() && input.comparison.is_none() {
        let names = std::iter::once(&found.chosen).chain(&found.against);
        let given = |name: &String| Some(TextOr(Given::try_from(Line::new(name).ok()?).ok()?));
        input.options = Some(TextOrList::Items(names.filter_map(given).collect()));
    }
    input.chosen = input.chosen.or_else(|| Line::new(&found.chosen).ok());
    input.reason = input.reason.or_else(|| Line::new(&found.reason).ok());
    input.consequences.extend(Block::new(&capital(&found.accepted)));
    input
}

impl Statement {
    fn read(text: &str) -> Option<Self> {
        let text = line(text);
        let text = text.trim_end_matches('.');
        let rest = after(text, &["In the context of "])?;
        let (situation, rest) = parted(rest, &[" facing "])?;
        let (concern, rest) = parted(rest, &[" we decided for ", " we chose "])?;
        let (decided, rest) = parted(rest, &[" to achieve "])?;
        let (benefit, rest) = parted(rest, &[" accepting that ", " accepting "])?;
        let (accepted, because) = match parted(rest, &[" because "]) {
            Some((accepted, because)) => (accepted, format!(", because {because}")),
            None => (rest, String::new()),
        };
        let (chosen, against) =
            parted(decided, &[" and against ", " and neglected "]).unwrap_or((decided, ""));
        let last = |name: &str| after(name, &["and ", "or "]).unwrap_or(name).trim().to_owned();
        let against = against.split(',').map(str::trim).filter(|name| !name.is_empty()).map(last);
        let parts = [situation, concern, chosen, benefit, accepted];
        if parts.iter().any(|part| part.is_empty()) {
            return None;
        }
        Some(Self {
            context: format!("In the context of {situation}, facing {concern}."),
            chosen: chosen.to_owned(),
            against: against.collect(),
            reason: format!("to achieve {benefit}{because}"),
            accepted: accepted.to_owned(),
        })
    }
}

/// The text before and after the first of some words that stands in it, which may stand there only once.
fn parted<'a>(text: &'a str, words: &[&str]) -> Option<(&'a str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let (at, word) = words.iter().find_map(|word| Some((lower.find(word)?, word)))?;
    let (before, rest) = (text.get(..at)?, text.get(at + word.len()..)?);
    let is_once = !rest.to_ascii_lowercase().contains(word);
    is_once.then(|| (before.trim_end_matches([',', ' ']), rest.trim()))
}
