//! What the worktrees of the project's repository have: each with its own copy of the plan, and what differs from the copy
//! that is served.

use std::time::SystemTime;

use indexmap::IndexMap;
use serde::Serialize;

use super::collection::Collection;

/// What is said where there is no other worktree. One sentence for every reason: where nothing is found, nothing is published anew.
const NONE: &str =
    "no other worktree of a git repository is known here; a running server looks for them";

/// The worktrees, as they were found last.
#[derive(Debug, Clone, PartialEq)]
pub struct Worktrees {
    /// The served one first, then those that were written last. Empty if there is no other than the served one.
    pub rows: Vec<Row>,
    /// Number of worktrees that are not read.
    pub left_out: usize,
    /// Why some or all are not listed, as a sentence.
    pub note: Option<String>,
    /// What two of them took, each by itself.
    pub overlaps: Vec<Overlap>,
    /// When the newest of the files was written.
    pub modified: Option<SystemTime>,
}

impl Default for Worktrees {
    fn default() -> Self {
        let (rows, overlaps) = (Vec::new(), Vec::new());
        Self { rows, left_out: 0, note: Some(NONE.to_owned()), overlaps, modified: None }
    }
}

/// One worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "docs/api.md says what each is")]
pub struct Row {
    pub path: String,
    pub name: String,
    pub branch: Option<String>,
    pub commit: Option<String>,
    pub served: bool,
    pub last_write: Option<String>,
    pub progress: Option<Progress>,
    pub changes: Option<IndexMap<&'static str, usize>>,
    pub overlap: Vec<String>,
    pub state: CopyState,
    pub reason: Option<String>,
}

/// How far the work of a worktree is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// What is counted: `tasks` or `stories`.
    pub of: &'static str,
    /// The story that the branch is named after, if only its tasks are counted.
    pub story_id: Option<String>,
    /// Those that are completed.
    pub done: usize,
    /// All but those that were given up.
    pub total: usize,
}

/// Whether the copy of the plan in a worktree is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyState {
    /// All of it.
    Read,
    /// A file of it cannot be read, or is in one of the two copies only.
    PartlyRead,
    /// It is being written, and has not been read yet.
    Changing,
    /// There is none.
    Missing,
}

/// What several worktrees took, each by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The collection of the records.
    pub collection: Collection,
    /// The ids of the records: one, or those that name the same file.
    pub ids: Vec<String>,
    /// The title of the first one.
    pub title: Option<String>,
    /// The file that they name; `None` if it is one record.
    pub file: Option<String>,
    /// The branch of each of the worktrees, else its name.
    pub worktrees: Vec<String>,
    /// What happened, as a phrase.
    pub reason: String,
    /// When the last of these worktrees had been written as it was noticed.
    pub since: Option<SystemTime>,
}

impl Overlap {
    /// What identifies it within its collection.
    pub fn subject(&self) -> &str {
        self.file.as_deref().or(self.ids.first().map(String::as_str)).unwrap_or_default()
    }
}
