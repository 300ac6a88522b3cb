//! A folder of numbered documents, `0007-use-a-queue.md`: the next number, and one document by its number or name.

use std::path::PathBuf;

use super::files::{FileId, Folder};
use crate::output::{Result, bad_text};
use crate::page::Document;
use crate::project_state::Context;
use crate::text::after;

/// Largest document that is read, in bytes.
const LARGEST: u64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct Numbered {
    pub(crate) number: u32,
    pub(crate) file: String,
}

#[derive(Debug)]
pub(crate) struct NumberedFolder {
    project: Folder,
    path: PathBuf,
    documents: Vec<Numbered>,
    /// The numbers that documents have in the repository's other worktrees: there, others write at the same time.
    elsewhere: Vec<u32>,
}

impl NumberedFolder {
    /// The documents of a folder of the project, by name. A missing folder has none.
    pub(crate) fn read(folder: &str, context: &Context) -> Result<Self> {
        let (project, path) = (Folder::project(context)?, PathBuf::from(folder));
        let entries = match project.entries(&path) {
            Err(error) if error.is_missing() => Vec::new(),
            entries => entries?,
        };
        let document = |file: String| {
            let (number, _) = file.strip_suffix(".md")?.split_once('-')?;
            let number = number.parse().ok().filter(|_| number.len() == 4)?;
            Some(Numbered { number, file })
        };
        let documents = entries.into_iter().filter_map(|entry| document(entry.name)).collect();
        // Where a folder cannot be read, its numbers are not known.
        let others = project.in_other_worktrees().into_iter();
        let others = others.filter_map(|other| other.entries(&path).ok()).flatten();
        let elsewhere = others.filter_map(|entry| document(entry.name)).map(|one| one.number);
        Ok(Self { elsewhere: elsewhere.collect(), project, path, documents })
    }

    /// The document whose name has a stem behind its number.
    pub(crate) fn of(&self, stem: &str) -> Option<&Numbered> {
        let rest = format!("-{stem}.md");
        self.documents.iter().find(|document| document.file.get(4..) == Some(&rest))
    }

    /// The number of a new document: the stated one if no other has it in any worktree, else the next one.
    pub(crate) fn next(&self, stated: Option<u32>) -> u32 {
        let own = || self.documents.iter().map(|document| document.number);
        let numbers = || own().chain(self.elsewhere.iter().copied());
        let free = stated.filter(|stated| numbers().all(|number| number != *stated));
        free.unwrap_or_else(|| numbers().max().unwrap_or(0) + 1)
    }

    pub(crate) fn text(&self, document: &Numbered) -> Result<(String, FileId)> {
        Ok(self.project.read_text(&self.path.join(&document.file), LARGEST)?)
    }

    /// The text behind a label in a document: `Date: `.
    pub(crate) fn labelled(&self, document: &Numbered, label: &str) -> Option<String> {
        let (text, _) = self.text(document).ok()?;
        Document::read(&text).labelled(label).next().map(|(_, text)| text.to_owned())
    }

    /// The document that a field names by its number or file, which must not be the one in the file `other`.
    pub(crate) fn named(&self, field: &str, name: &str, other: &str) -> Result<&Numbered> {
        let number = after(name, &["ADR-"]).unwrap_or(name).parse();
        let is_it = |document: &&Numbered| {
            number.as_ref() == Ok(&document.number)
                || document.file.trim_end_matches(".md") == name.trim_end_matches(".md")
        };
        let names: Vec<&str> = self.documents.iter().map(|document| &*document.file).collect();
        let allowed = match self.documents.iter().find(is_it) {
            Some(document) if document.file != other => return Ok(document),
            Some(_) => "another record than this one".to_owned(),
            None if names.is_empty() => "left out: the folder has no record".to_owned(),
            None => format!("one of {}", names.join(", ")),
        };
        Err(bad_text(field, name, &allowed))
    }
}

/// The number before a title, `7. ` or `ADR-0007: `, and the title. A number over 999 is a year.
pub(crate) fn numbered(text: &str) -> (Option<u32>, &str) {
    let bare = after(text, &["ADR-", "ADR "]).unwrap_or(text);
    let split = [". ", ": ", " - ", " – "].iter().find_map(|end| bare.split_once(end));
    let number = |text: &str| text.parse().ok().filter(|number| (1..=999).contains(number));
    let numbered = split.and_then(|(before, title)| Some((number(before)?, title)));
    numbered.map_or((None, text), |(number, title)| (Some(number), title))
}
