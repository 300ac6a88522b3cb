//! The story model of the planning and testing skills: a [`Story`], and the [`scenario::Scenario`]s of its acceptance
//! criteria.
//!
//! Every text in it is one line ([`crate::text::line`]), so that it round-trips through Markdown and Gherkin.

pub mod fields;
pub mod names;
pub mod read;
pub mod action;
pub mod grammar;
pub mod scenario;
pub mod criteria;
pub mod document;
mod language;
pub mod feature;
pub mod gherkin;
pub mod data;
mod parts;
pub mod pattern;
pub mod cases;
pub mod test_case;
mod boundary;
mod refusal;
mod stem;
pub mod limits;

use serde::{Deserialize, Serialize};

use crate::input::kind::{Kind, Payload};

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
    /// Its data, in the form of [`data`].
    pub data: Vec<String>,
}

impl Story {
    /// The action in the infinitive: `reset my password`. `None` if a thing is wanted.
    pub fn action(&self) -> Option<&str> {
        let action = self.want.as_deref()?.strip_prefix("to ")?;
        Some(action.strip_prefix("be able to ").unwrap_or(action))
    }

    /// The role with the definite article: `the shopper`; `the user` if no role is given.
    pub fn who(&self) -> String {
        format!("the {}", self.role.as_deref().unwrap_or("user"))
    }

    /// Whether the role is plural, so that its verbs have no ending.
    pub fn is_plural(&self) -> bool {
        self.role.as_deref().is_some_and(grammar::is_plural)
    }

    /// The action in the third person: `resets their password`. `None` if something is wanted that is to behave in some
    /// way, since no action of the role is given.
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
