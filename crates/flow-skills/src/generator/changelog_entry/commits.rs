//! The changes of a range of commits.

use std::collections::HashSet;

use super::super::changes::{Entry, Group, Placement};
use super::super::conventional;
use super::{Collected, lines};
use crate::runtime::git::Commit;
use crate::text;
use crate::text::prose::prose;

/// Largest number of commits with a separate question each.
const ASKED: usize = 20;
/// Number of digits of a commit's id that are shown.
const ID: usize = 10;

/// Adds each commit whose type or first word determines its heading; the others become open questions. A commit and its
/// revert within the range are both left out.
pub(super) fn read(commits: &[Commit], collected: &mut Collected) {
    let undone = undone(commits);
    let mut asked = Vec::new();
    for commit in commits.iter().filter(|commit| !undone.contains(commit.id.as_str())) {
        let subject = text::line(commit.message.lines().next().unwrap_or_default());
        if let Some(message) = conventional::parse(&commit.message) {
            collected
                .add(Placement::of_commit(&message), |group| Entry::of_commit(&message, group));
        } else if let Some((group, subject)) = under(&subject) {
            let text = prose(&text::capital(subject));
            collected.entries.push(Entry { group, scope: None, text, breaking: false });
        } else {
            let id: String = commit.id.chars().take(ID).collect();
            asked.push(format!(
                "type of commit {id} ({subject}): not given (add changes=\"Changed: what users see\")"
            ));
        }
    }
    let rest = asked.len().saturating_sub(ASKED);
    collected.open.extend(asked.into_iter().take(ASKED));
    if rest > 0 {
        collected.open.push(format!("type of {rest} more commits: not given"));
    }
    if !undone.is_empty() {
        *collected.left_out.entry("reverted or reverting").or_default() += undone.len();
    }
}

/// The heading of a subject without a conventional type: by its type (`security: …`) or its verb.
fn under(subject: &str) -> Option<(Group, &str)> {
    let typed = subject.split_once(": ").and_then(|(kind, rest)| Some((Group::named(kind)?, rest)));
    typed.or_else(|| Some((lines::verb(subject)?, subject)))
}

/// The ids of reverted commits and of the commits that revert them.
fn undone(commits: &[Commit]) -> HashSet<&str> {
    let known: HashSet<&str> = commits.iter().map(|commit| commit.id.as_str()).collect();
    let mut undone = HashSet::new();
    // Newest first: a reverted revert undoes nothing.
    for commit in commits.iter().rev().filter(|commit| !commit.message.is_empty()) {
        let reverted = commit.message.lines().find_map(|line| {
            line.trim().strip_prefix("This reverts commit ")?.split(['.', ',', ' ']).next()
        });
        if let Some(id) = reverted.and_then(|id| known.get(id))
            && !undone.contains(commit.id.as_str())
        {
            undone.extend([*id, commit.id.as_str()]);
        }
    }
    undone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(id: &str, message: &str) -> Commit {
        Commit { id: id.to_owned(), message: message.to_owned() }
    }

    #[test]
    fn a_commit_and_its_revert_are_left_out() {
        let commits = [
            commit("a1", "feat: a map"),
            commit("b2", "feat: a list"),
            commit("c3", "Revert \"feat: a map\"\n\nThis reverts commit a1."),
            commit("d4", "Revert \"feat: a list\"\n\nThis reverts commit b2."),
            commit("e5", "Reapply \"feat: a list\"\n\nThis reverts commit d4."),
        ];
        let mut collected = Collected::default();
        read(&commits, &mut collected);
        let texts: Vec<&str> = collected.entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["A list"]);
        assert_eq!(collected.left_out["reverted or reverting"], 4);
        assert!(collected.open.is_empty(), "{:?}", collected.open);
    }
}
