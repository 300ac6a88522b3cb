//! The changelog that `changelog-entry` extends: which file it is, and whether it is one.

use std::path::Path;

use crate::fields::{self, bad_text};
use crate::generator::changelog_file;
use crate::input::{Input, LARGEST};
use crate::output::Result;
use crate::project_state::Context;
use crate::runtime::files::{self, FileId, Folder};

/// What a file must be that a section is put into.
const CHANGELOG: &str = "a changelog: `# Changelog` above sections such as `## [Unreleased]` and `## [1.2.0] - 2026-01-31`";

/// The changelog that a section is put into.
pub(super) struct Changelog {
    /// Where the artifact is written below the chosen folder.
    pub(super) path: String,
    /// `None` where only a section is made.
    pub(super) file: Option<changelog_file::File>,
    /// The file that it was read from.
    pub(super) subject: Option<FileId>,
    /// Why the file that the artifact is written to is not extended.
    pub(super) not_extended: Option<String>,
}

/// The changelog of the field `changelog` or `path`, else the file that the artifact is written to.
///
/// # Errors
/// When what the fields name is no changelog, or cannot be read.
pub(super) fn changelog(input: &Input, context: &Context) -> Result<Changelog> {
    let section = Changelog {
        path: "changelog-entry.md".to_owned(),
        file: None,
        subject: None,
        not_extended: None,
    };
    if let Some(text) = input.text("changelog") {
        let first = text.trim().lines().next().unwrap_or_default();
        let file = understood(text)
            .map_err(|why| bad_text("changelog", first, &format!("{CHANGELOG}; {why}")))?;
        return Ok(Changelog { path: "CHANGELOG.md".to_owned(), file: Some(file), ..section });
    }
    let limit = LARGEST as u64;
    if let Some(path) = fields::line(input, "path")? {
        let read = Folder::project(context)?.read_text(Path::new(path), limit);
        let (text, subject) = absent_or(read)?;
        let file = understood(&text)
            .map_err(|why| bad_text("path", path, &format!("{CHANGELOG}; {why}")))?;
        return Ok(Changelog { path: path.to_owned(), file: Some(file), subject, ..section });
    }
    let Some(out) = &context.out else { return Ok(section) };
    let read = files::read_named(out, limit).and_then(|content| content.text(out));
    let (text, subject) = absent_or(read)?;
    let names_one =
        || out.file_name().is_some_and(|name| name.eq_ignore_ascii_case("CHANGELOG.md"));
    if subject.is_none() && !names_one() {
        return Ok(section);
    }
    Ok(match understood(&text) {
        Ok(file) => Changelog { file: Some(file), subject, ..section },
        // A file of another kind is not ours to extend, and writing the section over it is refused.
        Err(why) => {
            let not_extended =
                Some(format!("no entry was put into it, since it is not {CHANGELOG}; {why}"));
            Changelog { not_extended, ..section }
        }
    })
}

/// A text as a changelog, else why it is none.
fn understood(text: &str) -> Result<changelog_file::File, String> {
    let file = changelog_file::read(text).map_err(|_| "it has no title".to_owned())?;
    file.misfit().map_or(Ok(file), Err)
}

/// A text and its file; no text where there is no file yet.
fn absent_or(read: files::Result<(String, FileId)>) -> Result<(String, Option<FileId>)> {
    match read {
        Ok((text, id)) => Ok((text, Some(id))),
        Err(error) if error.is_missing() => Ok((String::new(), None)),
        Err(error) => Err(error.into()),
    }
}
