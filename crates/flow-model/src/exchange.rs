//! Relations between messages of the log: which question an answer belongs to, and which block is lifted. The one
//! definition for the API and all reports. It reads no log.

use std::collections::{HashMap, VecDeque};

/// The part of a message in an exchange, whatever the spelling of its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Part {
    Question,
    Answer,
    Blocked,
    Unblocked,
}

/// A message's type as types are compared: lower case, with `-`, space and `_` as one, and without a leading `agent_`.
pub fn plain_type(written: &str) -> String {
    let plain = written.trim().to_lowercase().replace(['-', ' '], "_");
    match plain.strip_prefix("agent_") {
        Some(rest) => rest.to_owned(),
        None => plain,
    }
}

/// The types of messages that have a part in an exchange.
pub const TYPES: [&str; 4] = ["question", "answer", "blocked", "unblocked"];

impl Part {
    /// The parts, in the order of [`TYPES`].
    const ALL: [Self; 4] = [Self::Question, Self::Answer, Self::Blocked, Self::Unblocked];

    /// The part of a message of this type ([`plain_type`]).
    pub fn of(written: &str) -> Option<Self> {
        let plain = plain_type(written);
        let mut parts = TYPES.iter().zip(Self::ALL);
        parts.find_map(|(name, part)| (plain == *name).then_some(part))
    }
}

/// Receivers that stand for everybody.
const EVERYBODY: [&str; 4] = ["all", "everybody", "everyone", "*"];

/// The receiver of a message; `None` if it is for everybody.
pub fn receiver(to: Option<&str>) -> Option<&str> {
    to.filter(|to| !EVERYBODY.contains(&to.to_lowercase().as_str()))
}

/// A message with a part in an exchange.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// Its part.
    pub part: Part,
    /// The story that it is about.
    pub story: Option<&'a str>,
    /// Its sender.
    pub from: Option<&'a str>,
    /// Its receiver ([`receiver`]).
    pub to: Option<&'a str>,
}

/// Story, asker and receiver of a question; no receiver means everybody.
type Key<'a> = (Option<&'a str>, &'a str, Option<&'a str>);

/// The index of each question in `turns`, which are in the order of the log, and the index of its answer.
///
/// An answer belongs to the oldest open question between its two parties about the same story: it is sent to the asker
/// by the one who was asked, or by anybody else if everybody was asked. A question or an answer without a sender
/// matches nothing.
pub fn answers(turns: &[Turn<'_>]) -> Vec<(usize, Option<usize>)> {
    let mut found: Vec<(usize, Option<usize>)> = Vec::new();
    let mut open: HashMap<Key<'_>, VecDeque<usize>> = HashMap::new();
    for (at, turn) in turns.iter().enumerate() {
        match (turn.part, turn.from, turn.to) {
            (Part::Question, from, to) => {
                if let Some(from) = from {
                    open.entry((turn.story, from, to)).or_default().push_back(found.len());
                }
                found.push((at, None));
            }
            (Part::Answer, Some(from), Some(to)) => {
                let to_one = Some((turn.story, to, Some(from)));
                let to_all = (from != to).then_some((turn.story, to, None));
                let oldest = |key: &Key<'_>| open.get(key)?.front().copied();
                let keys = [to_one, to_all].into_iter().flatten();
                let fronts = keys.filter_map(|key| Some((oldest(&key)?, key)));
                if let Some((question, key)) = fronts.min_by_key(|(question, _)| *question) {
                    open.entry(key).or_default().pop_front();
                    found[question].1 = Some(at);
                }
            }
            _ => {}
        }
    }
    found
}

/// The indexes of the blocks that still hold: the last one about each story that no later message lifts. A block that
/// names no story never counts.
pub fn standing_blocks(turns: &[Turn<'_>]) -> Vec<usize> {
    let mut standing: HashMap<&str, usize> = HashMap::new();
    for (at, turn) in turns.iter().enumerate() {
        match (turn.part, turn.story) {
            (Part::Blocked, Some(story)) => drop(standing.insert(story, at)),
            (Part::Unblocked, Some(story)) => drop(standing.remove(story)),
            _ => {}
        }
    }
    let mut places: Vec<usize> = standing.into_values().collect();
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(text: &'static str) -> Turn<'static> {
        let mut words = text.split(' ');
        let part = Part::of(words.next().unwrap()).unwrap();
        let mut word = || words.next().filter(|word| *word != "-");
        Turn { part, story: word(), from: word(), to: receiver(word()) }
    }

    #[track_caller]
    fn check(turns: &[&'static str], expect: &[(usize, Option<usize>)]) {
        let turns: Vec<Turn<'_>> = turns.iter().map(|text| turn(text)).collect();
        assert_eq!(answers(&turns), expect);
    }

    #[test]
    fn an_answer_belongs_to_the_oldest_open_question_between_the_two() {
        check(&["question S a b", "question S a b", "answer S b a"], &[(0, Some(2)), (1, None)]);
        check(&["question S a b", "answer S c a", "answer T b a"], &[(0, None)]);
        check(&["Agent-Question S a ALL", "answer S c a"], &[(0, Some(1))]);
        check(&["question S a all", "answer S a a"], &[(0, None)]);
        check(&["question S - b", "answer S b -", "unblocked S b a"], &[(0, None)]);
        check(&["question - a *", "question - a b", "answer - b a"], &[(0, Some(2)), (1, None)]);
    }

    #[test]
    fn a_block_stands_until_it_is_lifted() {
        let turns: Vec<Turn<'_>> = [
            "blocked S a b",
            "blocked T a b",
            "blocked S c b",
            "question S c b",
            "unblocked T b a",
            "blocked - a b",
            "blocked U a b",
            "unblocked U a b",
            "Agent-Blocked U a b",
        ]
        .iter()
        .map(|text| turn(text))
        .collect();
        assert_eq!(standing_blocks(&turns), [2, 8]);
    }
}
