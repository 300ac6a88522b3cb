//! The targets of deployments, which `assets/targets.yaml` defines: steps, and the variables that they read.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::variables::Variable;
use crate::input::typed::nearest;
use crate::output::{Fault, Result, bad_text};
use crate::runtime::catalog;
use crate::text::after;

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
    /// The command that makes the service answer there as long as it runs.
    pub(super) forward: Option<String>,
    env: Vec<Setting>,
    pub(super) steps: Vec<Step>,
    /// Symptoms, each with the commands that diagnose it.
    pub(super) trouble: IndexMap<String, String>,
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
    pub(super) name: String,
    when: Option<String>,
    command: String,
    pub(super) verify: String,
    rollback: Option<String>,
}

/// The fields service, version and image, as far as they are given.
pub(super) type Fields<'a> = IndexMap<&'static str, &'a str>;

/// Most words of a target; more are a sentence.
const WORDS: usize = 5;

/// Whether a text says more than a target.
fn is_sentence(text: &str) -> bool {
    let starts_so = after(text, &["deploy ", "deploying "]).is_some();
    starts_so || text.contains(". ") || text.split_whitespace().count() > WORDS
}

/// The target with a name, or a form for any other. A sentence is refused, and a name that is nearly a known one: it is
/// likelier a mistake.
pub(super) fn named(name: &str) -> Result<Target> {
    let name = after(name, &["deploy to "]).unwrap_or(name);
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
    if is_sentence(name) {
        let lower = name.to_lowercase();
        let within = names.iter().find(|known| lower.contains(**known));
        let target =
            within.map_or_else(|| format!("one of {}", names.join(", ")), ToString::to_string);
        let allowed = format!(
            "{target} alone; what else is known stands in fields: service=shop env=PORT,API_TOKEN"
        );
        return Err(bad_text("target", name, &allowed));
    }
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
    pub(super) fn check(&self, fields: &Fields<'_>) -> Result<()> {
        for (&field, value) in fields {
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

    /// Refuses a variable with another value than the field that it is set from. A secret's value is left out with a note.
    pub(super) fn check_variables(&self, fields: &Fields<'_>, env: &[Variable]) -> Result<()> {
        for setting in &self.env {
            let stated = env.iter().find(|variable| variable.name == setting.name);
            let value = stated
                .filter(|variable| !variable.secret)
                .and_then(|variable| variable.value.as_deref());
            let field =
                setting.from.as_deref().and_then(|field| Some((field, *fields.get(field)?)));
            if let (Some(value), Some((field, text))) = (value, field)
                && value != text
            {
                let allowed = format!("left out, since it is set from {field}={text}");
                return Err(bad_text("env", &format!("{}=…", setting.name), &allowed));
            }
        }
        Ok(())
    }

    /// Makes its steps those of the user's fields and variables. Gives all variables: those that they read, then the user's
    /// others.
    pub(super) fn fill(&mut self, fields: &Fields<'_>, mut env: Vec<Variable>) -> Vec<Variable> {
        self.env.retain(|setting| holds(setting.when.as_deref(), fields, &env));
        let mut variables: Vec<Variable> =
            self.env.iter().map(|setting| setting.variable(fields, &env)).collect();
        env.retain(|variable| !self.env.iter().any(|setting| setting.name == variable.name));
        self.steps.retain(|step| holds(step.when.as_deref(), fields, &env));
        for step in &mut self.steps {
            for commands in step.commands() {
                *commands = filled(commands, &env);
            }
        }
        variables.extend(env);
        variables
    }
}

impl Step {
    pub(super) fn commands(&mut self) -> impl Iterator<Item = &mut String> {
        [&mut self.command, &mut self.verify].into_iter().chain(&mut self.rollback)
    }
}

impl Setting {
    fn variable(&self, fields: &Fields<'_>, env: &[Variable]) -> Variable {
        let stated = env.iter().find(|variable| variable.name == self.name);
        let field = self.from.as_deref().and_then(|field| {
            let image = fields.get("image").filter(|_| field == "version");
            fields.get(field).copied().or_else(|| tag(image?))
        });
        let value = match stated {
            Some(stated) => stated.value.clone(),
            None => field.map(str::to_owned),
        };
        Variable {
            name: self.name.clone(),
            description: stated
                .and_then(|stated| stated.description.clone())
                .or_else(|| Some(self.description.clone())),
            secret: stated.is_some_and(|stated| stated.secret),
            example: self.example.clone().filter(|_| value.is_none()),
            value,
        }
    }
}

/// Whether what a step or a variable needs is given.
fn holds(when: Option<&str>, fields: &Fields<'_>, env: &[Variable]) -> bool {
    match when {
        Some("env") => !env.is_empty(),
        Some("no env") => env.is_empty(),
        Some("secret") => env.iter().any(|variable| variable.secret),
        Some(field) => fields.contains_key(field),
        None => true,
    }
}

/// The tag of an image, which is its version.
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
