//! `deployment-guide-generator`: how a service is deployed, checked and rolled back.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill::{Needs, Skill};
use super::steps;
use super::steps::{Command, code, fenced};
use super::steps::{NOTHING, Procedure, Step, Variable, VariableName, Variables, blank, reads};
use crate::input::kind::{Kind, Upstream};
use crate::input::place::{Definition, takes};
use crate::input::recognise::ContentKind;
use crate::input::values::{Block, Line, TextOr, Word};
use crate::output::{Artifact, Fault, Output, Result, bad_text};
use crate::page::{Document, Finding, Form, Part, Section};
use crate::project_state::Context;
use crate::runtime::{catalog, engine};
use crate::text::is_blank;
use crate::text::prose::prose;
use crate::{output, page};

const NAME: &str = "deployment-guide-generator";

/// What the guide says of steps without a rollback.
const NOTHING_TO_ROLL_BACK: &str = "nothing to roll back";
/// What it says of a step without a check.
const OWN_CHECK: &str = "The command fails when something is wrong; it needs no other check.";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "target"), takes(ContentKind::Dotenv, "env")],
        accepts: &[Kind::Steps],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, context| generate(&given.read()?, given.upstream.as_ref(), context),
    verify: Some(|text, _| verify(text)),
};

/// The service, and the target of its deployment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The target: systemd, docker compose, kubernetes or static site; any other one gets a form with blanks.
    #[schemars(extend("x-labels" = ["Deploy to", "Platform"]))]
    target: Option<Line>,
    /// The name of the service.
    #[schemars(extend("x-labels" = ["Application", "App"]))]
    service: Option<Line>,
    /// The image with its tag or digest, if the target runs images.
    image: Option<Word>,
    /// The version that is deployed.
    version: Option<Word>,
    /// The steps, replacing those of the target.
    #[serde(default)]
    steps: Vec<Step>,
    /// The environment variables of the service, such as `DATABASE_URL` or `PORT=8080: where it listens`; or their values
    /// by name.
    #[serde(default)]
    #[schemars(extend("x-commas" = true, "x-labels" = ["Environment", "Environment variables"]))]
    env: Variables,
    /// A URL that responds if the service is healthy, or a command that succeeds then.
    #[schemars(extend("x-labels" = ["Health check"]))]
    health: Option<Health>,
}

/// The command that checks the health.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
struct Health(Command);

impl TryFrom<String> for Health {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self(Command::written(format!(
                "curl --fail --silent --show-error --max-time 10 --retry 5 --retry-all-errors {}",
                steps::quote(&Line::new(text)?)
            ))));
        }
        if text.starts_with('/') && !text.contains(char::is_whitespace) {
            return Err(format!(
                "a URL with its host, such as https://shop.example{text}, or a command; a path alone could be both (`sh {text}` runs it)"
            ));
        }
        Ok(Self(Block::new(text)?.into()))
    }
}

struct Guide<'a> {
    target: String,
    title: String,
    profile: Option<&'a Profile>,
    steps: Vec<Step>,
    env: Vec<Variable>,
}

fn generate(input: &Input, upstream: Option<&Upstream>, _context: &Context) -> Result<Output> {
    let before = upstream.map(Upstream::read::<Procedure>).transpose()?.flatten();
    let profiles = all()?;
    check_names(input)?;
    let mut notes = Vec::new();
    let mut guide = guide(input, before, &profiles, &mut notes)?;
    let mut open = Vec::new();
    match (&input.health, guide.steps.last_mut()) {
        (Some(health), Some(last)) => {
            let check = last.check().filter(|command| !is_blank(command));
            let checks = check.into_iter().chain([&health.0]);
            let checks: Vec<&str> = checks.map(|command| &**command).collect();
            last.verify = Command::written(checks.join("\n"));
        }
        _ => open.push("health: not given (add health=URL, or health=COMMAND that succeeds if the service is healthy)".to_owned()),
    }
    check_use(input, &guide)?;
    let text = engine::render_own(NAME, "assets/template.md.tera", &view(&guide, &open))?;
    let data = json!({
        "title": guide.title,
        "target": guide.target,
        "profile": guide.profile.map(|profile| &profile.name),
        "service": input.service,
        "steps": output::value(&guide.steps)?,
        "rollback": output::value(&guide.steps.iter().rev().collect::<Vec<_>>())?,
        "env": output::value(&guide.env)?,
        "health": input.health.as_ref().map(|health| &*health.0),
    });
    let artifact = Artifact::new("deployment.md", "markdown", text);
    Ok(Output { data, artifacts: vec![artifact], open, notes })
}

