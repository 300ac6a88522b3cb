//! The owner of the state: the thread that polls the files and is the only one to replace the snapshot.
//!
//! It waits for an event, a request or the next sweep, whichever comes first, probes all four files (one stat for each
//! that did not change), and publishes once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use crate::model::fault::Fault;
use crate::model::record::Kind;
use crate::project::{FormatChoice, Limits, Project, Source};

use super::across::Across;
use super::changes;
use super::clock::Clock;
use super::disk::Disk;
use super::joined::{Joined, Taken};
use super::joined_text::JoinedText;
use super::lock_files::LockFiles;
use super::names::MOST_NAMES;
use super::options::Environment;
use super::plan_choice;
use super::plan_documents::PlanDocuments;
use super::plan_files::{Look, PlanFiles};
use super::plans::Plans;
use super::poller::SourcePoller;
use super::probe::{Content, Counts, Probe, Urgency};
use super::publish::{self, Publisher};
use super::recorder::Recorder;
use super::restricted_disk::RestrictedDisk;
use super::snapshot::{Bus, Registry, Snapshot, Stamp, State, Watching};
use super::watch::{Report, Silent, Watch};
use super::worktrees::Worktrees;
use super::writers::Writers;

/// Largest number of queued requests. Events are not queued: they set a mark and send at most one message.
pub(super) const QUEUE: usize = 64;
/// How long the first load waits for files that are being written, and the time between two looks.
const LONGEST_SETTLING: Duration = Duration::from_millis(1200);
const SETTLING: Duration = Duration::from_millis(25);
/// The longest wait if there is no sweep.
const IDLE: Duration = Duration::from_mins(1);

/// A message to the owner.
#[derive(Debug)]
pub(super) enum Message {
    /// The system reported an event; the mark says which.
    Wake,
    /// A caller waits for what is on disk now.
    Sync(oneshot::Sender<u64>),
    /// What the repository's other worktrees have.
    Worktrees(Arc<Worktrees>),
    /// Stop the thread.
    Stop,
}

/// The most important event that the owner has not handled. It includes the less important ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Mark(Arc<AtomicU8>);

impl Mark {
    /// Adds an event, and wakes the owner unless an event is pending already.
    pub(super) fn add(&self, report: Report, owner: &SyncSender<Message>) {
        let before = self.0.fetch_max(report as u8 + 1, Ordering::AcqRel);
        if before == 0 {
            // If the queue is full, the owner will wake for its messages and read the mark then.
            let _ = owner.try_send(Message::Wake);
        }
    }

    fn take(&self) -> Option<Report> {
        let weight = self.0.swap(0, Ordering::AcqRel);
        [Report::Files, Report::Folders].into_iter().find(|report| *report as u8 + 1 == weight)
    }
}

/// The data that the thread owns.
pub(super) struct Owner {
    disk: Box<dyn Disk>,
    clock: Box<dyn Clock>,
    pub(super) watch: Box<dyn Watch>,
    pollers: Vec<SourcePoller>,
    pub(super) publisher: Publisher,
    pub(super) sweep: Option<Duration>,
    pub(super) mark: Mark,
    waiting: Vec<oneshot::Sender<u64>>,
    /// What the other worktrees have, as it is to be published next.
    worktrees: Option<Arc<Worktrees>>,
    pub(super) writers: Writers,
    lock_files: LockFiles,
    recorder: Recorder,
    joined: Joined,
    choice: FormatChoice,
    /// The files of the formats that are read; decided by [`Owner::begin`].
    plan_files: PlanFiles,
    /// The formats that are in the project and are not read, and those that are read only because the four files are missing.
    beside: Vec<&'static str>,
    alone: Vec<&'static str>,
    limits: Limits,
}

/// The work of one iteration.
struct Turn {
    report: Option<Report>,
    urgency: Urgency,
    sweeps: bool,
}

