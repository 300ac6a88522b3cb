//! Recognises content by its first line: commit messages, ranges of revisions and feature files.

use crate::input::notation::list::head;

/// The types of commitlint's conventional configuration.
pub const COMMIT_TYPES: [&str; 11] =
    ["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];

/// Whether the first line is that of a conventional commit: a known type, an optional scope, and a description.
pub fn is_commit(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    head(first).is_some_and(|head| COMMIT_TYPES.contains(&head.kind) && !head.text.is_empty())
}

/// Whether a text is a range of two revisions: one word with `..` or `...` in it.
pub(super) fn is_range(text: &str) -> bool {
    let Some((from, to)) = text.split_once("...").or_else(|| text.split_once("..")) else {
        return false;
    };
    let is_revision = |name: &str| {
        name.starts_with(|c: char| c.is_alphanumeric() || c == '@')
            && name.chars().all(|c| c.is_alphanumeric() || "._/~^@{}-+".contains(c))
            && !name.contains("..")
    };
    // `1..5` is a range of numbers.
    let is_name = text.contains(char::is_alphabetic) || from.contains('.');
    is_revision(from) && (to.is_empty() || is_revision(to)) && is_name
}

/// Whether a text is the output of `git log`: its labels are not those of a skill.
pub(super) fn is_log(text: &str) -> bool {
    let mut lines = text.lines();
    let id = lines.next().and_then(|line| line.strip_prefix("commit ")?.split(' ').next());
    let second = lines.next().unwrap_or_default();
    id.is_some_and(|id| id.len() >= 40 && id.chars().all(|c| c.is_ascii_hexdigit()))
        && (second.starts_with("Author: ") || second.starts_with("Merge: "))
}

/// The English keywords that may begin a feature file, with `|` between them.
const KEYWORDS: &str =
    "Feature|Ability|Business Need|Rule|Background|Scenario|Scenario Outline|Scenario Template";

/// Whether a text is a feature file.
pub fn is_feature(text: &str) -> bool {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let mut comments = lines.clone().take_while(|line| line.is_empty() || line.starts_with('#'));
    if comments.any(|line| line.trim_start_matches(['#', ' ']).starts_with("language:")) {
        return true;
    }
    let first = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(['#', '@']));
    let keyword = first.and_then(|line| line.split_once(':')).map(|(keyword, _)| keyword);
    keyword.is_some_and(|keyword| KEYWORDS.split('|').any(|known| known == keyword))
}
