//! Records the changes of each new snapshot, and who made them. While git is at work they wait: whether it wrote a file is known
//! when its command has ended. What was recorded is handed to a keeper, and compared with the files at the next start.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use crate::model::change::How;
use crate::project::Source;

use super::activity::{self, Activity, Change, Past};
use super::alarms;
use super::changes;
use super::clock::Now;
use super::disk::Disk;
use super::git_moves::{GitMoves, Writer};
use super::history::History;
use super::keeper::{Keeper, Recalled};
use super::plan_change::PlanChange;
use super::snapshot::Snapshot;

/// The longest wait for a command of git.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// Most changes that wait for the keeper; it loses older ones.
const MOST_FRESH: usize = activity::KEPT;
/// The time between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// Records changes.
#[derive(Debug)]
pub(super) struct Recorder {
    root: PathBuf,
    waiting: Option<Waiting>,
    keeper: Option<Box<dyn Keeper>>,
    /// What the keeper has not taken yet.
    fresh: Vec<Arc<Change>>,
    /// The plan at the end of the last run, until the files have been read.
    last_run: LastRun,
    /// What could not be compared with it.
    delayed: Option<Delayed>,
}

/// Files that were read in the last run and could not be read at the start of this one. Until they can be, the keeper's plan stays
/// that of the last run, so that nothing is lost whenever the server ends.
#[derive(Debug)]
struct Delayed {
    base: Arc<Snapshot>,
    at: SystemTime,
    sources: Vec<Source>,
}

/// What is known of the last run.
#[derive(Debug)]
enum LastRun {
    /// The files are being read for the first time.
    Known(Option<(Arc<Snapshot>, SystemTime)>),
    /// It was compared with the files, or nobody keeps changes.
    Done,
}

/// Changes that wait for the end of a command.
#[derive(Debug)]
struct Waiting {
    /// The last snapshot whose changes are recorded.
    base: Arc<Snapshot>,
    since: Instant,
}

impl Recorder {
    pub(super) fn new(root: &Path, keeper: Option<Box<dyn Keeper>>) -> Self {
        let fresh = Vec::new();
        Self {
            root: root.to_owned(),
            waiting: None,
            keeper,
            fresh,
            last_run: LastRun::Done,
            delayed: None,
        }
    }

    /// Records nothing: its first snapshot is never compared with a last run, before which no change counts.
    pub(super) fn silent(root: &Path) -> Self {
        Self { last_run: LastRun::Known(None), ..Self::new(root, None) }
    }

    /// Fills the history of the first snapshot with what is kept of earlier runs.
    pub(super) fn recall(&mut self, history: &mut History, now: SystemTime) {
        let Some(keeper) = &mut self.keeper else { return };
        let Recalled { id, seen, changes, plan } = keeper.recall();
        history.journal = id;
        history.activity = Arc::new(Activity::of(&changes, seen));
        let is_new = |change: &&Arc<Change>| {
            now.duration_since(change.at).map_or(true, |age| age <= alarms::KEPT_FOR)
        };
        let recent: Vec<Arc<Change>> = changes.iter().filter(is_new).map(Arc::clone).collect();
        for write in recent.chunk_by(|one, other| one.at == other.at) {
            history.alarms.note(write);
        }
        self.last_run = LastRun::Known(plan.map(|(plan, at)| (Arc::new(plan), at)));
    }

    /// The changes of the past before the recorded ones, oldest first, if they are known anew.
    pub(super) fn new_past(&mut self) -> Option<Past> {
        self.keeper.as_mut()?.new_past()
    }

    /// Adds to the history of `next`, the first snapshot for which all files were read, what changed since the last run.
    pub(super) fn compare_with_last_run(&mut self, disk: &dyn Disk, next: &mut Snapshot, now: Now) {
        let LastRun::Known(plan) = std::mem::replace(&mut self.last_run, LastRun::Done) else {
            return;
        };
        let Some((base, at)) = plan else { return };
        let plans = changes::since(&base, next);
        let writers = self.writers(disk, &plans, now.wall, Some(at));
        self.add(next, plans, &writers, now.wall, How::WhileStopped);
        let unread = |history: &History, source: &Source| history.unread[source.index()];
        let is_delayed =
            |source: &Source| unread(&next.history, source) && !unread(&base.history, source);
        let sources: Vec<Source> =
            [Source::Status, Source::Tasks].into_iter().filter(is_delayed).collect();
        self.delayed = (!sources.is_empty()).then_some(Delayed { base, at, sources });
    }

