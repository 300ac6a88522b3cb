//! A change of the plan, and what was not compared.

use crate::model::change::{Effect, What};
use crate::model::wording::Loss;
use crate::store::activity::Collection;

/// A change of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanChange {
    /// The collection of the record.
    pub collection: Collection,
    /// The id of the record, now if it still exists.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// The kind of the change.
    pub what: What,
    /// The documented name of the member that changed; `id` for a record that was moved; `None` for one that was added or
    /// removed.
    pub member: Option<&'static str>,
    /// The value before, as text; of a removed record, its status.
    pub before: Option<String>,
    /// The value now; of an added record, its status.
    pub after: Option<String>,
    /// What it does to what the plan promises, if that is less now.
    pub effect: Option<Effect>,
    /// What a new wording drops.
    pub loss: Option<Loss>,
    /// The open parts of a record that is completed, by their ids or texts.
    pub open: Vec<String>,
    /// Whether the record was open before.
    pub was_open: bool,
    /// Whether it is completed now.
    pub is_done: bool,
    /// Who the record is assigned to now, else before.
    pub owner: Option<String>,
    /// The story or epic that the record belongs to.
    pub parent: Option<String>,
    /// Where the record is, or was if it is gone.
    pub place: Option<RecordPlace>,
}

/// Where a record begins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordPlace {
    /// The path of the file, relative to the root.
    pub file: String,
    /// The line, from 1, if it is known.
    pub line: Option<u64>,
}

/// A file that is not compared, or records that are not.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotCompared {
    /// Its path, relative to the root.
    pub file: String,
    /// Whether it is the later state that cannot be read.
    pub is_now: bool,
    /// Why, as a phrase.
    pub reason: String,
}
