//! A message of the bus, read from an answer of the API. Members that a message does not have are absent.
//!
//! The API fills in sender, time and story; [`MESSAGE_TEXT`] lists the members that may contain the text. The task has
//! no documented name and is read here.

use std::collections::HashMap;

use serde_json::Value;

use super::records::text;
use crate::output::Result;
use crate::project_state::state::State;
use crate::text::line;
use flow_model::exchange::{self, Part, Turn};
use flow_model::names::MESSAGE_TEXT;
use flow_model::outcome::Outcome;

/// Members that may name the task of a message.
const TASK: &[&str] = &["task_id", "taskId", "task"];
/// Members that may name the next step, as a text or a list.
const NEXT: &[&str] = &["next", "next_step", "next_steps", "nextStep", "nextSteps"];
/// Longest excerpt of a message's text, in characters.
const REPEATED: usize = 300;
/// Largest number of spellings of a type in a query.
const SPELLINGS: usize = 50;

/// The type of a message, whatever its spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MessageKind {
    Answer,
    Assigned,
    Blocked,
    Cancelled,
    Completed,
    Failed,
    Gate,
    Handoff,
    Question,
    Review,
    ReviewRequest,
    Started,
    Unblocked,
    Other,
}

/// The types of messages that are not part of an exchange, in the form of [`exchange::plain_type`].
const KINDS: &[(&str, MessageKind)] = &[
    ("gate_check", MessageKind::Gate),
    ("hand_off", MessageKind::Handoff),
    ("handoff", MessageKind::Handoff),
    ("handover", MessageKind::Handoff),
    ("review_done", MessageKind::Review),
    ("review_request", MessageKind::ReviewRequest),
    ("task_assigned", MessageKind::Assigned),
    ("task_assignment", MessageKind::Assigned),
    ("task_canceled", MessageKind::Cancelled),
    ("task_cancelled", MessageKind::Cancelled),
    ("task_completed", MessageKind::Completed),
    ("task_failed", MessageKind::Failed),
    ("task_started", MessageKind::Started),
];

#[derive(Debug, Clone)]
pub(crate) struct Message {
    /// Its time as written.
    pub(crate) time: Option<String>,
    pub(crate) from: Option<String>,
    /// `None` if it is for everybody.
    pub(crate) to: Option<String>,
    /// Its type as written.
    pub(crate) spelt: Option<String>,
    pub(crate) kind: MessageKind,
    pub(crate) story: Option<String>,
    pub(crate) task: Option<String>,
    pub(crate) words: Option<String>,
    pub(crate) next: Option<String>,
    /// The outcome of a review or check.
    pub(crate) outcome: Option<Outcome>,
}

impl MessageKind {
    pub(crate) fn of(spelt: &str) -> Self {
        match Part::of(spelt) {
            Some(Part::Question) => Self::Question,
            Some(Part::Answer) => Self::Answer,
            Some(Part::Blocked) => Self::Blocked,
            Some(Part::Unblocked) => Self::Unblocked,
            None => {
                let plain = exchange::plain_type(spelt);
                let known = KINDS.iter().find(|(name, _)| *name == plain);
                known.map_or(Self::Other, |(_, kind)| *kind)
            }
        }
    }
}

/// The text of a message with its progress, unless the text says it.
fn with_percent(words: String, record: &Value) -> String {
    match record["percent"].as_f64() {
        Some(percent) if !words.contains('%') => format!("{words} ({percent} %)"),
        _ => words,
    }
}

impl Message {
    /// Whether a review or check passed; `None` if that is not said in a word that is known.
    pub(crate) fn is_passed(&self) -> Option<bool> {
        self.outcome.as_ref()?.is_good()
    }

    /// Reads a message from an answer of `/api/bus/messages`.
    pub(crate) fn read(record: &Value) -> Self {
        let time = word(record, "timestamp");
        let spelt = word(record, "type");
        let task = text(record, TASK);
        let kind =
            spelt.as_deref().map_or(MessageKind::Other, |spelt| match MessageKind::of(spelt) {
                // Beside the id of a task `failed` says what `task_failed` does.
                MessageKind::Other if task.is_some() => MessageKind::of(&format!("task_{spelt}")),
                kind => kind,
            });
        Self {
            time,
            from: word(record, "from"),
            to: exchange::receiver(word(record, "to").as_deref()).map(str::to_owned),
            kind,
            spelt,
            story: word(record, "story_id"),
            task,
            words: text(record, MESSAGE_TEXT).map(|words| with_percent(words, record)),
            next: NEXT.iter().find_map(|name| steps(record.get(*name)?)),
            outcome: Outcome::read(record),
        }
    }

