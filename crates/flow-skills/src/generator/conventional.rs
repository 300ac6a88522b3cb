//! Commits and their messages by the convention: their parts, their types, and which commits of a range count.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

pub(super) use crate::input::forms::COMMIT_TYPES as TYPE_NAMES;
use crate::notation::list::{Head, head};
use crate::output::Result;
use crate::runtime::git;
use crate::text::{line, lists};

/// A heading of a changelog, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub(super) enum Group {
    Added,
    Changed,
    Fixed,
    Deprecated,
    Removed,
    Security,
}

crate::text::display_as_serde!(Group);

impl Group {
    pub(super) const ALL: [Self; 6] =
        [Self::Added, Self::Changed, Self::Fixed, Self::Deprecated, Self::Removed, Self::Security];

    /// The heading with this name, ignoring case.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.to_string().eq_ignore_ascii_case(name.trim()))
    }

    pub(super) fn names() -> String {
        Self::ALL.map(|group| group.to_string()).join(", ")
    }
}

pub(super) struct CommitType {
    pub(super) name: &'static str,
    /// Its heading in a changelog; `None` if users do not notice such changes.
    pub(super) group: Option<Group>,
    /// The verbs that name it, as the first word of a description.
    pub(super) verbs: &'static str,
}

const fn commit_type(name: &'static str, group: Option<Group>, verbs: &'static str) -> CommitType {
    CommitType { name, group, verbs }
}

/// Each of [`TYPE_NAMES`], the most important ones first.
pub(super) const KNOWN_TYPES: [CommitType; 11] = [
    commit_type("feat", Some(Group::Added), "add introduce implement support allow"),
    commit_type("fix", Some(Group::Fixed), "fix correct repair prevent"),
    commit_type("perf", Some(Group::Changed), ""),
    commit_type("refactor", Some(Group::Changed), "refactor rename extract move simplify"),
    commit_type("revert", Some(Group::Changed), "revert"),
    commit_type("build", Some(Group::Changed), ""),
    commit_type("docs", None, "document"),
    commit_type("test", None, "test"),
    commit_type("style", None, "format reformat"),
    commit_type("ci", None, ""),
    commit_type("chore", None, "bump upgrade"),
];

/// Tokens of footers that close an issue.
const CLOSES: &str = "close closes closed fix fixes fixed resolve resolves resolved";

pub(super) const BREAKING: [&str; 2] = ["BREAKING CHANGE", "BREAKING-CHANGE"];

/// A footer: `Refs: #12`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Footer {
    pub(super) token: String,
    pub(super) value: String,
}

impl Footer {
    pub(super) fn is_breaking(&self) -> bool {
        BREAKING.contains(&self.token.as_str())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Message {
    /// Its type; empty if the message does not follow the convention.
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) scope: Option<String>,
    pub(super) breaking: bool,
    /// The first line, without type and scope.
    pub(super) description: String,
    pub(super) body: Option<String>,
    pub(super) footers: Vec<Footer>,
}

impl Message {
    pub(super) fn read(text: &str) -> Self {
        let (first, rest) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
        // A type in capitals is meant as one.
        let known = |head: &Head<'_>| {
            TYPE_NAMES.iter().copied().find(|kind| kind.eq_ignore_ascii_case(head.kind))
        };
        let head = head(first).filter(|head| !head.text.is_empty());
        let head = head.and_then(|head| Some(Head { kind: known(&head)?, ..head }));
        let head = head.unwrap_or(Head { kind: "", scope: None, is_breaking: false, text: first });
        let (body, footers) = split_footers(rest);
        Self {
            kind: head.kind.to_owned(),
            scope: head.scope.map(|scope| scope.trim().to_owned()).filter(|text| !text.is_empty()),
            breaking: head.is_breaking || footers.iter().any(Footer::is_breaking),
            description: head.text.trim().to_owned(),
            body: Some(body).filter(|body| !body.is_empty()),
            footers,
        }
    }

    /// Reads a message that follows the convention.
    pub(super) fn typed(text: &str) -> Option<Self> {
        Some(Self::read(text)).filter(|message| !message.kind.is_empty())
    }

    /// The first line: `feat(auth)!: add a login form`.
    pub(super) fn header(&self) -> String {
        if self.kind.is_empty() {
            return self.description.clone();
        }
        let scope = self.scope.as_ref().map(|scope| format!("({scope})")).unwrap_or_default();
        let mark = if self.breaking { "!" } else { "" };
        format!("{}{scope}{mark}: {}", self.kind, self.description)
    }

