//! Polls one file: decides when it must be read, reads it, and evaluates the result.
//!
//! The rules, in the order in which they apply:
//! - no file: the collection is empty, and the last good content is dropped;
//! - a stat as before means no reading, unless the file was written within 20 ms of the last one (a clock tick may
//!   hide a second write) or is in a transient state ([`super::debounce::Phase`]);
//! - a log that shrank is read once its size has stayed the same;
//! - bad content leaves the last good content: `changing` while it may be half of what is being written
//!   ([`super::debounce`]), then degraded; what cannot be read is degraded at once.

use std::io;
use std::mem;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::xxh3_64;

use crate::model::fault::Fault;
use crate::project::{Limits, Project, Source};

use super::clock::Now;
use super::debounce::{Before, FileError, PATIENCE, Phase, RACY, Truncation, is_racy};
use super::disk::{Disk, Stat};
use super::kept::Kept;
use super::locate::{self, Located};
use super::overwrite::{Overwrite, Read, Verdict};
use super::pace::Pace;
use super::probe::{Content, Counts, Probe, Unjudged, Urgency};
use super::reading::{self, ReadError};
use super::source_state::{Health, Stamp, State};
use super::tail::{Extent, Tail};
use super::writers::{Writers, Writing};

/// How soon a file in a transient state is probed again.
const RETRY: Duration = Duration::from_millis(25);

/// Polls one source.
#[derive(Debug)]
pub struct SourcePoller {
    source: Source,
    root: PathBuf,
    candidates: Vec<PathBuf>,
    limits: Limits,
    tail: Tail,
    /// The file that was last read, or found to be unreadable.
    seen: Option<Located>,
    /// The path of the last reading with links followed; `None` if it leads out of the project.
    real: Option<PathBuf>,
    /// The document of the last reading.
    kept: Option<Kept>,
    /// Size of the log at the last reading, in bytes.
    read_size: u64,
    phase: Phase,
    overwrite: Overwrite,
    pace: Pace,
    /// Why the content that is served is not that on disk.
    error: Option<FileError>,
    health: Health,
}

impl SourcePoller {
    /// Polls a source of a project; of a log, this many values of a field get a set of positions.
    pub fn new(project: &Project, source: Source, names: usize) -> Self {
        let candidates = project.files(source).to_vec();
        let path = first(&candidates);
        Self {
            source,
            root: project.state_root().to_path_buf(),
            candidates,
            limits: project.limits(),
            tail: Tail::new(project.limits(), names),
            seen: None,
            real: None,
            kept: None,
            read_size: 0,
            phase: Phase::default(),
            overwrite: Overwrite::default(),
            pace: Pace::default(),
            error: None,
            health: Health { path, ..Health::default() },
        }
    }

    /// The health of its source.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Whether it waits for the file to stop changing.
    pub fn is_settling(&self, now: Now) -> bool {
        let patient = |since| now.instant.saturating_duration_since(since) < PATIENCE;
        self.phase.is_truncated()
            || self.phase.torn_since().is_some_and(patient)
            || self.overwrite.since().is_some_and(patient)
    }

    /// Its source.
    pub fn source(&self) -> Source {
        self.source
    }

    /// When it must be probed again, even without an event.
    pub fn due(&self) -> Option<Instant> {
        // A log that shrank has its own time to be checked, and is not evaluated before.
        let is_open = self.health.state == State::Changing && !self.phase.is_truncated();
        let counts = self.error.as_ref().filter(|_| is_open).map(FileError::counts_from);
        self.pace.due([self.phase.recheck_at(), counts].into_iter().flatten().min())
    }

    /// Largest number of records in a document.
    pub fn max_records(&self) -> usize {
        usize::try_from(self.limits.records).unwrap_or(usize::MAX)
    }

    /// Records that content is served, with its counts if it replaced the earlier content.
    pub fn accept(
        &mut self,
        Unjudged { started, read }: Unjudged,
        replaced: Option<Counts>,
        finished: Instant,
    ) {
        self.pace = Pace::after(started.instant, finished);
        let Some(read) = read else { return };
        self.error = None;
        self.health.state = State::Present;
        (self.health.last_error, self.health.error_line) = (None, None);
        self.health.bytes = read.stat.size;
        if let Some(Counts { records, skipped, repaired }) = replaced {
            self.health.loaded_at = Some(started.wall);
            self.health.records = records;
            self.health.skipped = skipped;
            self.health.repaired = repaired;
        }
        self.overwrite.serve(read);
    }

    /// Records that content is not served, and why.
    pub fn reject(&mut self, Unjudged { started, .. }: Unjudged, fault: &Fault, finished: Instant) {
        self.pace = Pace::after(started.instant, finished);
        let state = match fault {
            Fault::TooMany { .. } => State::TooLarge,
            _ => State::Invalid,
        };
        self.fail(started, ReadError { state, reason: fault.of_document(), line: fault.line() });
    }

