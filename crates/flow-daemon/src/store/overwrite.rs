//! Whether the content that was read of a document that is overwritten in place is complete.
//!
//! A writer that neither truncates nor renames leaves a mixture of old and new content on disk while it writes, and the
//! mixture may be valid JSON. New content of the same file that was never observed to be shorter is therefore accepted
//! when its writer has closed it ([`super::writers`]), or else when two readings agree.

use std::time::{Duration, Instant};

use super::disk::Stat;
use super::writers::Writing;

/// Time between two readings that must agree.
const APART: Duration = Duration::from_millis(20);
/// The same while a writer is known to have the file open. Six times as many busy threads as cores kept a writer from
/// running for 120 ms.
const APART_WHILE_OPEN: Duration = Duration::from_millis(250);

/// A reading of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Read {
    /// The stat of the file at the reading.
    pub stat: Stat,
    /// A hash of its content.
    pub hash: u64,
}

/// Content that waits for another reading to agree with it.
#[derive(Debug)]
struct Candidate {
    read: Read,
    since: Instant,
    due: Instant,
    /// Since when candidates have been replacing each other.
    first_since: Instant,
}

/// The decision about content that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is complete.
    Whole,
    /// The same, since it has not changed for long.
    Settled,
    /// It must be read again at this time.
    Again(Instant),
}

/// The observations of a document since the content that is served.
#[derive(Debug, Default)]
pub struct Overwrite {
    /// The content that is served.
    served: Option<Read>,
    /// Whether the file was observed to be shorter since: its writer truncates.
    was_shorter: bool,
    candidate: Option<Candidate>,
}

impl Overwrite {
    /// Records the stat of a probe.
    pub fn observe(&mut self, stat: &Stat) {
        self.was_shorter |= self.served.is_some_and(|served| {
            served.stat.identity == stat.identity && stat.size < served.stat.size
        });
    }

    /// When the file is to be read again; `None` means now.
    pub fn waits(&self, stat: &Stat, now: Instant) -> Option<Instant> {
        let candidate = self.candidate.as_ref().filter(|known| known.read.stat == *stat)?;
        Some(candidate.due).filter(|due| now < *due)
    }

    /// Since when it waits for content that stays the same.
    pub fn since(&self) -> Option<Instant> {
        self.candidate.as_ref().map(|candidate| candidate.first_since)
    }

    /// Decides about content that was read. `writing` describes the time before it was opened, and is `Closed` only if
    /// nobody opened or wrote the file during the reading.
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
            self.candidate = None;
            return Verdict::Settled;
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

    /// Records that content is served.
    pub fn serve(&mut self, read: Read) {
        *self = Self { served: Some(read), ..Self::default() };
    }
}
