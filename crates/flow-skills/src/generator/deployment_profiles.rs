//! The targets that a deployment guide knows by itself, as `assets/targets.yaml` of the skill has them. What is made of
//! them is in `deployment_guide_generator`.

use serde::{Deserialize, Serialize};

use super::deployment_guide_generator::NAME;
use crate::output::{Fault, Result};
use crate::runtime::catalog;

const FILE: &str = "assets/targets.yaml";

/// A target.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    pub(super) name: String,
    /// Words that mean it.
    words: Vec<String>,
    pub(super) env: Vec<Setting>,
    pub(super) steps: Vec<Step>,
    pub(super) trouble: Vec<Trouble>,
}

/// A variable that the steps need.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) example: String,
}

/// A step.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) name: String,
    pub(super) command: String,
    pub(super) verify: String,
    pub(super) rollback: String,
}

/// What may be seen, and the command that tells why.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trouble {
    pub(super) symptom: String,
    pub(super) command: String,
}

/// All targets.
///
/// # Errors
/// When the skill's file cannot be read.
pub(super) fn all() -> Result<Vec<Profile>> {
    let text = catalog::file(NAME, FILE).unwrap_or_default();
    serde_saphyr::from_str(text)
        .map_err(|error| Fault::Refused(format!("could not read {NAME}/{FILE}: {error}")))
}

/// The target that a text means: the first one that a word of it names.
pub(super) fn find<'a>(profiles: &'a [Profile], target: &str) -> Option<&'a Profile> {
    let lower = target.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric() && c != '-').collect();
    let is_named =
        |profile: &&Profile| profile.words.iter().any(|word| words.contains(&word.as_str()));
    profiles.iter().find(is_named)
}
