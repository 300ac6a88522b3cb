//! An item of attention: what it is, and what it says.

use serde::Serialize;

use crate::routes::ATTENTION_KINDS;

/// Items of one kind that are listed; all are counted.
pub const LISTED: usize = 1_000;

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub enum Kind {
    TaskFailed,
    TaskBlocked,
    StoryBlocked,
    QuestionUnanswered,
    SessionSilent,
    SessionGone,
    RecordVanished,
    SourceDegraded,
    DependencyCycle,
}

impl Kind {
    /// All, in the order of [`ATTENTION_KINDS`].
    pub const ALL: [Self; 9] = [
        Self::TaskFailed,
        Self::TaskBlocked,
        Self::StoryBlocked,
        Self::QuestionUnanswered,
        Self::SessionSilent,
        Self::SessionGone,
        Self::RecordVanished,
        Self::SourceDegraded,
        Self::DependencyCycle,
    ];
    /// As the API has it.
    pub fn name(self) -> &'static str {
        ATTENTION_KINDS[self as usize]
    }
}

/// Something that needs somebody.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// The record in its source; none for a message.
    pub id: Option<String>,
    /// What people call it.
    pub title: Option<String>,
    /// Why it needs somebody, for people.
    pub reason: String,
    /// Since when, RFC 3339 in UTC.
    pub since: Option<String>,
    /// The file that says so.
    pub source: &'static str,
    /// Who it concerns.
    pub agent: Option<String>,
    /// The members of its kind.
    #[serde(flatten)]
    pub details: Details,
}

/// The members that only items of some kinds have.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub enum Details {
    OfStory { story_id: Option<String> },
    Blocked { story_id: Option<String>, waits_for: Vec<String>, holds_up: Vec<String> },
    BlockedStory { waits_for: Vec<String>, holds_up: Vec<String> },
    Question { from: Option<String>, to: Option<String>, story_id: Option<String> },
    Gone { story_id: Option<String>, pid: i32 },
    Vanished { collection: &'static str },
    Degraded { state: &'static str },
    Cycle { collection: &'static str, ids: Vec<String> },
}
