//! The input of `adr-template`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::options::Given;
use crate::input::values::{Block, Date, Line, TextOr, TextOrNumber};
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
    #[schemars(extend("x-labels" = ["Decision drivers", "Forces"]))]
    pub(super) drivers: Vec<Line>,
    /// The options that were considered, each a name or an object with pros and cons.
    #[serde(default)]
    #[schemars(extend("x-commas" = true))]
    pub(super) options: Vec<TextOr<Given>>,
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
    #[schemars(extend("x-labels" = ["Positive consequences", "Negative consequences", "Implications"]))]
    pub(super) consequences: Vec<Line>,
    /// How compliance with the decision is confirmed.
    #[schemars(extend("x-labels" = ["Validation"]))]
    pub(super) confirmation: Option<Block>,
    /// Further information, such as links.
    #[schemars(extend("x-labels" = ["More information", "Links", "References", "Notes"]))]
    pub(super) more: Option<Block>,
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
    /// The given day.
    pub(super) fn day(&self) -> Option<String> {
        self.date.as_ref().map(|Day(date)| date.to_string())
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

/// A status, and the text after its first word, such as the record that supersedes this one.
#[derive(Debug, Clone)]
pub(super) struct Status {
    text: String,
    /// The file of the superseded record, as the status section links it.
    pub(super) supersedes: Option<String>,
}

const STATUSES: [&str; 5] = ["proposed", "accepted", "rejected", "deprecated", "superseded"];
/// Other words for statuses in records.
const OTHER_WORDS: [(&str, &str); 7] = [
    ("decided", "accepted"),
    ("approved", "accepted"),
    ("agreed", "accepted"),
    ("pending", "proposed"),
    ("draft", "proposed"),
    ("in review", "proposed"),
    ("decision proposed", "proposed"),
];

/// The status at the beginning of a text, after any mark.
fn status(text: &str) -> Option<&'static str> {
    let lower = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let other = || OTHER_WORDS.iter().find(|(word, _)| lower.starts_with(word));
    let known = STATUSES.into_iter().find(|word| lower.starts_with(word));
    known.or_else(|| other().map(|(_, status)| *status))
}

/// The day of a decision, as records write it: `2026-01-31`, or with the name of the month.
#[derive(Debug, Clone)]
pub(super) struct Day(Date);

impl Day {
    const FORMS: [&str; 6] =
        ["%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y/%m/%d", "%d.%m.%Y"];

    /// Parses a day.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let read = |form: &&str| jiff::civil::Date::strptime(form, text.trim()).ok();
        match Self::FORMS.iter().find_map(read) {
            Some(day) => Date::new(&day.to_string()).map(Self),
            None => Date::new(text).map(Self),
        }
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Cow::<'de, str>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for Day {
    fn schema_name() -> Cow<'static, str> {
        Date::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Date::json_schema(generator)
    }
}

impl Status {
    /// The first word, in lower case.
    pub(super) fn word(&self) -> &'static str {
        status(&self.text).unwrap_or("proposed")
    }

    /// The whole text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Parses a status: its first line, and a link to the superseded record.
    pub(super) fn read(text: &str) -> Result<Self, &'static str> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default().trim_matches(['"', '*', '\'']).to_owned();
        let lower = first.to_lowercase();
        if status(&first).is_none() || lower == "superseded" {
            return Err("one of proposed, accepted, rejected, deprecated, or `superseded by …`");
        }
        let link = lines.find(|line| line.to_lowercase().starts_with("supersedes ["));
        let supersedes =
            link.and_then(|line| line.rsplit_once("](")?.1.strip_suffix(')')).map(str::to_owned);
        Ok(Self { text: first, supersedes })
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(&Cow::<'de, str>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for Status {
    fn schema_name() -> Cow<'static, str> {
        "Status".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}
