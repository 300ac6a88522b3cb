//! Issues and tests that trailers of commits name, and lines of issues alone: `Closes #12, #13`.

use super::commits::Commit;
use super::input::Test;
use crate::input::values::Line;
use crate::text::{self, is_id, lists};

/// Words before an issue for the relation to it; as a trailer, its value is an issue in any format.
const RELATIONS: &str =
    "close closes closed fix fixes fixed resolve resolves resolved refs ref see related issue";
/// Trailers about tests.
const TESTED: &str = "tested tested-with test-plan testing tests verified-with";

#[derive(Debug, Default)]
pub(super) struct Mentions {
    pub(super) issues: Vec<String>,
    pub(super) tests: Vec<Test>,
}

/// Finds them, each once.
pub(super) fn read(commits: &[Commit], summary: Option<&str>) -> Mentions {
    let mut mentions = Mentions::default();
    let texts = summary.into_iter().chain(commits.iter().map(Commit::text));
    for line in texts.flat_map(str::lines) {
        mentions.issues_of(line);
    }
    for footer in commits.iter().flat_map(|commit| &commit.message.footers) {
        let token = footer.token.to_lowercase();
        if lists(TESTED, &token) {
            let test = Line::new(&footer.value).ok().and_then(|line| Test::try_from(line).ok());
            let test = test.filter(|test| !mentions.tests.contains(test));
            mentions.tests.extend(test);
        } else if footer.value.contains('#') || lists(RELATIONS, &token) {
            mentions.issue(&format!("{} {}", footer.token, footer.value));
        }
    }
    mentions
}

impl Mentions {
    fn issue(&mut self, issue: &str) {
        let issue = text::line(issue);
        if !issue.is_empty() && !self.issues.contains(&issue) {
            self.issues.push(issue);
        }
    }

    /// Adds the issues of a line that has nothing else, each with its relation.
    fn issues_of(&mut self, line: &str) {
        if !is_reference(line) {
            return;
        }
        let mut relation = "";
        for word in words(line) {
            if is_issue(word) {
                self.issue(&format!("{relation} {word}"));
            } else if word != "and" {
                relation = word;
            }
        }
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split([' ', ',', ':', '.']).filter(|word| !word.is_empty())
}

/// A text without the lines that contain only issues; `None` if nothing is left.
pub(super) fn without_mentions(text: &str) -> Option<String> {
    let kept: Vec<&str> = text.lines().filter(|line| !is_reference(line)).collect();
    let kept = kept.join("\n").trim_matches('\n').to_owned();
    Some(kept).filter(|kept| !kept.trim().is_empty())
}

/// Whether a line contains only issues or stories, and their relations.
pub(super) fn is_reference(line: &str) -> bool {
    let (named, others): (Vec<&str>, Vec<&str>) =
        words(line).partition(|word| is_issue(word) || is_id(word));
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
