//! The title of a pull request, and the summary: given, without the sentence used as the title, or the main commit's body.

use super::commits::Commit;
use super::input::Input;
use super::mentions::{is_reference, without_mentions};
use super::story::Story;
use crate::text::{headline, line, sentences};

/// Types of commits whose subject may be the title, the most important first; the others usually accompany these.
const MAIN: [&str; 6] = ["feat", "fix", "perf", "refactor", "revert", ""];

pub(super) struct Titled {
    pub(super) title: String,
    /// The summary without the sentence that became the title, or the body of the main commit.
    pub(super) summary: Option<String>,
    /// Whether it is the whole of the only commit, which is then not listed again.
    pub(super) is_commit: bool,
    pub(super) open: Option<String>,
}

/// The title: given, that of the story or of a release, the summary's first sentence, or the subject of the main commit.
pub(super) fn title(
    input: &Input,
    story: &Story,
    release: Option<&str>,
    commits: &[Commit],
    summary: Option<&str>,
) -> Titled {
    let kind = |commit: &Commit| MAIN.iter().position(|kind| *kind == commit.message.kind);
    let rank = |commit: &&Commit| {
        let kind = kind(commit);
        (kind.is_none(), !commit.message.breaking, kind)
    };
    let main = commits.iter().min_by_key(rank);
    let body = || main.and_then(|main| without_mentions(main.text()));
    let plain = |title: String| Titled {
        title,
        summary: summary.map(str::to_owned).or_else(body),
        is_commit: false,
        open: None,
    };
    if let Some(title) = &input.title {
        return plain(title.to_string());
    }
    if let Some(title) = &story.title {
        let id = story.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        return plain(line(&format!("{title}{id}")));
    }
    if let Some(version) = release {
        return plain(format!("Release {version}"));
    }
    let is_only = commits.len() == 1;
    let counts = |commit: &&Commit| kind(commit).is_some();
    let is_clear = is_only || commits.iter().filter(counts).count() == 1;
    if let Some(summary) = summary.filter(|_| !is_clear) {
        return of_summary(summary);
    }
    let open = format!("title: taken from one of {} commits (add title=TEXT)", commits.len());
    Titled {
        is_commit: is_only && main.is_some_and(|main| !main.message.breaking),
        open: Some(open).filter(|_| !is_clear),
        ..plain(main.map(|main| main.subject.clone()).unwrap_or_default())
    }
}

/// The first sentence of a summary as the title, and the rest.
fn of_summary(summary: &str) -> Titled {
    let (first, rest) = summary.split_once('\n').unwrap_or((summary, ""));
    let (title, first) = headline(&sentences(&line(first)));
    let left = format!("{first}\n{rest}");
    // An issue that ends the first line stands with the others.
    let lines = left.lines().filter(|line| !is_reference(line));
    let left = lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned();
    Titled {
        title,
        summary: Some(left).filter(|left| !left.trim().is_empty()),
        is_commit: false,
        open: None,
    }
}
