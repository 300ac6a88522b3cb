//! The built-in targets of a deployment guide, from `assets/targets.yaml`, and their steps for an input.

use serde::Deserialize;

use super::{Input, NAME};
use crate::generator::shell::Command;
use crate::generator::steps::{NOTHING, Step, Variable, VariableName};
use crate::input::values::Line;
use crate::output::{Fault, Result};
use crate::runtime::catalog;

const FILE: &str = "assets/targets.yaml";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Profile {
    pub(super) name: String,
    words: Vec<String>,
    pub(super) env: Vec<Setting>,
    steps: Vec<ProfileStep>,
    pub(super) trouble: Vec<Symptom>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setting {
    pub(super) name: VariableName,
    pub(super) description: Line,
    pub(super) example: Line,
    pub(super) from: Option<Source>,
    /// The condition under which it is needed.
    when: Option<When>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Source {
    Service,
    Version,
    Image,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum When {
    Image,
    Env,
    Secret,
    #[serde(rename = "no env")]
    NoEnv,
}

/// A step with its purpose. A line with `{plain}`, `{secret}` or `{any}` is repeated for each such variable of the
/// user.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileStep {
    name: Line,
    when: Option<When>,
    command: String,
    verify: String,
    rollback: Option<String>,
}

/// A symptom, and the command that diagnoses it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Symptom {
    pub(super) symptom: String,
    pub(super) command: Command,
}

/// All targets.
pub(super) fn all() -> Result<Vec<Profile>> {
    let text = catalog::file(NAME, FILE).unwrap_or_default();
    serde_saphyr::from_str(text)
        .map_err(|error| Fault::Refused(format!("could not read {NAME}/{FILE}: {error}")))
}

/// The target with this name or alias, ignoring case.
pub(super) fn find<'a>(profiles: &'a [Profile], target: &str) -> Option<&'a Profile> {
    let plain = |name: &str| name.trim().to_lowercase().replace(['-', '_'], " ");
    let wanted = plain(target);
    profiles.iter().find(|profile| {
        std::iter::once(&profile.name).chain(&profile.words).any(|name| plain(name) == wanted)
    })
}

/// The target whose name a longer text contains.
pub(super) fn mentioned<'a>(profiles: &'a [Profile], text: &str) -> Option<&'a Profile> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    profiles.iter().find(|profile| profile.words.iter().any(|word| words.contains(word)))
}

impl Profile {
    /// The variables that it needs for an input.
    pub(super) fn settings(&self, input: &Input, env: &[&Variable]) -> Vec<&Setting> {
        let is_needed = |setting: &&Setting| setting.when.is_none_or(|when| when.holds(input, env));
        self.env.iter().filter(is_needed).collect()
    }

    /// Its steps for an input, with the user's variables.
    pub(super) fn steps(&self, input: &Input, env: &[&Variable]) -> Vec<Step> {
        let is_needed = |step: &&ProfileStep| step.when.is_none_or(|when| when.holds(input, env));
        let step = |step: &ProfileStep| Step {
            name: Some(step.name.clone()),
            command: filled(&step.command, env),
            verify: filled(&step.verify, env),
            rollback: filled(step.rollback.as_deref().unwrap_or(NOTHING), env),
        };
        self.steps.iter().filter(is_needed).map(step).collect()
    }
}

impl When {
    fn holds(self, input: &Input, env: &[&Variable]) -> bool {
        match self {
            Self::Image => input.image.is_some(),
            Self::Env => !env.is_empty(),
            Self::Secret => env.iter().any(|variable| variable.is_secret()),
            Self::NoEnv => env.is_empty(),
        }
    }
}

/// A command with its lines for variables filled in.
fn filled(command: &str, env: &[&Variable]) -> Command {
    let of = |line: &str| -> Vec<String> {
        let kinds = [("{plain}", Some(false)), ("{secret}", Some(true)), ("{any}", None)];
        let Some((mark, secret)) = kinds.into_iter().find(|(mark, _)| line.contains(mark)) else {
            return vec![line.to_owned()];
        };
        let chosen = env.iter().filter(|one| secret.is_none_or(|secret| secret == one.is_secret()));
        chosen.map(|variable| line.replace(mark, &variable.name.0)).collect()
    };
    Command::written(command.lines().flat_map(of).collect::<Vec<_>>().join("\n"))
}
