//! What changed up to a snapshot: which part when, what became of which record, and since when a file is degraded.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::SystemTime;

use super::activity::Activity;

/// A session whose process has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedProcess {
    /// The id of the session.
    pub session: Box<str>,
    /// The process that its lock file names.
    pub pid: i32,
}

/// The history of a run of the server.
#[derive(Debug, Clone)]
pub struct History {
    /// Tells this run from every other one.
    pub instance: u64,
    /// When the files were loaded first.
    pub started: Option<SystemTime>,
    /// The generation in which each source's content changed last, in the order of [`crate::project::Source::ALL`].
    pub content: [u64; 4],
    /// The generation in which the state of each file changed last, in the order of [`crate::project::Source::ALL`].
    pub health: [u64; 4],
    /// The generation in which [`History::ended`] changed last.
    pub locks: u64,
    /// The generation in which [`History::activity`] changed last.
    pub noted: u64,
    /// Since when each source is degraded.
    pub degraded_since: [Option<SystemTime>; 4],
    /// How often each source became degraded, or degraded in another way.
    pub reload_errors: [u64; 4],
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
            reload_errors: [0; 4],
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