impl Owner {
    /// Reads the files of a project when it is asked to, without following them. `names` is [`Options::names`].
    ///
    /// [`Options::names`]: super::Options::names
    pub(super) fn new(project: &Project, environment: Environment, names: usize) -> Self {
        let poller = |source: &Source| SourcePoller::new(project, *source, names);
        let restricted = || Box::new(RestrictedDisk::new(project.state_root())) as Box<dyn Disk>;
        Self {
            disk: environment.disk.unwrap_or_else(restricted),
            clock: environment.clock,
            watch: Box::new(Silent),
            pollers: Source::ALL.iter().map(poller).collect(),
            publisher: publish::publisher(Snapshot::empty()),
            sweep: None,
            mark: Mark::default(),
            waiting: Vec::new(),
            worktrees: None,
            writers: Writers::default(),
            lock_files: LockFiles::new(project),
            recorder: Recorder::new(project.state_root(), environment.keeper),
            joined: Joined::default(),
            choice: project.formats().clone(),
            plan_files: PlanFiles::new(project.state_root(), &[], project.limits()),
            beside: Vec::new(),
            alone: Vec::new(),
            limits: project.limits(),
        }
    }

    /// Reads the files of another copy of the plan when it is asked to. Their changes are not recorded.
    pub(super) fn of_copy(project: &Project, disk: Box<dyn Disk>) -> Self {
        let environment = Environment { disk: Some(disk), ..Environment::default() };
        let recorder = Recorder::silent(project.state_root());
        Self { recorder, ..Self::new(project, environment, MOST_NAMES) }
    }

    /// Looks at the stat of every file, and reads those that have changed.
    pub(super) fn look(&mut self) {
        self.turn(&Turn { report: Some(Report::Files), urgency: Urgency::Hint, sweeps: false });
    }

    /// When a file that is not settled must be looked at again.
    pub(super) fn due(&self) -> Option<Instant> {
        let due = self.pollers.iter().filter_map(SourcePoller::due);
        due.chain(self.plan_files.due()).min()
    }

    /// Loads all files once, before the first request.
    pub(super) fn begin(&mut self) {
        let chosen = plan_choice::choose(self.disk.as_ref(), self.plan_files.root(), &self.choice);
        self.plan_files = PlanFiles::new(self.plan_files.root(), &chosen.read, self.limits);
        (self.beside, self.alone) = (chosen.beside, chosen.alone);
        let mut first = self.publisher.current().as_ref().clone();
        self.recorder.recall(&mut first.history, self.clock.now().wall);
        self.publisher.publish(first);
        self.watch.arm(Report::Folders);
        self.turn(&Turn { report: None, urgency: Urgency::Sync, sweeps: false });
    }

    /// Records what changed since the last run.
    fn compare_with_last_run(&mut self) {
        if !self.recorder.is_starting() {
            return;
        }
        let now = self.clock.now();
        let mut next = next_of(&self.publisher.current());
        self.recorder.compare_with_last_run(self.disk.as_ref(), &mut next, now);
        if next.history.noted == next.generation {
            self.publisher.publish(next);
        }
        self.recorder.hand_over(&self.publisher.current());
    }

    /// Waits until each file that cannot be read either can be, or counts as invalid: whoever opened the store then knows
    /// which it is.
    pub(super) fn settle(&mut self) {
        let deadline = Instant::now() + LONGEST_SETTLING;
        let is_changing = |poller: &SourcePoller| poller.health().state == State::Changing;
        while (self.pollers.iter().any(is_changing) || self.plan_files.is_settling())
            && Instant::now() < deadline
        {
            std::thread::sleep(SETTLING);
            self.turn(&Turn { report: None, urgency: Urgency::Hint, sweeps: false });
        }
        self.compare_with_last_run();
    }

