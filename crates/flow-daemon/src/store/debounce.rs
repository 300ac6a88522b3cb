//! How long a file in a transient state is waited for: a log that shrank, since a script that rotates empties it before
//! it writes what it keeps; and bad content, which may be half of what is being written. It opens no file.

use std::time::{Duration, Instant};

use super::clock::Now;
use super::disk::Stat;
use super::reading::ReadError;
use super::snapshot::State;

/// A file written this shortly before it was read is read once more, this much later.
pub const RACY: Duration = Duration::from_millis(20);
/// How long the size must hold, and the longest that is waited for it.
const SETTLED: Duration = Duration::from_millis(50);
const SETTLED_AT_MOST: Duration = Duration::from_millis(500);
/// How long bad content may stay as it is before it counts as invalid.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// How long it may be replaced by other bad content: a writer that truncates and writes without a pause is mostly
/// caught in the middle.
const LONGEST_PATIENCE: Duration = Duration::from_secs(10);

/// Why a file is read again although its stat is as before.
#[derive(Debug, Default)]
pub enum Phase {
    /// It is not: only a new stat causes a reading.
    #[default]
    Stable,
    /// Another write may hide in the clock tick of the last one, or overwritten content must be read twice.
    Recheck {
        /// When it is read.
        at: Instant,
    },
    /// Each reading met a change of the file.
    Torn {
        /// The first of these readings.
        since: Instant,
        /// When it is read.
        at: Instant,
    },
    /// A log shrank, and is not read before its size has held.
    Truncated {
        /// Its size so far.
        truncation: Truncation,
        /// Since when readings had met changes of the file before it shrank.
        torn_since: Option<Instant>,
        /// When its size is checked; `None` leaves that to the sweep, where the file cannot be seen.
        at: Option<Instant>,
    },
}

impl Phase {
    /// When the file is checked or read again, whatever happens.
    pub fn recheck_at(&self) -> Option<Instant> {
        match self {
            Self::Stable => None,
            Self::Recheck { at } | Self::Torn { at, .. } => Some(*at),
            Self::Truncated { at, .. } => *at,
        }
    }

    /// Since when every reading met a change of the file.
    pub fn torn_since(&self) -> Option<Instant> {
        match self {
            Self::Torn { since, .. } => Some(*since),
            Self::Truncated { torn_since, .. } => *torn_since,
            Self::Stable | Self::Recheck { .. } => None,
        }
    }

    /// Whether it is a log whose size has not held.
    pub fn is_truncated(&self) -> bool {
        matches!(self, Self::Truncated { .. })
    }

    /// The phase of a file that cannot be seen: only a truncation is remembered.
    #[must_use]
    pub fn unseen(self) -> Self {
        match self {
            Self::Truncated { truncation, .. } => {
                Self::Truncated { truncation, torn_since: None, at: None }
            }
            _ => Self::Stable,
        }
    }
}

/// A log that shrank, while its size is waited for.
#[derive(Debug)]
pub struct Truncation {
    since: Instant,
    size: u64,
    held_since: Instant,
}

impl Truncation {
    /// It was just found to have this size, in bytes.
    pub fn new(size: u64, now: Instant) -> Self {
        Self { since: now, size, held_since: now }
    }

    /// Whether its size has held for long enough, or was waited for long enough.
    pub fn holds(&mut self, size: u64, now: Instant) -> bool {
        if self.size != size {
            (self.size, self.held_since) = (size, now);
        }
        now.saturating_duration_since(self.held_since) >= SETTLED
            || now.saturating_duration_since(self.since) >= SETTLED_AT_MOST
    }
}

/// Why a file that is there is not what is served, and since when.
#[derive(Debug)]
pub struct FileError {
    /// The error of the last reading.
    pub error: ReadError,
    since: Instant,
    /// The file as it was read, where that is known, and since when it is so.
    found: Option<Stat>,
    found_since: Instant,
}

impl FileError {
    /// An error that was found now, after the one before it.
    pub fn new(before: Option<&Self>, error: ReadError, found: Option<Stat>, now: Instant) -> Self {
        let since = before.map_or(now, |before| before.since);
        let same = before.filter(|before| found.is_some() && before.found == found);
        let found_since = same.map_or(now, |before| before.found_since);
        Self { error, since, found, found_since }
    }

    /// When bad content counts as invalid, and is not taken for half of a file any more.
    pub fn counts_from(&self) -> Instant {
        (self.found_since + PATIENCE).min(self.since + LONGEST_PATIENCE)
    }

    /// Whether it may still be half of what is being written.
    pub fn may_pass(&self, now: Instant) -> bool {
        self.error.state == State::Invalid && now < self.counts_from()
    }
}

/// Whether a second write may hide in the clock tick of the one that was read.
pub fn is_racy(now: Now, stat: &Stat) -> bool {
    match now.wall.duration_since(stat.modified_at()) {
        Ok(age) => age < RACY,
        // Written in the future: the clocks tell nothing, so it is read once more.
        Err(_) => true,
    }
}
