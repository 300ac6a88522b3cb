//! How long the store waits for a file in a transient state: a log that shrank, because a script that rotates it
//! truncates it before writing the lines that it keeps; and bad content, which may be a half-written file. It opens no
//! file.

use std::time::{Duration, Instant};

use super::clock::Now;
use super::disk::Stat;
use super::reading::ReadError;
use super::source_state::State;

/// A file that was written this shortly before it was read is read again after the same time.
pub const RACY: Duration = Duration::from_millis(20);
/// How long the size must stay the same, and the longest time that the store waits for that.
const SETTLED: Duration = Duration::from_millis(50);
const SETTLED_AT_MOST: Duration = Duration::from_millis(500);
/// How long bad content must stay unchanged before it counts as invalid.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// How long bad content may be replaced by other bad content: a writer that keeps truncating and writing is mostly
/// observed halfway.
const LONGEST_PATIENCE: Duration = Duration::from_secs(10);

/// Why a file is read again although its stat is unchanged.
#[derive(Debug, Default)]
pub enum Phase {
    /// It is not: only a changed stat causes it to be read.
    #[default]
    Stable,
    /// A second write in the same clock tick may have gone unnoticed, or overwritten content must be read twice.
    Recheck {
        /// When it is read again.
        at: Instant,
    },
    /// The file changed during each reading.
    Torn {
        /// Time of the first of these readings.
        since: Instant,
        /// When it is read again.
        at: Instant,
    },
    /// A log shrank, and is not read before its size has stayed the same.
    Truncated {
        /// Its size and since when.
        truncation: Truncation,
        /// Since when the file changed during each reading before it shrank.
        torn_since: Option<Instant>,
        /// When its size is checked; `None` leaves that to the sweep, while the file cannot be accessed.
        at: Option<Instant>,
    },
}

impl Phase {
    /// When the file must be checked or read again.
    pub fn recheck_at(&self) -> Option<Instant> {
        match self {
            Self::Stable => None,
            Self::Recheck { at } | Self::Torn { at, .. } => Some(*at),
            Self::Truncated { at, .. } => *at,
        }
    }

    /// Since when the file changed during each reading.
    pub fn torn_since(&self) -> Option<Instant> {
        match self {
            Self::Torn { since, .. } => Some(*since),
            Self::Truncated { torn_since, .. } => *torn_since,
            Self::Stable | Self::Recheck { .. } => None,
        }
    }

    /// Whether it is a log whose size has not yet stayed the same for long enough.
    pub fn is_truncated(&self) -> bool {
        matches!(self, Self::Truncated { .. })
    }

    /// The phase of a file that cannot be accessed: only a truncation is remembered.
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

/// A log that shrank and whose size is being observed.
#[derive(Debug)]
pub struct Truncation {
    since: Instant,
    size: u64,
    held_since: Instant,
}

impl Truncation {
    /// A log that was just found to have this size, in bytes.
    pub fn new(size: u64, now: Instant) -> Self {
        Self { since: now, size, held_since: now }
    }

    /// Whether its size has stayed the same for long enough, or the longest wait is over.
    pub fn holds(&mut self, size: u64, now: Instant) -> bool {
        if self.size != size {
            (self.size, self.held_since) = (size, now);
        }
        now.saturating_duration_since(self.held_since) >= SETTLED
            || now.saturating_duration_since(self.since) >= SETTLED_AT_MOST
    }
}

/// Why the content that is served is not that on disk, and since when.
#[derive(Debug)]
pub struct FileError {
    /// The error of the last reading.
    pub error: ReadError,
    since: Instant,
    /// The stat of the file that was read, if known, and since when it is so.
    found: Option<Stat>,
    found_since: Instant,
}

/// What is known of a file before it cannot be read.
#[derive(Debug, Clone, Copy)]
pub enum Before<'a> {
    /// Nothing: the content may be as old as the file.
    Nothing,
    /// It could be read.
    Good,
    /// It could not be read either.
    Failed(&'a FileError),
}

impl FileError {
    /// The error of this reading, after what was before.
    pub fn new(before: Before<'_>, error: ReadError, found: Option<Stat>, now: Now) -> Self {
        let (since, found_since) = match before {
            Before::Failed(before) if found.is_some() && before.found == found => {
                (before.since, before.found_since)
            }
            Before::Failed(before) => (before.since, now.instant),
            Before::Good => (now.instant, now.instant),
            Before::Nothing => {
                let written = found.map_or(now.instant, |found| written(&found, now));
                (now.instant, written)
            }
        };
        Self { error, since, found, found_since }
    }

    /// When bad content counts as invalid and no longer as half-written.
    pub fn counts_from(&self) -> Instant {
        (self.found_since + PATIENCE).min(self.since + LONGEST_PATIENCE)
    }

    /// Whether the content may still be half-written.
    pub fn may_pass(&self, now: Instant) -> bool {
        self.error.state == State::Invalid && now < self.counts_from()
    }
}

/// When a file was written, but no longer ago than [`PATIENCE`].
fn written(stat: &Stat, now: Now) -> Instant {
    let age = now.wall.duration_since(stat.modified_at()).unwrap_or_default();
    now.instant.checked_sub(age.min(PATIENCE)).unwrap_or(now.instant)
}

/// Whether a second write in the same clock tick could have gone unnoticed.
pub fn is_racy(now: Now, stat: &Stat) -> bool {
    match now.wall.duration_since(stat.modified_at()) {
        Ok(age) => age < RACY,
        // A time in the future proves nothing, so the file is read again.
        Err(_) => true,
    }
}
