//! Changes that the server has observed: the newest ones, in memory, and the open records that disappeared.
//!
//! The files contain no history. Recording a change copies at most `SEGMENT` pointers, whatever number is kept.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::SystemTime;

pub use crate::model::change::What;
use crate::model::document::{self, canonical};
use crate::model::record::{Kind, Record};
use crate::project::Source;

use super::differences::{Difference, between};
use super::index::status_field;
use super::postings::count_u32;
use super::records::Records;

/// Number of changes that are kept; older ones are only counted.
pub const KEPT: usize = 10_000;
/// Number of vanished records that are kept.
pub const VANISHED: usize = 1_000;
/// Changes per segment. All segments but the newest are shared with earlier snapshots.
const SEGMENT: usize = 256;
/// Longest text of a change, in characters.
const SHOWN: usize = 200;

/// The collections whose changes are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Collection {
    Stories,
    Epics,
    Tasks,
    Sessions,
}

/// A change of one field, or the addition or removal of a record.
#[derive(Debug)]
pub struct Change {
    /// When the server observed it.
    pub at: SystemTime,
    /// The collection of the record.
    pub collection: Collection,
    /// The id of the record.
    pub id: Box<str>,
    /// The title of the record.
    pub title: Option<String>,
    /// Whether the record was added, changed, removed, moved with its file, or archived.
    pub what: What,
    /// The field that changed; for an added or removed record, its status field; for one that was moved, its id.
    pub field: &'static str,
    /// The value before, as written.
    pub from: Option<String>,
    /// The value now, as written.
    pub to: Option<String>,
}

/// An open story or task that is no longer in its file.
#[derive(Debug)]
pub struct Vanished {
    /// When the server observed that.
    pub at: SystemTime,
    /// The collection that it was in.
    pub collection: Collection,
    /// The id of the record.
    pub id: Box<str>,
    /// The title of the record.
    pub title: Option<String>,
    /// Its last status or state, as written.
    pub status: Option<String>,
    /// The owner or agent that it was assigned to.
    pub agent: Option<String>,
}

/// The recorded changes. Immutable.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// Oldest first, each with at most `SEGMENT` changes; all but the last are full.
    segments: VecDeque<Arc<Vec<Arc<Change>>>>,
    /// Number of changes recorded so far.
    seen: u64,
    /// Number of records that differed at once with so many others that their fields were not compared.
    passed_over: u64,
    /// Oldest first.
    vanished: Arc<Vec<Arc<Vanished>>>,
}

impl Collection {
    /// All of them, in the order in which `/api/activity` documents them.
    pub const ALL: [Self; 4] = [Self::Stories, Self::Epics, Self::Tasks, Self::Sessions];

    /// Name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stories => "stories",
            Self::Epics => "epics",
            Self::Tasks => "tasks",
            Self::Sessions => "sessions",
        }
    }

    /// The file of its records.
    pub const fn source(self) -> Source {
        match self {
            Self::Stories | Self::Epics => Source::Status,
            Self::Tasks => Source::Tasks,
            Self::Sessions => Source::Sessions,
        }
    }

    /// The field that names who works on a record.
    pub const fn assignee(self) -> &'static str {
        if matches!(self, Self::Tasks) { "subagent_type" } else { "owner" }
    }

    /// The fields whose changes are recorded; the first one is the status field.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Stories => &["status", "owner", "epic_id"],
            Self::Epics => &["status", "owner"],
            Self::Tasks => &["state", "owner", "story_id", "subagent_type"],
            Self::Sessions => &["active", "status"],
        }
    }
}

impl Activity {
    /// The number of the newest change.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Number of older changes that are no longer kept.
    pub fn forgotten(&self) -> u64 {
        self.passed_over + self.seen.saturating_sub(self.kept() as u64)
    }

    fn kept(&self) -> usize {
        self.segments.iter().map(|segment| segment.len()).sum::<usize>().min(KEPT)
    }

    /// The kept changes, newest first, each with its sequence number, which begins at 1.
    pub fn newest(&self) -> impl Iterator<Item = (u64, &Change)> {
        let changes = self.segments.iter().rev().flat_map(|segment| segment.iter().rev());
        let numbers = (0..=self.seen).rev();
        numbers.zip(changes.map(AsRef::as_ref)).take(KEPT)
    }

