//! `deployment-guide-generator`: how a service is deployed, checked and rolled back.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::typed;
use crate::input::values::{Block, Int, Line, Word};
use crate::output::{Artifact, Fault, Output, Result, bad_text};
use crate::page::{self, Document, Finding, Form, Section};
use crate::runtime::{catalog, engine};
use crate::text::fence::fenced;
use crate::text::prose::prose;
use crate::text::{after, is_blank, is_variable};

const NAME: &str = "deployment-guide-generator";
/// The file of the targets.
const FILE: &str = "assets/targets.yaml";

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "target"), takes(ContentKind::Dotenv, "env")],
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, _| generate(&given.read()?),
    verify: Some(|text, _| page::check(text, &Form::new("# Deploy …", SECTIONS), steps)),
};

const SECTIONS: &[Section] = &[
    Section::named("Steps", &[]),
    Section::named("Rollback", &[]),
    Section::named("Verification", &[]),
    Section::named("Troubleshooting", &[]),
];

/// The service, and the target of its deployment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The target: systemd, docker compose, kubernetes or static site; any other one gets a form with blanks.
    #[schemars(extend("x-labels" = ["Deploy to", "Platform"]))]
    target: Line,
    /// The name of the service.
    #[schemars(extend("x-labels" = ["Application", "App"]))]
    service: Option<Line>,
    /// The image with its tag or digest, if the target runs images.
    image: Option<Word>,
    /// The version that is deployed.
    version: Option<Word>,
    /// The environment variables of the service, such as `DATABASE_URL` or `PORT=8080: where it listens`; or their values
    /// by name.
    #[serde(default)]
    #[schemars(
        with = "Vec<Line>",
        extend("type" = ["array", "object"], "x-commas" = true, "x-labels" = ["Environment", "Environment variables"])
    )]
    env: Value,
    /// A URL that responds if the service is healthy, a path such as /healthz beside `port`, or a command that succeeds then.
    #[schemars(extend("x-labels" = ["Health check"]))]
    health: Option<Block>,
    /// The port on which the service answers on the machine itself, for a path as health check.
    port: Option<Int<1, 65535>>,
}

/// An environment variable.
#[derive(Debug, Clone)]
struct Variable {
    name: String,
    description: Option<String>,
    /// Its value, unless it is secret.
    value: Option<String>,
    /// Whether its value must not be shown.
    secret: bool,
}

/// The ends of the names of secrets.
const SECRETS: &str =
    "PASSWORD PASSWD _PASS _PWD PASSPHRASE SECRET TOKEN KEY KEY_BASE CREDENTIALS DSN DATABASE_URL";

impl Variable {
    fn new(name: &str, value: &str, description: &str) -> Result<Self, &'static str> {
        let name = name.trim().trim_end_matches(':');
        if !is_variable(name) {
            return Err("names of letters, digits and _, not a digit first");
        }
        let upper = name.to_uppercase();
        let ends = SECRETS.split(' ').any(|end| upper.ends_with(end));
        let secret = ends || has_password(value);
        let given = |text: &str| Line::new(text).ok().map(|text| text.to_string());
        let description = given(description);
        let is_word = description.as_ref().is_some_and(|text| !text.contains(' '));
        if is_word && (secret || has_password(description.as_deref().unwrap_or_default())) {
            return Err(
                "NAME=value, or a description of several words: what follows the colon is printed, and this may be a secret",
            );
        }
        Ok(Self { name: name.to_owned(), description, value: given(value), secret })
    }

    /// `NAME`, `NAME=value`, `NAME: description` or `NAME=value: description`.
    fn read(line: &str) -> Result<Self, &'static str> {
        let (head, description) = line.split_once(": ").unwrap_or((line, ""));
        let (name, value) = head.split_once('=').unwrap_or((head, ""));
        Self::new(name, value, description)
    }
}

/// Whether a text is a URL with a password.
fn has_password(text: &str) -> bool {
    let login = text.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
    login.is_some_and(|(login, _)| login.contains(':'))
}

