//! The story model of the planning and testing skills: a [`Story`], and the [`scenario::Scenario`]s of its acceptance
//! criteria.
//!
//! Every text of a story is one line ([`crate::text::line`]), so that it round-trips through Markdown and Gherkin. Texts are
//! placed word for word: nothing is derived from a sentence by its grammar.

pub mod bounds;
pub(crate) mod cases;
pub(crate) mod check;
pub(crate) mod data;
pub mod document;
pub mod effort;
pub(crate) mod facts;
pub(crate) mod feature;
pub(crate) mod fields;
pub(crate) mod gherkin;
pub mod read;
pub mod scenario;
pub mod sentence;

use serde::{Deserialize, Serialize};

use crate::input::kind::{Kind, Payload};
use crate::output::{Result, bad_given};

/// Largest number of scenarios, and of rules, criteria, dependencies, notes or lines of data of a story.
pub const MOST: usize = 1_000;

/// A user story. Fields that were not given are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Story {
    /// Its id, such as `US-0001`.
    pub id: Option<String>,
    /// Its title, on one line.
    pub title: String,
    /// The role, without an article: `shopper`.
    pub role: Option<String>,
    /// What the role wants: the text after "I want", `to reset my password`.
    pub want: Option<String>,
    /// The benefit: the text after "so that", `I can get back in`.
    pub benefit: Option<String>,
    /// The rules, in the order given; the first is R1.
    pub rules: Vec<String>,
    /// The acceptance criteria as sentences.
    pub criteria: Vec<String>,
    /// Its size in story points.
    pub points: Option<u64>,
    /// Its size in working time, as written: `4h`.
    pub estimate: Option<String>,
    /// Its status, such as `draft`.
    pub status: Option<String>,
    /// The ids of the stories that it depends on.
    pub dependencies: Vec<String>,
    /// The id of its epic.
    pub epic: Option<String>,
    /// Its owner.
    pub owner: Option<String>,
    /// Its priority, as written: `P1`.
    pub priority: Option<String>,
    /// Notes for implementers.
    pub technical_notes: Vec<String>,
    /// Its data, in the form of `data`.
    pub data: Vec<String>,
}

impl Payload for Story {
    const KIND: Kind = Kind::Story;
}

impl Story {
    /// Checks it against the limit, before it costs time.
    pub(crate) fn check(&self) -> Result<()> {
        let lists = [
            ("rules", &self.rules),
            ("criteria", &self.criteria),
            ("dependencies", &self.dependencies),
            ("data", &self.data),
            ("technical_notes", &self.technical_notes),
        ];
        let Some((field, list)) = lists.into_iter().find(|(_, list)| list.len() > MOST) else {
            return Ok(());
        };
        let given = format!("a list of {}", list.len());
        Err(bad_given(field, given, &format!("one of at most {MOST}: split the story")))
    }
}
