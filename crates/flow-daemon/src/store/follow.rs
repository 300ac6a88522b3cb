//! Follows one file: decides when it must be read, reads it, and judges what was found.
//!
//! The rules, in the order in which they apply:
//! - no file: the collection is empty, and what was good is forgotten;
//! - a stat as before means no reading, unless the file was written within 20 ms of the last one (a clock tick may
//!   hide a second write) or is in a state that may pass;
//! - a log that shrank is read once its size has held;
//! - what is not right leaves the last good content: `changing` while it may be half of what is being written
//!   ([`super::settle`]), then degraded; what cannot be read is degraded at once.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use xxhash_rust::xxh3::xxh3_64;

use crate::model::fault::Fault;
use crate::project::{Limits, Project, Source};

use super::Now;
use super::disk::{Disk, Stat};
use super::locate::{self, Place};
use super::overwrite::{Overwrite, Verdict};
use super::reading::{self, FileError};
use super::settle::{PATIENCE, RACY, Shrunk, Trouble, is_racy};
use super::snapshot::{Health, Stamp, State};
use super::tail::{Extent, Reading, Tail};
use super::writers::{Writers, Writing};

/// How soon a file in a passing state is looked at again.
const RETRY: Duration = Duration::from_millis(25);
/// A reading that took D is followed by a pause of this many D, at most [`LONGEST_PAUSE`].
const PAUSE: u32 = 4;
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// Readings faster than this are followed by no pause.
const FAST: Duration = Duration::from_millis(2);

/// Why a file is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Urgency {
    /// It may have changed.
    Hint,
    /// Somebody waits for what is on disk now.
    Sync,
}

/// New content.
#[derive(Debug)]
pub enum Content {
    /// There is no file any more.
    Gone,
    /// A document's bytes, without a byte order mark, and which content they are.
    Document(Bytes, Stamp),
    /// What the log holds, and when it was written.
    Log(Reading, SystemTime),
}

impl Content {
    /// Whether nothing can have been changed in it without being seen, but for the tick of a clock.
    fn is_certain(&self) -> bool {
        match self {
            Self::Log(reading, _) => reading.certain,
            Self::Gone | Self::Document(..) => true,
        }
    }
}

/// Follows one source.
#[derive(Debug)]
pub struct Follower {
    source: Source,
    root: PathBuf,
    candidates: Vec<PathBuf>,
    limits: Limits,
    tail: Tail,
    /// What was read, or found not to be readable, last.
    seen: Option<Place>,
    /// Where that was when links were followed; none where that must not be read.
    real: Option<PathBuf>,
    /// Size of the log as it was read last.
    read_size: u64,
    trouble: Option<Trouble>,
    shrunk: Option<Shrunk>,
    overwrite: Overwrite,
    /// The hash of the document that was given last.
    given: u64,
    /// Since when every reading met a change of the file.
    torn: Option<Instant>,
    /// When the file is read once more, even if its stat says that nothing changed.
    recheck: Option<Instant>,
    /// No reading before this.
    pause: Option<Instant>,
    /// When a look that fell into a pause is made up for.
    held_back: Option<Instant>,
    health: Health,
}

impl Follower {
    /// Follows a source of a project.
    pub fn new(project: &Project, source: Source) -> Self {
        let candidates = project.files(source).to_vec();
        let path = first(&candidates);
        Self {
            source,
            root: project.state_root().to_path_buf(),
            candidates,
            limits: project.limits(),
            tail: Tail::new(project.limits()),
            seen: None,
            real: None,
            read_size: 0,
            trouble: None,
            shrunk: None,
            overwrite: Overwrite::default(),
            given: 0,
            torn: None,
            recheck: None,
            pause: None,
            held_back: None,
            health: Health { path, ..Health::default() },
        }
    }

    /// How it is doing.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Whether it waits for a file to hold still.
    pub fn is_settling(&self, now: Now) -> bool {
        let patient = |since| now.instant.saturating_duration_since(since) < PATIENCE;
        self.shrunk.is_some()
            || self.torn.is_some_and(patient)
            || self.overwrite.since().is_some_and(patient)
    }

    /// Its source.
    pub fn source(&self) -> Source {
        self.source
    }

    /// When it wants to be looked at again, whatever happens.
    pub fn due(&self) -> Option<Instant> {
        // A log that shrank has its own time to be looked at, and is not judged before.
        let is_open = self.health.state == State::Changing && self.shrunk.is_none();
        let judged = self.trouble.as_ref().filter(|_| is_open);
        let judged = judged.map(Trouble::counts_from);
        let due = [self.recheck, judged].into_iter().flatten().min();
        let due = due.map(|due| self.pause.map_or(due, |pause| pause.max(due)));
        [due, self.held_back].into_iter().flatten().min()
    }