    /// Probes the file, and reads it if necessary. The caller must accept or reject the result.
    pub fn probe(
        &mut self,
        disk: &dyn Disk,
        writers: &mut Writers,
        now: Now,
        urgency: Urgency,
    ) -> Option<Probe> {
        match urgency {
            Urgency::Hint if self.pace.defers_hint(now.instant) => return None,
            Urgency::Hint | Urgency::Sync => self.pace.probed(),
        }
        match locate::find(disk, &self.root, &self.candidates) {
            Ok(None) => {
                writers.forget(self.source);
                self.gone(now)
            }
            Ok(Some(located)) => {
                self.health.path = located.path.display().to_string();
                self.probe_file(disk, writers, now, urgency, located)
            }
            Err((path, error)) => {
                self.health.path = path.display().to_string();
                self.seen = None;
                self.phase = mem::take(&mut self.phase).unseen();
                let reason = reading::reason(&error);
                self.fail(now, ReadError { state: State::Unreadable, reason, line: None });
                None
            }
        }
    }

    fn gone(&mut self, now: Now) -> Option<Probe> {
        let was_known = self.seen.is_some() || self.health.state != State::Missing;
        self.health = Health { path: first(&self.candidates), ..Health::default() };
        (self.seen, self.error, self.kept) = (None, None, None);
        self.phase = Phase::Stable;
        self.overwrite = Overwrite::default();
        self.read_size = 0;
        self.tail.forget();
        let unjudged = Unjudged { started: now, read: None };
        was_known.then_some(Probe { content: Content::Gone, unjudged })
    }

    fn probe_file(
        &mut self,
        disk: &dyn Disk,
        writers: &mut Writers,
        now: Now,
        urgency: Urgency,
        located: Located,
    ) -> Option<Probe> {
        self.overwrite.observe(&located.stat);
        let recheck = self.phase.recheck_at();
        let is_recheck = recheck.is_some_and(|at| at <= now.instant);
        let may_hide = is_recheck || urgency == Urgency::Sync && recheck.is_some();
        let may_pass = matches!(self.health.state, State::Unreadable | State::Refused);
        // A folder of the path may have become a link, which the file's own stat does not show.
        let real = locate::resolve(disk, &self.root, &located.path);
        let is_moved = !real.as_ref().is_ok_and(|real| *real == self.real);
        let is_same = self.seen.as_ref() == Some(&located) && !is_moved;
        if is_same && !may_hide && !may_pass && !self.phase.is_truncated() {
            self.update_state(now);
            return None;
        }
        let torn_since = self.phase.torn_since();
        if self.source == Source::Bus && self.must_settle(now, &located) {
            return None;
        }
        let extent = self.extent(&located, urgency);
        let mut writing = writers.begin(self.source, located.stat.identity);
        if self.must_wait(writing, &located.stat, torn_since, now) {
            return None;
        }
        let is_kept = |kept: &Kept| real.as_ref().is_ok_and(|real| kept.is_at(&located.stat, real));
        if writing == Writing::Closed && !self.kept.as_ref().is_some_and(is_kept) {
            // The events do not tell the open of this reading from that of a writer.
            writing = Writing::Reopened;
        }
        match self.read(disk, writers, &located, real, extent) {
            Ok((content, stat)) => {
                if let Content::Document(_, stamp) = &content
                    && !self.is_whole(writers, writing, Read { stat, hash: stamp.hash }, now)
                {
                    return None;
                }
                Some(self.offer(content, Located { stat, ..located }, is_recheck, now))
            }
            Err(error) => {
                self.not_read(now, located, torn_since, error);
                None
            }
        }
    }

    /// Whether a document that is overwritten in place must not be read yet. The phase says when to probe it again.
    fn must_wait(
        &mut self,
        writing: Writing,
        stat: &Stat,
        torn_since: Option<Instant>,
        now: Now,
    ) -> bool {
        let wait = match writing {
            Writing::Closed => None,
            _ => self.overwrite.waits(stat, now.instant),
        };
        self.phase = match (wait, torn_since) {
            (None, _) => Phase::Stable,
            (Some(at), None) => Phase::Recheck { at },
            (Some(at), Some(since)) => Phase::Torn { since, at },
        };
        wait.is_some()
    }

    /// Returns content that was read; `is_recheck` says that the file was due to be read again.
    fn offer(&mut self, content: Content, located: Located, is_recheck: bool, now: Now) -> Probe {
        let stat = located.stat;
        // Content that is unchanged at a second reading, at least one clock tick later, hides no write.
        let is_sure = is_recheck && content.is_certain() && self.seen.as_ref() == Some(&located);
        if !is_sure && (is_racy(now, &stat) || !content.is_certain()) {
            self.phase = Phase::Recheck { at: now.instant + RACY + RETRY };
        }
        self.read_size = stat.size;
        self.seen = Some(located);
        let read = Some(Read { stat, hash: content.hash() });
        Probe { content, unjudged: Unjudged { started: now, read } }
    }

