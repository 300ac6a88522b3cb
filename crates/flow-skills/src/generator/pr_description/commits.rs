//! The commits of a pull request: given, of a range, of the current branch, or from the previous skill's output.

use std::collections::HashSet;

use serde::Serialize;

use super::input::Input;
use crate::generator::changes::{Entry, Group, Release};
use crate::generator::conventional::{self, Message};
use crate::input::kind::Upstream;
use crate::input::notation::list;
use crate::input::values::TextOrList;
use crate::output::Result;
use crate::page::bullets;
use crate::project_state::Context;
use crate::runtime::git;
use crate::text;
use crate::text::plain;
use crate::text::prose::{inline, prose};

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
        let found = conventional::standing(git::commits(&context.folder, "range", range)?);
        commits.extend(found.iter().map(|found| Commit::new(Some(&found.id), &found.message)));
    }
    if let Some(message) = upstream.map(Upstream::read::<Message>).transpose()?.flatten() {
        commits.push(of_message(message));
    }
    commits.extend(release.into_iter().flat_map(|release| &release.changes).map(entry));
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
fn entry(entry: &Entry) -> Commit {
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

/// Commits under a heading; commits that are all of one type have none.
#[derive(Debug, Serialize)]
pub(super) struct Listed<'a> {
    heading: Option<&'static str>,
    commits: Vec<Change<'a>>,
}

/// A commit as it is listed.
#[derive(Debug, Serialize)]
struct Change<'a> {
    id: Option<&'a str>,
    subject: &'a str,
    scope: Option<&'a str>,
    breaking: bool,
    what_breaks: Option<&'a str>,
}

/// The commits under their headings, which say their types.
pub(super) fn grouped(commits: &[Commit]) -> Vec<Listed<'_>> {
    let heading = |commit: &Commit| {
        let typed = HEADINGS.into_iter().find(|(_, kind)| *kind == commit.message.kind);
        typed.map_or(OTHER, |(heading, _)| heading)
    };
    let is_alone = commits.windows(2).all(|pair| heading(&pair[0]) == heading(&pair[1]));
    let names = HEADINGS.iter().map(|(name, _)| *name).chain([OTHER]);
    let groups = names.map(|name| {
        let below = commits.iter().filter(|commit| heading(commit) == name);
        let is_typed = !is_alone && name != OTHER;
        let commits = below.map(|commit| change(commit, is_typed)).collect();
        Listed { heading: (!is_alone).then_some(name), commits }
    });
    groups.filter(|group| !group.commits.is_empty()).collect()
}

/// A commit below a heading; below one of its type, without its type and scope in the subject.
fn change(commit: &Commit, is_typed: bool) -> Change<'_> {
    let Commit { id, subject, message, .. } = commit;
    Change {
        id: id.as_deref(),
        subject: if is_typed { &message.description } else { subject },
        scope: message.scope.as_deref().filter(|_| is_typed),
        breaking: message.breaking,
        what_breaks: message.what_breaks().filter(|_| message.breaking),
    }
}

/// The commits as Markdown.
pub(super) fn written(groups: &[Listed<'_>]) -> String {
    let group = |Listed { heading, commits }: &Listed<'_>| {
        let heading = heading.map(|heading| format!("### {heading}\n\n")).unwrap_or_default();
        heading + &bullets(commits.iter().map(Change::line))
    };
    groups.iter().map(group).collect::<Vec<_>>().join("\n\n")
}

impl Change<'_> {
    fn line(&self) -> String {
        let mark = match (self.breaking, self.scope) {
            (true, Some(scope)) => format!("**Breaking ({}):** ", prose(scope)),
            (true, None) => "**Breaking:** ".to_owned(),
            (false, Some(scope)) => format!("**{}:** ", prose(scope)),
            (false, None) => String::new(),
        };
        let id = self.id.map(|id| format!(" ({})", inline(id))).unwrap_or_default();
        let breaks = self.what_breaks.map(|text| format!(": {}", prose(text))).unwrap_or_default();
        format!("{mark}{}{id}{breaks}", prose(self.subject))
    }
}
