//! Conventional commits: parsing messages, and the known types.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::input::kind::{Kind, Payload};
use crate::input::notation::list::{Head, head};
pub(super) use crate::input::recognise::COMMIT_TYPES as TYPES;
use crate::runtime::git::Commit;

/// The tokens of a breaking change's footer.
const BREAKING: [&str; 2] = ["BREAKING CHANGE", "BREAKING-CHANGE"];

/// A footer: `Refs: #12`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Footer {
    pub(super) token: String,
    pub(super) value: String,
}

impl Footer {
    /// Whether it describes a breaking change.
    pub(super) fn is_breaking(&self) -> bool {
        BREAKING.contains(&self.token.as_str())
    }
}

/// A message that follows the convention.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Message {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) scope: Option<String>,
    pub(super) breaking: bool,
    pub(super) description: String,
    pub(super) body: Option<String>,
    pub(super) footers: Vec<Footer>,
}

impl Payload for Message {
    const KIND: Kind = Kind::Commit;
}

impl Message {
    /// The first line: `feat(auth)!: add a login form`.
    pub(super) fn header(&self) -> String {
        let scope = self.scope.as_ref().map(|scope| format!("({scope})")).unwrap_or_default();
        let mark = if self.breaking { "!" } else { "" };
        format!("{}{scope}{mark}: {}", self.kind, self.description)
    }

    /// The description of the breaking change, if there is one.
    pub(super) fn what_breaks(&self) -> Option<&str> {
        self.footers.iter().find(|footer| footer.is_breaking()).map(|footer| footer.value.as_str())
    }
}

/// Parses a message; `None` if its first line does not begin with a known type.
pub(super) fn parse(message: &str) -> Option<Message> {
    let (header, rest) = message.split_once('\n').unwrap_or((message, ""));
    let Head { kind, scope, is_breaking, text } = head(header)?;
    if !TYPES.contains(&kind) || text.is_empty() {
        return None;
    }
    let (body, footers) = split_footers(rest);
    Some(Message {
        kind: kind.to_owned(),
        scope: scope.map(|scope| scope.trim().to_owned()).filter(|scope| !scope.is_empty()),
        breaking: is_breaking || footers.iter().any(Footer::is_breaking),
        description: text.to_owned(),
        body: Some(body).filter(|body| !body.is_empty()),
        footers,
    })
}

/// A text without its last paragraph, and the footers in that, if it consists of footers.
pub(super) fn split_footers(text: &str) -> (String, Vec<Footer>) {
    let text = text.trim_matches('\n');
    let (body, last) = text.rsplit_once("\n\n").unwrap_or(("", text));
    match footers(last) {
        Some(footers) => (body.trim_matches('\n').to_owned(), footers),
        None => (text.to_owned(), Vec::new()),
    }
}

/// The footers of a paragraph that consists of footers only. An indented line continues the footer before it, as does
/// any other line after a breaking change.
fn footers(paragraph: &str) -> Option<Vec<Footer>> {
    let mut footers: Vec<Footer> = Vec::new();
    for line in paragraph.lines() {
        match (footer(line), footers.last_mut()) {
            (Some(footer), _) => footers.push(footer),
            (None, Some(before)) if line.starts_with([' ', '\t']) || before.is_breaking() => {
                before.value.push('\n');
                before.value.push_str(line.trim());
            }
            _ => return None,
        }
    }
    Some(footers).filter(|footers| !footers.is_empty())
}

/// Parses a line as a footer: `Token: value` or `Token #value`.
pub(super) fn footer(line: &str) -> Option<Footer> {
    let footer_of = |token: &str, value: &str| {
        let value = value.trim();
        (!value.is_empty()).then(|| Footer { token: token.to_owned(), value: value.to_owned() })
    };
    for token in BREAKING {
        // Many write the plural.
        let rest = line.strip_prefix(token).map(|rest| rest.strip_prefix('S').unwrap_or(rest));
        if let Some(rest) = rest.and_then(|rest| rest.strip_prefix(": ")) {
            return footer_of(token, rest);
        }
    }
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '-')?;
    let (token, rest) = line.split_at(end);
    if !token.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    match rest.strip_prefix(": ") {
        Some(value) => footer_of(token, value),
        None => rest.strip_prefix(" #").and_then(|value| footer_of(token, &format!("#{value}"))),
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_taken_apart() {
        let text = "feat(api)!: drop v1\n\nIt was old.\n\nMore.\n\nBREAKING CHANGE: use v2\n then v3\nRefs #12";
        let message = parse(text).unwrap();
        assert_eq!((message.kind.as_str(), message.scope.as_deref()), ("feat", Some("api")));
        assert!(message.breaking);
        assert_eq!(message.body.as_deref(), Some("It was old.\n\nMore."));
        assert_eq!(message.what_breaks(), Some("use v2\nthen v3"));
        assert_eq!(message.footers[1], Footer { token: "Refs".into(), value: "#12".into() });
        assert!(parse("fix: a\n\nBREAKING CHANGES: b").unwrap().breaking);
    }

    #[test]
    fn a_body_that_ends_in_prose_has_no_footers() {
        let message = parse("fix: a\n\nNote: this is\nprose").unwrap();
        assert_eq!(message.body.as_deref(), Some("Note: this is\nprose"));
        assert!(message.footers.is_empty());
        assert_eq!(parse("note: x"), None);
        assert_eq!(parse("fix:x"), None);
        assert_eq!(parse(""), None);
    }
}
