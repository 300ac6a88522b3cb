//! A folder of decision records, `0007-use-a-queue.md`: the next number, and a record by its number or name.

use std::path::PathBuf;

use crate::output::{Result, bad_text};
use crate::page::Document;
use crate::project_state::Context;
use crate::runtime::files::{FileId, Folder};
use crate::text::after;

/// Largest record that is read, in bytes.
const LARGEST: u64 = 1 << 20;

#[derive(Debug)]
pub(super) struct Record {
    pub(super) number: u32,
    pub(super) file: String,
}

impl Record {
    fn of(file: String) -> Option<Self> {
        let (number, _) = file.strip_suffix(".md")?.split_once('-')?;
        let number = number.parse().ok().filter(|_| number.len() == 4)?;
        Some(Self { number, file })
    }
}

#[derive(Debug)]
pub(super) struct Records {
    project: Folder,
    path: PathBuf,
    here: Vec<Record>,
    /// The numbers of records in the repository's other worktrees: there, others write at the same time.
    elsewhere: Vec<u32>,
}

impl Records {
    /// The records of a folder of the project, by name. A missing folder has none.
    pub(super) fn read(folder: &str, context: &Context) -> Result<Self> {
        let (project, path) = (Folder::project(context)?, PathBuf::from(folder));
        let entries = match project.entries(&path) {
            Err(error) if error.is_missing() => Vec::new(),
            entries => entries?,
        };
        let here = entries.into_iter().filter_map(|entry| Record::of(entry.name)).collect();
        let mut elsewhere = Vec::new();
        for worktree in project.in_other_worktrees() {
            // Where a folder cannot be read, its numbers are not known.
            let entries = worktree.entries(&path).unwrap_or_default().into_iter();
            let records = entries.filter_map(|entry| Record::of(entry.name));
            elsewhere.extend(records.map(|record| record.number));
        }
        Ok(Self { project, path, here, elsewhere })
    }

    /// The record whose name has a stem behind its number.
    pub(super) fn with_stem(&self, stem: &str) -> Option<&Record> {
        let rest = format!("-{stem}.md");
        self.here.iter().find(|record| record.file.get(4..) == Some(&rest))
    }

    /// The number of a new record: the stated one if no other has it in any worktree, else the next one.
    pub(super) fn next(&self, stated: Option<u32>) -> u32 {
        let here = self.here.iter().map(|record| record.number);
        let taken: Vec<u32> = here.chain(self.elsewhere.iter().copied()).collect();
        let free = stated.filter(|stated| !taken.contains(stated));
        free.unwrap_or_else(|| taken.iter().max().unwrap_or(&0) + 1)
    }

    pub(super) fn text(&self, record: &Record) -> Result<(String, FileId)> {
        Ok(self.project.read_text(&self.path.join(&record.file), LARGEST)?)
    }

    /// The day of a record, as it is written.
    pub(super) fn day(&self, record: &Record) -> Option<String> {
        let (text, _) = self.text(record).ok()?;
        Document::read(&text).labelled("Date: ").next().map(|(_, day)| day.to_owned())
    }

    /// The record that a field names by its number or file, which must not be the one in the file `own`.
    pub(super) fn named(&self, field: &str, name: &str, own: &str) -> Result<&Record> {
        let number = after(name, &["ADR-"]).unwrap_or(name).parse();
        let file = format!("{}.md", name.trim_end_matches(".md"));
        let mut records = self.here.iter();
        let named = records.find(|record| number == Ok(record.number) || record.file == file);
        let allowed = match named {
            Some(record) if record.file != own => return Ok(record),
            Some(_) => "another record than this one".to_owned(),
            None if self.here.is_empty() => "left out: the folder has no record".to_owned(),
            None => {
                let files: Vec<&str> = self.here.iter().map(|record| &*record.file).collect();
                format!("one of {}", files.join(", "))
            }
        };
        Err(bad_text(field, name, &allowed))
    }
}

/// The number before a title, `7. ` or `ADR-0007: `, and the title. A number over 999 is a year.
pub(super) fn split_number(text: &str) -> (Option<u32>, &str) {
    let bare = after(text, &["ADR-", "ADR "]).unwrap_or(text);
    let split = [". ", ": ", " - ", " – "].iter().find_map(|end| bare.split_once(end));
    match split.map(|(number, title)| (number.parse(), title)) {
        Some((Ok(number), title)) if (1..=999).contains(&number) => (Some(number), title),
        _ => (None, text),
    }
}