/// The steps of the input, the previous skill, or the target.
fn guide<'a>(
    input: &Input,
    before: Option<Procedure>,
    profiles: &'a [Profile],
    notes: &mut Vec<String>,
) -> Result<Guide<'a>> {
    let stated = input.target.as_ref().map(ToString::to_string);
    let target = stated.or_else(|| before.as_ref().map(|before| before.target.clone()));
    let names: Vec<&str> = profiles.iter().map(|profile| profile.name.as_str()).collect();
    let expects = format!("one of {}, or another name", names.join(", "));
    let none = || output::missing("target", &expects, "where it is put into service");
    let target = target.ok_or_else(none)?;
    let profile = find(profiles, &target);
    let stated_env: Vec<&Variable> = input.env.0.iter().map(|variable| &variable.0).collect();
    let Procedure { title, mut steps, mut env, .. } = before.unwrap_or_default();
    if !input.steps.is_empty() {
        steps.clone_from(&input.steps);
    }
    let is_own = !steps.is_empty();
    if profile.is_some() && !input.steps.is_empty() {
        notes.push("the steps of the input take the place of the built-in ones".to_owned());
    }
    let mut env: Vec<Variable> = if is_own {
        env.retain(|known| stated_env.iter().all(|variable| variable.name != known.name));
        env.extend(stated_env.into_iter().cloned());
        env.into_iter().map(|variable| given(variable, None, input)).collect()
    } else {
        let settings =
            profile.map(|profile| profile.settings(input, &stated_env)).unwrap_or_default();
        let is_setting =
            |variable: &&Variable| settings.iter().any(|setting| setting.name == variable.name);
        let (stated, more): (Vec<&Variable>, Vec<&Variable>) =
            stated_env.into_iter().partition(is_setting);
        steps = match profile {
            Some(profile) => profile.steps(input, &more),
            None => form(&target, profiles, notes),
        };
        // A form has what was given, for the steps that are filled in.
        let fields =
            [("IMAGE", "the image", &input.image), ("VERSION", "the version", &input.version)];
        let fields = fields.into_iter().filter(|(.., value)| profile.is_none() && value.is_some());
        let fields =
            fields.map(|(name, what, _)| given(Variable::required(name, what), None, input));
        let of_profile = settings.into_iter().map(|setting| of_profile(setting, &stated, input));
        let more = more.into_iter().map(|variable| given(variable.clone(), None, input));
        fields.chain(of_profile).chain(more).collect()
    };
    for variable in &mut env {
        conceal(variable, notes);
    }
    let title = title.unwrap_or_else(|| titled(input, profile, &target));
    Ok(Guide { target, title, profile: profile.filter(|_| !is_own), steps, env })
}

/// A variable of the target, with its value from the user's variables or a field.
fn of_profile(setting: &Setting, stated: &[&Variable], input: &Input) -> Variable {
    let mut variable = Variable::required(&setting.name.0, &setting.description);
    variable.example = Some(setting.example.clone());
    match stated.iter().find(|variable| variable.name == setting.name) {
        Some(stated) => {
            let value = stated.value.clone().or_else(|| stated.example.clone());
            Variable { secret: stated.secret.or(variable.secret), value, ..variable }
        }
        None => given(variable, setting.from, input),
    }
}

