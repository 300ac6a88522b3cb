//! A message of the bus, read from what the API serves. What a message does not say is absent here.
//!
//! The API names sender, time and story; which member has the text is [`MESSAGE_TEXT`]'s to say. Where a message has its
//! task and its outcome is left to whoever writes the log, and read here.

use serde_json::{Value, json};

use super::records::text;
use crate::output::Result;
use crate::project_state::state::State;
use crate::text::line;
use flow_model::exchange::{self, Part};
use flow_model::record::MESSAGE_TEXT;
use flow_model::time::{self, Edge};

/// Where a message says which task it is about.
const TASK: &[&str] = &["task_id", "taskId", "task"];
/// Where a message says how something went.
const VERDICT: &[&str] = &["approved", "accepted", "passed", "success", "ok"];
/// Where a message says which session wrote it.
const SESSION: &[&str] = &["session_id", "sessionId", "session"];
/// How many of the newest messages are looked through for what stands now: blocks, failures, reviews, questions.
pub const SEARCHED: u64 = 10_000;
/// Most characters of a message's words that are repeated.
const REPEATED: usize = 300;
/// Most spellings of a type that are asked for.
const SPELLINGS: usize = 50;

/// What a message is about, whichever way its type is spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Kind {
    Answer,
    Assigned,
    Blocked,
    Cancelled,
    Completed,
    Failed,
    Gate,
    Progress,
    Question,
    Review,
    ReviewRequest,
    Started,
    Unblocked,
    Other,
}

/// The types of messages that have no part in an exchange, as [`exchange::plain_type`] gives them.
const KINDS: &[(&str, Kind)] = &[
    ("gate_check", Kind::Gate),
    ("progress", Kind::Progress),
    ("review_done", Kind::Review),
    ("review_request", Kind::ReviewRequest),
    ("task_assigned", Kind::Assigned),
    ("task_assignment", Kind::Assigned),
    ("task_canceled", Kind::Cancelled),
    ("task_cancelled", Kind::Cancelled),
    ("task_completed", Kind::Completed),
    ("task_failed", Kind::Failed),
    ("task_started", Kind::Started),
];

/// How a review or a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Verdict {
    Passed,
    Refused,
}

/// A message.
#[derive(Debug, Clone)]
pub struct Message {
    /// Its time as written.
    pub time: Option<String>,
    /// Its time in nanoseconds since 1970, where that can be read.
    pub at: Option<i64>,
    /// Who sent it.
    pub from: Option<String>,
    /// Who it is for; none where it is for everybody.
    pub to: Option<String>,
    /// Its type as written.
    pub spelt: Option<String>,
    /// What it is about.
    pub kind: Kind,
    /// The story that it is about.
    pub story: Option<String>,
    /// The task that it is about.
    pub task: Option<String>,
    /// The session that wrote it.
    pub session: Option<String>,
    /// Its words.
    pub words: Option<String>,
    /// How it went.
    pub verdict: Option<Verdict>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
}

impl Kind {
    /// What a type is about.
    pub fn of(spelt: &str) -> Self {
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

impl Message {
    /// Reads a message of `/api/bus/messages`.
    pub fn read(record: &Value) -> Self {
        let time = word(record, "timestamp");
        let written = record["timestamp"].as_str();
        let verdict = VERDICT.iter().find_map(|name| record[*name].as_bool());
        let spelt = word(record, "type");
        Self {
            at: written.and_then(|text| time::parse(text, Edge::Start)),
            time,
            from: word(record, "from"),
            to: exchange::receiver(word(record, "to").as_deref()).map(str::to_owned),
            kind: spelt.as_deref().map_or(Kind::Other, Kind::of),
            spelt,
            story: word(record, "story_id"),
            task: text(record, TASK),
            session: text(record, SESSION),
            words: text(record, MESSAGE_TEXT),
            verdict: verdict.map(|good| if good { Verdict::Passed } else { Verdict::Refused }),
            duration_ms: record["duration_ms"].as_u64(),
        }
    }

    /// The messages that match `parameters`, in the order of the log.
    ///
    /// # Errors
    /// When there is no project, or no answer, or too many match.
    pub fn all(state: &State, parameters: &str) -> Result<Vec<Self>> {
        Ok(state.messages(parameters)?.records.iter().map(Self::read).collect())
    }

    /// The newest messages that match `parameters`, in the order of the log.
    ///
    /// # Errors
    /// When there is no project, or no answer.
    pub fn newest(state: &State, parameters: &str, most: u64) -> Result<Vec<Self>> {
        Ok(state.newest_messages(parameters, most)?.records.iter().map(Self::read).collect())
    }

    /// The newest messages of these kinds, however their types are spelt, in the order of the log.
    ///
    /// # Errors
    /// When there is no project, or no answer.
    pub fn newest_of(state: &State, kinds: &[Kind], most: u64) -> Result<Vec<Self>> {
        let metrics = state.get("/api/metrics")?;
        let types = metrics["bus"]["by_type"].as_object().into_iter().flatten();
        let spelt = types.map(|(spelt, _)| spelt).filter(|spelt| kinds.contains(&Kind::of(spelt)));
        let spelt: Vec<String> = spelt.take(SPELLINGS).map(|spelt| State::encoded(spelt)).collect();
        if spelt.is_empty() {
            return Ok(Vec::new());
        }
        Self::newest(state, &format!("type={}", spelt.join(",")), most)
    }

    /// Where it is found in the log: time, sender and type.
    pub fn cite(&self) -> String {
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

    /// Its words on one line, cut where they are long; none where it has none.
    pub fn excerpt(&self) -> Option<String> {
        let words = line(self.words.as_deref()?);
        if words.chars().count() <= REPEATED {
            return Some(words).filter(|words| !words.is_empty());
        }
        Some(words.chars().take(REPEATED - 1).chain(['…']).collect())
    }

    /// It as data.
    pub fn row(&self) -> Value {
        json!({
            "time": self.time, "from": self.from, "to": self.to, "type": self.spelt, "story": self.story,
            "task": self.task, "said": self.excerpt(), "cite": self.cite(),
        })
    }
}

/// A member as the API counts it: text as it is, anything else as it is written.
fn word(record: &Value, name: &str) -> Option<String> {
    match record.get(name)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!((gate.kind, gate.verdict, gate.to), (Kind::Gate, Some(Verdict::Refused), None));
        let bare =
            Message::read(&json!({"type": 7, "message": null, "timestamp": 5, "duration_ms": -1}));
        assert_eq!(bare.cite(), "message 5 no sender 7");
        assert_eq!((bare.at, bare.excerpt(), bare.duration_ms), (None, None, None));
        let long = Message::read(&json!({"text": "é".repeat(1000)}));
        assert_eq!(long.excerpt().unwrap().chars().count(), REPEATED);
    }
}
