//! The folder of records: its list, and the record that a new one supersedes.

use std::path::PathBuf;

use super::input::Input;
use crate::input::values::{Date, TextOrNumber};
use crate::output::{Artifact, Fault, Result, bad_text};
use crate::project_state::Context;
use crate::runtime::files::{FileId, Folder};
use crate::text::prose::prose;
use crate::text::{heading, line, plain};

/// Largest record that is read, in bytes.
const LARGEST: u64 = 1 << 20;

pub(super) struct Known {
    pub(super) number: u32,
    pub(super) file: String,
}

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
pub(super) fn superseded<'a>(
    input: &Input,
    known: &'a [Known],
    own: &str,
) -> Result<Option<&'a Known>> {
    let Some(TextOrNumber(given)) = &input.supersedes else { return Ok(None) };
    let bare = given.trim_start_matches("ADR-").trim_start_matches("adr-");
    let number: Option<u32> = bare.parse().ok();
    let is_it = |record: &&Known| {
        Some(record.number) == number
            || record.file == *given
            || record.file.strip_suffix(".md") == Some(given)
    };
    let names: Vec<&str> = known.iter().map(|record| record.file.as_str()).collect();
    let allowed = match known.iter().find(is_it) {
        Some(record) if record.file != own => return Ok(Some(record)),
        Some(_) => "another record than this one".to_owned(),
        None if names.is_empty() => "left out: the folder has no record".to_owned(),
        None => format!("one of {}", names.join(", ")),
    };
    Err(bad_text("supersedes", given, &allowed))
}

/// The superseded record with a status that links to the new one, and its title.
pub(super) fn link_back(
    folder: &Records,
    old: &Known,
    new: &NewRecord<'_>,
) -> Result<(String, Artifact)> {
    let NewRecord { file, number, name } = *new;
    let (text, subject) = folder.read(&old.file)?;
    let title = text.lines().filter_map(heading).find(|(level, _)| *level == 1);
    let title = title.map_or_else(|| old.file.clone(), |(_, title)| plain(title));
    let numbered = title.split_once(". ").filter(|(number, _)| number.parse::<u32>().is_ok());
    let old_title = numbered.map_or(title.as_str(), |(_, bare)| bare).to_owned();
    if let Some(other) = text.lines().find(|line| {
        line.to_lowercase().contains("superseded by [") && !line.contains(&format!("({file})"))
    }) {
        return Err(Fault::Refused(format!("{} is superseded already: {}", old.file, line(other))));
    }
    let link = format!("Deprecated, superseded by [{number}. {}]({file})", prose(name));
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let text = with_status(&text, &link).join(end) + end;
    let artifact = Artifact::new(old.file.clone(), "markdown", text);
    Ok((old_title, artifact.in_place_of(Some(subject))))
}

/// A record's lines with another status.
fn with_status<'a>(text: &'a str, status: &'a str) -> Vec<&'a str> {
    let mut lines: Vec<&str> = text.lines().collect();
    let is_status = |line: &&str| {
        heading(line.trim()).is_some_and(|(_, name)| name.eq_ignore_ascii_case("status"))
    };
    let is_title = |line: &&str| heading(line).is_some_and(|(level, _)| level == 1);
    if let Some(at) = lines.iter().position(is_status) {
        let next = lines.iter().skip(at + 1).position(|line| heading(line).is_some());
        let end = next.map_or(lines.len(), |next| at + 1 + next);
        // An older link to a superseded record is kept.
        let is_link = |line: &&str| line.to_lowercase().starts_with("supersedes [");
        let kept = lines[at + 1..end].iter().copied().filter(is_link);
        let shown = std::iter::once(status).chain(kept).flat_map(|line| ["", line]);
        let shown: Vec<&str> = shown.chain((end < lines.len()).then_some("")).collect();
        lines.splice(at + 1..end, shown);
    } else {
        let at = lines.iter().position(is_title).map_or(0, |at| at + 1);
        lines.splice(at..at, ["", "## Status", "", status]);
    }
    lines
}