    /// Records that a reading failed; `torn_since` is since when the file changed during each reading.
    fn not_read(
        &mut self,
        now: Now,
        located: Located,
        torn_since: Option<Instant>,
        error: ReadError,
    ) {
        if error.state == State::Changing {
            let since = torn_since.unwrap_or(now.instant);
            self.phase = Phase::Torn { since, at: now.instant + RETRY };
            self.fail(now, ReadError { state: State::Invalid, ..error });
        } else {
            self.seen = Some(located);
            self.fail(now, error);
        }
    }

    /// Whether a document that was read is complete, as far as is known now.
    fn is_whole(&mut self, writers: &mut Writers, before: Writing, read: Read, now: Now) -> bool {
        let disturbed = !writers.is_undisturbed(self.source);
        let writing =
            if disturbed && before == Writing::Closed { Writing::Reopened } else { before };
        match self.overwrite.judge(read, writing, now.instant) {
            Verdict::Whole => true,
            Verdict::Settled => {
                writers.settled(self.source);
                true
            }
            Verdict::Again(at) => {
                self.phase = Phase::Recheck { at };
                if !self.health.state.is_degraded() {
                    self.health.state = State::Changing;
                }
                false
            }
        }
    }

    /// How much of a log must be read. A log that grew may also have been changed in its middle; that is detected when
    /// it is read again, or at once if a caller waits.
    fn extent(&self, located: &Located, urgency: Urgency) -> Extent {
        let Some(seen) = &self.seen else { return Extent::Whole };
        match located.stat.size > seen.stat.size {
            true if urgency == Urgency::Hint => Extent::Appended,
            false if seen != located => Extent::Whole,
            _ if urgency == Urgency::Hint => Extent::Compared,
            _ => Extent::Checked,
        }
    }

    /// Whether a log shrank and its size has not yet stayed the same for long enough.
    fn must_settle(&mut self, now: Now, located: &Located) -> bool {
        let identity = self.seen.as_ref().map(|seen| seen.stat.identity);
        let size = located.stat.size;
        let is_shorter = identity == Some(located.stat.identity) && size < self.read_size;
        if !self.phase.is_truncated() && !is_shorter {
            return false;
        }
        let torn_since = self.phase.torn_since();
        let mut truncation = match mem::take(&mut self.phase) {
            Phase::Truncated { truncation, .. } => truncation,
            _ => Truncation::new(size, now.instant),
        };
        if truncation.holds(size, now.instant) {
            self.tail.forget();
            return false;
        }
        let at = Some(now.instant + RETRY);
        self.phase = Phase::Truncated { truncation, torn_since, at };
        self.health.state = State::Changing;
        true
    }

    fn read(
        &mut self,
        disk: &dyn Disk,
        writers: &mut Writers,
        located: &Located,
        real: io::Result<Option<PathBuf>>,
        extent: Extent,
    ) -> Result<(Content, Stat), ReadError> {
        self.real = real.map_err(|error| ReadError::of(&error))?;
        let open = || reading::open(disk, &located.stat, self.real.as_deref());
        if self.source == Source::Bus {
            let (reading, stat) =
                reading::log(open()?.as_ref(), &mut self.tail, &located.stat, extent)?;
            return Ok((Content::Log(reading, stat.modified_at()), stat));
        }
        let kept = self.kept.take().filter(|kept| kept.is_at(&located.stat, &self.real));
        let file = if let Some(kept) = kept {
            kept.file
        } else {
            let file = open()?;
            writers.opened(self.source, file.as_ref(), located.stat.identity);
            file
        };
        let stat = file.stat().map_err(|error| ReadError::of(&error))?;
        let kept = self.kept.insert(Kept { file, stat, real: self.real.clone() });
        let (text, stat) = reading::document(kept.file.as_ref(), self.limits.json_bytes)?;
        let stamp = Stamp { hash: xxh3_64(&text), modified: Some(stat.modified_at()) };
        Ok((Content::Document(text, stamp), stat))
    }

    /// Records that the content on disk is not served.
    fn fail(&mut self, now: Now, error: ReadError) {
        let is_torn = self.phase.torn_since().is_some();
        let found = self.seen.as_ref().map(|seen| seen.stat).filter(|_| !is_torn);
        let before = match (&self.error, self.health.loaded_at) {
            (Some(error), _) => Before::Failed(error),
            (None, Some(_)) => Before::Good,
            (None, None) => Before::Nothing,
        };
        self.error = Some(FileError::new(before, error, found, now));
        self.update_state(now);
    }

    /// Bad content may be half-written, so it counts as an error only after a while; other errors count at once.
    fn update_state(&mut self, now: Now) {
        let Some(error) = &self.error else { return };
        let may_pass = error.may_pass(now.instant) && !self.health.state.is_degraded();
        self.health.state = if may_pass { State::Changing } else { error.error.state };
        self.health.last_error = Some(error.error.reason.clone());
        self.health.error_line = error.error.line;
    }
}

fn first(candidates: &[PathBuf]) -> String {
    candidates.first().map(|path| path.display().to_string()).unwrap_or_default()
}
