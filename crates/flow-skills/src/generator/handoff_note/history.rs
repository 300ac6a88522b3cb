//! The commits that a note cites.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value;

use super::subject::Subject;
use super::{Snapshot, Span, claim, line, say};
use crate::project_state::Context;
use crate::runtime::git;

/// Number of digits of a commit's id that are cited.
const CITED: usize = 12;

/// The commits that name a story of the subject by its id, newest first; for the whole project all commits since a
/// time.
pub(super) fn commits(
    context: &Context,
    span: &Span,
    subject: &Subject<'_>,
    snapshot: &Snapshot,
    notes: &mut Vec<String>,
) -> Vec<Value> {
    let found = match git::newest(&context.folder, span.since_seconds()) {
        Ok(found) => found,
        Err(fault) => {
            notes.push(format!("No commits are cited: {fault}."));
            return Vec::new();
        }
    };
    let stories = snapshot.stories.iter().filter(|story| subject.has_story(story));
    let stories: HashSet<&str> = stories.map(|story| story.id.as_str()).collect();
    let is_all = subject.is_project() && !span.is_all();
    let mut claims = Vec::new();
    for commit in &found {
        let words = commit.message.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
        let named: BTreeSet<&str> = words.filter(|word| stories.contains(word)).collect();
        if named.is_empty() && !is_all {
            continue;
        }
        let subject = line(commit.message.lines().next().unwrap_or_default());
        let subject = if subject.is_empty() { "a commit without a message" } else { &subject };
        let named = Some(say::ids(named)).filter(|named| !named.is_empty());
        let of = named.map(|named| format!("{named}: ")).unwrap_or_default();
        let id = commit.id.get(..CITED).unwrap_or(&commit.id);
        claims.push(claim(&format!("{of}{subject}"), &[format!("commit {id}")]));
    }
    claims
}
