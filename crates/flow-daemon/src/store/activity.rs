//! What the server itself saw change: the newest changes in memory, and the open records that vanished.
//!
//! The files keep no history. A change costs a copy of at most `SEGMENT` pointers, whatever is kept.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use crate::model::document::{self, canonical};
use crate::model::record::{Kind, Record};

use super::differences::{Difference, between};
use super::index::status_field;
use super::postings::count_u32;
use super::records::Records;

/// Changes that are kept; the older ones are only counted.
pub const KEPT: usize = 10_000;
/// Vanished records that are kept.
pub const VANISHED: usize = 1_000;
/// Changes of one segment. What is older than the newest segment is shared with the snapshots before.
const SEGMENT: usize = 256;
/// Longest text of a change, in characters.
const SHOWN: usize = 200;

/// The collections whose changes are noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Collection {
    Stories,
    Epics,
    Tasks,
    Sessions,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum What {
    Added,
    Changed,
    Removed,
}

/// One change of one field, or a record that came or went.
#[derive(Debug)]
pub struct Change {
    /// When it was seen.
    pub at: SystemTime,
    /// Where the record stands.
    pub collection: Collection,
    /// Its id.
    pub id: Box<str>,
    /// What people call it.
    pub title: Option<String>,
    /// What became of it.
    pub what: What,
    /// The field that changed; for a record that came or went, the one that says how far it is.
    pub field: &'static str,
    /// The value before, as written.
    pub from: Option<String>,
    /// The value now, as written.
    pub to: Option<String>,
}

/// An open story or task that is no longer in its file.
#[derive(Debug)]
pub struct Vanished {
    /// When that was seen.
    pub at: SystemTime,
    /// Where it stood.
    pub collection: Collection,
    /// Its id.
    pub id: Box<str>,
    /// What people call it.
    pub title: Option<String>,
    /// Its last status or state, as written.
    pub status: Option<String>,
    /// Who had it.
    pub agent: Option<String>,
}

/// The changes, immutable.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// Oldest first, each with at most `SEGMENT` changes; all but the last are full.
    segments: VecDeque<Arc<Vec<Arc<Change>>>>,
    /// How many changes were kept at some time.
    seen: u64,
    /// How many records differed at once with so many others that nobody looked how.
    passed_over: u64,
    /// Oldest first.
    vanished: Arc<Vec<Arc<Vanished>>>,
}

impl Collection {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Stories, Self::Epics, Self::Tasks, Self::Sessions];

    /// As the API has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stories => "stories",
            Self::Epics => "epics",
            Self::Tasks => "tasks",
            Self::Sessions => "sessions",
        }
    }

    /// The fields whose changes are noted; the first says how far a record is.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Stories => &["status", "owner", "epic_id"],
            Self::Epics => &["status", "owner"],
            Self::Tasks => &["state", "owner", "story_id", "subagent_type"],
            Self::Sessions => &["active", "status"],
        }
    }
}

impl What {
    /// As the API has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

impl Activity {
    /// The number of the newest change.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How many older changes are not kept.
    pub fn forgotten(&self) -> u64 {
        self.passed_over + self.seen.saturating_sub(self.kept() as u64)
    }

    fn kept(&self) -> usize {
        self.segments.iter().map(|segment| segment.len()).sum::<usize>().min(KEPT)
    }

    /// The changes that are kept, newest first, each with its number, counted from 1.
    pub fn newest(&self) -> impl Iterator<Item = (u64, &Change)> {
        let changes = self.segments.iter().rev().flat_map(|segment| segment.iter().rev());
        let numbers = (0..=self.seen).rev();
        numbers.zip(changes.map(AsRef::as_ref)).take(KEPT)
    }

    /// The open records that vanished and have not come back, oldest first.
    pub fn vanished(&self) -> impl Iterator<Item = &Vanished> {
        self.vanished.iter().map(AsRef::as_ref)
    }

    /// Notes what became of a collection. Gives whether anything did.
    pub fn note(
        &mut self,
        collection: Collection,
        before: &Records,
        after: &Records,
        at: SystemTime,
    ) -> bool {
        let differences = between(before, after);
        self.note_vanished(collection, before, after, &differences, at);
        let comparison = Comparison { collection, before, after, at };
        // The newest are kept, so the last come first.
        let mut changes = Vec::new();
        for (at, difference) in differences.into_iter().enumerate().rev() {
            if changes.len() >= KEPT {
                self.passed_over += at as u64 + 1;
                break;
            }
            changes.extend(comparison.changes(difference).into_iter().rev());
        }
        let noted = !changes.is_empty();
        changes.into_iter().rev().for_each(|change| self.push(change));
        noted
    }

