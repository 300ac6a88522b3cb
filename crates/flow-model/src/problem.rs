//! Faults in a file that did not stop it from being served: where, why, and with which effect; and what may not be read
//! as it is meant.

use std::collections::VecDeque;

/// Number of problems of one source that are kept, and of its suspicions; older ones are only counted.
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
    /// It is served, and may not be read as its writer meant it.
    Suspicious,
}

impl Effect {
    /// Name in `/api/problems`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Repaired => "repaired",
            Self::Suspicious => "suspicious",
        }
    }
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

/// A report about one record, or about a collection.
#[derive(Debug, PartialEq, Eq)]
pub struct Suspicion<T> {
    /// The number of the record in the order of reading, the line, or the position; `None` for the collection.
    pub record: Option<T>,
    /// The reason.
    pub reason: String,
}

/// The reports about a collection.
#[derive(Debug)]
pub struct Suspicions<T> {
    /// Number of all.
    pub count: u64,
    /// At least the newest, first those about the collection, then by record.
    pub list: Vec<Suspicion<T>>,
}

/// The problems of a source: the newest ones, and counts of all.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    newest: VecDeque<Problem>,
    suspicions: VecDeque<Problem>,
    /// Records or lines that are not served.
    pub skipped: u64,
    /// Records that are served after a repair.
    pub repaired: u64,
    /// Reports that a record may not be read as meant.
    pub suspicious: u64,
}

impl Problems {
    /// Adds a problem; the oldest is dropped beyond [`KEPT`].
    pub fn note(&mut self, place: Position, effect: Effect, reason: impl Into<String>) {
        let (count, list) = match effect {
            Effect::Skipped => (&mut self.skipped, &mut self.newest),
            Effect::Repaired => (&mut self.repaired, &mut self.newest),
            Effect::Suspicious => (&mut self.suspicious, &mut self.suspicions),
        };
        *count += 1;
        if list.len() == KEPT {
            list.pop_front();
        }
        list.push_back(Problem { place, effect, reason: reason.into() });
    }

    /// Adds reports about records, whose position `position` gives, and about the whole collection.
    pub fn add_suspicions<T>(
        &mut self,
        found: Suspicions<T>,
        collection: &str,
        position: impl Fn(T) -> Position,
    ) {
        let whole = || Position::Id(collection.to_owned());
        // Some are only counted.
        self.suspicious += found.count.saturating_sub(found.list.len() as u64);
        for Suspicion { record, reason } in found.list {
            self.note(record.map_or_else(whole, &position), Effect::Suspicious, reason);
        }
    }

    /// Appends all problems of `later`.
    pub fn append(&mut self, later: Self) {
        self.skipped += later.skipped;
        self.repaired += later.repaired;
        self.suspicious += later.suspicious;
        for (list, more) in
            [(&mut self.newest, later.newest), (&mut self.suspicions, later.suspicions)]
        {
            list.extend(more);
            list.drain(..list.len().saturating_sub(KEPT));
        }
    }

    /// The same, with line numbers increased by `lines`.
    #[must_use]
    pub fn moved_on(&self, lines: u64) -> Self {
        let mut moved = self.clone();
        for problem in moved.newest.iter_mut().chain(&mut moved.suspicions) {
            if let Position::Line(line) = &mut problem.place {
                *line += lines;
            }
        }
        moved
    }

    /// The kept reports that a record may not be read as meant, oldest first.
    pub fn suspicions(&self) -> impl Iterator<Item = &Problem> {
        self.suspicions.iter()
    }

    /// The kept problems of records and lines that were skipped or repaired, oldest first.
    pub fn others(&self) -> impl Iterator<Item = &Problem> {
        self.newest.iter()
    }
}

/// A piece of a file's text for a reason: quoted, and truncated to `QUOTED` characters.
pub fn quote(text: &str) -> String {
    format!("{:?}", cut(text))
}

/// A JSON value for a reason, as it is on disk, but truncated to `QUOTED` characters.
pub fn cut(raw: &str) -> String {
    let mut cut: String = raw.chars().take(QUOTED).collect();
    if cut.len() < raw.len() {
        cut.push('…');
    }
    cut
}