/// A variable with its value from a field.
fn given(variable: Variable, from: Option<Source>, input: &Input) -> Variable {
    let image = input.image.as_deref();
    let value = match (from, variable.name.0.as_str()) {
        (Some(Source::Service), _) => input.service.as_deref(),
        // The tag of an image is its version.
        (Some(Source::Version), _) | (None, "VERSION") => {
            input.version.as_deref().or_else(|| image.and_then(tag))
        }
        (Some(Source::Image), _) | (None, "IMAGE") => image,
        (None, _) => None,
    };
    let value = value.and_then(|value| Line::new(value).ok());
    Variable { value: value.or_else(|| variable.value.clone()), ..variable }
}

/// Removes the value of a secret, and its example, which could be the secret itself.
fn conceal(variable: &mut Variable, notes: &mut Vec<String>) {
    let is_secret = variable.is_secret();
    let is_stated = variable.secret.replace(is_secret).is_some();
    if !is_secret {
        return;
    }
    if variable.value.is_some() && !is_stated {
        let name = &variable.name.0;
        notes.push(format!(
            "{name} is taken as a secret, so its value is left out ({{\"name\": \"{name}\", \"secret\": false}} keeps it)"
        ));
    }
    (variable.value, variable.example) = (None, None);
}

fn tag(image: &str) -> Option<&str> {
    let name = image.split('@').next().unwrap_or_default();
    name.rsplit_once(':').map(|(_, tag)| tag).filter(|tag| !tag.contains('/'))
}

/// The title. A name that contains it already is not repeated.
fn titled(input: &Input, profile: Option<&Profile>, target: &str) -> String {
    let target = profile.map_or(target, |profile| profile.name.as_str());
    let says = |text: &str, word: &str| text.to_lowercase().starts_with(word);
    match &input.service {
        Some(service) if says(service, "deploy ") => format!("{service} to {target}"),
        Some(service) => format!("Deploy {service} to {target}"),
        None if says(target, "deploy ") => target.to_owned(),
        None => format!("Deploy to {target}"),
    }
}

/// The steps for a target that has none, as blanks.
fn form(target: &str, profiles: &[Profile], notes: &mut Vec<String>) -> Vec<Step> {
    if let Some(Profile { name, .. }) = mentioned(profiles, target) {
        notes.push(format!("{name} is known by its name alone: target=\"{name}\" service=NAME"));
    }
    let step = |name: &str, command: &str, verify: &str, rollback: Command| Step {
        name: Line::new(name).ok(),
        command: blank(command),
        verify: blank(verify),
        rollback,
    };
    vec![
        step(
            "Record what runs now",
            "the command that records the running version and its environment",
            "the command that shows the record",
            Command::written(NOTHING),
        ),
        step(
            "Install the new version",
            "the command that installs the new version and its environment",
            "the command that shows that it is installed",
            blank("the command that puts the recorded version and environment back"),
        ),
        step(
            "Start the new version",
            "the command that starts it",
            "the command that succeeds if it responds",
            blank("the command that stops it, and starts the recorded version"),
        ),
    ]
}

fn check_names(input: &Input) -> Result<()> {
    let mut known = HashSet::new();
    for (at, TextOr(Variable { name, .. })) in input.env.0.iter().enumerate() {
        if !known.insert(&name.0) {
            let allowed = "a name that no other variable has";
            return Err(bad_text(&format!("env[{at}].name"), &name.0, allowed));
        }
    }
    Ok(())
}

fn check_use(input: &Input, guide: &Guide<'_>) -> Result<()> {
    let given = [("image", &input.image, "IMAGE"), ("version", &input.version, "VERSION")];
    for (field, value, name) in given {
        let is_used = guide.reads(name) || guide.env.iter().any(|variable| variable.name.0 == name);
        if let Some(value) = value.as_deref().filter(|_| !is_used) {
            let allowed = format!("left out: no step for {} reads ${name}", guide.target);
            return Err(bad_text(field, value, &allowed));
        }
    }
    Ok(())
}

