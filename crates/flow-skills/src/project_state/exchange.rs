//! Open questions and standing blocks among messages in the order of the log, as [`flow_model::exchange`] defines them.

use std::collections::HashMap;

use flow_model::exchange::{self, Part, Turn};

use super::Message;

/// The messages that are part of an exchange.
fn turns(messages: &[Message]) -> (Vec<&Message>, Vec<Turn<'_>>) {
    let parts = messages.iter().filter_map(|message| {
        let part = Part::of(message.spelt.as_deref()?)?;
        let (story, from) = (message.story.as_deref(), message.from.as_deref());
        Some((message, Turn { part, story, from, to: message.to.as_deref() }))
    });
    parts.unzip()
}

/// The questions without an answer, in order.
pub(crate) fn unanswered(messages: &[Message]) -> Vec<&Message> {
    let (parts, turns) = turns(messages);
    let open = exchange::answers(&turns).into_iter().filter(|(_, answer)| answer.is_none());
    open.map(|(question, _)| parts[question]).collect()
}

/// The messages that report a story blocked and are not lifted by a later one, by the story's id.
pub(crate) fn standing_blocks(messages: &[Message]) -> HashMap<&str, &Message> {
    let (parts, turns) = turns(messages);
    let standing = exchange::standing_blocks(&turns).into_iter();
    standing.filter_map(|at| Some((parts[at].story.as_deref()?, parts[at]))).collect()
}
