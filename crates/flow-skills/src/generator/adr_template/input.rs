//! The input of `adr-template`.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::coerce::{self, Keep};
use crate::input::values::{Block, Date, Line, TextOr, TextOrList, TextOrNumber, undescribed};
use crate::text::after;
use crate::text::prose::prose;

/// A decision, and the parts of its record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What is decided; its first sentence is the title.
    #[schemars(extend("x-title" = true, "x-labels" = ["Title"]))]
    pub(super) topic: Block,
    /// Why a decision is needed.
    #[schemars(extend(
        "x-rest" = true,
        "x-labels" = ["Context and problem statement", "Problem statement", "Problem", "Background"]
    ))]
    pub(super) context: Option<Block>,
    /// The forces that affect the decision.
    #[serde(default)]
    #[schemars(extend("x-nested" = true, "x-labels" = ["Decision drivers", "Forces"]))]
    pub(super) drivers: Vec<Block>,
    /// The options that were considered, each a name or an object with pros and cons; as text, their names or bullets
    /// with arguments below.
    pub(super) options: Option<TextOrList<TextOr<Given>>>,
    /// The options as Markdown: a heading or a bullet for each, with arguments under the heading.
    #[schemars(extend("x-labels" = [
        "Considered options", "Options considered", "Considered alternatives", "Alternatives considered", "Alternatives",
        "Pros and cons of the options"
    ]))]
    pub(super) comparison: Option<Block>,
    /// The name of the chosen option.
    #[schemars(extend("x-labels" = ["Chosen option", "We choose"]))]
    pub(super) chosen: Option<Line>,
    /// Why the option is chosen.
    #[schemars(extend("x-labels" = ["Because", "Rationale", "Justification"]))]
    pub(super) reason: Option<Line>,
    /// The decision in words, if it is more than the choice of an option.
    #[schemars(extend("x-labels" = ["Decision outcome", "Outcome"]))]
    pub(super) decision: Option<Block>,
    /// The consequences of the decision.
    #[serde(default)]
    #[schemars(extend("x-nested" = true, "x-labels" = ["Implications"]))]
    pub(super) consequences: Vec<Block>,
    /// What becomes better by the decision.
    #[serde(default)]
    #[schemars(extend("x-nested" = true, "x-labels" = ["Positive consequences"]))]
    pub(super) benefits: Vec<Block>,
    /// What becomes worse by the decision.
    #[serde(default)]
    #[schemars(extend("x-nested" = true, "x-labels" = ["Negative consequences"]))]
    pub(super) drawbacks: Vec<Block>,
    /// How compliance with the decision is confirmed.
    #[schemars(extend("x-labels" = ["Validation"]))]
    pub(super) confirmation: Option<Block>,
    /// Further information, such as links.
    #[schemars(extend("x-labels" = ["More information", "Links", "References", "Notes"]))]
    pub(super) more: Option<Block>,
    /// The record's front matter, beside what is a field of its own; it stays as it is.
    #[schemars(extend("x-front" = true))]
    pub(super) front: Option<Block>,
    /// The status: proposed, accepted, rejected, deprecated, or superseded by a record. Default: proposed.
    pub(super) status: Option<Status>,
    /// The day of the decision, such as 2026-01-31. Default: that of the existing record, else today.
    pub(super) date: Option<Day>,
    /// The people who decide.
    #[serde(default)]
    #[schemars(extend("x-commas" = true, "x-labels" = ["Decision-makers", "Decision makers"]))]
    pub(super) deciders: Vec<Line>,
    /// The people whose opinions are sought.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    pub(super) consulted: Vec<Line>,
    /// The people who are kept informed.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    pub(super) informed: Vec<Line>,
    /// The record that this one replaces, by its number or file.
    pub(super) supersedes: Option<TextOrNumber>,
    /// The folder of the records, which determines the next number. Default: docs/adr.
    pub(super) folder: Option<Line>,
}

impl Input {
    /// All consequences, those on one side with its mark.
    pub(super) fn all_consequences(&self) -> Vec<String> {
        let plain = self.consequences.iter().map(ToString::to_string);
        let marked = |mark: &'static str, all: &[Block]| {
            let all = all.iter().flat_map(|text| coerce::bullets(text, Keep::Nested));
            all.map(|text| format!("{mark}: {text}")).collect::<Vec<_>>()
        };
        let sides = [marked("Good", &self.benefits), marked("Bad", &self.drawbacks)];
        plain.chain(sides.concat()).collect()
    }

    /// The people, a line for each role.
    pub(super) fn people(&self) -> Vec<String> {
        let parts = [
            ("Deciders", &self.deciders),
            ("Consulted", &self.consulted),
            ("Informed", &self.informed),
        ];
        let shown = |(label, all): (&str, &Vec<Line>)| {
            let names: Vec<String> = all.iter().map(|name| prose(name)).collect();
            format!("{label}: {}", names.join(", "))
        };
        parts.into_iter().filter(|(_, all)| !all.is_empty()).map(shown).collect()
    }
}

