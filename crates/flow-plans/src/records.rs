//! What one file contains: parts of records, and what is not read as it may be meant.

use flow_model::kind::Kind;
use flow_model::problem::Effect;
use serde_json::{Map, Value};

/// What one file contains.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileRecords {
    /// Its parts of records, in the order in which they are served.
    pub parts: Vec<Part>,
    /// What it contains that is not read as it may be meant.
    pub issues: Vec<Issue>,
    /// Whether it is none of the format's files in spite of its path: it is counted, and no problem.
    pub is_foreign: bool,
    /// Statuses with the meaning of others, as in [`Plan::synonyms`](crate::plan::Plan::synonyms).
    pub synonyms: Vec<(Kind, String, String)>,
    /// Ids of records that were moved to where they are not served: that they are gone is no loss.
    pub retired: Vec<(Kind, String)>,
    /// Why the file as a whole is not read: its last valid content stays in use, if there was one.
    pub fault: Option<Issue>,
}

/// The members that one file gives to a record. Parts of one kind and id in several files are one record: of a member in
/// several of them, the first value counts. The record's file and line are those of the first part that has a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// `Epic`, `Story` or `Task`.
    pub kind: Kind,
    /// The record's id, unique among the records of its kind in this format.
    pub id: String,
    /// The line on which it begins, from 1; 0 if the file only shows that there is such a record.
    pub line: u64,
    /// Its members in the order in which they are served, without `id` and `format`.
    pub members: Map<String, Value>,
}

/// Why something in a file is not served, or may not be read as it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The line, from 1.
    pub line: u64,
    /// Its effect.
    pub effect: Effect,
    /// The reason, as a phrase.
    pub reason: String,
}
