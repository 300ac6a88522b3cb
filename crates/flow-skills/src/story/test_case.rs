//! A test case, and the data of test cases for the next skill.

use serde::{Deserialize, Serialize};

use super::scenario::Scenario;
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

/// A test case: a scenario with its level, its purpose and its criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Its steps and examples. Its id is `TC-R1-P1` for the first positive case of `AC-R1`, `TC-R1-B2` for the second at
    /// its bounds; its tags are those that it has in a feature.
    #[serde(flatten)]
    pub scenario: Scenario,
    /// Its level.
    pub level: Level,
    /// Its purpose.
    pub kind: Kind,
    /// The id of its criterion.
    pub criterion: String,
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
    /// What a feature says of itself, line by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub description: Vec<String>,
}

impl Payload for Cases {
    const KIND: DataKind = DataKind::Cases;
}

crate::text::display_as_serde!(Level, Kind);

impl Case {
    /// Its scenario, with its criterion, level and purpose as tags.
    pub fn tagged(&self) -> Scenario {
        let traced = [self.criterion.clone(), self.level.to_string(), self.kind.to_string()];
        let tags = traced.into_iter().chain(self.scenario.tags.iter().cloned()).collect();
        Scenario { tags, ..self.scenario.clone() }
    }
}