    /// Adds to the history of `next` what changed since the last run in files that can be read at last.
    fn compare_delayed(&mut self, disk: &dyn Disk, next: &mut Snapshot, now: Now) {
        let is_read = |source: &Source| !next.history.unread[source.index()];
        if !self.delayed.as_ref().is_some_and(|delayed| delayed.sources.iter().all(is_read)) {
            return;
        }
        let Some(Delayed { base, at, sources }) = self.delayed.take() else { return };
        let plans = changes::of_sources(&base, next, &sources);
        let writers = self.writers(disk, &plans, now.wall, Some(at));
        self.add(next, plans, &writers, now.wall, How::WhileStopped);
    }

    /// Whether a first snapshot is still to be compared with the last run.
    pub(super) fn is_starting(&self) -> bool {
        matches!(self.last_run, LastRun::Known(_))
    }

    /// Hands what was recorded to the keeper, with the snapshot that was published.
    pub(super) fn hand_over(&mut self, snapshot: &Arc<Snapshot>) {
        if let Some(keeper) = self.keeper.as_mut().filter(|_| self.delayed.is_none()) {
            keeper.keep(snapshot, &mut self.fresh);
        }
    }

    /// Whether the keeper has not taken everything.
    pub(super) fn has_more(&self) -> bool {
        !self.fresh.is_empty() && self.delayed.is_none()
    }

    /// Whether changes wait to be recorded.
    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// When to look again.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        (self.waiting.is_some() || self.has_more()).then(|| now + LOOK)
    }

    /// Adds to the history of `next` what changed since the snapshot whose changes were recorded last.
    pub(super) fn record(
        &mut self,
        disk: &dyn Disk,
        before: &Arc<Snapshot>,
        next: &mut Snapshot,
        now: Now,
    ) {
        if self.is_starting() {
            return;
        }
        self.compare_delayed(disk, next, now);
        let waiting = self.waiting.take();
        let waiting =
            waiting.unwrap_or_else(|| Waiting { base: Arc::clone(before), since: now.instant });
        let is_late = now.instant.saturating_duration_since(waiting.since) >= LONGEST_WAIT;
        let plans = changes::since(&waiting.base, next);
        if plans.is_empty() {
            return;
        }
        let writers = self.writers(disk, &plans, now.wall, None);
        // git replaces a file by removing it first. One that is back is read soon.
        let is_back = |(file, writer): (&String, &Writer)| {
            let is_there = || disk.stat(&self.root.join(file)).is_ok();
            *writer == Writer::Git && !next.reads(file) && is_there()
        };
        let is_not_known = |(_, writer): (&String, &Writer)| *writer == Writer::NotYetKnown;
        if !is_late && writers.iter().any(|found| is_not_known(found) || is_back(found)) {
            self.waiting = Some(waiting);
            return;
        }
        self.add(next, plans, &writers, now.wall, How::Watched);
    }

    fn writers(
        &self,
        disk: &dyn Disk,
        plans: &[PlanChange],
        now: SystemTime,
        since: Option<SystemTime>,
    ) -> HashMap<String, Writer> {
        let files: BTreeSet<&str> = plans.iter().filter_map(file).collect();
        let Some(moves) = GitMoves::of(disk, &self.root) else { return HashMap::new() };
        let writers = moves.writers(disk, &files, now, since).into_iter();
        writers.map(|(file, writer)| (file.to_owned(), writer)).collect()
    }

    /// Adds changes to the history of `next`; those that git did not make came to be known in this way.
    fn add(
        &mut self,
        next: &mut Snapshot,
        plans: Vec<PlanChange>,
        writers: &HashMap<String, Writer>,
        at: SystemTime,
        otherwise: How,
    ) {
        let of_git =
            |plan: &PlanChange| file(plan).and_then(|file| writers.get(file)) == Some(&Writer::Git);
        let change = |plan: PlanChange| {
            let how = if of_git(&plan) { How::Checkout } else { otherwise };
            Change { at, how, commit: None, plan }
        };
        let recorded = changes::record(next, plans.into_iter().map(change).collect());
        if self.keeper.is_some() {
            self.fresh.extend(recorded);
            let too_many = self.fresh.len().saturating_sub(MOST_FRESH);
            self.fresh.drain(..too_many);
        }
    }
}

fn file(change: &PlanChange) -> Option<&str> {
    change.place.as_ref().map(|place| place.file.as_str())
}