impl Guide<'_> {
    /// Whether a step reads a variable.
    fn reads(&self, name: &str) -> bool {
        self.steps.iter().flat_map(Step::commands).any(|command| reads(command, name))
    }
}

fn variable_row(variable: &Variable) -> Value {
    let example = variable.example.as_ref().filter(|_| variable.value.is_none());
    json!({
        "name": variable.name.0, "description": variable.description.as_deref().map(prose),
        "required": variable.required, "secret": variable.secret, "example": example.map(|text| code(text)),
    })
}

/// Names the steps without a rollback; `verify` reads it back.
fn unchanged(steps: &[Step]) -> Option<String> {
    let bare = steps.iter().enumerate().filter(|(_, step)| step.rollback().is_none());
    let numbers: Vec<String> = bare.map(|(at, _)| (at + 1).to_string()).collect();
    match numbers.as_slice() {
        [] => None,
        [one] => Some(format!("Step {one} has {NOTHING_TO_ROLL_BACK}.")),
        [most @ .., last] => {
            Some(format!("Steps {} and {last} have {NOTHING_TO_ROLL_BACK}.", most.join(", ")))
        }
    }
}

fn view(guide: &Guide<'_>, open: &[String]) -> Value {
    let plain = |text: &str| prose(text.trim_end_matches(['.', ':', ',', ';', '!', '?']));
    let step = |(at, step): (usize, &Step)| {
        json!({
            "number": at + 1, "name": plain(&step.title()),
            "command": fenced(&step.command),
            "verify": step.check().map(|command| fenced(command)),
            "rollback": step.rollback().map(|command| fenced(command)),
        })
    };
    let steps: Vec<Value> = guide.steps.iter().enumerate().map(step).collect();
    let line = |variable: &Variable| {
        let name = &variable.name.0;
        let is_read = || guide.profile.is_none() || guide.reads(name);
        match &variable.value {
            Some(value) => Some(format!("export {name}={}", steps::quote(value))),
            None if variable.required && is_read() => Some(format!(": \"${{{name}:?}}\"")),
            None => None,
        }
    };
    let lines: Vec<String> = guide.env.iter().filter_map(line).collect();
    let trouble = |trouble: &Symptom| json!({"symptom": trouble.symptom, "command": fenced(&trouble.command)});
    let trouble: Vec<Value> =
        guide.profile.into_iter().flat_map(|profile| &profile.trouble).map(trouble).collect();
    json!({
        "title": plain(&guide.title),
        "rollback": steps.iter().rev().filter(|step| !step["rollback"].is_null()).collect::<Vec<_>>(),
        "unchanged": unchanged(&guide.steps), "own_check": OWN_CHECK,
        "steps": steps,
        "env": guide.env.iter().map(variable_row).collect::<Vec<_>>(),
        "check": (!lines.is_empty()).then(|| fenced(&lines.join("\n"))),
        "trouble": trouble,
        "open": open.iter().map(|question| prose(question)).collect::<Vec<_>>(),
    })
}

const FILE: &str = "assets/targets.yaml";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Profile {
    name: String,
    words: Vec<String>,
    env: Vec<Setting>,
    steps: Vec<ProfileStep>,
    trouble: Vec<Symptom>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    name: VariableName,
    description: Line,
    example: Line,
    from: Option<Source>,
    /// The condition under which it is needed.
    when: Option<When>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Source {
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
struct Symptom {
    symptom: String,
    command: Command,
}

/// All targets.
fn all() -> Result<Vec<Profile>> {
    let text = catalog::file(NAME, FILE).unwrap_or_default();
    serde_saphyr::from_str(text)
        .map_err(|error| Fault::Refused(format!("could not read {NAME}/{FILE}: {error}")))
}

/// The target with this name or alias, ignoring case.
fn find<'a>(profiles: &'a [Profile], target: &str) -> Option<&'a Profile> {
    let plain = |name: &str| name.trim().to_lowercase().replace(['-', '_'], " ");
    let wanted = plain(target);
    profiles.iter().find(|profile| {
        std::iter::once(&profile.name).chain(&profile.words).any(|name| plain(name) == wanted)
    })
}

