//! Limits how often a source is read, by its cost: after an expensive reading, hints wait until the end of a pause.

use std::time::{Duration, Instant};

/// A reading that took D is followed by a pause of this many D, at most [`LONGEST_PAUSE`].
const PAUSE: u32 = 4;
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// Readings faster than this are not followed by a pause.
const FAST: Duration = Duration::from_millis(2);

/// The pause after the last reading.
#[derive(Debug, Default)]
pub struct Pace {
    paused_until: Option<Instant>,
    /// Whether a hint came during the pause: the file is then probed at its end.
    was_hinted: bool,
}

impl Pace {
    /// The pause after a reading, including its evaluation.
    pub fn after(started: Instant, finished: Instant) -> Self {
        let cost = finished.saturating_duration_since(started);
        let paused_until = (cost >= FAST).then(|| started + (cost * PAUSE).min(LONGEST_PAUSE));
        Self { paused_until, was_hinted: false }
    }

    /// Whether a hint has to wait until the end of the pause. If so, it is remembered.
    pub fn defers_hint(&mut self, now: Instant) -> bool {
        self.was_hinted = self.paused_until.is_some_and(|end| now < end);
        self.was_hinted
    }

    /// Records that the file is probed now, including for a deferred hint.
    pub fn probed(&mut self) {
        self.was_hinted = false;
    }

    /// When a file that is to be probed at `due` is probed.
    pub fn due(&self, due: Option<Instant>) -> Option<Instant> {
        let due = due.map(|due| self.paused_until.map_or(due, |end| end.max(due)));
        let deferred = self.paused_until.filter(|_| self.was_hinted);
        [due, deferred].into_iter().flatten().min()
    }
}
