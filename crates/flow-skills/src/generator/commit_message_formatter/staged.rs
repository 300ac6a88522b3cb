//! What staged files state of a commit: that they are tests or documents alone, and their names.

use super::super::conventional::Message;
use super::subject;
use crate::output::{Fault, Output, Result};
use crate::project_state::Context;
use crate::project_state::say::counted;
use crate::runtime::git::{self, Change, Staged};

/// Largest number of files that a description names.
const NAMED: usize = 3;

/// Fills in what the fields leave open.
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
    if message.kind.is_empty() {
        kind(&staged).unwrap_or_default().clone_into(&mut message.kind);
    }
    if message.description.is_empty() {
        let description = format!("{} {}", verb(&staged), files(&staged));
        // The names of files do not say what was done to them.
        if message.kind.is_empty() {
            return Err(subject::no_type(&description));
        }
        message.description = description;
        let question = "description: names the files alone (add description=\"…\")";
        output.open.push(question.to_owned());
    }
    Ok(())
}

/// The type that the folders of all files state.
fn kind(staged: &[Staged]) -> Option<&'static str> {
    let are_all = |names: &[&str]| {
        staged.iter().all(|file| {
            let folders = file.path.rsplit_once('/').map_or("", |(folders, _)| folders);
            folders.split('/').any(|folder| names.contains(&folder))
        })
    };
    match () {
        () if are_all(&["test", "tests", "__tests__", "spec"]) => Some("test"),
        () if are_all(&["doc", "docs"]) => Some("docs"),
        () => None,
    }
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
