//! Questions of the bus and their answers. Pure, over messages in the order of the log.

use std::collections::{HashMap, VecDeque};

use super::{Kind, Message};

/// A question and its answer, where there is one.
#[derive(Debug)]
pub struct Exchange<'a> {
    /// The question.
    pub question: &'a Message,
    /// What answers it.
    pub answer: Option<&'a Message>,
}

impl Exchange<'_> {
    /// How long until it was answered, in milliseconds; none where it was not, or a time cannot be read or is earlier
    /// than the question's.
    pub fn waited_ms(&self) -> Option<u64> {
        let nanoseconds = i128::from(self.answer?.at?) - i128::from(self.question.at?);
        u64::try_from(nanoseconds / 1_000_000).ok().filter(|_| nanoseconds >= 0)
    }
}

/// About which story who asked whom (none: everybody).
type Key<'a> = (Option<&'a str>, &'a str, Option<&'a str>);

/// The questions in order. An answer to the asker about the same story, from the one who was asked (from anybody else,
/// where everybody was), answers the oldest question between the two that is still open. A question or an answer
/// without a sender matches nothing.
pub fn exchanges(messages: &[Message]) -> Vec<Exchange<'_>> {
    let mut found: Vec<Exchange<'_>> = Vec::new();
    let mut open: HashMap<Key<'_>, VecDeque<usize>> = HashMap::new();
    for message in messages {
        let story = message.story.as_deref();
        match (message.kind, message.from.as_deref(), message.to.as_deref()) {
            (Kind::Question, from, to) => {
                if let Some(from) = from {
                    open.entry((story, from, to)).or_default().push_back(found.len());
                }
                found.push(Exchange { question: message, answer: None });
            }
            (Kind::Answer, Some(from), Some(to)) => {
                let to_all = (story, to, None);
                let keys = [Some((story, to, Some(from))), (from != to).then_some(to_all)];
                let first = |key: &Key<'_>| open.get(key)?.front().copied();
                let fronts = keys.into_iter().flatten().filter_map(|key| Some((first(&key)?, key)));
                if let Some((at, key)) = fronts.min_by_key(|(at, _)| *at) {
                    open.entry(key).or_default().pop_front();
                    found[at].answer = Some(message);
                }
            }
            _ => {}
        }
    }
    found
}
