//! Issues and test evidence in commits and the summary.

use super::commits::Commit;
use super::input::Test;
use crate::input::values::Line;
use crate::story::names::is_id;
use crate::text::{self, after, item, lists};

/// Words before an issue for the relation to it.
const RELATIONS: &str =
    "close closes closed fix fixes fixed resolve resolves resolved refs ref see related issue";
/// Tokens of footers whose value is an issue in any format.
const TOKENS: &str = "closes fixes resolves refs ref related issue see";
/// The beginnings of lines about tests.
const TESTED: [&str; 9] = [
    "tested with ",
    "tested with: ",
    "tested by running ",
    "tested: ",
    "testing: ",
    "tests: ",
    "test plan: ",
    "test-plan: ",
    "verified with ",
];

#[derive(Debug, Default)]
pub(super) struct Mentions {
    pub(super) issues: Vec<String>,
    pub(super) tests: Vec<Test>,
}

/// Finds them, each once.
pub(super) fn read(commits: &[Commit], summary: Option<&str>) -> Mentions {
    let mut found = Mentions::default();
    if let Some(summary) = summary {
        for line in summary.lines() {
            found.issues_of(line);
            found.test(line);
        }
    }
    for commit in commits {
        for footer in &commit.message.footers {
            let token = footer.token.to_lowercase();
            let is_issue = footer.value.contains('#') || lists(TOKENS, &token);
            if is_issue && !footer.is_breaking() {
                found.issue(&format!("{} {}", footer.token, footer.value));
            }
            found.test(&format!("{}: {}", footer.token.replace('-', " "), footer.value));
        }
        found.issues_of(&commit.subject);
        for line in commit.text().lines() {
            found.issues_of(line);
            found.test(line);
        }
    }
    found
}

impl Mentions {
    fn issue(&mut self, issue: &str) {
        let issue = text::line(issue);
        if !issue.is_empty() && !self.issues.contains(&issue) {
            self.issues.push(issue);
        }
    }

    /// Adds the issues of a line (`Closes #12`, `owner/name#3`), each with its relation.
    fn issues_of(&mut self, line: &str) {
        let mut relation: Option<&str> = None;
        for word in line.split_whitespace() {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '#');
            let lower = bare.to_lowercase();
            if is_issue(bare) {
                self.issue(&format!("{} {bare}", relation.unwrap_or_default()));
            } else if lower != "and" {
                // `Closes #1, #2 and #3`
                relation = Some(bare).filter(|_| lists(RELATIONS, &lower));
            }
        }
    }

    /// Adds a line about tests.
    fn test(&mut self, line: &str) {
        let boxed = boxed_test(line);
        let line = item(line).unwrap_or(line).trim();
        // After a comma too: `closes #42, tested with npm test`.
        let parts = line.match_indices(", ").map(|(at, comma)| at + comma.len());
        let what = std::iter::once(0).chain(parts).find_map(|at| after(&line[at..], &TESTED));
        let Some(what) = boxed.or(what) else { return };
        let what = what.trim_end_matches('.');
        let test = Line::new(what).ok().and_then(|line| Test::try_from(line).ok());
        self.tests.extend(test.filter(|test| !self.tests.contains(test)));
    }
}

/// The box of a command that tests, with its mark: `[x] npm test`. A sentence, such as `[x] I added tests`, begins with
/// a capital.
fn boxed_test(line: &str) -> Option<&str> {
    let boxed = line.trim().strip_prefix(['-', '*', '+'])?.trim_start();
    let command = after(boxed, &["[x] ", "[ ] "])?.trim_matches('`');
    let is_command = command.starts_with(|c: char| c.is_lowercase() || "./".contains(c));
    (is_command && command.split(' ').any(|word| word.contains("test"))).then_some(boxed)
}

/// A text without the lines that contain only issues, or a test; `None` if nothing is left.
pub(super) fn without_mentions(text: &str) -> Option<String> {
    let is_test = |line: &str| boxed_test(line).is_some() || after(line, &TESTED).is_some();
    let kept: Vec<&str> =
        text.lines().filter(|line| !is_reference(line) && !is_test(line.trim())).collect();
    let kept = kept.join("\n").trim_matches('\n').to_owned();
    Some(kept).filter(|kept| !kept.trim().is_empty())
}

/// Whether a line contains only issues or stories, and their relations.
pub(super) fn is_reference(line: &str) -> bool {
    let words = line.split([' ', ',', ':', '.']).filter(|word| !word.is_empty());
    let (named, others): (Vec<&str>, Vec<&str>) =
        words.partition(|word| is_issue(word) || is_id(word));
    let is_relation = |word: &&str| {
        lists(RELATIONS, &word.to_lowercase()) || ["and", "of", "Part"].contains(word)
    };
    !named.is_empty() && others.iter().all(is_relation)
}

/// Whether a word is an issue: `#12`, or `owner/name#12`.
fn is_issue(word: &str) -> bool {
    let Some((project, number)) = word.split_once('#') else { return false };
    let is_project = project.is_empty()
        || project.split('/').count() == 2
            && project.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c));
    is_project && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}
