//! The changes of a range of commits.

use std::collections::HashSet;

use super::super::changes::{Entry, Group};
use super::super::conventional;
use super::{Collected, lines};
use crate::runtime::git::Commit;
use crate::text;
use crate::text::prose::prose;

/// Largest number of commits with a separate question each.
const ASKED: usize = 20;
/// Number of digits of a commit's id that are shown.
const ID: usize = 10;

/// The beginnings of a commit that `git rebase --autosquash` makes a part of an earlier one.
const PARTS: [&str; 3] = ["fixup! ", "squash! ", "amend! "];

/// Adds each commit whose type or first word determines its heading; the others become open questions. A commit and its
/// revert within the range are both left out, as are corrections of other commits.
pub(super) fn read(commits: &[Commit], collected: &mut Collected) {
    let undone = undone(commits);
    let mut asked = Vec::new();
    for commit in commits.iter().filter(|commit| !undone.contains(commit.id.as_str())) {
        let subject = text::line(subject(commit));
        if PARTS.iter().any(|part| subject.starts_with(part)) {
            *collected.left_out.entry("fixup or squash").or_default() += 1;
            continue;
        }
        if let Some(message) = conventional::parse(&commit.message) {
            collected.commit(&message);
        } else if let Some((group, subject)) = under(&subject) {
            let text = prose(subject);
            let text = if collected.is_lower { text } else { text::capital(&text) };
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

/// The ids of reverted commits and of the commits that revert them, by the id in the message, else by the subject.
fn undone(commits: &[Commit]) -> HashSet<&str> {
    let mut undone = HashSet::new();
    // Newest first: a reverted revert undoes nothing.
    for (at, commit) in commits.iter().enumerate().rev() {
        let by_id = commit.message.lines().find_map(|line| {
            line.trim().strip_prefix("This reverts commit ")?.split(['.', ',', ' ']).next()
        });
        let by_id = by_id.filter(|id| !id.is_empty());
        let by_subject = reverted(subject(commit));
        let mut older = commits[..at].iter().rev().filter(|older| !undone.contains(&*older.id));
        let found = older.find(|older| match by_id {
            Some(id) => older.id.starts_with(id),
            None => by_subject.is_some_and(|text| without_number(subject(older)) == text),
        });
        if let Some(found) = found.filter(|_| !undone.contains(&*commit.id)) {
            undone.extend([&*found.id, &*commit.id]);
        }
    }
    undone
}

fn subject(commit: &Commit) -> &str {
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

    #[test]
    fn corrections_and_reverts_by_subject_are_left_out() {
        let commits = [
            commit("a1", "feat: a map (#11)"),
            commit("b2", "fixup! feat: a map"),
            commit("c3", "Revert \"feat: a map (#11)\" (#12)\n\nReverts o/r#11"),
            commit("d4", "feat: a list"),
            commit("e5", "revert: feat: a list"),
            commit("f6", "squash! feat: a list\n\nmore"),
            commit("a7", "feat: a list"),
            commit("b8", "Revert \"feat: of an older release\""),
        ];
        let mut collected = Collected::default();
        read(&commits, &mut collected);
        let texts: Vec<&str> = collected.entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["A list"]);
        assert_eq!(collected.left_out["reverted or reverting"], 4);
        assert_eq!(collected.left_out["fixup or squash"], 2);
        assert_eq!(collected.open.len(), 1, "{:?}", collected.open);
    }
}
