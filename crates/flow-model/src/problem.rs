//! What was wrong in a file and did not stop it from being served: where, why, and what became of it.

use std::collections::VecDeque;

/// How many problems of one source are kept; the older ones are only counted.
pub const KEPT: usize = 1000;
/// Longest piece of a file's text in a reason, in characters.
const QUOTED: usize = 80;

/// Where in its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// The line of the log, from 1; in a log over its limit, of the part that is served.
    Line(u64),
    /// The record's id, or what stands for it (`stories[3]`).
    Id(String),
}

/// What became of the record or line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It is not served, or not all of it.
    Skipped,
    /// It is served, changed.
    Repaired,
}

/// One problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Position,
    /// What became of it.
    pub effect: Effect,
    /// Why, as a phrase.
    pub reason: String,
}

/// The problems of a source: the newest, and the count of all.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    newest: VecDeque<Problem>,
    /// Records or lines that are not served.
    pub skipped: u64,
    /// Records that are served changed.
    pub repaired: u64,
}

impl Problems {
    /// Notes one.
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

    /// Takes over all of `later`.
    pub fn append(&mut self, later: Self) {
        self.skipped += later.skipped;
        self.repaired += later.repaired;
        self.newest.extend(later.newest);
        self.newest.drain(..self.newest.len().saturating_sub(KEPT));
    }

    /// The same, with line numbers counted from `lines` lines before.
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

    /// The newest, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Problem> + DoubleEndedIterator {
        self.newest.iter()
    }
}

/// A piece of a file's text for a reason: quoted, and cut where it is long.
pub fn quote(text: &str) -> String {
    let mut cut: String = text.chars().take(QUOTED).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    format!("{cut:?}")
}
