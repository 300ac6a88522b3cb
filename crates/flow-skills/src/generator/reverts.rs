//! Commits of a range that say nothing of its result: those that are reverted in it, and corrections of others.

use std::collections::HashSet;

use crate::runtime::git::Commit;

/// The beginnings of a commit that `git rebase --autosquash` makes a part of an earlier one.
const PARTS: [&str; 3] = ["fixup! ", "squash! ", "amend! "];

/// Whether a commit with this subject corrects an earlier one.
pub(super) fn is_correction(subject: &str) -> bool {
    PARTS.iter().any(|part| subject.starts_with(part))
}

/// The commits that count, unless none does.
pub(super) fn standing(commits: Vec<Commit>) -> Vec<Commit> {
    let undone = undone(&commits);
    let counts =
        |commit: &&Commit| !undone.contains(&*commit.id) && !is_correction(subject(commit));
    let counted: Vec<Commit> = commits.iter().filter(counts).cloned().collect();
    if counted.is_empty() { commits } else { counted }
}

/// The ids of reverted commits and of the commits that revert them, by the id in the message, else by the subject.
pub(super) fn undone(commits: &[Commit]) -> HashSet<&str> {
    let mut undone = HashSet::new();
    // Newest first: a reverted revert undoes nothing.
    for (at, commit) in commits.iter().enumerate().rev() {
        let by_id = commit.message.lines().find_map(|line| {
            line.trim().strip_prefix("This reverts commit ")?.split(['.', ',', ' ']).next()
        });
        let by_id = by_id.filter(|id| !id.is_empty());
        let by_subject = reverted(subject(commit));
        if by_id.is_none() && by_subject.is_none() {
            continue;
        }
        let mut older = commits[..at].iter().rev().filter(|older| !undone.contains(&*older.id));
        let reverted = older.find(|older| match by_id {
            Some(id) => older.id.starts_with(id),
            None => by_subject.is_some_and(|text| without_number(subject(older)) == text),
        });
        if let Some(reverted) = reverted.filter(|_| !undone.contains(&*commit.id)) {
            undone.extend([&*reverted.id, &*commit.id]);
        }
    }
    undone
}

/// The first line of a message.
pub(super) fn subject(commit: &Commit) -> &str {
    commit.message.lines().next().unwrap_or_default().trim()
}

/// The subject that a revert names: `Revert "feat: a map" (#12)`, `revert: feat: a map`.
fn reverted(subject: &str) -> Option<&str> {
    let bare = without_number(subject);
    let quoted = bare.strip_prefix("Revert \"").and_then(|rest| rest.strip_suffix('"'));
    quoted.or_else(|| bare.strip_prefix("revert: ")).map(without_number)
}

/// A subject without the number of its pull request.
fn without_number(subject: &str) -> &str {
    let split = subject.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (#"));
    split.map_or(subject, |(before, _)| before)
}