    fn push(&mut self, change: Change) {
        self.seen += 1;
        let change = Arc::new(change);
        match self.segments.back_mut().filter(|segment| segment.len() < SEGMENT) {
            Some(segment) => Arc::make_mut(segment).push(change),
            None => self.segments.push_back(Arc::new(vec![change])),
        }
        let total: usize = self.segments.iter().map(|segment| segment.len()).sum();
        if total >= KEPT + SEGMENT {
            self.segments.pop_front();
        }
    }

    fn note_vanished(
        &mut self,
        collection: Collection,
        before: &Records,
        after: &Records,
        differences: &[Difference],
        at: SystemTime,
    ) {
        if !matches!(collection, Collection::Stories | Collection::Tasks) {
            return;
        }
        let is_back =
            |gone: &Vanished| gone.collection == collection && after.position(&gone.id).is_some();
        if self.vanished.iter().any(|gone| is_back(gone)) {
            Arc::make_mut(&mut self.vanished).retain(|gone| !is_back(gone));
        }
        let gone = differences.iter().rev().filter_map(|difference| match difference {
            Difference::Removed(position) => Some(*position),
            _ => None,
        });
        let open = gone.filter(|position| before.is_open(count_u32(*position)));
        let mut newest: Vec<Arc<Vanished>> = open
            .take(VANISHED)
            .filter_map(|position| vanished(collection, before, position, at))
            .map(Arc::new)
            .collect();
        if newest.is_empty() {
            return;
        }
        newest.reverse();
        let kept = Arc::make_mut(&mut self.vanished);
        kept.extend(newest);
        kept.drain(..kept.len().saturating_sub(VANISHED));
    }
}

fn vanished(
    collection: Collection,
    before: &Records,
    position: usize,
    at: SystemTime,
) -> Option<Vanished> {
    let record = before.record(position)?;
    let agent = if collection == Collection::Tasks { "subagent_type" } else { "owner" };
    Some(Vanished {
        at,
        collection,
        id: before.id_at(position)?.into(),
        title: record.title().map(shown),
        status: value(&record, status_field(record.kind())),
        agent: value(&record, agent),
    })
}

/// Two states of a collection.
#[derive(Clone, Copy)]
struct Comparison<'a> {
    collection: Collection,
    before: &'a Records,
    after: &'a Records,
    at: SystemTime,
}

impl Comparison<'_> {
    /// What a difference is noted as: nothing where none of the fields changed.
    fn changes(self, difference: Difference) -> Vec<Change> {
        let fields = self.collection.fields();
        let first = fields.first().copied().unwrap_or_default();
        match difference {
            Difference::Added(position) => {
                let record = self.after.record(position);
                let to = record.as_ref().and_then(|record| value(record, first));
                let id = self.after.id_at(position);
                vec![self.change(What::Added, id, record.as_ref(), first, None, to)]
            }
            Difference::Removed(position) => {
                let record = self.before.record(position);
                let from = record.as_ref().and_then(|record| value(record, first));
                let id = self.before.id_at(position);
                vec![self.change(What::Removed, id, record.as_ref(), first, from, None)]
            }
            Difference::Changed { before, after } => {
                let id = self.after.id_at(after);
                let (Some(old), Some(new)) = (self.before.record(before), self.after.record(after))
                else {
                    return Vec::new();
                };
                let changed = |field: &&'static str| {
                    let (from, to) = (value(&old, field), value(&new, field));
                    let compared = |value: &Option<String>| {
                        value.as_deref().map(|v| canonical(new.kind(), field, v))
                    };
                    let differs = compared(&from) != compared(&to);
                    differs.then(|| self.change(What::Changed, id, Some(&new), field, from, to))
                };
                fields.iter().filter_map(changed).collect()
            }
        }
    }

    fn change(
        self,
        what: What,
        id: Option<&str>,
        record: Option<&Record<'_>>,
        field: &'static str,
        from: Option<String>,
        to: Option<String>,
    ) -> Change {
        Change {
            at: self.at,
            collection: self.collection,
            id: id.unwrap_or_default().into(),
            title: record.and_then(Record::title).map(shown),
            what,
            field,
            from: from.map(shown),
            to: to.map(shown),
        }
    }
}

/// The value of a field as written; an empty text counts as none.
fn value(record: &Record<'_>, field: &str) -> Option<String> {
    if record.kind() == Kind::Session && field == "active" {
        return Some(document::is_active(record).to_string());
    }
    record.word(field).map(std::borrow::Cow::into_owned).filter(|value| !value.is_empty())
}

/// A text that is shown, cut where it is long.
fn shown(text: String) -> String {
    if text.chars().nth(SHOWN).is_none() {
        return text;
    }
    text.chars().take(SHOWN - 1).chain(['…']).collect()
}
