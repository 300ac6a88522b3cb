//! A test case, and what test cases are given to the next skill with.

use serde::{Deserialize, Serialize};

use super::scenario::{Examples, Scenario};
use crate::input::kind::{Kind as DataKind, Payload};

/// On which level a case is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// One function or class.
    Unit,
    /// Parts that work together.
    Integration,
    /// The whole, as a user sees it.
    EndToEnd,
}

/// What a case shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// That what is stated holds.
    Positive,
    /// That what is forbidden, or fails, is handled.
    Negative,
}

/// A test case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its id: `TC-R1-P1` is the first positive case of `AC-R1`, `TC-R1-B2` the second at its bounds.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its level.
    pub level: Level,
    /// What it shows.
    pub kind: Kind,
    /// The id of its criterion.
    pub criterion: String,
    /// What holds before.
    pub given: Vec<String>,
    /// What happens.
    pub when: Vec<String>,
    /// What follows.
    pub then: Vec<String>,
    /// The examples that it is tried with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Examples>,
}

/// A criterion with the ids of its cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The criterion.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its cases.
    pub cases: Vec<String>,
}

/// The story that cases are of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its id.
    pub id: Option<String>,
    /// Its title.
    pub title: String,
}

/// Test cases, with the criteria that they are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cases {
    /// The story.
    pub story: About,
    /// Each criterion with its cases.
    pub criteria: Vec<Trace>,
    /// The cases.
    pub cases: Vec<Case>,
    /// The data that the story is about.
    pub data: Vec<String>,
}

impl Payload for Cases {
    const KIND: DataKind = DataKind::Cases;
}

impl Level {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unit => "unit",
            Self::Integration => "integration",
            Self::EndToEnd => "end-to-end",
        }
    }
}

impl Kind {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
        }
    }
}

impl Case {
    /// Its steps and its examples as a scenario.
    pub fn scenario(&self) -> Scenario {
        Scenario {
            id: self.id.clone(),
            name: self.name.clone(),
            tags: vec![self.criterion.clone(), self.level.name().into(), self.kind.name().into()],
            given: self.given.clone(),
            when: self.when.clone(),
            then: self.then.clone(),
            examples: self.examples.clone(),
        }
    }
}