/// The variables of a field: a list, or an object with their values by name. An error shows no value.
fn variables(field: &Value) -> Result<Vec<Variable>> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let read: Vec<(String, Result<Variable, &'static str>)> = match field {
        Value::Array(items) => items
            .iter()
            .map(text)
            .map(|line| {
                let name = line.split(['=', ':']).next().unwrap_or_default().to_owned();
                (name, Variable::read(&line))
            })
            .collect(),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| (name.clone(), Variable::new(name, &text(value), "")))
            .collect(),
        _ => Vec::new(),
    };
    let mut known = HashSet::new();
    let mut variables = Vec::new();
    for (at, (name, variable)) in read.into_iter().enumerate() {
        let wrong = |allowed| bad_text(&format!("env[{at}]"), &name, allowed);
        let variable = variable.map_err(wrong)?;
        if !known.insert(variable.name.clone()) {
            return Err(wrong("a name that no other variable has"));
        }
        variables.push(variable);
    }
    Ok(variables)
}

/// A target: its steps, and the variables that they read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    name: String,
    /// Other names.
    words: Vec<String>,
    /// The host at which the service answers where the commands run.
    host: Option<String>,
    env: Vec<Setting>,
    steps: Vec<Step>,
    trouble: Vec<Symptom>,
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
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    name: String,
    #[serde(skip_serializing)]
    when: Option<String>,
    command: String,
    verify: String,
    rollback: Option<String>,
}

/// A symptom, and the command that diagnoses it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Symptom {
    symptom: String,
    command: String,
}

fn generate(input: &Input) -> Result<Output> {
    let text = catalog::file(NAME, FILE).unwrap_or_default();
    let targets: Result<Vec<Target>, _> = serde_saphyr::from_str(text);
    let targets = targets
        .map_err(|error| Fault::Refused(format!("could not read {NAME}/{FILE}: {error}")))?;
    let known = targets.iter().find(|target| target.is_named(&input.target));
    let Some(target) = known.or(targets.last()) else {
        return Err(Fault::Refused(format!("{NAME}/{FILE} is empty")));
    };
    if known.is_none() {
        near(&targets, &input.target)?;
    }
    target.check(input)?;
    let given = variables(&input.env)?;
    let env = target.variables(input, &given);
    let hidden = |variable: &&Variable| variable.secret && variable.value.is_some();
    let hidden = env.iter().map(|(variable, _)| variable).filter(hidden);
    let secret = |name: &str| format!("{name} is taken as a secret, so its value is left out");
    let notes = hidden.map(|variable| secret(&variable.name)).collect();
    let mut steps = target.steps(input, &given);
    let untagged =
        input.image.as_deref().filter(|image| !image.contains('@') && tag(image).is_none());
    let ask = |image| {
        format!("image: {image} has no tag, so its version is not known (add one: {image}:1.4.2)")
    };
    let mut open: Vec<String> = untagged.map(ask).into_iter().collect();
    match (target.health(input)?, steps.last_mut()) {
        (Some(health), Some(last)) if is_blank(&last.verify) => last.verify = health,
        (Some(health), Some(last)) => last.verify = format!("{}\n{health}", last.verify),
        _ => open.push("health: not given (add health=URL, or health=COMMAND that succeeds if the service is healthy)".to_owned()),
    }
    let service = input.service.as_ref().map(|service| format!("{service} ")).unwrap_or_default();
    let place = known.map_or(&*input.target, |target| &target.name);
    let title = format!("Deploy {service}to {}", after(place, &["deploy to "]).unwrap_or(place));
    let fenced = |(at, step): (usize, &Step)| {
        json!({
            "number": at + 1, "name": prose(&step.name), "command": commands(&step.command),
            "verify": commands(&step.verify), "rollback": step.rollback.as_deref().map(commands),
        })
    };
    let trouble = |Symptom { symptom, command }: &Symptom| json!({"symptom": symptom, "command": commands(command)});
    let row = |(variable, example): &(Variable, Option<&String>)| {
        let description = variable.description.as_deref().map(prose);
        let example = example.filter(|_| variable.value.is_none());
        json!({"name": variable.name, "description": description, "secret": variable.secret, "example": example})
    };
    let assign = |(Variable { name, value, secret, .. }, _): &(Variable, _)| match value {
        Some(value) if !secret => format!("export {name}={}", quote(value)),
        _ => format!(": \"${{{name}:?}}\""),
    };
    let assignments: Vec<String> = env.iter().map(assign).collect();
    let view = json!({
        "title": prose(&title),
        "env": env.iter().map(row).collect::<Vec<_>>(),
        "check": (!env.is_empty()).then(|| commands(&assignments.join("\n"))),
        "steps": steps.iter().enumerate().map(fenced).collect::<Vec<_>>(),
        "trouble": target.trouble.iter().map(trouble).collect::<Vec<_>>(),
        "open": open.iter().map(|question| prose(question)).collect::<Vec<_>>(),
    });
    let text = engine::render_own(NAME, "assets/template.md.tera", &view)?;
    let data = json!({"title": title, "target": input.target, "service": input.service});
    let artifacts = vec![Artifact::new("deployment.md", "markdown", text)];
    Ok(Output { data, artifacts, open, notes })
}

