//! The commits that a note cites.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::claims::claim;
use crate::generator::report::Board;
use crate::project_state::{Context, say};
use crate::runtime::git;
use crate::text::line;

/// Number of digits of a commit's id that are cited.
const CITED: usize = 12;
/// Largest number of branches whose commits are read.
const BRANCHES: usize = 20;

/// The commits on the branches of the sessions, and those that name a story by its id, newest first; for the whole
/// project all commits since a time.
pub(super) fn commits(context: &Context, board: &Board<'_>, notes: &mut Vec<String>) -> Vec<Value> {
    let scope = board.scope;
    let since = scope.span.since_seconds();
    let newest = match git::newest(&context.folder, "HEAD", since) {
        Ok(newest) => newest,
        Err(fault) => {
            notes.push(format!("No commits are cited: {fault}."));
            return Vec::new();
        }
    };
    let current = git::branch(&context.folder).ok();
    let stories: HashSet<&str> =
        board.stories(|_| true).into_iter().map(|story| story.id.as_str()).collect();
    let mut claims = Vec::new();
    let mut cited = HashSet::new();
    let sessions = board.snapshot.sessions.iter().filter(|session| scope.has_session(session));
    let branches: BTreeSet<&str> =
        sessions.filter_map(|session| session.branch.as_deref()).take(BRANCHES).collect();
    for branch in branches {
        let of_current = current.as_ref().filter(|one| one.name.as_deref() == Some(branch));
        let range = match of_current {
            Some(current) => current.range(),
            None => Some(format!("HEAD..refs/heads/{branch}")),
        };
        // A branch that is not in this repository has no commits.
        let commits = range.and_then(|range| git::newest(&context.folder, &range, since).ok());
        for commit in commits.unwrap_or_default() {
            let place = format!("on branch {}", line(branch));
            claims.push(cite(&commit, &place));
            cited.insert(commit.id);
        }
    }
    let is_all = scope.is_all() && !scope.span.is_all();
    for commit in newest.iter().filter(|commit| !cited.contains(&commit.id)) {
        let words = commit.message.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
        let named: BTreeSet<&str> = words.filter(|word| stories.contains(word)).collect();
        if !named.is_empty() || is_all {
            claims.push(cite(commit, &say::ids(named)));
        }
    }
    claims
}

fn cite(commit: &git::Commit, of: &str) -> Value {
    let subject = line(commit.message.lines().next().unwrap_or_default());
    let subject = if subject.is_empty() { "a commit without a message" } else { &subject };
    let words = if of.is_empty() { subject.to_owned() } else { format!("{of}: {subject}") };
    let id = commit.id.get(..CITED).unwrap_or(&commit.id);
    claim(&words, &[format!("commit {id}")])
}
