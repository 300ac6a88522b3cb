//! What staged files state of a commit: their names, and whether all are added or removed.

use super::super::conventional::Message;
use super::subject;
use crate::output::{Fault, Output, Result};
use crate::project_state::Context;
use crate::project_state::say::counted;
use crate::runtime::git::{self, Change, Staged};

/// Largest number of files that a description names.
const NAMED: usize = 3;

/// Describes the change by the names of its files.
pub(super) fn complete(
    message: &mut Message,
    context: &Context,
    output: &mut Output,
) -> Result<()> {
    let staged = git::staged(&context.folder)?;
    if staged.is_empty() {
        return Err(Fault::Refused(
            "nothing is staged and no description is given; git add the change, or write flow skill commit-message-formatter \"add a login form\""
                .to_owned(),
        ));
    }
    let description = format!("{} {}", verb(&staged), files(&staged));
    // The names of files do not say what was done to them.
    if message.kind.is_empty() {
        return Err(subject::no_type(&description));
    }
    message.description = description;
    let question = "description: names the files alone (add description=\"…\")";
    output.open.push(question.to_owned());
    Ok(())
}

/// What was done to all files.
fn verb(staged: &[Staged]) -> &'static str {
    let are_all = |change| staged.iter().all(|file| file.change == change);
    match () {
        () if are_all(Change::Added) => "add",
        () if are_all(Change::Removed) => "remove",
        () => "update",
    }
}

/// The names of the files, or their number.
fn files(staged: &[Staged]) -> String {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let shown = |file: &Staged| match &file.before {
        Some(before) => format!("{} (was {})", name(&file.path), name(before)),
        None => name(&file.path),
    };
    let names: Vec<String> = staged.iter().map(shown).collect();
    let is_plain = |name: &String| !name.contains(char::is_control);
    match names.as_slice() {
        names if names.len() > NAMED || !names.iter().all(is_plain) => {
            counted(names.len(), "file", "files")
        }
        [names @ .., last] if !names.is_empty() => format!("{} and {last}", names.join(", ")),
        names => names.join(", "),
    }
}
