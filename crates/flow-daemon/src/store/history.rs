//! What changed up to a snapshot: which part when, what became of which record, and since when a file is degraded.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::SystemTime;

use crate::project::Source;

use super::activity::{Activity, Collection};
use super::lock_files::EndedProcess;
use super::records::Records;
use super::snapshot::{Snapshot, State};

/// The history of a run of the server.
#[derive(Debug, Clone)]
pub struct History {
    /// Tells this run from every other one.
    pub instance: u64,
    /// When the files were loaded first.
    pub started: Option<SystemTime>,
    /// The generation in which each source's content changed last, in the order of [`Source::ALL`].
    pub content: [u64; 4],
    /// The generation in which the state of each file changed last, in the order of [`Source::ALL`].
    pub health: [u64; 4],
    /// The generation in which [`History::ended`] changed last.
    pub locks: u64,
    /// The generation in which [`History::activity`] changed last.
    pub noted: u64,
    /// Since when each source is degraded.
    pub degraded_since: [Option<SystemTime>; 4],
    /// What became of the records.
    pub activity: Arc<Activity>,
    /// The active sessions whose process has ended.
    pub ended: Arc<Vec<EndedProcess>>,
}

impl History {
    /// The history of a server that has seen nothing.
    pub fn new() -> Self {
        Self {
            // The keys of this hasher are random.
            instance: RandomState::new().hash_one(std::process::id()),
            started: None,
            content: [0; 4],
            health: [0; 4],
            locks: 0,
            noted: 0,
            degraded_since: [None; 4],
            activity: Arc::default(),
            ended: Arc::default(),
        }
    }
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

/// Notes in `next`, whose generation is its own already, what it changed.
pub fn advance(before: &Snapshot, next: &mut Snapshot, now: SystemTime) {
    let generation = next.generation;
    for source in Source::ALL {
        let at = source.index();
        if next.stamp(source) != before.stamp(source) {
            next.history.content[at] = generation;
        }
        if next.health[at] != before.health[at] {
            next.history.health[at] = generation;
        }
        let since = &mut next.history.degraded_since[at];
        *since = next.health[at].state.is_degraded().then(|| since.unwrap_or(now));
    }
    if next.history.ended != before.history.ended {
        next.history.locks = generation;
    }
    if next.history.started.is_none() {
        // What is there at the start has not changed.
        next.history.started = Some(now);
        return;
    }
    let mut activity = Arc::clone(&next.history.activity);
    for (source, collection) in FOLLOWED {
        let is_same = next.stamp(source) == before.stamp(source);
        if is_same || is_first_content(before, source) {
            continue;
        }
        let (old, new) = (records(before, collection), records(next, collection));
        let noted = Arc::make_mut(&mut activity).note(collection, old, new, now);
        if noted {
            next.history.noted = generation;
        }
    }
    next.history.activity = activity;
}

const FOLLOWED: [(Source, Collection); 4] = [
    (Source::Status, Collection::Epics),
    (Source::Status, Collection::Stories),
    (Source::Sessions, Collection::Sessions),
    (Source::Tasks, Collection::Tasks),
];

/// Whether no content of a file was ever loaded though there was one: what it holds now has not changed.
fn is_first_content(before: &Snapshot, source: Source) -> bool {
    let health = &before.health[source.index()];
    health.loaded_at.is_none() && health.state != State::Missing
}

/// The records of a collection.
pub fn records(snapshot: &Snapshot, collection: Collection) -> &Records {
    match collection {
        Collection::Stories => &snapshot.status.stories,
        Collection::Epics => &snapshot.status.epics,
        Collection::Tasks => &snapshot.tasks.records,
        Collection::Sessions => &snapshot.sessions.records,
    }
}
