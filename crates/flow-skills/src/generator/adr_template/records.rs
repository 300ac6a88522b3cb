//! The folder of records: its list, and the record that a new one supersedes.

use std::path::PathBuf;

use super::input::{Input, Status};
use crate::input::values::Date;
use crate::output::{Artifact, Fault, Result, bad_text};
use crate::project_state::Context;
use crate::runtime::files::{FileId, Folder};
use crate::text::prose::prose;
use crate::text::{heading, line, plain};

/// Largest record that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// An existing record.
pub(super) struct Known {
    pub(super) number: u32,
    pub(super) file: String,
}

/// The folder of the records.
pub(super) struct Records {
    project: Folder,
    path: PathBuf,
}

impl Records {
    pub(super) fn open(folder: Option<&str>, context: &Context) -> Result<Self> {
        Ok(Self {
            project: Folder::project(context)?,
            path: PathBuf::from(folder.unwrap_or("docs/adr")),
        })
    }

    /// The records, by number. A missing folder has none.
    pub(super) fn list(&self) -> Result<Vec<Known>> {
        let entries = match self.project.entries(&self.path) {
            Err(error) if error.is_missing() => return Ok(Vec::new()),
            entries => entries?,
        };
        let known = entries.into_iter().filter_map(|entry| {
            let (number, _) = entry.name.strip_suffix(".md")?.split_once('-')?;
            let number = number.parse().ok().filter(|_| number.len() == 4)?;
            Some(Known { number, file: entry.name })
        });
        Ok(known.collect())
    }

    fn read(&self, file: &str) -> Result<(String, FileId)> {
        Ok(self.project.read_text(&self.path.join(file), LARGEST)?)
    }

    /// The date of a record, so that generating it again on another day changes nothing.
    pub(super) fn date(&self, file: &str) -> Option<String> {
        let (text, _) = self.read(file).ok()?;
        let dates = text.lines().filter_map(|line| Date::new(line.strip_prefix("Date: ")?).ok());
        dates.map(Date::into_inner).next()
    }
}

/// The new record, for the link from the superseded one.
pub(super) struct NewRecord<'a> {
    pub(super) file: &'a str,
    pub(super) number: u32,
    pub(super) name: &'a str,
}

/// The superseded record, named by its number or file.
///
/// # Errors
/// When there is no such record, or it is the new one.
pub(super) fn superseded<'a>(
    input: &Input,
    known: &'a [Known],
    own: &str,
) -> Result<Option<&'a Known>> {
    // The link of an existing record to the superseded one may lead to another folder.
    let linked = input.status.as_ref().and_then(Status::supersedes);
    let Some(given) = input.supersedes.as_ref() else {
        return Ok(
            linked.and_then(|file| known.iter().find(|record| record.file == file && file != own))
        );
    };
    let given = given.0.as_str();
    let bare = given.trim_start_matches("ADR-").trim_start_matches("adr-");
    let number: Option<u32> = bare.parse().ok();
    let is_it = |record: &&Known| {
        Some(record.number) == number
            || record.file == given
            || record.file.strip_suffix(".md") == Some(given)
    };
    let names: Vec<&str> = known.iter().map(|record| record.file.as_str()).collect();
    match known.iter().find(is_it) {
        Some(record) if record.file == own => {
            Err(bad_text("supersedes", given, "another record than this one"))
        }
        Some(record) => Ok(Some(record)),
        None if names.is_empty() => {
            Err(bad_text("supersedes", given, "left out: the folder has no record"))
        }
        None => Err(bad_text("supersedes", given, &format!("one of {}", names.join(", ")))),
    }
}

/// The superseded record with a status that links to the new one, and its title.
pub(super) fn link_back(
    folder: &Records,
    old: &Known,
    new: &NewRecord<'_>,
) -> Result<(String, Artifact)> {
    let NewRecord { file, number, name } = *new;
    let (text, subject) = folder.read(&old.file)?;
    let titles = text.lines().filter_map(heading).find(|(level, _)| *level == 1);
    let old_title = titles.map_or_else(
        || old.file.clone(),
        |(_, text)| {
            let text = plain(text);
            text.split_once(". ")
                .filter(|(n, _)| n.parse::<u32>().is_ok())
                .map_or(text.clone(), |(_, bare)| bare.to_owned())
        },
    );
    if let Some(other) = text.lines().find(|line| {
        line.to_lowercase().contains("superseded by [") && !line.contains(&format!("({file})"))
    }) {
        return Err(Fault::Refused(format!("{} is superseded already: {}", old.file, line(other))));
    }
    let link = format!("Deprecated, superseded by [{number}. {}]({file})", prose(name));
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Ok((
        old_title,
        Artifact::new(old.file.clone(), "markdown", with_status(&text, &link).join(end) + end)
            .in_place_of(Some(subject)),
    ))
}

/// A record's lines with another status.
fn with_status(text: &str, status: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_status = |line: &String| {
        heading(line.trim()).is_some_and(|(_, name)| name.eq_ignore_ascii_case("status"))
    };
    if let Some(at) = lines.iter().position(is_status) {
        let end = lines[at + 1..]
            .iter()
            .position(|line| heading(line).is_some())
            .map_or(lines.len(), |found| at + 1 + found);
        // An older link to a superseded record is kept.
        let kept: Vec<String> = lines[at + 1..end]
            .iter()
            .filter(|line| line.to_lowercase().starts_with("supersedes ["))
            .cloned()
            .collect();
        let mut fresh = vec![String::new(), status.to_owned()];
        for line in kept {
            fresh.extend([String::new(), line]);
        }
        if end < lines.len() {
            fresh.push(String::new());
        }
        lines.splice(at + 1..end, fresh);
    } else {
        let at = lines
            .iter()
            .position(|line| heading(line).is_some_and(|(level, _)| level == 1))
            .map_or(0, |at| at + 1);
        let fresh = ["", "## Status", "", status].map(str::to_owned);
        lines.splice(at..at, fresh);
    }
    lines
}
