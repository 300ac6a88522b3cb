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
use nix::libc;

use crate::model::json::Fault;
use crate::project::{Limits, Project, Source};

use super::Now;
use super::disk::{Disk, Open, Stat, read_exact_at};
use super::locate::{self, Place};
use super::settle::{PATIENCE, Shrunk, Trouble};
use super::snapshot::{Health, State};
use super::tail::{Extent, Reading, Tail};

/// A file written this shortly before it was read is read once more, this much later.
const RACY: Duration = Duration::from_millis(20);
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
    /// A document's bytes, without a byte order mark, and when it was written.
    Document(Bytes, SystemTime),
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
            root: project.root().to_path_buf(),
            candidates,
            limits: project.limits(),
            tail: Tail::new(project.limits()),
            seen: None,
            real: None,
            read_size: 0,
            trouble: None,
            shrunk: None,
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
        self.shrunk.is_some() || self.torn.is_some_and(patient)
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

    /// Notes what became of content that was given.
    pub fn loaded(&mut self, now: Now, judged: Result<[u64; 3], Fault>) {
        match judged {
            Ok([records, skipped, repaired]) => {
                self.confirmed();
                self.health.loaded_at = Some(now.wall);
                (self.health.records, self.health.skipped, self.health.repaired) =
                    (records, skipped, repaired);
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
    }

    /// Notes how long a reading took, judging it included.
    pub fn took(&mut self, now: Now, duration: Duration) {
        self.pause =
            (duration >= FAST).then(|| now.instant + (duration * PAUSE).min(LONGEST_PAUSE));
    }

    /// Looks at the file, and reads it where it must. New content must be judged, and [`Follower::loaded`] called.
    pub fn look(&mut self, disk: &dyn Disk, now: Now, urgency: Urgency) -> Option<Content> {
        if urgency == Urgency::Hint && self.pause.is_some_and(|pause| now.instant < pause) {
            // The trailing look is certain: the file is due when the pause ends.
            self.held_back = self.pause;
            return None;
        }
        self.held_back = None;
        match locate::find(disk, &self.root, &self.candidates) {
            Ok(None) => self.gone(),
            Ok(Some(place)) => {
                self.health.path = place.path.display().to_string();
                self.look_at(disk, (now, urgency), place)
            }
            Err((path, error)) => {
                self.health.path = path.display().to_string();
                (self.seen, self.recheck, self.torn) = (None, None, None);
                self.note(now, State::Unreadable, reason(&error));
                None
            }
        }
    }

    fn gone(&mut self) -> Option<Content> {
        let known = self.seen.is_some() || self.health.state != State::Missing;
        self.health = Health { path: first(&self.candidates), ..Health::default() };
        (self.seen, self.trouble, self.shrunk) = (None, None, None);
        (self.recheck, self.torn) = (None, None);
        self.read_size = 0;
        self.tail.forget();
        known.then_some(Content::Gone)
    }

    fn look_at(
        &mut self,
        disk: &dyn Disk,
        (now, urgency): (Now, Urgency),
        place: Place,
    ) -> Option<Content> {
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
        self.recheck = None;
        let torn = self.torn.take();
        let found = self.open(disk, &place, real);
        match found.and_then(|file| self.read(file.as_ref(), &place, extent)) {
            Ok((content, stat)) => {
                let place = Place { stat, ..place };
                // What was read twice, a tick apart, and is the same holds no hidden write.
                let settled = reread && content.is_certain() && self.seen.as_ref() == Some(&place);
                let unsure = is_racy(now, &stat) || !content.is_certain();
                self.recheck = (!settled && unsure).then(|| now.instant + RACY + RETRY);
                self.read_size = stat.size;
                self.seen = Some(place);
                Some(content)
            }
            Err((State::Changing, why)) => {
                self.torn = torn.or(Some(now.instant));
                self.recheck = Some(now.instant + RETRY);
                self.note(now, State::Invalid, why);
                None
            }
            Err((state, why)) => {
                self.seen = Some(place);
                self.note(now, state, why);
                None
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

    fn open(
        &mut self,
        disk: &dyn Disk,
        place: &Place,
        real: io::Result<Option<PathBuf>>,
    ) -> Result<Box<dyn Open>, (State, String)> {
        let unreadable = |error: &io::Error| {
            if locate::is_absent(error) {
                (State::Changing, "being replaced".to_owned())
            } else {
                (State::Unreadable, reason(error))
            }
        };
        self.real = real.map_err(|error| unreadable(&error))?;
        if !place.stat.is_file() {
            return Err((State::Refused, "not a regular file".to_owned()));
        }
        let Some(real) = &self.real else {
            return Err((State::Refused, "a link that leads out of the project".to_owned()));
        };
        disk.open(real).map_err(|error| match error.raw_os_error() {
            // There was no link on this path a moment ago.
            Some(libc::ELOOP) => (State::Changing, "being replaced".to_owned()),
            _ => unreadable(&error),
        })
    }

    fn read(
        &mut self,
        file: &dyn Open,
        place: &Place,
        extent: Extent,
    ) -> Result<(Content, Stat), (State, String)> {
        let torn = || (State::Changing, "being written".to_owned());
        let unreadable = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => torn(),
            _ => (State::Unreadable, reason(&error)),
        };
        let stat = file.stat().map_err(unreadable)?;
        if !stat.is_file() {
            return Err((State::Refused, "not a regular file".to_owned()));
        }
        if self.source == Source::Bus {
            // It began to shrink after it was looked at, so its size has not held.
            if stat.identity == place.stat.identity && stat.size < place.stat.size {
                return Err(torn());
            }
            let reading = self.tail.read(file, &stat, extent).map_err(unreadable)?;
            return Ok((Content::Log(reading, stat.modified_at()), stat));
        }
        if stat.size > self.limits.json_bytes {
            let limit = self.limits.json_bytes;
            return Err((
                State::TooLarge,
                format!("too large: {} bytes, over the limit of {limit}", stat.size),
            ));
        }
        let mut bytes = vec![0; usize::try_from(stat.size).unwrap_or(usize::MAX)];
        read_exact_at(file, &mut bytes, 0).map_err(unreadable)?;
        if file.stat().map_err(unreadable)? != stat {
            return Err(torn());
        }
        let bytes = Bytes::from(bytes);
        let text = if bytes.starts_with(b"\xef\xbb\xbf") { bytes.slice(3..) } else { bytes };
        Ok((Content::Document(text, stat.modified_at()), stat))
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

/// Whether a second write may hide in the clock tick of the one that was read.
fn is_racy(now: Now, stat: &Stat) -> bool {
    match now.wall.duration_since(stat.modified_at()) {
        Ok(age) => age < RACY,
        // Written in the future: the clocks tell nothing, so it is looked at once more.
        Err(_) => true,
    }
}

/// The system's reason, without a path.
fn reason(error: &io::Error) -> String {
    error
        .raw_os_error()
        .map_or_else(|| error.to_string(), |code| io::Error::from_raw_os_error(code).to_string())
}
