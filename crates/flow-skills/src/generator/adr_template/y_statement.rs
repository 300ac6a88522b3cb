//! Y-statements: a decision as one sentence, "In the context of …, facing …, we decided for … and against …, to achieve
//! …, accepting that …". A sentence is read whole, or stays text.

use super::input::Given;
use super::input::Input;
use crate::input::values::{Block, Line, TextOr, TextOrList};
use crate::text::{after, capital, line, title};

/// The parts of a statement.
struct Statement {
    /// "In the context of …, facing …", as written.
    context: Block,
    chosen: Line,
    /// The options that were decided against.
    against: Vec<Line>,
    /// "to achieve …", and "because …" if it is given.
    reason: Line,
    accepted: Block,
}

/// The input with the parts of a statement in its fields, if its topic or its context is one. What is given by a field
/// of its own stays.
pub(super) fn applied(mut input: Input) -> Input {
    let Some(found) = read(input.context.as_ref().unwrap_or(&input.topic)) else { return input };
    if input.context.is_none() {
        input.topic = Block::new(&title(&found.chosen)).unwrap_or(input.topic);
    }
    input.context = Some(found.context);
    if input.options.is_none() && input.comparison.is_none() {
        let names = std::iter::once(found.chosen.clone()).chain(found.against);
        let given = names.filter_map(|name| Given::try_from(name).ok()).map(TextOr);
        input.options = Some(TextOrList::Items(given.collect()));
    }
    input.chosen = input.chosen.or(Some(found.chosen));
    input.reason = input.reason.or(Some(found.reason));
    input.consequences.push(found.accepted);
    input
}

fn read(text: &str) -> Option<Statement> {
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
    let against = against.split(',').map(str::trim);
    let against = against.map(|name| after(name, &["and ", "or "]).unwrap_or(name));
    if [situation, concern, benefit].contains(&"") {
        return None;
    }
    Some(Statement {
        context: Block::new(&format!("In the context of {situation}, facing {concern}.")).ok()?,
        chosen: Line::new(chosen).ok()?,
        against: against.filter_map(|name| Line::new(name).ok()).collect(),
        reason: Line::new(&format!("to achieve {benefit}{because}")).ok()?,
        accepted: Block::new(&capital(accepted)).ok()?,
    })
}

/// The text before and after the first of some words that stands in it, which may stand there only once.
fn parted<'a>(text: &'a str, words: &[&str]) -> Option<(&'a str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let (at, word) = words.iter().find_map(|word| Some((lower.find(word)?, word)))?;
    let (before, rest) = (text.get(..at)?, text.get(at + word.len()..)?);
    let is_once = !rest.to_ascii_lowercase().contains(word);
    is_once.then(|| (before.trim_end_matches([',', ' ']), rest.trim()))
}