    pub(super) fn known(&self) -> Option<&'static CommitType> {
        KNOWN_TYPES.iter().find(|kind| kind.name == self.kind)
    }

    /// The issues that its footers close and its first line does not name: ` (#12, #13)`.
    pub(super) fn closed(&self) -> String {
        let closes =
            self.footers.iter().filter(|footer| lists(CLOSES, &footer.token.to_lowercase()));
        let issues = closes.flat_map(|footer| footer.value.split([',', ' ']));
        let issues =
            issues.filter(|issue| issue.starts_with('#') && !self.description.contains(issue));
        let issues: Vec<&str> = issues.collect();
        if issues.is_empty() { String::new() } else { format!(" ({})", issues.join(", ")) }
    }

    /// A text about it, and all that breaks: `drop v1: use v2; keys expire`.
    pub(super) fn with_breaking(&self, text: &str) -> String {
        let breaking = self.footers.iter().filter(|footer| footer.is_breaking());
        let breaking: Vec<&str> = breaking.map(|footer| footer.value.as_str()).collect();
        if breaking.is_empty() {
            return text.to_owned();
        }
        format!("{text}: {}", breaking.join("; "))
    }
}

/// A text in Markdown behind its scope, and behind what says that it breaks something.
pub(super) fn marked(scope: Option<&str>, is_breaking: bool, text: &str) -> String {
    match (scope, is_breaking) {
        (Some(scope), true) => format!("**Breaking ({scope}):** {text}"),
        (Some(scope), false) => format!("**{scope}:** {text}"),
        (None, true) => format!("**Breaking:** {text}"),
        (None, false) => text.to_owned(),
    }
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

/// Number of digits of a commit's id that are shown.
const ID: usize = 10;
/// The beginnings of a commit that `git rebase --autosquash` makes a part of an earlier one.
const PARTS: [&str; 3] = ["fixup! ", "squash! ", "amend! "];
/// The words before the id of a reverted commit.
const REVERTS: &str = "This reverts commit ";

#[derive(Debug, Clone)]
pub(super) struct Commit {
    /// Its abbreviated id.
    pub(super) id: Option<String>,
    pub(super) message: Message,
}

impl Commit {
    pub(super) fn new(id: Option<&str>, text: &str) -> Self {
        let id = id.map(|id| id.chars().filter(char::is_ascii_alphanumeric).take(ID).collect());
        Self { id, message: Message::read(text) }
    }

    /// A message, with or without its id before it.
    pub(super) fn given(text: &str) -> Self {
        match text.split_once(' ').filter(|(word, _)| is_commit_id(word)) {
            Some((id, message)) => Self::new(Some(id), message),
            None => Self::new(None, text),
        }
    }

    pub(super) fn subject(&self) -> String {
        line(&self.message.header())
    }
}

/// Whether a word is the id of a commit, complete or abbreviated.
fn is_commit_id(word: &str) -> bool {
    (7..=40).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether each line of a text begins with the id of a commit, as `git log --oneline` prints it.
pub(super) fn is_log(text: &str) -> bool {
    let is_commit = |line: &str| line.split_once(' ').is_some_and(|(word, _)| is_commit_id(word));
    text.lines().all(is_commit)
}

/// What is left out of a history.
pub(super) const LEFT_OUT: &str = "reverted, reverting or fixup";

/// The commits of a range that count, oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) commits: Vec<Commit>,
    /// Number of commits that are reverted in the range, that revert them, or that correct an earlier one.
    pub(super) left_out: usize,
}

impl History {
    /// Reads the commits of a range.
    ///
    /// # Errors
    /// When git fails, or the field's value is no range.
    pub(super) fn of(folder: &Path, range: &str) -> Result<Self> {
        let all = git::commits(folder, range)?;
        let undone = undone(&all);
        let is_left_out = |commit: &git::Commit| {
            undone.contains(&*commit.id)
                || PARTS.iter().any(|part| commit.message.starts_with(part))
        };
        let counted = all.iter().filter(|commit| !is_left_out(commit));
        let commits: Vec<Commit> =
            counted.map(|commit| Commit::new(Some(&commit.id), &commit.message)).collect();
        Ok(Self { left_out: all.len() - commits.len(), commits })
    }
}

/// The ids of reverted commits and of the commits that revert them, as `git revert` states them.
fn undone(commits: &[git::Commit]) -> HashSet<&str> {
    let mut undone = HashSet::new();
    // Newest first: a reverted revert undoes nothing.
    for commit in commits.iter().rev().filter(|commit| commit.message.contains(REVERTS)) {
        let stated = commit.message.split(REVERTS).nth(1).unwrap_or_default();
        let id = stated.split(|c: char| !c.is_ascii_hexdigit()).next().unwrap_or_default();
        let reverted = commits.iter().find(|older| is_commit_id(id) && older.id.starts_with(id));
        if let Some(reverted) = reverted.filter(|_| !undone.contains(&*commit.id)) {
            undone.extend([&*reverted.id, &*commit.id]);
        }
    }
    undone
}
