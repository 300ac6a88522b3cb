//! The owner of the state: one thread that looks at the files, and alone replaces the snapshot.
//!
//! It waits for a report, a request or the next sweep, whichever comes first, looks at all four files (a stat each
//! where nothing changed), and publishes once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::model::fault::Fault;
use crate::model::record::Kind;
use crate::project::{Project, Source};

use super::Clock;
use super::disk::Disk;
use super::follow::{Content, Follower, Urgency};
use super::history;
use super::lock_files::LockFiles;
use super::publish::Publisher;
use super::snapshot::{Bus, Registry, Snapshot, Stamp, Status};
use super::watch::{Report, Watch};
use super::writers::Writers;

/// Requests that wait for the owner. Reports take no room here: they are one mark and at most one message.
pub(super) const QUEUE: usize = 64;
/// The longest wait without a sweep.
const IDLE: Duration = Duration::from_mins(1);

/// What the owner is told.
#[derive(Debug)]
pub(super) enum Message {
    /// The system reported something; what, is in the mark.
    Wake,
    /// Somebody waits for what is on disk now.
    Sync(oneshot::Sender<u64>),
    /// The end.
    Stop,
}

/// The reports of the system that the owner has not seen: the weightiest of them, since it says all.
#[derive(Debug, Clone, Default)]
pub(super) struct Mark(Arc<AtomicU8>);

impl Mark {
    /// Adds a report, and wakes the owner unless it was told before.
    pub(super) fn add(&self, report: Report, owner: &SyncSender<Message>) {
        let before = self.0.fetch_max(report as u8 + 1, Ordering::AcqRel);
        if before == 0 {
            // Where there is no room, the owner is about to wake for what is there, and looks at the mark then.
            let _ = owner.try_send(Message::Wake);
        }
    }

    fn take(&self) -> Option<Report> {
        let weight = self.0.swap(0, Ordering::AcqRel);
        [Report::Files, Report::Folders].into_iter().find(|report| *report as u8 + 1 == weight)
    }
}

/// What the thread owns.
pub(super) struct Owner {
    pub(super) disk: Box<dyn Disk>,
    pub(super) clock: Box<dyn Clock>,
    pub(super) watch: Box<dyn Watch>,
    pub(super) followers: Vec<Follower>,
    pub(super) publisher: Publisher,
    pub(super) sweep: Option<Duration>,
    pub(super) mark: Mark,
    pub(super) waiting: Vec<oneshot::Sender<u64>>,
    pub(super) writers: Writers,
    pub(super) lock_files: LockFiles,
}

/// What a turn has to do.
struct Turn {
    report: Option<Report>,
    urgency: Urgency,
    sweeps: bool,
}

impl Owner {
    /// Follows every source of a project.
    pub(super) fn followers(project: &Project) -> Vec<Follower> {
        Source::ALL.iter().map(|source| Follower::new(project, *source)).collect()
    }

    /// Looks at everything once, before anybody reads.
    pub(super) fn begin(&mut self) {
        self.watch.arm(Report::Folders);
        self.turn(&Turn { report: None, urgency: Urgency::Sync, sweeps: false });
    }

