//! The changes that are known: the newest ones, in memory.
//!
//! The files contain no history. Recording a change copies at most `SEGMENT` pointers, whatever number is kept.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::model::change::How;
use crate::model::time;

use super::plan_change::PlanChange;
use super::plan_rows;

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
    /// The commit that made it, if it is one of the past.
    pub commit: Option<Arc<str>>,
    /// What changed.
    pub plan: PlanChange,
}

/// As it is listed: the field of a whole record is its status.
impl Serialize for Change {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { at, how, commit, plan } = self;
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("at", &time::format(*at))?;
        let field = plan.member.unwrap_or_else(|| plan.collection.status_field());
        plan.add_to(&mut members, Some(field))?;
        if let Some(parent) = &plan.parent {
            members.serialize_entry("parent", parent)?;
        }
        members.serialize_entry("summary", &plan_rows::summary(plan))?;
        members.serialize_entry("how", how.name())?;
        if let Some(commit) = commit {
            members.serialize_entry("commit", commit.as_ref())?;
        }
        members.end()
    }
}

/// What is known of the time before the recorded changes.
#[derive(Debug, Clone, Default)]
pub struct Past {
    /// The changes, oldest first.
    pub changes: Vec<Arc<Change>>,
    /// Whether they begin with an empty plan.
    pub is_whole: bool,
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
    /// Number of kept changes that are of the past before the recorded ones.
    past: usize,
    /// Whether those begin with an empty plan.
    is_whole: bool,
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

    /// Number of recorded changes that are no longer kept.
    pub fn forgotten(&self) -> u64 {
        self.seen.saturating_sub((self.kept() - self.past) as u64)
    }

    /// The position of the newest change. Recorded ones have those after [`KEPT`], and those of the past end there.
    pub fn last_position(&self) -> u64 {
        self.seen + KEPT as u64
    }

    /// Number of changes that are kept.
    pub fn kept(&self) -> usize {
        self.segments.iter().map(|segment| segment.changes.len()).sum()
    }

    /// The kept changes, newest first, each with its position.
    pub fn newest(&self) -> impl Iterator<Item = (u64, &Change)> {
        let changes = self.segments.iter().rev().flat_map(|segment| segment.changes.iter().rev());
        (0..=self.last_position()).rev().zip(changes.map(AsRef::as_ref))
    }

    /// Adds a change as the newest one. Returns its position.
    pub fn push(&mut self, change: Arc<Change>) -> u64 {
        let bytes = bytes_of(&change);
        let has_recorded = self.kept() > self.past;
        self.seen += 1;
        self.bytes += bytes;
        let last = self.segments.back_mut().filter(|_| has_recorded);
        match last.filter(|segment| segment.changes.len() < SEGMENT) {
            Some(segment) => {
                Arc::make_mut(&mut segment.changes).push(change);
                segment.bytes += bytes;
            }
            None => self.segments.push_back(Segment { changes: Arc::new(vec![change]), bytes }),
        }
        while self.segments.len() > 1 && (self.bytes > KEPT_BYTES || self.kept() > KEPT) {
            self.drop_oldest();
        }
        self.last_position()
    }

    /// Replaces the changes of the past before the recorded ones; oldest first. Of those that do not fit, the newest are kept.
    pub fn put_past(&mut self, past: &Past) {
        while self.past > 0 {
            self.drop_oldest();
        }
        self.is_whole = false;
        if self.forgotten() > 0 {
            // Nothing is known of the time in between.
            return;
        }
        for part in past.changes.rchunks(SEGMENT) {
            let bytes = part.iter().map(|change| bytes_of(change)).sum::<usize>();
            if self.kept() + part.len() > KEPT || self.bytes + bytes > KEPT_BYTES {
                break;
            }
            self.segments.push_front(Segment { changes: Arc::new(part.to_vec()), bytes });
            self.bytes += bytes;
            self.past += part.len();
        }
        self.is_whole = past.is_whole && self.past == past.changes.len();
    }

    /// The changes of the past, newest first, if they begin with an empty plan.
    pub fn whole_past(&self) -> Option<impl Iterator<Item = &Change>> {
        let recorded = self.kept() - self.past;
        self.is_whole.then(|| self.newest().skip(recorded).map(|(_, change)| change))
    }

    fn drop_oldest(&mut self) {
        let oldest = self.segments.pop_front().unwrap_or_default();
        self.is_whole = false;
        self.bytes -= oldest.bytes;
        self.past = self.past.saturating_sub(oldest.changes.len());
    }
}

/// The memory that a change takes, in bytes.
fn bytes_of(change: &Change) -> usize {
    change.plan.bytes() + size_of::<Change>() - size_of::<PlanChange>()
}
