//! The changelog that `changelog-entry` extends: which file it is, and whether it is one.

use std::path::Path;

use crate::fields::{self, bad_text};
use crate::generator::changelog_file;
use crate::input::{Input, LARGEST};
use crate::output::Result;
use crate::project_state::Context;
use crate::runtime::files::{self, FileId, Folder};

/// What a file must be that a section is put into.
const NO_CHANGELOG: &str =
    "a changelog: its title says so, or it has a section for a version or for what is unreleased";

/// The changelog that a section is put into.
pub(super) struct Changelog {
    /// Where the artifact is written below the chosen folder.
    pub(super) path: String,
    /// `None` where only a section is made.
    pub(super) file: Option<changelog_file::File>,
    /// The file that it was read from.
    pub(super) subject: Option<FileId>,
}

/// The changelog of the field `changelog` or `path`, else the file that the artifact is written to.
///
/// # Errors
/// When what the fields name is no changelog, or cannot be read.
pub(super) fn changelog(input: &Input, context: &Context) -> Result<Changelog> {
    if let Some(text) = input.text("changelog") {
        let file = changelog_file::read(text)?;
        return Ok(Changelog { path: "CHANGELOG.md".to_owned(), file: Some(file), subject: None });
    }
    let section = Changelog { path: "changelog-entry.md".to_owned(), file: None, subject: None };
    let limit = LARGEST as u64;
    if let Some(path) = fields::line(input, "path")? {
        let read = Folder::project(context)?.read_text(Path::new(path), limit);
        let (text, subject) = absent_or(read)?;
        let file = changelog_file::read(&text)?;
        if !file.is_changelog() {
            return Err(bad_text("path", path, NO_CHANGELOG));
        }
        return Ok(Changelog { path: path.to_owned(), file: Some(file), subject });
    }
    let Some(out) = &context.out else { return Ok(section) };
    let read = files::read_named(out, limit).and_then(|content| content.text(out));
    let (text, subject) = absent_or(read)?;
    let names_one =
        || out.file_name().is_some_and(|name| name.eq_ignore_ascii_case("CHANGELOG.md"));
    match changelog_file::read(&text) {
        // A file of another kind is not ours to extend, and writing the section over it is refused.
        Ok(file) if file.is_changelog() && (subject.is_some() || names_one()) => {
            Ok(Changelog { file: Some(file), subject, ..section })
        }
        _ => Ok(section),
    }
}

/// A text and its file; no text where there is no file yet.
fn absent_or(read: files::Result<(String, FileId)>) -> Result<(String, Option<FileId>)> {
    match read {
        Ok((text, id)) => Ok((text, Some(id))),
        Err(error) if error.is_missing() => Ok((String::new(), None)),
        Err(error) => Err(error.into()),
    }
}
