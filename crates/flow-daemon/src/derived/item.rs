//! An item that needs attention: its kind, the reason, and the members of its kind.

use serde::{Serialize, Serializer};

use crate::routes::ATTENTION_KINDS;

/// Number of items of one kind that are listed; all are counted.
pub const LISTED: usize = 1_000;

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub enum Kind {
    TaskFailed,
    TaskBlocked,
    StoryBlocked,
    QuestionUnanswered,
    SessionSilent,
    SessionGone,
    PlanWeakened,
    PlanContradiction,
    Reopened,
    Overlap,
    SourceDegraded,
    DependencyCycle,
}

/// What identifies an item about a record.
pub(super) fn key(kind: Kind, source: &str, id: &str) -> String {
    format!("{}:{source}:{id}", kind.name())
}

impl Kind {
    /// All kinds, in the order of [`ATTENTION_KINDS`].
    pub const ALL: [Self; 12] = [
        Self::TaskFailed,
        Self::TaskBlocked,
        Self::StoryBlocked,
        Self::QuestionUnanswered,
        Self::SessionSilent,
        Self::SessionGone,
        Self::PlanWeakened,
        Self::PlanContradiction,
        Self::Reopened,
        Self::Overlap,
        Self::SourceDegraded,
        Self::DependencyCycle,
    ];
    /// Name in the API.
    pub fn name(self) -> &'static str {
        ATTENTION_KINDS[self as usize]
    }

    /// What every view calls its items, in at most two words.
    pub fn label(self) -> &'static str {
        match self {
            Self::TaskFailed => "failed",
            Self::TaskBlocked | Self::StoryBlocked => "blocked",
            Self::QuestionUnanswered => "asked",
            Self::SessionSilent => "silent",
            Self::SessionGone => "gone",
            Self::PlanWeakened => "weakened",
            Self::PlanContradiction => "contradiction",
            Self::Reopened => "reopened",
            Self::Overlap => "overlap",
            Self::SourceDegraded => "not read",
            Self::DependencyCycle => "cycle",
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Something that needs attention.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// What every view calls it: that of its kind, except where an open record is gone.
    pub label: &'static str,
    /// Identifies it, as long as it is listed.
    pub key: String,
    /// The id of the record; `None` for a message.
    pub id: Option<String>,
    /// The title of the record.
    pub title: Option<String>,
    /// Why it needs attention, for people.
    pub reason: String,
    /// Since when, RFC 3339 in UTC.
    pub since: Option<String>,
    /// The file that it follows from.
    pub source: &'static str,
    /// The agent concerned.
    pub agent: Option<String>,
    /// The members that depend on the kind.
    #[serde(flatten)]
    pub details: Details,
}

/// What was taken back from the plan, and where.
#[derive(Debug, Clone, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct PlanDetails {
    pub collection: &'static str,
    pub change: &'static str,
    pub field: &'static str,
    pub from: Option<String>,
    pub to: Option<String>,
    pub count: usize,
    pub ids: Vec<String>,
    pub file: Option<String>,
    pub line: Option<u64>,
    pub how: &'static str,
}

/// The members that only items of some kinds have.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub enum Details {
    OfStory {
        story_id: Option<String>,
    },
    Blocked {
        story_id: Option<String>,
        waits_for: Vec<String>,
        holds_up: Vec<String>,
    },
    BlockedStory {
        waits_for: Vec<String>,
        holds_up: Vec<String>,
    },
    Question {
        from: Option<String>,
        to: Option<String>,
        story_id: Option<String>,
    },
    Gone {
        story_id: Option<String>,
        pid: i32,
    },
    Plan(PlanDetails),
    Overlap {
        collection: &'static str,
        ids: Vec<String>,
        file: Option<String>,
        worktrees: Vec<String>,
    },
    Degraded {
        state: &'static str,
    },
    Cycle {
        collection: &'static str,
        ids: Vec<String>,
    },
}
