//! The active sessions: their agent, and their last activity.

use crate::model::record::{Kind, Record};
use crate::store::Snapshot;

use super::conversation::Conversation;

/// The members whose times are activity of the session; the newest counts.
const SEEN_AT: [&str; 4] = ["last_active", "updated_at", "started_at", "created_at"];

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
                story: record.text(Kind::Session.spellings("story_id")),
                id,
            })
        };
        let positions = active.map_or_else(Vec::new, |active| sessions.positions(Some(active)));
        positions.into_iter().filter_map(read).collect()
    }
}

fn seen_at(record: &Record<'_>) -> Option<i64> {
    let spellings = SEEN_AT.iter().flat_map(|name| Kind::Session.spellings(name));
    spellings.filter_map(|name| record.first_time(&[name])).max()
}