    /// How many records a document may have.
    pub fn most_records(&self) -> usize {
        usize::try_from(self.limits.records).unwrap_or(usize::MAX)
    }

    /// Notes what became of content that was given.
    pub fn loaded(&mut self, now: Now, judged: Result<[u64; 3], Fault>) {
        match judged {
            Ok([records, skipped, repaired]) => {
                self.confirmed();
                self.health.loaded_at = Some(now.wall);
                (self.health.records, self.health.skipped, self.health.repaired) =
                    (records, skipped, repaired);
            }
            Err(fault @ Fault::TooMany { .. }) => {
                self.note(now, State::TooLarge, fault.of_document());
            }
            Err(fault) => self.note(now, State::Invalid, fault.of_document()),
        }
    }

    /// Notes that content that was given is what is served already.
    pub fn confirmed(&mut self) {
        self.trouble = None;
        self.health.state = State::Present;
        self.health.last_error = None;
        self.health.bytes = self.seen.as_ref().map_or(0, |seen| seen.stat.size);
        if let Some(seen) = &self.seen {
            self.overwrite.serve(seen.stat, self.given);
        }
    }

    /// Notes how long a reading took, judging it included.
    pub fn took(&mut self, now: Now, duration: Duration) {
        self.pause =
            (duration >= FAST).then(|| now.instant + (duration * PAUSE).min(LONGEST_PAUSE));
    }

    /// Looks at the file, and reads it where it must. New content must be judged, and [`Follower::loaded`] called.
    pub fn look(
        &mut self,
        disk: &dyn Disk,
        writers: &mut Writers,
        now: Now,
        urgency: Urgency,
    ) -> Option<Content> {
        if urgency == Urgency::Hint && self.pause.is_some_and(|pause| now.instant < pause) {
            // The trailing look is certain: the file is due when the pause ends.
            self.held_back = self.pause;
            return None;
        }
        self.held_back = None;
        match locate::find(disk, &self.root, &self.candidates) {
            Ok(None) => {
                writers.forget(self.source);
                self.gone()
            }
            Ok(Some(place)) => {
                self.health.path = place.path.display().to_string();
                self.look_at(disk, writers, (now, urgency), place)
            }
            Err((path, error)) => {
                self.health.path = path.display().to_string();
                (self.seen, self.recheck, self.torn) = (None, None, None);
                self.note(now, State::Unreadable, reading::reason(&error));
                None
            }
        }
    }

    fn gone(&mut self) -> Option<Content> {
        let known = self.seen.is_some() || self.health.state != State::Missing;
        self.health = Health { path: first(&self.candidates), ..Health::default() };
        (self.seen, self.trouble, self.shrunk) = (None, None, None);
        (self.recheck, self.torn) = (None, None);
        self.overwrite = Overwrite::default();
        self.read_size = 0;
        self.tail.forget();
        known.then_some(Content::Gone)
    }

    fn look_at(
        &mut self,
        disk: &dyn Disk,
        writers: &mut Writers,
        (now, urgency): (Now, Urgency),
        place: Place,
    ) -> Option<Content> {
        self.overwrite.observe(&place.stat);
        let reread = self.recheck.is_some_and(|at| at <= now.instant);
        let racy = reread || urgency == Urgency::Sync && self.recheck.is_some();
        let passing = matches!(self.health.state, State::Unreadable | State::Refused);
        // A folder on the way may have become a link, which the file's own stat does not tell.
        let real = locate::resolve(disk, &self.root, &place.path);
        let moved = !real.as_ref().is_ok_and(|real| *real == self.real);
        let same = self.seen.as_ref() == Some(&place) && !moved;
        if same && !racy && !passing && self.shrunk.is_none() {
            self.judge(now);
            return None;
        }
        if self.source == Source::Bus && self.must_settle(now, &place) {
            self.recheck = Some(now.instant + RETRY);
            return None;
        }
        let extent = self.extent(&place, urgency);
        let writing = writers.begin(self.source, place.stat.identity);
        self.recheck = match writing {
            Writing::Closed => None,
            _ => self.overwrite.waits(&place.stat, now.instant),
        };
        if self.recheck.is_some() {
            return None;
        }
        let torn = self.torn.take();
        let found = self.read(disk, writers, &place, real, extent);
        match found {
            Ok((content, stat)) => {
                if let Content::Document(_, stamp) = &content
                    && !self.is_whole(writers, writing, (&stat, *stamp), now)
                {
                    return None;
                }
                let place = Place { stat, ..place };
                // What was read twice, a tick apart, and is the same holds no hidden write.
                let settled = reread && content.is_certain() && self.seen.as_ref() == Some(&place);
                let unsure = is_racy(now, &stat) || !content.is_certain();
                self.recheck = (!settled && unsure).then(|| now.instant + RACY + RETRY);
                self.read_size = stat.size;
                self.seen = Some(place);
                Some(content)
            }
            Err(error) => {
                self.failed(now, place, torn, error);
                None
            }
        }
    }

