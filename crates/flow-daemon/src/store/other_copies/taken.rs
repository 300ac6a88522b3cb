//! What was begun or completed in a copy of the plan and not in the served one.

use crate::model::change::What;
use crate::model::dependency::BEGUN;
use crate::model::json;
use crate::model::record::{Record, status};

use super::super::collection::Collection;
use super::super::plan_change::PlanChange;
use super::super::snapshot::Snapshot;

/// Most records of a copy that are compared with those of other copies.
const MOST: usize = 1_000;
/// Most files of a record that are compared.
const MOST_FILES: usize = 100;
/// The members that name the files that a task touches.
const FILES: [&str; 4] = ["files", "file", "paths", "path"];
/// States of tasks whose work has begun and is not done.
const RUNNING: [&str; 2] = ["running", "in-progress"];

/// How far the work on a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Begun,
    Completed,
}

/// A story or task on which somebody worked in a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) collection: Collection,
    pub(super) id: String,
    pub(super) title: Option<String>,
    pub(super) work: Work,
    /// Whether the served copy does not have it.
    pub(super) is_new: bool,
    /// The files that it names.
    pub(super) files: Vec<String>,
}

/// The records that a copy has begun or completed and the served one has not. A status that is computed from the boxes of tasks
/// does not count: the tasks do.
pub(super) fn taken(served: &Snapshot, copy: &Snapshot, changes: &[PlanChange]) -> Vec<Taken> {
    let of_record = |change: &PlanChange| {
        let is_new = change.what == What::Added && change.member.is_none();
        if change.collection == Collection::Epics || !(is_new || change.is_of_status()) {
            return None;
        }
        let taken = record(copy, change.collection, &change.id, |record| {
            Some(Taken {
                collection: change.collection,
                id: change.id.clone(),
                title: record.title(),
                work: work(record, change.collection)?,
                is_new,
                files: files(record),
            })
        })?;
        (is_new || is_untaken(served, &taken, taken.work == Work::Completed)).then_some(taken)
    };
    changes.iter().filter_map(of_record).take(MOST).collect()
}

/// Whether a state has the same record, and in it the record is open; unless `may_be_begun`, nobody has begun it either.
pub(super) fn is_untaken(snapshot: &Snapshot, taken: &Taken, may_be_begun: bool) -> bool {
    let is_open = |record: &Record<'_>| match work(record, taken.collection) {
        None => true,
        Some(Work::Begun) => may_be_begun,
        Some(Work::Completed) => false,
    };
    let is_it = |record: &Record<'_>| Some(record.title() == taken.title && is_open(record));
    let records = snapshot.records(taken.collection);
    let is_to_do = records
        .position(&taken.id)
        .is_some_and(|at| u32::try_from(at).is_ok_and(|at| records.is_open(at)));
    is_to_do && record(snapshot, taken.collection, &taken.id, is_it) == Some(true)
}

fn record<T>(
    snapshot: &Snapshot,
    collection: Collection,
    id: &str,
    read: impl Fn(&Record<'_>) -> Option<T>,
) -> Option<T> {
    let records = snapshot.records(collection);
    read(&records.record(records.position(id)?)?)
}

/// How far the work on a record is; `None` if nobody has begun it, or its status says nothing of that.
fn work(record: &Record<'_>, collection: Collection) -> Option<Work> {
    if record.follows_from_boxes() {
        return None;
    }
    let word = record.word(collection.status_field())?;
    match (collection, status(&word).as_ref()) {
        (_, "done") | (Collection::Stories, "archived") => Some(Work::Completed),
        (Collection::Tasks, word) if RUNNING.contains(&word) => Some(Work::Begun),
        (Collection::Stories, word) if BEGUN.contains(&word) => Some(Work::Begun),
        _ => None,
    }
}

/// The files that a record names; folders are too large to be the same work.
fn files(record: &Record<'_>) -> Vec<String> {
    let values = FILES.iter().filter_map(|name| record.member(name));
    let texts = values.flat_map(|raw| match raw.as_bytes().first() {
        Some(b'[') => json::elements_at_most(raw, MOST_FILES).unwrap_or_default(),
        _ => vec![raw],
    });
    let texts = texts.filter(|raw| raw.starts_with('"')).filter_map(|raw| json::string(raw).ok());
    let plain = texts.map(|text| text.trim().trim_start_matches("./").to_owned());
    let mut files: Vec<String> =
        plain.filter(|path| !path.is_empty() && !path.ends_with('/')).take(MOST_FILES).collect();
    files.sort();
    files.dedup();
    files
}
