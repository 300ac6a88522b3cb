//! Which fields of a record lists know without having seen one: those to sort by or to reduce records to, and those in
//! which words are searched for.

use super::record::Kind;

const STORY: &[&str] = &[
    "id",
    "title",
    "name",
    "description",
    "status",
    "epic_id",
    "owner",
    "priority",
    "estimate",
    "created_at",
    "updated_at",
    "completed_at",
    "depends_on",
    "ready",
    "waits_for",
];
const EPIC: &[&str] = &[
    "id",
    "title",
    "name",
    "description",
    "status",
    "owner",
    "goal",
    "created_at",
    "updated_at",
    "declared",
    "progress",
];
const SESSION: &[&str] = &[
    "id",
    "nickname",
    "name",
    "status",
    "path",
    "branch",
    "story_id",
    "started_at",
    "last_active",
    "created_at",
    "updated_at",
    "ended_at",
    "active",
];
const TASK: &[&str] = &[
    "id",
    "title",
    "name",
    "description",
    "state",
    "story_id",
    "subagent_type",
    "created_at",
    "updated_at",
    "started_at",
    "completed_at",
    "failed_at",
    "result",
    "error",
    "ready",
    "waits_for",
];
const MESSAGE: &[&str] =
    &["id", "timestamp", "from", "to", "type", "story_id", "message", "text", "title"];

impl Kind {
    /// The fields that a record of it can always be sorted by and reduced to; others only where a record has them.
    pub const fn documented(self) -> &'static [&'static str] {
        match self {
            Self::Story => STORY,
            Self::Epic => EPIC,
            Self::Session => SESSION,
            Self::Task => TASK,
            Self::Message => MESSAGE,
        }
    }

    /// The fields in which words are searched for.
    pub const fn searched(self) -> &'static [&'static str] {
        match self {
            Self::Story | Self::Epic | Self::Task => {
                &["id", "title", "name", "description", "text"]
            }
            Self::Session => &["id", "nickname", "title", "name", "description", "text"],
            Self::Message => &["id", "title", "message", "text", "description"],
        }
    }
}
