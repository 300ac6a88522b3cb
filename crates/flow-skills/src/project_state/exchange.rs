//! Questions, answers and blocks among messages in the order of the log, as [`flow_model::exchange`] defines them.

use std::collections::HashMap;

use flow_model::exchange::{self, Part, Turn};

use super::Message;

/// A question and its answer, if there is one.
#[derive(Debug)]
pub(crate) struct Exchange<'a> {
    /// The question.
    pub(crate) question: &'a Message,
    /// The message that answers it.
    pub(crate) answer: Option<&'a Message>,
}

impl Exchange<'_> {
    /// The time until the answer, in milliseconds; `None` if there is none, or a time is unreadable or the answer's is
    /// earlier than the question's.
    pub(crate) fn waited_ms(&self) -> Option<u64> {
        let nanoseconds = i128::from(self.answer?.at?) - i128::from(self.question.at?);
        u64::try_from(nanoseconds / 1_000_000).ok().filter(|_| nanoseconds >= 0)
    }
}

/// The messages that are part of an exchange.
fn turns(messages: &[Message]) -> (Vec<&Message>, Vec<Turn<'_>>) {
    let parts = messages.iter().filter_map(|message| {
        let part = Part::of(message.spelt.as_deref()?)?;
        let (story, from) = (message.story.as_deref(), message.from.as_deref());
        Some((message, Turn { part, story, from, to: message.to.as_deref() }))
    });
    parts.unzip()
}

/// The questions in order, each with its answer.
pub(crate) fn exchanges(messages: &[Message]) -> Vec<Exchange<'_>> {
    let (parts, turns) = turns(messages);
    let pair = |(question, answer): (usize, Option<usize>)| Exchange {
        question: parts[question],
        answer: answer.map(|at| parts[at]),
    };
    exchange::answers(&turns).into_iter().map(pair).collect()
}

/// The questions without an answer, in order.
pub(crate) fn unanswered(messages: &[Message]) -> Vec<&Message> {
    let open = exchanges(messages).into_iter().filter(|exchange| exchange.answer.is_none());
    open.map(|exchange| exchange.question).collect()
}

/// The messages that report a story blocked and are not lifted by a later one, by the story's id.
#[derive(Debug, Default)]
pub(crate) struct Blocks<'a>(HashMap<&'a str, &'a Message>);

impl<'a> Blocks<'a> {
    /// The blocks that still hold after some messages.
    pub(crate) fn standing(messages: &'a [Message]) -> Self {
        let (parts, turns) = turns(messages);
        let standing = exchange::standing_blocks(&turns).into_iter();
        Self(standing.filter_map(|at| Some((parts[at].story.as_deref()?, parts[at]))).collect())
    }

    /// The current block of a story.
    pub(crate) fn of(&self, story: &str) -> Option<&'a Message> {
        self.0.get(story).copied()
    }
}
