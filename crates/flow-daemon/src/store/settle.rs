//! How long a file in a passing state is waited for: a log that shrank, since a script that rotates empties it before
//! it writes what it keeps; and bad content, which may be half of what is being written. It looks at no file.

use std::time::{Duration, Instant};

use super::Now;
use super::disk::Stat;
use super::snapshot::State;

/// A file written this shortly before it was read is read once more, this much later.
pub const RACY: Duration = Duration::from_millis(20);
/// How long the size must hold, and the longest that is waited for it.
const SETTLED: Duration = Duration::from_millis(50);
const SETTLED_AT_MOST: Duration = Duration::from_millis(500);
/// How long bad content may stay as it is before it counts as invalid.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// How long it may be replaced by other bad content: a writer that truncates and writes without a pause is mostly
/// met on the way.
const LONGEST_PATIENCE: Duration = Duration::from_secs(10);

/// A log that shrank, while its size is waited for.
#[derive(Debug)]
pub struct Shrunk {
    since: Instant,
    size: u64,
    held_since: Instant,
}

impl Shrunk {
    /// It was just found to have this size.
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

/// What is wrong with a file that is there.
#[derive(Debug)]
pub struct Trouble {
    /// What it counts as.
    pub state: State,
    /// Why, for people.
    pub reason: String,
    since: Instant,
    /// The file as it was read, where that is known, and since when it is so.
    found: Option<Stat>,
    found_since: Instant,
}

impl Trouble {
    /// What was found now, behind what was wrong before.
    pub fn new(
        before: Option<&Self>,
        (now, found): (Instant, Option<Stat>),
        state: State,
        reason: String,
    ) -> Self {
        let since = before.map_or(now, |trouble| trouble.since);
        let same = before.filter(|trouble| found.is_some() && trouble.found == found);
        let found_since = same.map_or(now, |trouble| trouble.found_since);
        Self { state, reason, since, found, found_since }
    }

    /// When bad content counts as invalid, and is not taken for half of a file any more.
    pub fn counts_from(&self) -> Instant {
        (self.found_since + PATIENCE).min(self.since + LONGEST_PATIENCE)
    }
}

/// Whether a second write may hide in the clock tick of the one that was read.
pub fn is_racy(now: Now, stat: &Stat) -> bool {
    match now.wall.duration_since(stat.modified_at()) {
        Ok(age) => age < RACY,
        // Written in the future: the clocks tell nothing, so it is looked at once more.
        Err(_) => true,
    }
}
