//! What keeps the changes beyond this run of the server. The store only knows that there is such a thing.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use super::activity::{Change, Past};
use super::snapshot::Snapshot;

/// Keeps changes.
pub trait Keeper: Send + fmt::Debug {
    /// What is kept of earlier runs.
    fn recall(&mut self) -> Recalled;

    /// The changes of the past before the recorded ones, oldest first, if they were found or found anew since the last call.
    fn new_past(&mut self) -> Option<Past>;

    /// Takes the changes that were recorded since the last call, and the first snapshot that contains all of them. Never waits;
    /// what cannot be taken now stays in `changes` for the next call.
    fn keep(&mut self, snapshot: &Arc<Snapshot>, changes: &mut Vec<Arc<Change>>);
}

/// What is kept of earlier runs.
#[derive(Debug, Default)]
pub struct Recalled {
    /// Distinguishes these changes from those that others keep.
    pub id: u64,
    /// Number of all changes that were ever recorded.
    pub seen: u64,
    /// The newest changes, oldest first.
    pub changes: Vec<Arc<Change>>,
    /// The plan when the last of them was recorded, and when that was.
    pub plan: Option<(Snapshot, SystemTime)>,
}