    /// Runs until it is told to stop, or nobody is left who could tell it.
    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        let mut swept = self.clock.now().instant;
        loop {
            let now = self.clock.now().instant;
            let sweep = self.sweep.map(|every| swept + every);
            let next = self.followers.iter().filter_map(Follower::due).chain(sweep).min();
            let wait = next.map_or(IDLE, |next| next.saturating_duration_since(now).min(IDLE));
            let first = match messages.recv_timeout(wait) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let Some(mut turn) = self.gather(first, messages) else { return };
            let now = self.clock.now().instant;
            turn.sweeps = sweep.is_some_and(|due| due <= now);
            if turn.sweeps {
                swept = now;
            }
            if catch_unwind(AssertUnwindSafe(|| self.turn(&turn))).is_err() {
                tracing::error!("looking at the files went wrong; going on");
            }
        }
    }

    /// Takes all that waits into one turn; `None` is the end.
    fn gather(&mut self, first: Option<Message>, messages: &Receiver<Message>) -> Option<Turn> {
        let mut turn = Turn { report: None, urgency: Urgency::Hint, sweeps: false };
        for message in first.into_iter().chain(messages.try_iter().take(QUEUE)) {
            match message {
                Message::Wake => {}
                Message::Sync(reply) => {
                    turn.urgency = Urgency::Sync;
                    self.waiting.push(reply);
                }
                Message::Stop => return None,
            }
        }
        self.waiting.retain(|reply| !reply.is_closed());
        turn.report = self.mark.take();
        Some(turn)
    }

    fn turn(&mut self, turn: &Turn) {
        if turn.report == Some(Report::Folders) {
            self.watch.arm(Report::Folders);
        } else if turn.sweeps || turn.urgency == Urgency::Sync {
            self.watch.arm(Report::Files);
        }
        let before = Arc::clone(&self.publisher.current());
        let mut next = before.as_ref().clone();
        let mut changed = false;
        for at in 0..self.followers.len() {
            changed |= self.look(at, turn.urgency, &mut next);
        }
        next.watcher = self.watch.mode();
        let now = self.clock.now();
        changed |= self.lock_files.look(self.disk.as_ref(), now.instant, &mut next);
        if changed || next.watcher != before.watcher || next.generation == 0 {
            next.generation += 1;
            next.prepared = Arc::default();
            next.agents = Arc::default();
            next.memo = Arc::default();
            history::advance(&before, &mut next, now.wall);
            self.publisher.publish(next);
        } else {
            self.publisher.free_unread();
        }
        self.answer_waiting();
    }

    fn look(&mut self, at: usize, urgency: Urgency, next: &mut Snapshot) -> bool {
        let now = self.clock.now();
        let Some(follower) = self.followers.get_mut(at) else { return false };
        let mut changed = false;
        if let Some(content) = follower.look(self.disk.as_ref(), &mut self.writers, now, urgency) {
            let judged = take(next, follower.source(), content, follower.most_records());
            changed = !matches!(judged, Ok(Taken::Same));
            match judged {
                Ok(Taken::Gone) => {}
                Ok(Taken::Same) => follower.confirmed(),
                Ok(Taken::New) => {
                    follower.loaded(now, Ok(counts(next, follower.source())));
                }
                Err(fault) => follower.loaded(now, Err(fault)),
            }
            follower.took(now, self.clock.now().instant.saturating_duration_since(now.instant));
        }
        let health = &mut next.health[follower.source().index()];
        if health.as_ref() != follower.health() {
            *health = Arc::new(follower.health().clone());
            changed = true;
        }
        changed
    }

    /// Answers those who wait, unless a file is not still yet.
    fn answer_waiting(&mut self) {
        let now = self.clock.now();
        if self.followers.iter().any(|follower| follower.is_settling(now)) {
            return;
        }
        let generation = self.publisher.current().generation;
        for reply in self.waiting.drain(..) {
            // Who does not wait any more needs no answer.
            let _ = reply.send(generation);
        }
    }
}

/// What became of content.
enum Taken {
    /// It replaced what was there.
    New,
    /// It was there already.
    Same,
    /// What was there is gone.
    Gone,
}

/// Takes content into the next snapshot.
fn take(
    next: &mut Snapshot,
    source: Source,
    content: Content,
    most_records: usize,
) -> Result<Taken, Fault> {
    match content {
        Content::Gone => {
            match source {
                Source::Status => next.status = Arc::new(Status::missing()),
                Source::Sessions => next.sessions = Arc::new(Registry::missing(Kind::Session)),
                Source::Tasks => next.tasks = Arc::new(Registry::missing(Kind::Task)),
                Source::Bus => next.bus = Arc::default(),
            }
            Ok(Taken::Gone)
        }
        Content::Document(text, stamp) => {
            if next.stamp(source) == stamp {
                return Ok(Taken::Same);
            }
            take_document(next, source, &text, stamp, most_records).map(|()| Taken::New)
        }
        Content::Log(reading, modified) => {
            if next.bus.stamp == (Stamp { hash: reading.hash, modified: Some(modified) }) {
                return Ok(Taken::Same);
            }
            next.bus = Arc::new(Bus::new(reading, modified));
            Ok(Taken::New)
        }
    }
}

fn take_document(
    next: &mut Snapshot,
    source: Source,
    text: &Bytes,
    stamp: Stamp,
    most: usize,
) -> Result<(), Fault> {
    match source {
        Source::Status => next.status = Arc::new(Status::read(text, stamp, most)?),
        Source::Sessions => {
            next.sessions = Arc::new(Registry::read(Kind::Session, text, stamp, most)?);
        }
        Source::Tasks | Source::Bus => {
            next.tasks = Arc::new(Registry::read(Kind::Task, text, stamp, most)?);
        }
    }
    Ok(())
}

/// Records that are served, skipped and repaired.
fn counts(snapshot: &Snapshot, source: Source) -> [u64; 3] {
    let records = match source {
        Source::Status => snapshot.status.stories.len() + snapshot.status.declared,
        Source::Sessions => snapshot.sessions.records.len(),
        Source::Tasks => snapshot.tasks.records.len(),
        Source::Bus => snapshot.bus.log.len(),
    };
    let problems = snapshot.problems(source);
    [records as u64, problems.skipped, problems.repaired]
}
