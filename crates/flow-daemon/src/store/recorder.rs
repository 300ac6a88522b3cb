//! Records the changes of each new snapshot, and who made them. While git is at work they wait: whether it wrote a file is known
//! when its command has ended.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::model::change::How;

use super::activity::Change;
use super::changes;
use super::clock::Now;
use super::disk::Disk;
use super::git_moves::{GitMoves, Writer};
use super::plan_change::PlanChange;
use super::snapshot::Snapshot;

/// The longest wait for a command of git.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The time between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// Records changes.
#[derive(Debug)]
pub(super) struct Recorder {
    root: PathBuf,
    waiting: Option<Waiting>,
}

/// Changes that wait for the end of a command.
#[derive(Debug)]
struct Waiting {
    /// The last snapshot whose changes are recorded.
    base: Arc<Snapshot>,
    since: Instant,
}

impl Recorder {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), waiting: None }
    }

    /// Whether changes wait to be recorded.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// When to look again.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        self.waiting.as_ref().map(|_| now + LOOK)
    }

    /// Adds to the history of `next` what changed since the snapshot whose changes were recorded last.
    pub(super) fn record(
        &mut self,
        disk: &dyn Disk,
        before: &Arc<Snapshot>,
        next: &mut Snapshot,
        now: Now,
    ) {
        let waiting = self.waiting.take();
        let waiting =
            waiting.unwrap_or_else(|| Waiting { base: Arc::clone(before), since: now.instant });
        let is_late = now.instant.saturating_duration_since(waiting.since) >= LONGEST_WAIT;
        let plans = changes::since(&waiting.base, next);
        if plans.is_empty() {
            return;
        }
        let files: BTreeSet<&str> = plans.iter().filter_map(file).collect();
        let moves = GitMoves::of(disk, &self.root);
        let writers =
            moves.map_or_else(HashMap::new, |moves| moves.writers(disk, &files, now.wall, None));
        if !is_late && writers.values().any(|writer| *writer == Writer::NotYetKnown) {
            self.waiting = Some(waiting);
            return;
        }
        let how: Vec<How> = plans.iter().map(|plan| how(plan, &writers)).collect();
        let changes =
            plans.into_iter().zip(how).map(|(plan, how)| Change { at: now.wall, how, plan });
        changes::record(next, changes.collect());
    }
}

fn file(change: &PlanChange) -> Option<&str> {
    change.place.as_ref().map(|place| place.file.as_str())
}

fn how(change: &PlanChange, writers: &HashMap<&str, Writer>) -> How {
    match file(change).and_then(|file| writers.get(file)) {
        Some(Writer::Git) => How::Checkout,
        _ => How::Watched,
    }
}
