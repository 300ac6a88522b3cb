//! What a format says of itself: its name, where its files are, and what one file contains.

use std::time::SystemTime;

use flow_model::kind::Kind;
use flow_model::problem::Effect;

use crate::members::Members;
use crate::plan::{Issue, Plan};
use crate::size::{self, MOST_ID, MOST_MEMORY, MOST_RECORDS};

/// A tool's way of keeping a plan in files. Paths are relative to the project's root, with `/` between their parts.
pub trait Format: Sync {
    /// Its name in the settings, in `/api/health` and as the member `format` of each record: `spec-kit`.
    fn name(&self) -> &'static str;

    /// The folders below which its files lie, and files outside of such folders. Only these are searched.
    fn places(&self) -> &[&str];

    /// Files and folders that make the folder which contains them a project's root; one is enough.
    fn marks(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether a folder below one of the places may contain its files.
    fn enters(&self, folder: &str) -> bool {
        let _ = folder;
        true
    }

    /// Whether a file at this path is read.
    fn owns(&self, path: &str) -> bool;

    /// Whether a project has this format, given its files; `exists` tells of any other path.
    fn is_present(&self, files: &[&str], exists: &dyn Fn(&str) -> bool) -> bool;

    /// Of the files that it owns, those that are read, where several may stand for one; all by default. `read` gives the text
    /// of a small file, such as the tool's configuration.
    fn select<'a>(
        &self,
        files: &[OwnFile<'a>],
        read: &dyn Fn(&str) -> Option<String>,
    ) -> Selection<'a> {
        let _ = read;
        Selection { read: files.iter().map(|file| file.path).collect(), beside: Vec::new() }
    }

    /// The id that a record had before its files were moved as the tool moves them: `add-x` for `2026-01-02-add-x` in an
    /// archive. A record that is new under the one id and gone under the other was moved.
    fn former_id<'a>(&self, kind: Kind, id: &'a str) -> Option<&'a str> {
        let _ = (kind, id);
        None
    }

    /// Whether each record is in one file: a second file with its id is reported, not added to it.
    fn is_one_file_a_record(&self) -> bool {
        false
    }

    /// Whether its ids are those of the project's own files: the same id is the same record, and the files' own record is served.
    fn shares_ids_with_files(&self) -> bool {
        false
    }

    /// Whether its records of a kind state what they depend on, so that one without dependencies is known to have none.
    fn states_dependencies(&self, kind: Kind) -> bool {
        let _ = kind;
        false
    }

    /// Whether it is read only where a setting names it.
    fn needs_setting(&self) -> bool {
        false
    }

    /// Whether its files are an export of data that is kept elsewhere, so that they are as old as the last export.
    fn is_export(&self) -> bool {
        false
    }

    /// Reads one file. Linear in the length of the text.
    fn read(&self, path: &str, text: &str) -> FileRecords;

    /// Completes the plan of all files: what follows from several records, such as a story's status from its tasks.
    fn complete(&self, plan: &mut Plan) {
        let _ = plan;
    }
}

/// A file that a format owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// When it was last changed.
    pub modified: Option<SystemTime>,
}

/// Which of the files that a format owns are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection<'a> {
    /// Those that are read.
    pub read: Vec<&'a str>,
    /// Those that could stand in place of one that is read; people are told of them.
    pub beside: Vec<&'a str>,
}

/// What one file contains.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileRecords {
    /// Its parts of records, in the order in which they are served.
    pub parts: Vec<Part>,
    /// What it contains that is not read as it may be meant.
    pub issues: Vec<Issue>,
    /// Whether it is none of the format's files in spite of its path: it is counted, and no problem.
    pub is_foreign: bool,
    /// Statuses with the meaning of others, as in [`Plan::synonyms`].
    pub synonyms: Vec<(Kind, String, String)>,
    /// Ids of records that were moved to where they are not served: that they are gone is not a loss.
    pub retired: Vec<(Kind, String)>,
    /// Why the file as a whole is not read: its last valid content stays in use, if there was one.
    pub fault: Option<Issue>,
    /// What the parts take in memory, as far as they were added by [`FileRecords::add`].
    memory: usize,
    is_too_large: bool,
}

impl FileRecords {
    /// One part.
    pub fn one(part: Part) -> Self {
        let mut records = Self::default();
        records.add(part);
        records
    }

    /// Of a file that is not read, and why.
    pub fn broken(issue: Issue) -> Self {
        Self { fault: Some(issue), ..Self::default() }
    }

    /// Of a file that is none of the format's in spite of its path.
    pub fn foreign() -> Self {
        Self { is_foreign: true, ..Self::default() }
    }

    /// Of a record that was moved to where it is not served.
    pub fn moved(kind: Kind, id: String) -> Self {
        let mut records = Self::default();
        records.retire(kind, id);
        records
    }

    /// Adds a part, unless the file has more of them than are read or the part's id is too long.
    pub fn add(&mut self, part: Part) {
        if part.id.len() > MOST_ID {
            let reason = format!("an id of more than {MOST_ID} bytes");
            self.report(Issue { line: part.line.max(1), effect: Effect::Skipped, reason });
            return;
        }
        let memory = part.memory();
        if self.fits(memory) {
            self.memory += memory;
            self.parts.push(part);
        }
    }

    /// Adds a report, under the same limit.
    pub fn report(&mut self, issue: Issue) {
        if self.fits(0) {
            self.issues.push(issue);
        }
    }

    /// Adds the id of a record that is gone for a reason, under the same limit.
    pub fn retire(&mut self, kind: Kind, id: String) {
        if self.fits(0) {
            self.retired.push((kind, id));
        }
    }

    fn fits(&mut self, memory: usize) -> bool {
        self.is_too_large |=
            self.count() >= MOST_RECORDS || self.memory.saturating_add(memory) > MOST_MEMORY;
        !self.is_too_large
    }

    /// Frees memory that its lists have reserved and do not use.
    pub fn shrink_to_fit(&mut self) {
        self.parts.shrink_to_fit();
        self.issues.shrink_to_fit();
    }

    /// Number of its parts, reports and ids that are gone.
    pub fn count(&self) -> usize {
        self.parts.len() + self.issues.len() + self.retired.len()
    }

    /// Whether the file has more than is read of one.
    pub fn is_too_large(&self) -> bool {
        self.is_too_large
    }
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
    pub members: Members,
}

impl Part {
    /// What it takes in memory, in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.id.len() + size::of_members(&self.members)
    }
}
