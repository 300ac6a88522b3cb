//! The changes that are known: the newest ones, in memory.
//!
//! The files contain no history. Recording a change copies at most `SEGMENT` pointers, whatever number is kept.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use crate::model::change::How;

use super::plan_change::PlanChange;

/// Number of changes that are kept; older ones are only counted.
pub const KEPT: usize = 100_000;
/// The memory that they may take, in bytes.
pub const KEPT_BYTES: usize = 16 << 20;
/// Changes per segment. All segments but the newest are shared with earlier snapshots.
const SEGMENT: usize = 256;

/// A change of one member, or the addition or removal of a record.
#[derive(Debug, Clone)]
pub struct Change {
    /// When it was observed.
    pub at: SystemTime,
    /// How.
    pub how: How,
    /// What changed.
    pub plan: PlanChange,
}

/// The known changes. Immutable.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// Oldest first; all but the last are full.
    segments: VecDeque<Segment>,
    /// The memory that all of them take, in bytes.
    bytes: usize,
    /// Number of changes recorded so far.
    seen: u64,
}

#[derive(Debug, Clone, Default)]
struct Segment {
    /// At most `SEGMENT`.
    changes: Arc<Vec<Arc<Change>>>,
    bytes: usize,
}

impl Activity {
    /// The changes of earlier runs, oldest first, of which `seen` is the number of the newest.
    pub fn of(changes: &[Arc<Change>], seen: u64) -> Self {
        let mut activity =
            Self { seen: seen.saturating_sub(changes.len() as u64), ..Self::default() };
        for change in changes {
            activity.push(Arc::clone(change));
        }
        activity
    }

    /// The number of the newest change.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Number of older changes that are no longer kept.
    pub fn forgotten(&self) -> u64 {
        self.seen.saturating_sub(self.kept() as u64)
    }

    fn kept(&self) -> usize {
        self.segments.iter().map(|segment| segment.changes.len()).sum()
    }

    /// The kept changes, newest first, each with its number, which begins at 1.
    pub fn newest(&self) -> impl Iterator<Item = (u64, &Change)> {
        let changes = self.segments.iter().rev().flat_map(|segment| segment.changes.iter().rev());
        (0..=self.seen).rev().zip(changes.map(AsRef::as_ref))
    }

    /// Adds a change as the newest one. Returns its number.
    pub fn push(&mut self, change: Arc<Change>) -> u64 {
        let bytes = change.plan.bytes() + size_of::<Change>() - size_of::<PlanChange>();
        self.seen += 1;
        self.bytes += bytes;
        match self.segments.back_mut().filter(|segment| segment.changes.len() < SEGMENT) {
            Some(segment) => {
                Arc::make_mut(&mut segment.changes).push(change);
                segment.bytes += bytes;
            }
            None => self.segments.push_back(Segment { changes: Arc::new(vec![change]), bytes }),
        }
        while self.segments.len() > 1 && (self.bytes > KEPT_BYTES || self.kept() > KEPT) {
            let oldest = self.segments.pop_front().unwrap_or_default();
            self.bytes -= oldest.bytes;
        }
        self.seen
    }
}