/// Refuses a name that is nearly a known one: it is likelier a mistake than another target.
fn near(targets: &[Target], given: &str) -> Result<()> {
    // The last one is the form for any other.
    let known = targets.split_last().map_or(targets, |(_, known)| known);
    let names: Vec<&str> = known.iter().map(|target| &*target.name).collect();
    if let Some(near) = typed::nearest(&given.trim().to_lowercase(), &names) {
        let allowed =
            format!("one of {}, or another target; did you mean {near}?", names.join(", "));
        return Err(bad_text("target", given, &allowed));
    }
    Ok(())
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
    fn check(&self, input: &Input) -> Result<()> {
        let fields = ["service", "version", "image"];
        for (field, value) in
            fields.into_iter().filter_map(|field| Some((field, input.get(field)?)))
        {
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

    /// The command that checks the health.
    fn health(&self, input: &Input) -> Result<Option<String>> {
        let curl = "curl --fail --silent --show-error --max-time 10 --retry 5 --retry-all-errors";
        let request = |url: &str| Ok(Some(format!("{curl} {}", quote(url))));
        let port = input.port.map(Int::get);
        let health = input.health.as_deref().map(str::trim).unwrap_or_default();
        let is_path = health.starts_with('/') && !health.contains(char::is_whitespace);
        match (port, &self.host) {
            (Some(port), Some(host)) if is_path => {
                request(&format!("http://{host}:{port}{health}"))
            }
            _ if is_path || health.starts_with('-') => {
                let beside = if self.host.is_some() { "a path beside port=8080, " } else { "" };
                let allowed =
                    format!("{beside}a URL such as https://shop.example/healthz, or a command");
                Err(bad_text("health", health, &allowed))
            }
            (Some(port), _) => {
                let allowed = "left out, or given beside a path, such as health=/healthz";
                Err(bad_text("port", &port.to_string(), allowed))
            }
            _ if after(health, &["http://", "https://"]).is_some() => request(health),
            _ => Ok(Some(health.to_owned()).filter(|health| !health.is_empty())),
        }
    }

    /// The variables that its steps read for an input.
    fn settings(&self, input: &Input, given: &[Variable]) -> Vec<&Setting> {
        let is_needed = |setting: &&Setting| holds(setting.when.as_deref(), input, given);
        self.env.iter().filter(is_needed).collect()
    }

    /// The user's variables beside those.
    fn more(&self, input: &Input, given: &[Variable]) -> Vec<Variable> {
        let own = self.settings(input, given);
        let is_own = |variable: &Variable| own.iter().any(|setting| setting.name == variable.name);
        given.iter().filter(|variable| !is_own(variable)).cloned().collect()
    }

    /// Its steps for an input, with the user's variables.
    fn steps(&self, input: &Input, given: &[Variable]) -> Vec<Step> {
        let env = self.more(input, given);
        let needed = self.steps.iter().filter(|step| holds(step.when.as_deref(), input, &env));
        let step = |step: &Step| Step {
            command: filled(&step.command, &env),
            verify: filled(&step.verify, &env),
            rollback: step.rollback.as_ref().map(|rollback| filled(rollback, &env)),
            ..step.clone()
        };
        needed.map(step).collect()
    }

    /// Its variables and the user's, each with an example of its value.
    fn variables(&self, input: &Input, given: &[Variable]) -> Vec<(Variable, Option<&String>)> {
        let own = |setting: &Setting| {
            let stated = given.iter().find(|variable| variable.name == setting.name);
            let from = setting.from.as_deref().and_then(|field| match field {
                "version" => input.version.as_deref().or_else(|| tag(input.image.as_deref()?)),
                field => input.get(field),
            });
            let value = stated.map_or(from.map(str::to_owned), |stated| stated.value.clone());
            let (name, description) = (setting.name.clone(), Some(setting.description.clone()));
            let secret = stated.is_some_and(|stated| stated.secret);
            Variable { name, description, value, secret }
        };
        let settings = self.settings(input, given).into_iter();
        let own = settings.map(|setting| (own(setting), setting.example.as_ref()));
        own.chain(self.more(input, given).into_iter().map(|variable| (variable, None))).collect()
    }
}

/// The tag of an image, which is its version.
fn tag(image: &str) -> Option<&str> {
    let (_, tag) = image.split('@').next()?.rsplit_once(':')?;
    Some(tag).filter(|tag| !tag.contains('/'))
}

impl Input {
    /// A field that a variable of a target may be from.
    fn get(&self, field: &str) -> Option<&str> {
        match field {
            "service" => self.service.as_deref(),
            "version" => self.version.as_deref(),
            _ => self.image.as_deref(),
        }
    }
}

/// Whether what must be given for a step or a variable is given.
fn holds(when: Option<&str>, input: &Input, env: &[Variable]) -> bool {
    match when {
        Some("env") => !env.is_empty(),
        Some("no env") => env.is_empty(),
        Some("secret") => env.iter().any(|variable| variable.secret),
        Some(field) => input.get(field).is_some(),
        None => true,
    }
}

/// A command with its lines for variables filled in.
fn filled(command: &str, env: &[Variable]) -> String {
    let of = |line: &str| -> Vec<String> {
        let kinds = [("{plain}", Some(false)), ("{secret}", Some(true)), ("{any}", None)];
        let Some((mark, secret)) = kinds.into_iter().find(|(mark, _)| line.contains(mark)) else {
            return vec![line.to_owned()];
        };
        let chosen = env.iter().filter(|one| secret.is_none_or(|secret| secret == one.secret));
        chosen.map(|variable| line.replace(mark, &variable.name)).collect()
    };
    command.lines().flat_map(of).collect::<Vec<_>>().join("\n")
}

/// Commands as a block of code.
fn commands(text: &str) -> String {
    fenced("bash", text)
}

/// A text as one word of a shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Finds steps without a rollback.
fn steps(document: &Document<'_>, findings: &mut Vec<Finding>) {
    let number = |name: &str, start: &str| -> Option<u32> {
        name.strip_prefix(start)?.split(':').next()?.trim().parse().ok()
    };
    for part in &document.parts {
        let Some(step) = number(part.name, "Step ") else { continue };
        let mut names = document.parts.iter().map(|other| other.name);
        if !names.any(|name| number(name, "Roll back step ") == Some(step)) {
            let what = format!("this step has no rollback: add `### Roll back step {step}: …`");
            findings.push(Finding::new(part.number, what));
        }
    }
}