    /// Runs until it is stopped or all senders are dropped.
    pub(super) fn run(mut self, messages: &Receiver<Message>) {
        let mut swept = self.clock.now().instant;
        loop {
            let now = self.clock.now().instant;
            let sweep = self.sweep.map(|every| swept + every);
            let recording = self.recorder.due(now);
            let next = self.due().into_iter().chain(recording).chain(sweep).min();
            let wait = next.map_or(IDLE, |next| next.saturating_duration_since(now).min(IDLE));
            let first = match messages.recv_timeout(wait) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let Some(mut turn) = self.collect_messages(first, messages) else { return };
            let now = self.clock.now().instant;
            turn.sweeps = sweep.is_some_and(|due| due <= now);
            if turn.sweeps {
                swept = now;
            }
            if catch_unwind(AssertUnwindSafe(|| self.turn(&turn))).is_err() {
                tracing::error!(
                    "reading the files failed unexpectedly; trying again at the next change"
                );
            }
        }
    }

    /// Collects all queued messages for one iteration; `None` stops the thread.
    fn collect_messages(
        &mut self,
        first: Option<Message>,
        messages: &Receiver<Message>,
    ) -> Option<Turn> {
        let mut turn = Turn { report: None, urgency: Urgency::Hint, sweeps: false };
        for message in first.into_iter().chain(messages.try_iter().take(QUEUE)) {
            match message {
                Message::Wake => {}
                Message::Sync(reply) => {
                    turn.urgency = Urgency::Sync;
                    self.waiting.push(reply);
                }
                Message::Worktrees(found) => self.worktrees = Some(found),
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
        for at in 0..self.pollers.len() {
            changed |= self.probe(at, turn.urgency, &mut next);
        }
        changed |= self.probe_plans(turn, &mut next);
        let is_same = Arc::ptr_eq(&before.status, &next.status)
            && Arc::ptr_eq(&before.tasks, &next.tasks)
            && Arc::ptr_eq(&before.sessions, &next.sessions);
        if !is_same {
            let [tasks, sessions] = [&next.tasks, &next.sessions].map(|registry| &registry.records);
            next.across = Arc::new(Across::of(&next.status.stories, tasks, sessions));
        }
        next.watcher = self.watch.mode();
        next.restriction = self.disk.restriction();
        let now = self.clock.now();
        changed |= self.lock_files.check(self.disk.as_ref(), now.instant, &mut next);
        changed |= next.watcher != before.watcher || next.restriction != before.restriction;
        let worktrees = self.worktrees.take();
        let past = self.recorder.new_past();
        let is_new = changed || worktrees.is_some() || past.is_some() || next.generation == 0;
        if is_new || self.recorder.is_waiting() {
            next = next_of(&next);
            if let Some(worktrees) = worktrees {
                (next.worktrees, next.history.worktrees) = (worktrees, next.generation);
            }
            changes::note(&before, &mut next, now.wall);
            self.recorder.record(self.disk.as_ref(), &before, &mut next, now);
            if let Some(past) = past {
                changes::put_past(&mut next, &past);
            }
        }
        let has_noted =
            next.history.noted == next.generation && next.generation > before.generation;
        if is_new || has_noted {
            self.publisher.publish(next);
        } else {
            self.publisher.free_unread();
        }
        if has_noted || self.recorder.has_more() {
            self.recorder.hand_over(&self.publisher.current());
        }
        self.answer_waiting();
    }

    fn probe(&mut self, at: usize, urgency: Urgency, next: &mut Snapshot) -> bool {
        let now = self.clock.now();
        let Some(poller) = self.pollers.get_mut(at) else { return false };
        let mut changed = false;
        let probe = poller.probe(self.disk.as_ref(), &mut self.writers, now, urgency);
        if let Some(Probe { content, unjudged }) = probe {
            let source = poller.source();
            let taken = take(&mut self.joined, next, source, content, poller.max_records());
            changed = !matches!(taken, Ok(Taken::Same));
            let finished = self.clock.now().instant;
            match taken {
                Ok(Taken::Same) => poller.accept(unjudged, None, finished),
                Ok(Taken::New) => poller.accept(unjudged, Some(counts(next, source)), finished),
                Err(fault) => poller.reject(unjudged, &fault, finished),
            }
        }
        let health = &mut next.health[poller.source().index()];
        if health.as_ref() != poller.health() {
            *health = Arc::new(poller.health().clone());
            changed = true;
        }
        changed
    }

    /// Looks at the files of the formats. Returns whether the snapshot has changed.
    fn probe_plans(&mut self, turn: &Turn, next: &mut Snapshot) -> bool {
        if self.plan_files.formats().is_empty() {
            if next.generation == 0 && !self.beside.is_empty() {
                next.plans = Arc::new(Plans::only_beside(self.beside.clone()));
            }
            return false;
        }
        let all = turn.report.is_some() || turn.urgency == Urgency::Sync;
        let look = match self.watch.mode() {
            _ if all => Look::Files,
            Watching::Native => Look::Unsettled,
            Watching::Poll => Look::Folders,
        };
        let now = self.clock.now();
        let is_changed = self.plan_files.probe(self.disk.as_ref(), now, look);
        if self.plan_files.take_searched() {
            self.watch.follow(self.plan_files.folders().collect());
        }
        if !is_changed {
            return false;
        }
        let has_other_sources = self.choice.has_files;
        let (mut plans, documents) =
            PlanDocuments::read(&self.plan_files, has_other_sources, now.wall);
        plans.beside.clone_from(&self.beside);
        plans.alone.clone_from(&self.alone);
        let most = usize::try_from(self.limits.records).unwrap_or(usize::MAX);
        self.joined.take_plans(plans, documents, most, next);
        true
    }

    /// Answers waiting callers, unless a file is still changing.
    fn answer_waiting(&mut self) {
        let now = self.clock.now();
        if self.pollers.iter().any(|poller| poller.is_settling(now))
            || self.plan_files.is_settling()
        {
            return;
        }
        let generation = self.publisher.current().generation;
        for reply in self.waiting.drain(..) {
            // Fails if the caller has gone.
            let _ = reply.send(generation);
        }
    }
}

/// The snapshot that follows another one, without what is computed from it.
fn next_of(snapshot: &Snapshot) -> Snapshot {
    Snapshot {
        generation: snapshot.generation + 1,
        prepared: Arc::default(),
        agents: Arc::default(),
        memo: Arc::default(),
        ..snapshot.clone()
    }
}

/// Takes content into the next snapshot.
fn take(
    joined: &mut Joined,
    next: &mut Snapshot,
    source: Source,
    content: Content,
    most_records: usize,
) -> Result<Taken, Fault> {
    match (source, content) {
        (Source::Status | Source::Tasks, Content::Gone) => {
            joined.take_file(source, None, most_records, next)
        }
        (Source::Status | Source::Tasks, Content::Document(text, stamp)) => {
            joined.take_file(source, Some((text, stamp)), most_records, next)
        }
        (_, Content::Gone) => {
            match source {
                Source::Bus => next.bus = Arc::default(),
                _ => next.sessions = Arc::new(Registry::missing(Kind::Session)),
            }
            Ok(Taken::New)
        }
        (_, Content::Document(text, stamp)) => {
            if next.sessions.stamp == stamp {
                return Ok(Taken::Same);
            }
            let text = JoinedText::of_file(&text);
            let read = Registry::read(Kind::Session, &text, stamp, most_records)?;
            next.sessions = Arc::new(read);
            Ok(Taken::New)
        }
        (_, Content::Log(reading, modified)) => {
            if next.bus.stamp == (Stamp { hash: reading.hash, modified: Some(modified) }) {
                return Ok(Taken::Same);
            }
            next.bus = Arc::new(Bus::new(reading, modified));
            Ok(Taken::New)
        }
    }
}

fn counts(snapshot: &Snapshot, source: Source) -> Counts {
    let records = match source {
        Source::Status => snapshot.status.stories.len() + snapshot.status.declared,
        Source::Sessions => snapshot.sessions.records.len(),
        Source::Tasks => snapshot.tasks.records.len(),
        Source::Bus => snapshot.bus.log.len(),
    };
    let problems = snapshot.problems(source);
    Counts { records: records as u64, skipped: problems.skipped, repaired: problems.repaired }
}
