//! The history up to a snapshot: when each part changed last, the changes of records, and since when a file is
//! degraded.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::SystemTime;

use super::activity::Activity;
use super::alarms::Alarms;

/// A session whose process has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedProcess {
    /// The id of the session.
    pub session: Box<str>,
    /// The process that its lock file names.
    pub pid: i32,
}

/// The history of one run of the server.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Distinguishes this run from every other.
    pub instance: u64,
    /// Distinguishes the changes that are kept from those of other projects and of an earlier journal.
    pub journal: u64,
    /// When the files were first loaded.
    pub started: Option<SystemTime>,
    /// The generation of the last change of each source's content, in the order of [`crate::project::Source::ALL`].
    pub content: [u64; 4],
    /// The generation of the last change of each file's state, in the order of [`crate::project::Source::ALL`].
    pub health: [u64; 4],
    /// The generation of the last change of the formats' state.
    pub plans: u64,
    /// The generation of the last change of [`History::ended`].
    pub locks: u64,
    /// The generation of the last change of what the other worktrees have.
    pub worktrees: u64,
    /// The generation of the last change of [`History::activity`].
    pub noted: u64,
    /// Since when each source is degraded.
    pub degraded_since: [Option<SystemTime>; 4],
    /// How often each source became degraded, or degraded for another reason.
    pub reload_errors: [u64; 4],
    /// The known changes of records.
    pub activity: Arc<Activity>,
    /// What was taken back and not restored.
    pub alarms: Alarms,
    /// The files that were there at the start and of which no content has been loaded yet.
    pub unread: [bool; 4],
    /// The active sessions whose process has ended.
    pub ended: Arc<Vec<EndedProcess>>,
}

impl History {
    /// The history of a server that has loaded nothing yet.
    pub fn new() -> Self {
        // The keys of this hasher are random.
        let instance = RandomState::new().hash_one(std::process::id());
        Self { instance, journal: instance, ..Self::default() }
    }
}
