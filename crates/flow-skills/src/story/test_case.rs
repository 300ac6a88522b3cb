//! A test case, and the data of test cases for the next skill.

use serde::{Deserialize, Serialize};

use super::scenario::{Examples, Scenario};
use crate::input::kind::{Kind as DataKind, Payload};

/// The level of a test case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// One function or class.
    Unit,
    /// Several components together.
    Integration,
    /// The whole system, as a user sees it.
    EndToEnd,
}

/// The purpose of a test case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It shows that a statement holds.
    Positive,
    /// It shows that a forbidden or failing case is handled.
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
    /// Its purpose.
    pub kind: Kind,
    /// The id of its criterion.
    pub criterion: String,
    /// The preconditions.
    pub given: Vec<String>,
    /// The events.
    pub when: Vec<String>,
    /// The expected outcomes.
    pub then: Vec<String>,
    /// The examples to run it with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Examples>,
}

/// A criterion with the ids of its cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Id of the criterion.
    pub id: String,
    /// Name of the criterion.
    pub name: String,
    /// Ids of its cases.
    pub cases: Vec<String>,
}

/// The story of the cases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its id.
    pub id: Option<String>,
    /// Its title.
    pub title: String,
}

/// Test cases, with their story and criteria.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cases {
    /// The story.
    pub story: About,
    /// Each criterion with its cases.
    pub criteria: Vec<Trace>,
    /// The cases.
    pub cases: Vec<Case>,
    /// The data of the story.
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
