//! The commits of a pull request: given, of a range, of the current branch, or from the previous skill's output.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::input::Input;
use crate::generator::changes::{Entry, Group, Release};
use crate::generator::conventional::{self, Message};
use crate::generator::reverts;
use crate::input::kind::Upstream;
use crate::input::notation::list;
use crate::input::values::TextOrList;
use crate::output::Result;
use crate::project_state::Context;
use crate::runtime::git;
use crate::text;
use crate::text::plain;

/// The headings of commits, and the type below each.
const HEADINGS: [(&str, &str); 4] =
    [("Features", "feat"), ("Fixes", "fix"), ("Documentation", "docs"), ("Tests", "test")];
/// The heading of all other types.
const OTHER: &str = "Other changes";
/// Number of digits of a commit's id that are shown.
const ID: usize = 10;

#[derive(Debug, Clone)]
pub(super) struct Commit {
    pub(super) id: Option<String>,
    pub(super) subject: String,
    /// The lines below the subject.
    pub(super) body: String,
    /// The parsed message; of one that is not conventional, the body alone.
    pub(super) message: Message,
}

impl Commit {
    fn new(id: Option<&str>, text: &str) -> Self {
        let (first, body) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
        let id = id.map(|id| id.chars().filter(char::is_ascii_alphanumeric).take(ID).collect());
        let body = body.trim().to_owned();
        let plain = || Message { body: Some(body.clone()), ..Message::default() };
        let message = conventional::parse(text.trim()).unwrap_or_else(plain);
        Self { id, subject: text::line(first), body, message }
    }

    /// A message, with or without its id before it.
    fn given(text: &str) -> Self {
        match text.split_once(' ').filter(|(word, _)| is_commit_id(word)) {
            Some((id, message)) => Self::new(Some(id), message),
            None => Self::new(None, text),
        }
    }

    /// Its body without footers.
    pub(super) fn text(&self) -> &str {
        self.message.body.as_deref().unwrap_or_default()
    }
}

pub(super) struct Source {
    pub(super) commits: Vec<Commit>,
    /// The current branch, if its commits were read.
    pub(super) branch: Option<git::Branch>,
}

/// All commits, each once; those of the current branch if no others are given.
pub(super) fn all(
    input: &mut Input,
    upstream: Option<&Upstream>,
    release: Option<&Release>,
    context: &Context,
) -> Result<Source> {
    // The output of `git log --oneline` is not a summary.
    if input.commits.is_none() && input.summary.as_deref().is_some_and(is_log) {
        input.commits = input.summary.take().map(TextOrList::Text);
    }
    let is_bare = input.commits.is_none()
        && input.range.is_none()
        && input.summary.is_none()
        && upstream.is_none();
    let mut commits = match input.commits.take() {
        Some(TextOrList::Text(text)) => lines(&text)?,
        Some(TextOrList::Items(items)) => {
            items.iter().map(|message| Commit::given(message)).collect()
        }
        None => Vec::new(),
    };
    let branch = is_bare.then(|| git::branch(&context.folder).ok()).flatten();
    let branch = branch.and_then(|branch| Some((branch.range()?, branch)));
    let of_branch = branch.as_ref().map(|(range, _)| range.as_str());
    if let Some(range) = input.range.as_deref().or(of_branch) {
        let found = reverts::standing(git::commits(&context.folder, "range", range)?);
        commits.extend(found.iter().map(|found| Commit::new(Some(&found.id), &found.message)));
    }
    if let Some(message) = upstream.map(Upstream::read::<Message>).transpose()?.flatten() {
        commits.push(of_message(message));
    }
    commits.extend(release.into_iter().flat_map(|release| &release.changes).map(change));
    let mut seen = HashSet::new();
    commits.retain(|commit| commit.id.as_ref().is_none_or(|id| seen.insert(id.clone())));
    Ok(Source { commits, branch: branch.map(|(_, branch)| branch) })
}

/// Whether a word is the id of a commit, complete or abbreviated.
fn is_commit_id(word: &str) -> bool {
    (7..=40).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether each line of a text begins with the id of a commit.
fn is_log(text: &str) -> bool {
    let is_commit = |line: &str| line.split_once(' ').is_some_and(|(word, _)| is_commit_id(word));
    text.lines().all(is_commit)
}

/// Commits as lines, with or without the ids of `git log --oneline`.
fn lines(text: &str) -> Result<Vec<Commit>> {
    let items = list::read(text).map_err(|misfit| misfit.fault("commits"))?;
    Ok(items.iter().map(|item| Commit::given(item.to_string().trim_start_matches("- "))).collect())
}

fn of_message(message: Message) -> Commit {
    let body = message.body.clone().unwrap_or_default();
    Commit { id: None, subject: text::line(&message.header()), body, message }
}

/// A change of a changelog, as a commit without an id.
fn change(entry: &Entry) -> Commit {
    // The text is Markdown in the changelog and in the description.
    let description = text::line(&plain(&entry.text));
    let scope = entry.scope.as_deref().map(plain);
    let named = scope.as_ref().map(|scope| format!("{scope}: ")).unwrap_or_default();
    let subject = format!("{named}{description}");
    let kind = match entry.group {
        Group::Added => "feat",
        Group::Fixed => "fix",
        Group::Changed | Group::Deprecated | Group::Removed | Group::Security => "",
    };
    let message = Message {
        kind: kind.to_owned(),
        scope,
        breaking: entry.breaking,
        description,
        ..Message::default()
    };
    Commit { id: None, subject, body: String::new(), message }
}

/// The commits under their headings, which say their types; one group alone has no heading.
pub(super) fn grouped(commits: &[Commit]) -> Vec<Value> {
    let heading = |commit: &Commit| {
        let typed = HEADINGS.into_iter().find(|(_, kind)| *kind == commit.message.kind);
        typed.map_or(OTHER, |(heading, _)| heading)
    };
    let names = HEADINGS.iter().map(|(name, _)| *name).chain([OTHER]);
    let groups = names.map(|name| {
        (name, commits.iter().filter(|commit| heading(commit) == name).collect::<Vec<_>>())
    });
    let groups: Vec<_> = groups.filter(|(_, own)| !own.is_empty()).collect();
    let is_alone = groups.len() == 1;
    let listed = |name: &str, Commit { id, subject, message, .. }: &Commit| {
        let is_typed = !is_alone && name != OTHER;
        json!({
            "id": id, "subject": if is_typed { &message.description } else { subject },
            "scope": message.scope.as_ref().filter(|_| is_typed), "breaking": message.breaking,
            "what_breaks": message.what_breaks().filter(|_| message.breaking),
        })
    };
    let group = |(name, own): &(&str, Vec<&Commit>)| {
        let own: Vec<Value> = own.iter().map(|commit| listed(name, commit)).collect();
        json!({"heading": (!is_alone).then_some(name), "commits": own})
    };
    groups.iter().map(group).collect()
}
