//! Faults in a file that did not stop it from being served: where, why, and with which effect.

use std::collections::VecDeque;

/// Number of problems of one source that are kept; older ones are only counted.
pub const KEPT: usize = 1000;
/// Longest piece of a file's text in a reason, in characters.
const QUOTED: usize = 80;

/// Position within the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// The line of the log, from 1; in a log over its limit, of the part that is served.
    Line(u64),
    /// The record's id, or its position (`stories[3]`).
    Id(String),
}

/// The effect on the record or line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It is not served, or not completely.
    Skipped,
    /// It is served after a repair.
    Repaired,
}

/// A fault in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Position of the record or line.
    pub place: Position,
    /// Whether it is served.
    pub effect: Effect,
    /// The reason, as a phrase.
    pub reason: String,
}

/// The problems of a source: the newest ones, and counts of all.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    newest: VecDeque<Problem>,
    /// Records or lines that are not served.
    pub skipped: u64,
    /// Records that are served after a repair.
    pub repaired: u64,
}

impl Problems {
    /// Adds a problem; the oldest is dropped beyond [`KEPT`].
    pub fn note(&mut self, place: Position, effect: Effect, reason: impl Into<String>) {
        match effect {
            Effect::Skipped => self.skipped += 1,
            Effect::Repaired => self.repaired += 1,
        }
        if self.newest.len() == KEPT {
            self.newest.pop_front();
        }
        self.newest.push_back(Problem { place, effect, reason: reason.into() });
    }

    /// Appends all problems of `later`.
    pub fn append(&mut self, later: Self) {
        self.skipped += later.skipped;
        self.repaired += later.repaired;
        self.newest.extend(later.newest);
        self.newest.drain(..self.newest.len().saturating_sub(KEPT));
    }

    /// The same, with line numbers increased by `lines`.
    #[must_use]
    pub fn moved_on(&self, lines: u64) -> Self {
        let mut moved = self.clone();
        for problem in &mut moved.newest {
            if let Position::Line(line) = &mut problem.place {
                *line += lines;
            }
        }
        moved
    }

    /// The kept problems, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Problem> + DoubleEndedIterator {
        self.newest.iter()
    }
}

/// A piece of a file's text for a reason: quoted, and truncated to `QUOTED` characters.
pub fn quote(text: &str) -> String {
    let mut cut: String = text.chars().take(QUOTED).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("{cut:?}")
}
