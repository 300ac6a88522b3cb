//! The changelog that `changelog-entry` extends: which file it is, and whether it is a changelog.

use std::path::Path;

use super::Input;
use super::file::File;
use crate::input::LARGEST;
use crate::output::{Fault, Result, bad_text};
use crate::project_state::Context;
use crate::runtime::files::{self, FileId, Folder};

/// The requirement for a file that a section is inserted into.
const CHANGELOG: &str = "a changelog in the form of Keep a Changelog: `# Changelog`, `## [Unreleased]`, `## [1.2.0] - 2026-01-31`, `### Added`";

pub(super) struct Subject {
    /// The path of the artifact below the chosen folder.
    pub(super) path: String,
    /// `None` if only a section is generated.
    pub(super) file: Option<File>,
    pub(super) id: Option<FileId>,
    /// Why the existing file at the artifact's path is not extended.
    pub(super) not_extended: Option<String>,
}

/// The changelog in the field `changelog` or `path`, else the file at the artifact's path.
pub(super) fn subject(input: &Input, context: &Context) -> Result<Subject> {
    let section =
        Subject { path: "changelog-entry.md".to_owned(), file: None, id: None, not_extended: None };
    if let Some(text) = &input.changelog {
        let first = text.trim().lines().next().unwrap_or_default();
        let file = understood(text)?.map_err(|why| no_changelog("changelog", first, &why))?;
        // The same file as input and output is extended in place.
        let out = context.out.as_ref().and_then(|out| {
            files::read_named(out, LARGEST as u64).and_then(|content| content.text(out)).ok()
        });
        let id = out.filter(|(out, _)| out == text).map(|(_, id)| id);
        return Ok(Subject { path: "CHANGELOG.md".to_owned(), file: Some(file), id, ..section });
    }
    let limit = LARGEST as u64;
    if let Some(path) = &input.path {
        let read = Folder::project(context)?.read_text(Path::new(&**path), limit);
        let (text, id) = absent_or(read)?;
        let file = understood(&text)?.map_err(|why| no_changelog("path", path, &why))?;
        return Ok(Subject { path: path.to_string(), file: Some(file), id, ..section });
    }
    let Some(out) = &context.out else { return Ok(section) };
    let read = files::read_named(out, limit).and_then(|content| content.text(out));
    let (text, id) = absent_or(read)?;
    let is_named = out.file_name().is_some_and(|name| name.eq_ignore_ascii_case("CHANGELOG.md"));
    if id.is_none() && !is_named {
        return Ok(section);
    }
    // A file of another kind is not extended, and writing the section over it is refused.
    let refused = |why| format!("no entry was put into it, since it is not {CHANGELOG}; {why}");
    Ok(match understood(&text)? {
        Ok(file) => Subject { file: Some(file), id, ..section },
        Err(why) => Subject { not_extended: Some(refused(why)), ..section },
    })
}

fn no_changelog(field: &str, given: &str, why: &str) -> Fault {
    bad_text(field, given, &format!("{CHANGELOG}; {why}"))
}

/// A text as a changelog, else why it is not one.
fn understood(text: &str) -> Result<Result<File, String>> {
    let file = File::read(text)?;
    Ok(file.misfit().map_or(Ok(file), Err))
}

/// A text and its file; no text if the file does not exist.
fn absent_or(read: files::Result<(String, FileId)>) -> Result<(String, Option<FileId>)> {
    match read {
        Ok((text, id)) => Ok((text, Some(id))),
        Err(error) if error.is_missing() => Ok((String::new(), None)),
        Err(error) => Err(error.into()),
    }
}
