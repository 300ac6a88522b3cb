//! The active sessions: their agent, and their last activity.

use crate::model::record::Record;
use crate::model::time::{self, Edge};
use crate::store::Snapshot;

use super::conversation::Conversation;

/// Members that may contain the time of the last update or of the creation.
const SEEN_AT: [&str; 14] = [
    "last_active",
    "lastActive",
    "last_seen",
    "lastSeen",
    "updated_at",
    "updatedAt",
    "updated",
    "started_at",
    "startedAt",
    "started",
    "created_at",
    "createdAt",
    "created",
    "timestamp",
];
/// Members that may name the story that a session works on.
const STORY: [&str; 3] = ["story_id", "story", "storyId"];

/// A session that the registry lists as active.
#[derive(Debug)]
pub struct ActiveSession {
    /// Its id.
    pub id: String,
    /// The agent that works in it: its `agent`, `nickname`, `name` or id.
    pub agent: String,
    /// Its title.
    pub title: Option<String>,
    /// The story that it works on.
    pub story: Option<String>,
    /// Its last activity, in nanoseconds since 1970.
    pub seen_at: Option<i64>,
}

impl ActiveSession {
    /// All active sessions, in the order of the file.
    pub fn all(snapshot: &Snapshot) -> Vec<Self> {
        let sessions = &snapshot.sessions.records;
        let active = sessions.terms("active").and_then(|terms| terms.get("true"));
        let conversation = Conversation::of(snapshot);
        let read = |position: u32| {
            let id = sessions.id(position)?.to_owned();
            let record = sessions.record(position as usize)?;
            let (title, said) = (record.title(), |name: &str| conversation.last.get(name)?.at);
            let last_said =
                [Some(id.as_str()), title.as_deref()].into_iter().flatten().filter_map(said);
            Some(Self {
                seen_at: seen_at(&record).into_iter().chain(last_said).max(),
                agent: record
                    .text(&["agent"])
                    .or_else(|| title.clone())
                    .unwrap_or_else(|| id.clone()),
                title,
                story: record.text(&STORY),
                id,
            })
        };
        let positions = active.map_or_else(Vec::new, |active| sessions.positions(Some(active)));
        positions.into_iter().filter_map(read).collect()
    }
}

fn seen_at(record: &Record<'_>) -> Option<i64> {
    let time = |name: &&str| time::parse(&record.text(&[*name])?, Edge::Start);
    SEEN_AT.iter().filter_map(time).max()
}
