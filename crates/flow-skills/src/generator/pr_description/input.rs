//! The input of `pr-description`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SECTIONS;
use crate::input::values::{Block, Line, TextOr, TextOrList, Word};
use crate::page;
use crate::text::after;
use crate::text::prose::{inline, prose};

/// The content of a pull request. Without commits, a range and a summary, the commits of the current branch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = page::Labels(SECTIONS))]
pub(super) struct Input {
    /// The id of a story of the project, whose title and criteria are used.
    pub(super) from_story: Option<Word>,
    /// A git range such as main..HEAD; merges are left out.
    pub(super) range: Option<Word>,
    /// The commits, the oldest first: messages, with or without the ids of `git log --oneline`.
    pub(super) commits: Option<TextOrList<Block>>,
    /// The title.
    #[schemars(extend("x-title" = true))]
    pub(super) title: Option<Line>,
    /// The purpose, in paragraphs.
    #[schemars(extend("x-rest" = true))]
    pub(super) summary: Option<Block>,
    /// Acceptance criteria, beside the story's; a ticked one has what shows it in parentheses.
    #[serde(default)]
    #[schemars(extend("x-boxes" = true))]
    pub(super) criteria: Vec<TextOr<Criterion>>,
    /// What must be done before the merge, beside tests and documentation; a ticked one has what shows it in parentheses.
    #[serde(default)]
    #[schemars(extend("x-boxes" = true))]
    pub(super) checklist: Vec<TextOr<Criterion>>,
    /// What was run or tried, each as `npm test: passed`, or with a box that is ticked if it passed.
    #[serde(default)]
    #[schemars(extend("x-boxes" = true))]
    pub(super) tests: Vec<TextOr<Test>>,
    /// Related issues, such as `Closes #12`.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    pub(super) issues: Vec<Line>,
}

/// A criterion.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Criterion {
    /// The condition.
    pub(super) text: Line,
    /// The evidence that it is met.
    pub(super) evidence: Option<Line>,
}

impl Criterion {
    /// It as a box of Markdown, which its evidence ticks.
    pub(super) fn line(&self) -> String {
        let text = prose(&self.text);
        match &self.evidence {
            Some(evidence) => format!("[x] {text} ({})", inline(evidence)),
            None => format!("[ ] {text}"),
        }
    }
}

impl TryFrom<Line> for Criterion {
    type Error = &'static str;

    fn try_from(text: Line) -> Result<Self, &'static str> {
        let boxed = after(&text, &["[x] "]);
        let open = text.strip_prefix("[ ] ");
        let shown = boxed.and_then(|text| text.strip_suffix(')')?.rsplit_once(" ("));
        let (bare, evidence) = match shown {
            Some((bare, evidence)) => (bare, Line::new(evidence).ok()),
            None => (boxed.or(open).unwrap_or(&text), None),
        };
        Ok(Self { text: Line::new(bare)?, evidence })
    }
}

/// A test run, or something that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Test {
    /// What was run or tried.
    pub(super) command: Line,
    /// Whether it passed.
    pub(super) passed: Option<bool>,
    /// The result.
    pub(super) result: Option<Line>,
}

impl Test {
    /// It as Markdown, with its verdict and result.
    pub(super) fn line(&self) -> String {
        let verdict = match self.passed {
            Some(true) => ": passed",
            Some(false) => ": failed",
            None => "",
        };
        let result = self.result.as_ref().map(|result| format!(" ({})", inline(result)));
        format!("{}{verdict}{}", prose(&self.command), result.unwrap_or_default())
    }
}

impl TryFrom<Line> for Test {
    type Error = &'static str;

    /// `npm test: passed (212 passed)`, `npm test passes`, `[x] npm test`; the verdict and the text in parentheses are
    /// optional.
    fn try_from(line: Line) -> Result<Self, &'static str> {
        if let Some(text) = after(&line, &["[x] "]) {
            let test = Self::try_from(Line::new(text)?)?;
            return Ok(Self { passed: test.passed.or(Some(true)), ..test });
        }
        let line = line.strip_prefix("[ ] ").map_or(Ok(line.clone()), Line::new)?;
        let (head, result) = match line.strip_suffix(')').and_then(|line| line.rsplit_once(" (")) {
            Some((head, result)) => (head, Line::new(result).ok()),
            None => (&*line, None),
        };
        let verdicts = [("passed", true), ("failed", false), ("passes", true), ("fails", false)];
        let verdict = verdicts.into_iter().find_map(|(word, passed)| {
            let command = head.strip_suffix(word)?;
            command.ends_with([':', ' ']).then(|| (command.trim_end_matches([':', ' ']), passed))
        });
        match verdict {
            Some((command, passed)) => {
                Ok(Self { command: Line::new(command)?, passed: Some(passed), result })
            }
            None => Ok(Self { command: line, passed: None, result: None }),
        }
    }
}
