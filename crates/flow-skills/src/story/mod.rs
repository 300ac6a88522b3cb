//! The story model that stands behind the planning and testing skills: a [`Story`], and the [`scenario::Scenario`]s of its
//! acceptance criteria.
//!
//! Every text in it is one line ([`crate::text::line`]), so that what is written as Markdown or Gherkin reads back equal.

pub mod fields;
pub mod names;
pub mod read;
pub mod action;
pub mod grammar;
pub mod scenario;
pub mod criteria;
pub mod document;
pub mod feature;
pub mod data;
pub mod pattern;
pub mod cases;
pub mod test_case;
mod boundary;
mod refusal;
mod stem;
pub mod limits;

use serde::{Deserialize, Serialize};

use crate::input::kind::{Kind, Payload};

/// A user story. What nobody stated is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Story {
    /// Its id, such as `US-0001`.
    pub id: Option<String>,
    /// Its title.
    pub title: String,
    /// Who wants it, without an article: `shopper`.
    pub role: Option<String>,
    /// What they want, as it follows "I want": `to reset my password`.
    pub want: Option<String>,
    /// What for, as it follows "so that": `I can get back in`.
    pub benefit: Option<String>,
    /// The rules that hold, in the order in which they are stated; the first is R1.
    pub rules: Vec<String>,
    /// The acceptance criteria as sentences.
    pub criteria: Vec<String>,
    /// Its size in story points.
    pub points: Option<u64>,
    /// Its size in working time, as written: `4h`.
    pub estimate: Option<String>,
    /// Its status, such as `draft`.
    pub status: Option<String>,
    /// The ids of the stories that come first.
    pub dependencies: Vec<String>,
    /// The id of its epic.
    pub epic: Option<String>,
    /// Who does it.
    pub owner: Option<String>,
    /// How urgent it is, as written: `P1`.
    pub priority: Option<String>,
    /// What else is known that whoever builds it should know.
    pub technical_notes: Vec<String>,
    /// The data that it is about, as [`data`] has it.
    pub data: Vec<String>,
}

impl Story {
    /// What they do, in the infinitive: `reset my password`. None when a thing is wanted and not an action.
    pub fn action(&self) -> Option<&str> {
        let action = self.want.as_deref()?.strip_prefix("to ")?;
        Some(action.strip_prefix("be able to ").unwrap_or(action))
    }

    /// The role with the definite article: `the shopper`; `the user` where no role is stated.
    pub fn who(&self) -> String {
        format!("the {}", self.role.as_deref().unwrap_or("user"))
    }

    /// Whether the role is of several, so that its verbs take no ending.
    pub fn is_plural(&self) -> bool {
        self.role.as_deref().is_some_and(grammar::is_plural)
    }

    /// What they do, in the third person: `resets their password`. None of a thing that is to behave in some way, since
    /// no action of theirs is stated.
    pub fn does(&self) -> Option<String> {
        match (self.action(), self.want.as_deref()) {
            (Some(action), _) => Some(grammar::third(action, self.is_plural())),
            (None, Some(thing)) if !thing.contains(" to ") => {
                let has = if self.is_plural() { "have" } else { "has" };
                Some(format!("{has} {}", grammar::person(thing)))
            }
            (None, _) => None,
        }
    }
}

impl Payload for Story {
    const KIND: Kind = Kind::Story;
}