    /// The newest messages that match `parameters`, in the order of the log.
    pub(crate) fn newest(state: &State, parameters: &str) -> Result<Vec<Self>> {
        Ok(state.newest_messages(parameters)?.iter().map(Self::read).collect())
    }

    /// The newest messages of these types in any spelling, in the order of the log.
    pub(crate) fn newest_of(state: &State, kinds: &[MessageKind]) -> Result<Vec<Self>> {
        let metrics = state.get("/api/metrics")?;
        let types = metrics["bus"]["by_type"].as_object().into_iter().flatten();
        let spelt =
            types.map(|(spelt, _)| spelt).filter(|spelt| kinds.contains(&MessageKind::of(spelt)));
        let spelt: Vec<String> = spelt.take(SPELLINGS).map(|spelt| State::encoded(spelt)).collect();
        if spelt.is_empty() {
            return Ok(Vec::new());
        }
        Self::newest(state, &format!("type={}", spelt.join(",")))
    }

    /// A reference to the message in the log: time, sender and type.
    pub(crate) fn cite(&self) -> String {
        let part = |part: &Option<String>, no: &str| {
            part.as_deref()
                .map(line)
                .filter(|part| !part.is_empty())
                .unwrap_or_else(|| no.to_owned())
        };
        let time = part(&self.time, "no time");
        let from = part(&self.from, "no sender");
        format!("message {time} {from} {}", part(&self.spelt, "no type"))
    }

    /// Its text on one line, truncated to `REPEATED` characters; `None` if it has none.
    pub(crate) fn excerpt(&self) -> Option<String> {
        excerpt(self.words.as_deref()?)
    }

    /// Its excerpt behind a colon, as the end of a sentence; empty if it has none.
    pub(crate) fn quoted(&self) -> String {
        self.excerpt().map(|words| format!(": {words}")).unwrap_or_default()
    }

    /// The story, or else the task, that it is about.
    pub(crate) fn subject(&self) -> Option<String> {
        let about = self.story.as_deref().or(self.task.as_deref());
        about.map(line).filter(|about| !about.is_empty())
    }

    /// The next step that it names, or else the text of a handoff, as an excerpt.
    pub(crate) fn next_step(&self) -> Option<String> {
        let words = self.words.as_ref().filter(|_| self.kind == MessageKind::Handoff);
        excerpt(self.next.as_ref().or(words)?)
    }
}

/// A text or a list of texts as one text.
fn steps(value: &Value) -> Option<String> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let texts: Vec<&str> = list.iter().filter_map(Value::as_str).map(str::trim).collect();
    Some(texts.join(", ")).filter(|text| !text.is_empty())
}

fn excerpt(text: &str) -> Option<String> {
    let words = line(text);
    if words.chars().count() <= REPEATED {
        return Some(words).filter(|words| !words.is_empty());
    }
    Some(words.chars().take(REPEATED - 1).chain(['…']).collect())
}

/// A member as the API counts it: text as it is, other values as JSON.
fn word(record: &Value, name: &str) -> Option<String> {
    match record.get(name)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_read_as_they_are_found() {
        let found = Message::read(&json!({
            "timestamp": "2026-03-09T09:00:00Z", "type": "agent_finding", "from": "x", "finding": " a\nb ", "task": "t-1",
        }));
        assert_eq!(found.excerpt().unwrap(), "a b");
        assert_eq!(found.task.as_deref(), Some("t-1"));
        assert_eq!(found.cite(), "message 2026-03-09T09:00:00Z x agent_finding");
        let gate =
            Message::read(&json!({"type": "Agent Gate-Check", "passed": false, "to": "ALL"}));
        assert_eq!((gate.kind, gate.is_passed(), gate.to), (MessageKind::Gate, Some(false), None));
        let bare = Message::read(&json!({"type": 7, "message": null, "timestamp": 5}));
        assert_eq!(bare.cite(), "message 5 no sender 7");
        assert_eq!(bare.excerpt(), None);
        let long = Message::read(&json!({"text": "é".repeat(1000)}));
        assert_eq!(long.excerpt().unwrap().chars().count(), REPEATED);
    }
}