/// The target whose name a longer text contains.
fn mentioned<'a>(profiles: &'a [Profile], text: &str) -> Option<&'a Profile> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    profiles.iter().find(|profile| profile.words.iter().any(|word| words.contains(word)))
}

impl Profile {
    /// The variables that it needs for an input.
    fn settings(&self, input: &Input, env: &[&Variable]) -> Vec<&Setting> {
        let is_needed = |setting: &&Setting| setting.when.is_none_or(|when| when.holds(input, env));
        self.env.iter().filter(is_needed).collect()
    }

    /// Its steps for an input, with the user's variables.
    fn steps(&self, input: &Input, env: &[&Variable]) -> Vec<Step> {
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

const SECTIONS: &[Section] = &[
    Section::named("Steps", &[]),
    Section::named("Rollback", &[]),
    Section::named("Verification", &[]),
    Section::named("Troubleshooting", &[]),
];

/// Checks that each step has a command, a check and a rollback, in reverse order, and that no blank is left.
fn verify(text: &str) -> Vec<Finding> {
    page::check(text, &Form::new("# Deploy …", SECTIONS), steps)
}

fn steps(document: &Document<'_>, findings: &mut Vec<Finding>) {
    let steps = numbered(document, "Step ");
    let rollbacks = numbered(document, "Roll back step ");
    if steps.is_empty() {
        findings.push(Finding::new(1, "there are no steps: add `### Step 1: …` below `## Steps`"));
    }
    let end = format!("{NOTHING_TO_ROLL_BACK}.");
    let unchanged = document.lines().map(|line| line.text);
    let unchanged = unchanged.filter(|line| line.starts_with("Step") && line.ends_with(&end));
    let unchanged: Vec<&str> = unchanged.flat_map(|line| line.split([' ', ','])).collect();
    for (at, (number, part)) in steps.iter().enumerate() {
        let mut add = |what: String| findings.push(Finding::new(part.number, what));
        let wanted = (at + 1).to_string();
        if *number != wanted {
            add(format!("the number of this step must be {wanted}"));
        }
        let is_block = |line: &&str| line.starts_with("```") && line.ends_with("bash");
        let blocks = part.lines.iter().map(|line| line.text).filter(is_block).count();
        let is_own_check = part.prose().any(|line| line.text == OWN_CHECK);
        if blocks < if is_own_check { 1 } else { 2 } {
            add("this step needs a command and a check, each as a block of bash".to_owned());
        }
        let has_rollback = rollbacks.iter().any(|(number, _)| *number == wanted);
        if !has_rollback && !unchanged.contains(&wanted.as_str()) {
            add(format!(
                "this step has no rollback: add `### Roll back step {wanted}: …`, or `Step {wanted} has {end}`"
            ));
        }
    }
    let value = |number: &str| number.parse::<usize>().unwrap_or_default();
    let late = rollbacks.windows(2).filter(|pair| value(pair[1].0) >= value(pair[0].0));
    findings.extend(late.map(|pair| {
        let what = "rollbacks must stand in reverse order, the last step first";
        Finding::new(pair[1].1.number, what)
    }));
}

/// The sections of level 3 whose titles begin with `start` and a number, with the number.
fn numbered<'a>(document: &'a Document<'a>, start: &str) -> Vec<(&'a str, &'a Part<'a>)> {
    let parts = document.parts.iter().filter(|part| part.level == 3);
    let numbered = parts.filter_map(|part| {
        let (number, _) = part.name.strip_prefix(start)?.split_once(':')?;
        Some((number.trim(), part))
    });
    numbered.collect()
}