    /// Notes that a reading failed; `torn` is since when readings have met changes of the file.
    fn failed(&mut self, now: Now, place: Place, torn: Option<Instant>, error: FileError) {
        if error.state == State::Changing {
            self.torn = torn.or(Some(now.instant));
            self.recheck = Some(now.instant + RETRY);
            self.note(now, State::Invalid, error.reason);
        } else {
            self.seen = Some(place);
            self.note(now, error.state, error.reason);
        }
    }

    /// Whether a document that was read is one whole text, as far as that can be told by now.
    fn is_whole(
        &mut self,
        writers: &mut Writers,
        before: Writing,
        (stat, stamp): (&Stat, Stamp),
        now: Now,
    ) -> bool {
        let disturbed = !writers.is_undisturbed(self.source);
        let writing =
            if disturbed && before == Writing::Closed { Writing::Reopened } else { before };
        match self.overwrite.judge(stat, stamp, writing, now.instant) {
            Verdict::Whole => {
                self.given = stamp.hash;
                true
            }
            Verdict::Again(due) => {
                self.recheck = Some(due);
                if !self.health.state.is_degraded() {
                    self.health.state = State::Changing;
                }
                false
            }
        }
    }

    /// How much of a log must be read. One that grew may have been changed in its middle too; that is found when it
    /// is looked at once more, or at once where somebody waits.
    fn extent(&self, place: &Place, urgency: Urgency) -> Extent {
        let Some(seen) = &self.seen else { return Extent::Whole };
        match place.stat.size > seen.stat.size {
            true if urgency == Urgency::Hint => Extent::Appended,
            false if seen != place => Extent::Whole,
            _ if urgency == Urgency::Hint => Extent::Compared,
            _ => Extent::Checked,
        }
    }

    /// Whether a log shrank and has not held its size for long enough.
    fn must_settle(&mut self, now: Now, place: &Place) -> bool {
        let identity = self.seen.as_ref().map(|seen| seen.stat.identity);
        let size = place.stat.size;
        let is_shorter = identity == Some(place.stat.identity) && size < self.read_size;
        if self.shrunk.is_none() && !is_shorter {
            return false;
        }
        let shrunk = self.shrunk.get_or_insert_with(|| Shrunk::new(size, now.instant));
        if shrunk.holds(size, now.instant) {
            self.shrunk = None;
            self.tail.forget();
            return false;
        }
        self.health.state = State::Changing;
        true
    }

    fn read(
        &mut self,
        disk: &dyn Disk,
        writers: &mut Writers,
        place: &Place,
        real: io::Result<Option<PathBuf>>,
        extent: Extent,
    ) -> Result<(Content, Stat), FileError> {
        self.real = real.map_err(|error| FileError::of(&error))?;
        let file = reading::open(disk, &place.stat, self.real.as_deref())?;
        if self.source == Source::Bus {
            let (reading, stat) = reading::log(file.as_ref(), &mut self.tail, &place.stat, extent)?;
            return Ok((Content::Log(reading, stat.modified_at()), stat));
        }
        writers.opened(self.source, file.as_ref(), place.stat.identity);
        let (text, stat) = reading::document(file.as_ref(), self.limits.json_bytes)?;
        let stamp = Stamp { hash: xxh3_64(&text), modified: Some(stat.modified_at()) };
        Ok((Content::Document(text, stamp), stat))
    }

    /// Notes that the disk is not what is served.
    fn note(&mut self, now: Now, state: State, reason: String) {
        let found = self.seen.as_ref().map(|seen| seen.stat).filter(|_| self.torn.is_none());
        let trouble = Trouble::new(self.trouble.as_ref(), (now.instant, found), state, reason);
        self.trouble = Some(trouble);
        self.judge(now);
    }

    /// Bad content may be a half-written file, so it counts only after a while; all else counts at once.
    fn judge(&mut self, now: Now) {
        let Some(trouble) = &self.trouble else { return };
        let fresh = trouble.state == State::Invalid && now.instant < trouble.counts_from();
        let passing = fresh && !self.health.state.is_degraded();
        self.health.state = if passing { State::Changing } else { trouble.state };
        self.health.last_error = Some(trouble.reason.clone());
    }
}

fn first(candidates: &[PathBuf]) -> String {
    candidates.first().map(|path| path.display().to_string()).unwrap_or_default()
}