    /// The open records that disappeared and have not come back, oldest first.
    pub fn vanished(&self) -> impl Iterator<Item = &Vanished> {
        self.vanished.iter().map(AsRef::as_ref)
    }

    /// Records the changes of a collection. Returns whether there was any. `former_id` gives the id that a record had before
    /// its file was moved, if it may have been; `is_archived` tells of a record that is gone whether its file was archived.
    pub fn note(
        &mut self,
        collection: Collection,
        before: &Records,
        after: &Records,
        former_id: impl Fn(&str) -> Option<String>,
        is_archived: impl Fn(&str) -> bool,
        at: SystemTime,
    ) -> bool {
        let mut differences = paired(between(before, after), before, after, former_id);
        for difference in &mut differences {
            let Difference::Removed(position) = *difference else { continue };
            if before.id_at(position).is_some_and(&is_archived) {
                *difference = Difference::Archived(position);
            }
        }
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
    Some(Vanished {
        at,
        collection,
        id: before.id_at(position)?.into(),
        title: record.title().map(shown),
        status: value(&record, status_field(record.kind())),
        agent: value(&record, collection.assignee()),
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
    /// The changes that a difference is recorded as; empty if none of the recorded fields changed.
    fn changes(self, difference: Difference) -> Vec<Change> {
        let fields = self.collection.fields();
        let first = fields.first().copied().unwrap_or_default();
        let whole = |what, records: &Records, position| {
            let record = records.record(position);
            let status = record.as_ref().and_then(|record| value(record, first));
            let (from, to) = if what == What::Added { (None, status) } else { (status, None) };
            vec![self.change(what, records.id_at(position), record.as_ref(), first, from, to)]
        };
        match difference {
            Difference::Added(position) => whole(What::Added, self.after, position),
            Difference::Removed(position) => whole(What::Removed, self.before, position),
            Difference::Archived(position) => whole(What::Archived, self.before, position),
            Difference::Moved { before, after } => {
                let (old, new) = (self.before.id_at(before), self.after.id_at(after));
                let record = self.after.record(after);
                let [from, to] = [old, new].map(|id| id.map(str::to_owned));
                let mut changes =
                    vec![self.change(What::Moved, new, record.as_ref(), "id", from, to)];
                let of_fields = self.changes(Difference::Changed { before, after });
                // What it belongs to was moved with it.
                let belongs = |change: &Change| matches!(change.field, "story_id" | "epic_id");
                changes.extend(of_fields.into_iter().filter(|change| !belongs(change)));
                changes
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

/// The differences, with one for a record that is removed under one id and added under another because its file was moved.
fn paired(
    differences: Vec<Difference>,
    before: &Records,
    after: &Records,
    former_id: impl Fn(&str) -> Option<String>,
) -> Vec<Difference> {
    let is_gone = |difference: &Difference| matches!(difference, Difference::Removed(_));
    if !differences.iter().any(is_gone) {
        return differences;
    }
    let mut moved: HashMap<usize, usize> = HashMap::new();
    for difference in &differences {
        let Difference::Added(new) = difference else { continue };
        let former = after.id_at(*new).and_then(&former_id);
        let old =
            former.and_then(|id| before.position(&id).filter(|_| after.position(&id).is_none()));
        if let Some(old) = old {
            moved.insert(old, *new);
        }
    }
    if moved.is_empty() {
        return differences;
    }
    let arrived: HashSet<usize> = moved.values().copied().collect();
    let pair = |difference: Difference| match difference {
        Difference::Added(new) if arrived.contains(&new) => None,
        Difference::Removed(old) => Some(match moved.get(&old) {
            Some(new) => Difference::Moved { before: old, after: *new },
            None => difference,
        }),
        other => Some(other),
    };
    differences.into_iter().filter_map(pair).collect()
}

/// The value of a field as written; an empty text counts as none.
fn value(record: &Record<'_>, field: &str) -> Option<String> {
    if record.kind() == Kind::Session && field == "active" {
        return Some(document::is_active(record).to_string());
    }
    record.word(field).map(std::borrow::Cow::into_owned).filter(|value| !value.is_empty())
}

/// A text, truncated to [`SHOWN`] characters.
fn shown(text: String) -> String {
    if text.chars().nth(SHOWN).is_none() {
        return text;
    }
    text.chars().take(SHOWN - 1).chain(['…']).collect()
}
