//! Publishes snapshots: one publisher, which one thread owns, and any number of readers.
//!
//! The only file that uses `arc-swap`. A reader never waits, and never frees a replaced snapshot: the publisher keeps
//! each until nobody reads it.

use std::collections::VecDeque;
use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};
use tokio::sync::watch;

use super::snapshot::Snapshot;

/// Largest number of replaced snapshots that are kept for their readers; beyond that a reader may free one.
const REPLACED: usize = 64;

/// The right to publish.
#[derive(Debug)]
pub struct Publisher {
    current: Arc<ArcSwap<Snapshot>>,
    generation: watch::Sender<u64>,
    replaced: VecDeque<Arc<Snapshot>>,
}

/// Reads the newest snapshot. Cheap to clone, never waits.
#[derive(Debug, Clone)]
pub struct Reader {
    current: Arc<ArcSwap<Snapshot>>,
    generation: watch::Receiver<u64>,
}

/// A publisher, with its first snapshot.
pub fn publisher(first: Snapshot) -> Publisher {
    Publisher {
        generation: watch::Sender::new(first.generation),
        current: Arc::new(ArcSwap::from_pointee(first)),
        replaced: VecDeque::new(),
    }
}

impl Publisher {
    /// A reader of the published snapshots.
    pub fn reader(&self) -> Reader {
        Reader { current: Arc::clone(&self.current), generation: self.generation.subscribe() }
    }

    /// The newest snapshot.
    pub fn current(&self) -> Guard<Arc<Snapshot>> {
        self.current.load()
    }

    /// Replaces the newest snapshot.
    pub fn publish(&mut self, next: Snapshot) {
        let generation = next.generation;
        self.replaced.push_back(self.current.swap(Arc::new(next)));
        // Only after the swap: a reader that is notified of a generation must find it.
        self.generation.send_replace(generation);
        self.free_unread();
    }

    /// Frees the replaced snapshots that nobody reads any more.
    pub fn free_unread(&mut self) {
        self.replaced.retain(|snapshot| Arc::strong_count(snapshot) > 1);
        self.replaced.drain(..self.replaced.len().saturating_sub(REPLACED));
    }
}

impl Reader {
    /// The newest snapshot.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// A reader that stays at the newest snapshot: all that is read through it is of one moment.
    #[must_use]
    pub fn frozen(&self) -> Self {
        let current = Arc::new(ArcSwap::new(self.snapshot()));
        Self { current, generation: self.generation.clone() }
    }

    /// Resolves when a snapshot is published after the last one that this reader was notified of; at once if that has
    /// happened. `false` if the publisher was dropped.
    pub async fn published(&mut self) -> bool {
        self.generation.changed().await.is_ok()
    }
}
