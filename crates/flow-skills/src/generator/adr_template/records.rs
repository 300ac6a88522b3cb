//! The folder of records: their numbers, and the record that a new one supersedes.

use std::path::PathBuf;

use super::SECTIONS;
use crate::input::values::Date;
use crate::output::{Artifact, Fault, Result, bad_text};
use crate::page;
use crate::project_state::Context;
use crate::runtime::files::{FileId, Folder};
use crate::text::{after, heading, line, plain};

/// Largest record that is read, in bytes.
const LARGEST: u64 = 1 << 20;

pub(super) struct Record {
    pub(super) number: u32,
    pub(super) file: String,
}

pub(super) struct Records {
    project: Folder,
    path: PathBuf,
    list: Vec<Record>,
}

impl Records {
    /// The records of a folder, by number. A missing folder has none.
    pub(super) fn read(folder: &str, context: &Context) -> Result<Self> {
        let (project, path) = (Folder::project(context)?, PathBuf::from(folder));
        let entries = match project.entries(&path) {
            Err(error) if error.is_missing() => Vec::new(),
            entries => entries?,
        };
        let record = |file: String| {
            let (number, _) = file.strip_suffix(".md")?.split_once('-')?;
            let number = number.parse().ok().filter(|_| number.len() == 4)?;
            Some(Record { number, file })
        };
        let list = entries.into_iter().filter_map(|entry| record(entry.name)).collect();
        Ok(Self { project, path, list })
    }

    /// The record of the decision whose title has a stem.
    pub(super) fn of(&self, stem: &str) -> Option<&Record> {
        self.list.iter().find(|record| record.file.get(5..) == Some(&format!("{stem}.md")))
    }

    /// The number of a new record: the stated one if no other has it, else the next one.
    pub(super) fn number(&self, stated: Option<u32>) -> u32 {
        let mut numbers = self.list.iter().map(|record| record.number);
        let is_taken = stated.is_none_or(|stated| numbers.clone().any(|number| number == stated));
        stated.filter(|_| !is_taken).unwrap_or_else(|| numbers.by_ref().max().unwrap_or(0) + 1)
    }

    fn text(&self, file: &str) -> Result<(String, FileId)> {
        Ok(self.project.read_text(&self.path.join(file), LARGEST)?)
    }

    /// The date of a record, so that generating it again on another day changes nothing.
    pub(super) fn date(&self, file: &str) -> Option<String> {
        let (text, _) = self.text(file).ok()?;
        let mut lines = text.lines();
        lines.find_map(|line| Some(Date::new(line.strip_prefix("Date: ")?).ok()?.into_inner()))
    }

    /// The record that is named by its number or file, for the record in another file.
    pub(super) fn named(&self, given: &str, other: &str) -> Result<&Record> {
        let number = after(given, &["ADR-"]).unwrap_or(given).parse();
        let is_it = |record: &&Record| {
            number.as_ref() == Ok(&record.number)
                || record.file.trim_end_matches(".md") == given.trim_end_matches(".md")
        };
        let names: Vec<&str> = self.list.iter().map(|record| &*record.file).collect();
        let allowed = match self.list.iter().find(is_it) {
            Some(record) if record.file != other => return Ok(record),
            Some(_) => "another record than this one".to_owned(),
            None if names.is_empty() => "left out: the folder has no record".to_owned(),
            None => format!("one of {}", names.join(", ")),
        };
        Err(bad_text("supersedes", given, &allowed))
    }

    /// The title of a superseded record, and its text with a status that links to the new one, which is in `file`.
    pub(super) fn supersede(
        &self,
        old: &Record,
        link: &str,
        file: &str,
    ) -> Result<(String, Artifact)> {
        let (text, subject) = self.text(&old.file)?;
        let title = text.lines().filter_map(heading).find(|(level, _)| *level == 1);
        let title = title.map_or_else(|| old.file.clone(), |(_, title)| plain(title));
        let bare = title.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
        let title = bare.map_or(&*title, |(_, bare)| bare).to_owned();
        let is_other = |line: &&str| {
            line.to_lowercase().contains("superseded by [") && !line.contains(&format!("({file})"))
        };
        if let Some(other) = text.lines().find(is_other) {
            let what = format!("{} is superseded already: {}", old.file, line(other));
            return Err(Fault::Refused(what));
        }
        // An older link to a superseded record is kept.
        let kept = text.lines().filter(|line| after(line, &["Supersedes ["]).is_some());
        let status = format!("Deprecated, superseded by {link}");
        let status = std::iter::once(&*status).chain(kept).collect::<Vec<_>>().join("\n\n");
        let text = page::replace(&text, &SECTIONS[0], &status);
        Ok((title, Artifact::new(&old.file, "markdown", text).in_place_of(Some(subject))))
    }
}
