//! A document that was overwritten in place: whether what was read of it is one whole text.
//!
//! A writer that neither truncates nor renames leaves a mixture of old and new on disk while it writes, and the mixture
//! may be valid JSON. So new content of the same file that was never seen shorter counts when its writer has closed it
//! ([`super::writers`]), else when two readings agree.

use std::time::{Duration, Instant};

use super::disk::Stat;
use super::writers::Writing;

/// Time between two readings that must agree.
const APART: Duration = Duration::from_millis(20);
/// The same where a writer is known to have the file open: one that has lost its processor is silent for longer than
/// [`APART`].
const APART_WHILE_OPEN: Duration = Duration::from_millis(100);

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The file at the reading.
    pub stat: Stat,
    /// A hash of its content.
    pub hash: u64,
}

/// A reading that waits for another one that agrees.
#[derive(Debug)]
struct Candidate {
    read: Read,
    since: Instant,
    due: Instant,
    /// Since when candidates have been replaced by others.
    first_since: Instant,
}

/// What is to be done with content that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is whole.
    Whole,
    /// It must be read again at this time.
    Again(Instant),
}

/// What is known of a document between two contents that are served.
#[derive(Debug, Default)]
pub struct Overwrite {
    /// The content that is served.
    served: Option<Read>,
    /// Whether the file has been shorter since: its writer truncates.
    was_shorter: bool,
    candidate: Option<Candidate>,
}

impl Overwrite {
    /// Notes what the file is at a probe.
    pub fn observe(&mut self, stat: &Stat) {
        self.was_shorter |= self.served.is_some_and(|served| {
            served.stat.identity == stat.identity && stat.size < served.stat.size
        });
    }

    /// When the file is to be read again; none when at once.
    pub fn waits(&self, stat: &Stat, now: Instant) -> Option<Instant> {
        let candidate = self.candidate.as_ref().filter(|known| known.read.stat == *stat)?;
        Some(candidate.due).filter(|due| now < *due)
    }

    /// Since when it has waited for content that holds still.
    pub fn since(&self) -> Option<Instant> {
        self.candidate.as_ref().map(|candidate| candidate.first_since)
    }

    /// Judges content that was read. `writing` tells of the time before it was opened, and is `Closed` only where nobody
    /// has disturbed the reading.
    pub fn judge(&mut self, read: Read, writing: Writing, now: Instant) -> Verdict {
        let in_place = self.served.is_some_and(|served| {
            served.stat.identity == read.stat.identity && served.hash != read.hash
        });
        if !in_place || self.was_shorter || writing == Writing::Closed {
            return self.accept();
        }
        let apart = if writing == Writing::Unknown { APART } else { APART_WHILE_OPEN };
        let since = match &self.candidate {
            Some(candidate) if candidate.read == read => candidate.since,
            _ => now,
        };
        if now.saturating_duration_since(since) >= apart {
            return self.accept();
        }
        let due = since + apart;
        let first_since = self.since().unwrap_or(now);
        self.candidate = Some(Candidate { read, since, due, first_since });
        Verdict::Again(due)
    }

    fn accept(&mut self) -> Verdict {
        self.candidate = None;
        Verdict::Whole
    }

    /// Notes that content is served.
    pub fn serve(&mut self, read: Read) {
        *self = Self { served: Some(read), ..Self::default() };
    }
}
