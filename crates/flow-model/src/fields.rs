//! The fields that lists accept whether or not any record has them: to sort by, to select, and to search for words in.

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
    /// The fields by which records of it can always be sorted and selected; others only if a record has them.
    pub const fn documented(self) -> &'static [&'static str] {
        match self {
            Self::Story => STORY,
            Self::Epic => EPIC,
            Self::Session => SESSION,
            Self::Task => TASK,
            Self::Message => MESSAGE,
        }
    }

    /// The fields in which words are searched.
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
