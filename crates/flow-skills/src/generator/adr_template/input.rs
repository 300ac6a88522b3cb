//! The input of `adr-template`.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::values::{Block, Date, Line, TextOr, TextOrList, TextOrNumber};
use crate::text::after;

/// A decision, and the sections of its record.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What is decided; its first sentence is the title.
    #[schemars(extend("x-title" = true, "x-labels" = ["Title"]))]
    pub(super) topic: Block,
    /// Why a decision is needed.
    #[schemars(extend("x-rest" = true, "x-labels" = ["Context and problem statement", "Problem"]))]
    pub(super) context: Option<Block>,
    /// The decision in words.
    #[schemars(extend("x-labels" = ["Decision outcome", "Outcome"]))]
    pub(super) decision: Option<Block>,
    /// The name of the chosen option.
    #[schemars(extend("x-labels" = ["Chosen option"]))]
    pub(super) chosen: Option<Line>,
    /// Why the option is chosen.
    #[schemars(extend("x-labels" = ["Because"]))]
    pub(super) reason: Option<Line>,
    /// The consequences of the decision: a list, or text.
    pub(super) consequences: Option<TextOrList<Line>>,
    /// The options that were considered, each a name or an object with pros and cons; or text.
    #[schemars(extend("x-labels" = ["Alternatives", "Considered options", "Alternatives considered"]))]
    pub(super) options: Option<TextOrList<TextOr<Choice>>>,
    /// The status: proposed, accepted, rejected, deprecated, or superseded by a record. Default: proposed.
    pub(super) status: Option<Status>,
    /// The day of the decision, such as 2026-01-31. Default: that of the existing record, else today.
    pub(super) date: Option<Date>,
    /// The people who decide.
    #[serde(default)]
    #[schemars(extend("x-commas" = true, "x-labels" = ["Decision-makers", "Decision makers"]))]
    pub(super) deciders: Vec<Line>,
    /// The record that this one replaces once it is accepted, by its number or file.
    pub(super) supersedes: Option<TextOrNumber>,
    /// The folder of the records, which determines the next number. Default: docs/adr.
    pub(super) folder: Option<Line>,
}

/// An option.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    /// The name of the option.
    pub(super) name: Line,
    /// Arguments for it.
    #[serde(default)]
    pub(super) pros: Vec<Line>,
    /// Arguments against it.
    #[serde(default)]
    pub(super) cons: Vec<Line>,
}

impl TryFrom<Line> for Choice {
    type Error = &'static str;

    fn try_from(name: Line) -> Result<Self, &'static str> {
        Ok(Self { name, pros: Vec::new(), cons: Vec::new() })
    }
}

/// A status: its first line, and what stands below, such as the link to a record that it supersedes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub(super) struct Status(String);

const STATUSES: [&str; 5] = ["proposed", "accepted", "rejected", "deprecated", "superseded by "];

impl TryFrom<String> for Status {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let text = text.trim().trim_matches('*');
        match after(text, &STATUSES) {
            Some(_) => Ok(Self(text.to_owned())),
            None => Err("one of proposed, accepted, rejected, deprecated, or `superseded by …`"),
        }
    }
}

impl Status {
    /// The first word, in lower case.
    pub(super) fn word(&self) -> String {
        let word = self.0.split(|c: char| !c.is_alphanumeric()).next();
        word.unwrap_or_default().to_lowercase()
    }

    /// The whole text, without a link to a superseded record, which a new one gets anew.
    pub(super) fn text(&self, is_linked_anew: bool) -> String {
        let is_link = |line: &&str| is_linked_anew && after(line, &["Supersedes ["]).is_some();
        self.0.lines().filter(|line| !is_link(line)).collect::<Vec<_>>().join("\n")
    }
}