/// An option as given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    /// The name of the option.
    pub(super) name: Line,
    /// Arguments for it.
    #[serde(default)]
    pub(super) pros: Vec<Line>,
    /// Arguments against it.
    #[serde(default)]
    pub(super) cons: Vec<Line>,
}

impl TryFrom<Line> for Given {
    type Error = &'static str;

    fn try_from(name: Line) -> Result<Self, &'static str> {
        Ok(Self { name, pros: Vec::new(), cons: Vec::new() })
    }
}

/// A status: its first line, and what stands below, such as `Amended by …`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(super) struct Status {
    text: String,
    below: String,
}

/// The statuses, each with other words for it in records.
const STATUSES: [(&str, &[&str]); 5] = [
    ("proposed", &["wip", "pending", "draft", "in review", "decision proposed"]),
    ("accepted", &["decided", "approved", "agreed", "adopted", "active", "implemented", "amended"]),
    ("rejected", &["declined", "withdrawn"]),
    ("deprecated", &["obsolete"]),
    ("superseded", &["replaced"]),
];

/// The status at the beginning of a text, after any mark.
fn status(text: &str) -> Option<&'static str> {
    let lower = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let begins = |word: &str| lower.starts_with(word);
    let found = STATUSES
        .iter()
        .find(|(status, others)| begins(status) || others.iter().any(|word| begins(word)));
    found.map(|(status, _)| *status)
}

/// The day of a decision.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("format" = "date"), transform = undescribed)]
pub(super) enum Day {
    Known(Date),
    /// A blank of a template such as `[Insert Date]`, or a day such as `01/06/2019`, which may be of January or of June.
    Open(String),
}

impl Day {
    /// As records write it: with the month's name, or the year first or last.
    const FORMS: [&str; 6] =
        ["%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y/%m/%d", "%d.%m.%Y"];

    /// As the record has it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Known(date) => date.to_string(),
            Self::Open(text) => text.clone(),
        }
    }
}

impl TryFrom<String> for Day {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let text = text.trim();
        let read = |form: &str| jiff::civil::Date::strptime(form, text).ok();
        let is_blank = [('[', ']'), ('<', '>'), ('{', '}')]
            .iter()
            .any(|(open, close)| text.starts_with(*open) && text.ends_with(*close));
        let slashed = match (read("%d/%m/%Y"), read("%m/%d/%Y")) {
            (Some(day), Some(other)) if day != other => return Ok(Self::Open(text.to_owned())),
            (day, other) => day.or(other),
        };
        match Self::FORMS.into_iter().find_map(read).or(slashed) {
            Some(day) => Date::new(&day.to_string()).map(Self::Known),
            None if is_blank => Ok(Self::Open(text.to_owned())),
            None => Date::new(text).map(Self::Known),
        }
    }
}

impl TryFrom<String> for Status {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let (first, below) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
        let first = first.trim().trim_matches(['"', '*', '\'']).to_owned();
        if status(&first).is_none() || first.eq_ignore_ascii_case("superseded") {
            return Err("one of proposed, accepted, rejected, deprecated, or `superseded by …`");
        }
        Ok(Self { text: first, below: below.trim_matches('\n').to_owned() })
    }
}

impl Status {
    /// The first word, in lower case.
    pub(super) fn word(&self) -> &'static str {
        status(&self.text).unwrap_or("proposed")
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What stands below the first line, but for the link to a record that it supersedes, which the new one gets anew.
    pub(super) fn below(&self, superseded: Option<&str>) -> String {
        let is_link = |line: &str| superseded.is_some() && linked(line) == superseded;
        let lines = self.below.lines().filter(|line| !is_link(line));
        lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
    }

    /// The file of the record that this one supersedes, as a line of it links it.
    pub(super) fn supersedes(&self) -> Option<&str> {
        self.below.lines().find_map(linked)
    }
}

/// The file that a line of a status says to be superseded.
fn linked(line: &str) -> Option<&str> {
    let target = after(line.trim(), &["supersedes ["])?.rsplit_once("](")?.1;
    target.strip_suffix(')')
}
