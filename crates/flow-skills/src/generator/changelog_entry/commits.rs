//! The changes of a range of commits.

use super::super::changes::{Entry, Group};
use super::super::{conventional, reverts};
use super::Collected;
use crate::runtime::git::Commit;
use crate::text;
use crate::text::prose::quoted;

/// Largest number of commits with a separate question each.
const ASKED: usize = 20;
/// Number of digits of a commit's id that are shown.
const ID: usize = 10;

/// Adds each commit whose type determines its heading; the others become open questions. A commit and its
/// revert within the range are both left out, as are corrections of other commits.
pub(super) fn read(commits: &[Commit], collected: &mut Collected) {
    let undone = reverts::undone(commits);
    let mut asked = Vec::new();
    for commit in commits.iter().filter(|commit| !undone.contains(commit.id.as_str())) {
        let subject = text::line(reverts::subject(commit));
        if reverts::is_correction(&subject) {
            *collected.left_out.entry("fixup or squash").or_default() += 1;
            continue;
        }
        if let Some(message) = conventional::parse(&commit.message) {
            collected.commit(&message);
        } else if let Some((group, subject)) = under(&subject) {
            let text = text::capital(&quoted(subject));
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

/// The heading that a subject without a conventional type names: `security: …`.
fn under(subject: &str) -> Option<(Group, &str)> {
    subject.split_once(": ").and_then(|(kind, rest)| Some((Group::named(kind)?, rest)))
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
