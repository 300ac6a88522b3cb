//! The targets of deployments, which `assets/targets.yaml` defines: steps, and the variables that they read.

use serde::{Deserialize, Serialize};

use super::variables::Variable;
use crate::input::typed::nearest;
use crate::output::{Fault, Result, bad_text};
use crate::runtime::catalog;

/// The skill that has the file of the targets.
pub(super) const NAME: &str = "deployment-guide-generator";
const FILE: &str = "assets/targets.yaml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Target {
    pub(super) name: String,
    /// Other names.
    words: Vec<String>,
    /// The host at which the service answers where the commands run.
    pub(super) host: Option<String>,
    env: Vec<Setting>,
    steps: Vec<Step>,
    pub(super) trouble: Vec<Symptom>,
}

/// A variable of a target.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    name: String,
    description: String,
    example: Option<String>,
    /// The field that gives its value.
    from: Option<String>,
    when: Option<String>,
}

/// A step. A line with `{plain}`, `{secret}` or `{any}` is repeated for each such variable of the user.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// Its number in a guide, from 1.
    #[serde(skip_deserializing)]
    pub(super) number: usize,
    pub(super) name: String,
    when: Option<String>,
    pub(super) command: String,
    pub(super) verify: String,
    pub(super) rollback: Option<String>,
}

/// A symptom, and the command that diagnoses it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Symptom {
    symptom: String,
    pub(super) command: String,
}

/// What is given for the steps of a target.
#[derive(Debug)]
pub(super) struct Given<'a> {
    pub(super) service: Option<&'a str>,
    pub(super) version: Option<&'a str>,
    pub(super) image: Option<&'a str>,
    pub(super) env: Vec<Variable>,
}

/// The target with a name, or a form for any other. A name that is nearly a known one is refused: it is likelier a mistake.
pub(super) fn named(name: &str) -> Result<Target> {
    let text = catalog::file(NAME, FILE).unwrap_or_default();
    let targets: std::result::Result<Vec<Target>, _> = serde_saphyr::from_str(text);
    let mut targets = targets
        .map_err(|error| Fault::Refused(format!("could not read {NAME}/{FILE}: {error}")))?;
    if let Some(at) = targets.iter().position(|target| target.is_named(name)) {
        return Ok(targets.swap_remove(at));
    }
    // The last one is the form.
    let form = targets.pop().ok_or_else(|| Fault::Refused(format!("{NAME}/{FILE} is empty")))?;
    let names: Vec<&str> = targets.iter().map(|target| &*target.name).collect();
    if let Some(near) = nearest(&name.trim().to_lowercase(), &names) {
        let names = names.join(", ");
        let allowed = format!("one of {names}, or another target; did you mean {near}?");
        return Err(bad_text("target", name, &allowed));
    }
    Ok(Target { name: name.to_owned(), ..form })
}

impl Target {
    /// Whether it has this name, in any case.
    fn is_named(&self, name: &str) -> bool {
        let plain = |name: &str| name.trim().to_lowercase().replace(['-', '_'], " ");
        let mut names = std::iter::once(&self.name).chain(&self.words);
        names.any(|known| plain(known) == plain(name))
    }

    /// Refuses a service or a version that is no plain name, since commands make paths of them, and an image or a version
    /// that no step reads.
    pub(super) fn check(&self, given: &Given<'_>) -> Result<()> {
        for field in ["service", "version", "image"] {
            let Some(value) = given.field(field) else { continue };
            let is_read = self.env.iter().any(|setting| setting.from.as_deref() == Some(field));
            let is_plain = value.starts_with(|c: char| c.is_ascii_alphanumeric())
                && value.chars().all(|c| c.is_ascii_alphanumeric() || "-_.@+".contains(c));
            if is_read && field != "image" && !is_plain {
                let allowed = "a name of letters, digits and - _ . @ +, such as shop-api or 1.4.2";
                return Err(bad_text(field, value, allowed));
            }
            if !is_read && field != "service" {
                let variable = field.to_uppercase();
                let allowed = format!("left out: no step for {} reads ${variable}", self.name);
                return Err(bad_text(field, value, &allowed));
            }
        }
        Ok(())
    }

    /// Its steps for what is given, and all variables: those that they read, then the user's others.
    pub(super) fn fill(&mut self, mut given: Given<'_>) -> (Vec<Step>, Vec<Variable>) {
        self.env.retain(|setting| given.has(setting.when.as_deref()));
        let mut variables: Vec<Variable> =
            self.env.iter().map(|setting| setting.variable(&given)).collect();
        given.env.retain(|variable| !self.env.iter().any(|own| own.name == variable.name));
        let mut steps = std::mem::take(&mut self.steps);
        steps.retain(|step| given.has(step.when.as_deref()));
        for (at, step) in steps.iter_mut().enumerate() {
            step.number = at + 1;
            for commands in
                [&mut step.command, &mut step.verify].into_iter().chain(&mut step.rollback)
            {
                *commands = filled(commands, &given.env);
            }
        }
        variables.extend(given.env);
        (steps, variables)
    }
}

impl Setting {
    fn variable(&self, given: &Given<'_>) -> Variable {
        let stated = given.env.iter().find(|variable| variable.name == self.name);
        let value = match (stated, self.from.as_deref()) {
            (Some(stated), _) => stated.value.clone(),
            // The tag of an image is its version.
            (None, Some("version")) => {
                given.version.or(given.image.and_then(tag)).map(str::to_owned)
            }
            (None, from) => from.and_then(|field| given.field(field)).map(str::to_owned),
        };
        Variable {
            name: self.name.clone(),
            description: Some(self.description.clone()),
            secret: stated.is_some_and(|stated| stated.secret),
            example: self.example.clone().filter(|_| value.is_none()),
            value,
        }
    }
}

impl Given<'_> {
    fn field(&self, name: &str) -> Option<&str> {
        match name {
            "service" => self.service,
            "version" => self.version,
            _ => self.image,
        }
    }

    /// Whether what a step or a variable needs is given.
    fn has(&self, when: Option<&str>) -> bool {
        match when {
            Some("env") => !self.env.is_empty(),
            Some("no env") => self.env.is_empty(),
            Some("secret") => self.env.iter().any(|variable| variable.secret),
            Some(field) => self.field(field).is_some(),
            None => true,
        }
    }
}

/// The tag of an image.
pub(super) fn tag(image: &str) -> Option<&str> {
    let (_, tag) = image.split('@').next()?.rsplit_once(':')?;
    Some(tag).filter(|tag| !tag.contains('/'))
}

/// Commands, with a line for each variable in place of one with a mark.
fn filled(commands: &str, env: &[Variable]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in commands.lines() {
        let Some(mark) =
            ["{plain}", "{secret}", "{any}"].into_iter().find(|mark| line.contains(mark))
        else {
            lines.push(line.to_owned());
            continue;
        };
        for variable in env {
            if mark == "{any}" || variable.secret == (mark == "{secret}") {
                lines.push(line.replace(mark, &variable.name));
            }
        }
    }
    lines.join("\n")
}
