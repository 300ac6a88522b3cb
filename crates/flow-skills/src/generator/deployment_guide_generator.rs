//! `deployment-guide-generator`: how a service is deployed, checked and rolled back.

use std::collections::HashSet;
use std::fmt;

use schemars::JsonSchema;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::typed;
use crate::input::values::{Block, Int, Line, TextOr, Word};
use crate::output::{self, Artifact, Fault, Output, Result, bad_text};
use crate::page::{self, Document, Finding, Form, Part, Section};
use crate::runtime::{catalog, engine};
use crate::text::md::{code_span, commands};
use crate::text::prose::prose;
use crate::text::{after, capital, is_blank, is_variable};

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
    #[schemars(extend("x-commas" = true, "x-labels" = ["Environment", "Environment variables"]))]
    env: Variables,
    /// A URL that responds if the service is healthy, a path such as /healthz beside `port`, or a command that succeeds then.
    #[schemars(extend("x-labels" = ["Health check"]))]
    health: Option<Health>,
    /// The port on which the service answers on the machine itself, for a path as health check.
    port: Option<Int<1, 65535>>,
}

/// How the health is checked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
enum Health {
    /// A command.
    Command(String),
    /// The path of a URL.
    Path(Line),
}

impl TryFrom<String> for Health {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let text = text.trim();
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Command(request(&Line::new(text)?)));
        }
        if text.starts_with('-') {
            return Err("a URL, or a command, which does not begin with a hyphen".to_owned());
        }
        if text.starts_with('/') && !text.contains(char::is_whitespace) {
            return Ok(Self::Path(Line::new(text)?));
        }
        Ok(Self::Command(Block::new(text)?.into_inner()))
    }
}

/// The command that requests a URL.
fn request(url: &str) -> String {
    let curl = "curl --fail --silent --show-error --max-time 10 --retry 5 --retry-all-errors";
    format!("{curl} {}", quote(url))
}

/// An environment variable.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Variable {
    /// Its name.
    name: VariableName,
    /// What it is.
    description: Option<Line>,
    /// Whether its value must not be shown; decided by its name and value where it is left out.
    secret: Option<bool>,
    /// Its value, unless it is secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Line>,
}

/// The name of an environment variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct VariableName(String);

impl TryFrom<String> for VariableName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, &'static str> {
        let name = name.trim().trim_end_matches(':');
        let allowed = "letters, digits and _, not a digit first";
        is_variable(name).then(|| Self(name.to_owned())).ok_or(allowed)
    }
}

/// `NAME`, `NAME=value`, `NAME: description` or `NAME=value: description`.
impl TryFrom<Line> for Variable {
    type Error = &'static str;

    fn try_from(line: Line) -> Result<Self, &'static str> {
        let (head, description) = line.split_once(": ").unwrap_or((&line, ""));
        let (name, value) = head.split_once('=').unwrap_or((head, ""));
        let variable = Self {
            name: VariableName::try_from(name.to_owned())?,
            description: Line::new(description).ok(),
            secret: None,
            value: Line::new(value).ok(),
        };
        let one_word = variable.description.as_ref().filter(|text| !text.contains(' '));
        if one_word.is_some_and(|word| variable.is_secret() || has_password(word)) {
            return Err(
                "NAME=value, or a description of several words: what follows the colon is printed, and this may be a secret",
            );
        }
        Ok(variable)
    }
}

/// The ends of the names of secrets.
const SECRETS: &str =
    "PASSWORD PASSWD _PASS _PWD PASSPHRASE SECRET TOKEN KEY KEY_BASE CREDENTIALS DSN DATABASE_URL";

impl Variable {
    /// Whether its value must not be shown: as stated, or by the end of its name, or because it is a URL with a password.
    fn is_secret(&self) -> bool {
        let name = self.name.0.to_uppercase();
        self.secret.unwrap_or_else(|| {
            SECRETS.split(' ').any(|end| name.ends_with(end))
                || self.value.as_ref().is_some_and(|value| has_password(value))
        })
    }
}

/// Whether a text is a URL with a password.
fn has_password(text: &str) -> bool {
    let login = text.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
    login.is_some_and(|(login, _)| login.contains(':'))
}

/// Variables: a list, or an object with their values by name.
#[derive(Debug, Clone, Default, JsonSchema)]
#[schemars(with = "Vec<TextOr<Variable>>", extend("type" = ["array", "object"]))]
struct Variables(Vec<TextOr<Variable>>);

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrObject;

        impl<'de> Visitor<'de> for ListOrObject {
            type Value = Vec<TextOr<Variable>>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list or an object")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut variables = Vec::new();
                while let Some((name, value)) = map.next_entry::<VariableName, Value>()? {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    let value = Line::new(&text).ok();
                    let variable = Variable { name, description: None, secret: None, value };
                    variables.push(TextOr(variable));
                }
                Ok(variables)
            }
        }

        deserializer.deserialize_any(ListOrObject).map(Self)
    }
}

/// A target: its steps, and the variables that they read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    name: Line,
    /// Other names.
    words: Vec<String>,
    /// The host at which the service answers where the commands run.
    host: Option<Line>,
    env: Vec<Setting>,
    steps: Vec<TargetStep>,
    trouble: Vec<Symptom>,
}

/// A variable of a target.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    name: VariableName,
    description: Line,
    example: Option<Line>,
    /// The field that gives its value.
    from: Option<Source>,
    when: Option<When>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Source {
    Service,
    Version,
    Image,
}

/// What must be given for a step or a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum When {
    Image,
    Version,
    Env,
    Secret,
    #[serde(rename = "no env")]
    NoEnv,
}

/// A step. A line with `{plain}`, `{secret}` or `{any}` is repeated for each such variable of the user.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetStep {
    name: Line,
    when: Option<When>,
    command: String,
    verify: String,
    rollback: Option<String>,
}

/// A symptom, and the command that diagnoses it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Symptom {
    symptom: String,
    command: String,
}

/// A step of a guide.
#[derive(Debug, Serialize)]
struct Step {
    number: usize,
    name: Line,
    command: String,
    verify: String,
    rollback: Option<String>,
}

fn generate(input: &Input) -> Result<Output> {
    let text = catalog::file(NAME, FILE).unwrap_or_default();
    let no_targets =
        |why: &dyn fmt::Display| Fault::Refused(format!("could not read {NAME}/{FILE}: {why}"));
    let targets: Vec<Target> = serde_saphyr::from_str(text).map_err(|error| no_targets(&error))?;
    let (form, known) = targets.split_last().ok_or_else(|| no_targets(&"it is empty"))?;
    let named = known.iter().find(|target| target.is_named(&input.target));
    if named.is_none() {
        refuse_nearly(known, &input.target)?;
    }
    let target = named.unwrap_or(form);
    let mut notes = Vec::new();
    if let (None, Some(Target { name, .. })) = (named, mentioned(known, &input.target)) {
        notes.push(format!("{name} is known by its name alone: target=\"{name}\" service=NAME"));
    }
    check(input, target)?;
    let (env, examples) = variables(input, target, &mut notes);
    let mut steps = target.steps(input);
    let mut open = Vec::new();
    match (target.health(input)?, steps.last_mut()) {
        (Some(health), Some(last)) if is_blank(&last.verify) => last.verify = health,
        (Some(health), Some(last)) => last.verify = format!("{}\n{health}", last.verify),
        _ => open.push("health: not given (add health=URL, or health=COMMAND that succeeds if the service is healthy)".to_owned()),
    }
    let title = titled(input, named.map_or(&input.target, |target| &target.name));
    let fenced = |step: &Step| {
        json!({
            "number": step.number, "name": prose(&step.name), "command": commands(&step.command),
            "verify": commands(&step.verify), "rollback": step.rollback.as_deref().map(commands),
        })
    };
    let trouble = |Symptom { symptom, command }: &Symptom| json!({"symptom": symptom, "command": commands(command)});
    let view = json!({
        "title": prose(&title),
        "env": env.iter().zip(examples).map(|(variable, example)| row(variable, example)).collect::<Vec<_>>(),
        "check": (!env.is_empty()).then(|| commands(&assignments(&env))),
        "steps": steps.iter().map(fenced).collect::<Vec<_>>(),
        "trouble": target.trouble.iter().map(trouble).collect::<Vec<_>>(),
        "open": open.iter().map(|question| prose(question)).collect::<Vec<_>>(),
    });
    let text = engine::render_own(NAME, "assets/template.md.tera", &view)?;
    let data = json!({
        "title": title, "target": input.target, "service": input.service,
        "steps": output::value(&steps)?, "env": output::value(&env)?,
    });
    let artifacts = vec![Artifact::new("deployment.md", "markdown", text)];
    Ok(Output { data, artifacts, open, notes })
}

/// Refuses a target whose name is nearly that of a known one, which is likelier a mistake than another target.
fn refuse_nearly(known: &[Target], given: &str) -> Result<()> {
    let names: Vec<&str> = known.iter().map(|target| &*target.name).collect();
    match typed::nearest(&given.trim().to_lowercase(), &names) {
        Some(near) => {
            let allowed =
                format!("one of {}, or another target; did you mean {near}?", names.join(", "));
            Err(bad_text("target", given, &allowed))
        }
        None => Ok(()),
    }
}

/// Refuses a service that is no plain name where commands read it, a variable that is given twice, and an image or a version that no step reads.
fn check(input: &Input, target: &Target) -> Result<()> {
    let reads_service = target.env.iter().any(|setting| setting.from == Some(Source::Service));
    if let Some(service) = input.service.as_ref().filter(|_| reads_service) {
        let is_plain = service.starts_with(|c: char| c.is_ascii_alphanumeric())
            && service.chars().all(|c| c.is_ascii_alphanumeric() || "-_.@".contains(c));
        if !is_plain {
            let allowed = "a name of letters, digits and - _ . @, such as shop-api";
            return Err(bad_text("service", service, allowed));
        }
    }
    let is_label = |name: &str| {
        name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
            && !name.starts_with('-')
            && !name.ends_with('-')
    };
    if let Some(service) = input.service.as_ref().filter(|_| &*target.name == "kubernetes")
        && !is_label(service)
    {
        let allowed = "a name of small letters, digits and -, as Kubernetes wants it";
        return Err(bad_text("service", service, allowed));
    }
    // Commands make paths of it.
    if let Some(version) = input.version.as_deref() {
        let is_plain = version.starts_with(|c: char| c.is_ascii_alphanumeric())
            && version.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
        if !is_plain {
            let allowed = "a version of letters, digits and - _ . +, such as 1.4.2";
            return Err(bad_text("version", version, allowed));
        }
    }
    let mut known = HashSet::new();
    for (at, TextOr(Variable { name, .. })) in input.env.0.iter().enumerate() {
        if !known.insert(&name.0) {
            let allowed = "a name that no other variable has";
            return Err(bad_text(&format!("env[{at}].name"), &name.0, allowed));
        }
    }
    let given = [
        ("image", &input.image, Source::Image, "IMAGE"),
        ("version", &input.version, Source::Version, "VERSION"),
    ];
    for (field, value, source, name) in given {
        let is_read = target.env.iter().any(|setting| setting.from == Some(source));
        if let Some(value) = value.as_deref().filter(|_| !is_read) {
            let allowed = format!("left out: no step for {} reads ${name}", target.name);
            return Err(bad_text(field, value, &allowed));
        }
    }
    Ok(())
}

/// The target whose name a longer text contains.
fn mentioned<'a>(targets: &'a [Target], text: &str) -> Option<&'a Target> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    targets.iter().find(|target| target.words.iter().any(|word| words.contains(word)))
}

impl Target {
    /// Whether it has this name, in any case.
    fn is_named(&self, name: &str) -> bool {
        let plain = |name: &str| name.trim().to_lowercase().replace(['-', '_'], " ");
        let mut names = std::iter::once(&*self.name).chain(self.words.iter().map(String::as_str));
        names.any(|known| plain(known) == plain(name))
    }

    /// The command that checks the health.
    fn health(&self, input: &Input) -> Result<Option<String>> {
        match (&input.health, input.port.map(Int::get), &self.host) {
            (Some(Health::Path(path)), Some(port), Some(host)) => {
                Ok(Some(request(&format!("http://{host}:{port}{path}"))))
            }
            (Some(Health::Path(path)), _, host) => {
                let beside = if host.is_some() { "a path beside port=8080, " } else { "" };
                let allowed = format!(
                    "{beside}a URL with its host, such as https://shop.example{path}, or a command, such as sh {path}"
                );
                Err(bad_text("health", path, &allowed))
            }
            (_, Some(port), _) => {
                let allowed = "left out, or given beside a path, such as health=/healthz";
                Err(bad_text("port", &port.to_string(), allowed))
            }
            (Some(Health::Command(command)), None, _) => Ok(Some(command.clone())),
            (None, None, _) => Ok(None),
        }
    }

    /// The variables that its steps read for an input.
    fn settings(&self, input: &Input) -> Vec<&Setting> {
        let env: Vec<&Variable> = input.env.0.iter().map(|variable| &variable.0).collect();
        let is_needed =
            |setting: &&Setting| setting.when.is_none_or(|when| when.holds(input, &env));
        self.env.iter().filter(is_needed).collect()
    }

    /// The user's variables beside those.
    fn more<'a>(&self, input: &'a Input) -> Vec<&'a Variable> {
        let own = self.settings(input);
        let is_own = |variable: &&Variable| own.iter().any(|setting| setting.name == variable.name);
        input
            .env
            .0
            .iter()
            .map(|variable| &variable.0)
            .filter(|variable| !is_own(variable))
            .collect()
    }

    /// Its steps for an input, with the user's variables.
    fn steps(&self, input: &Input) -> Vec<Step> {
        let env = self.more(input);
        let is_needed = |step: &&TargetStep| step.when.is_none_or(|when| when.holds(input, &env));
        let step = |(at, step): (usize, &TargetStep)| Step {
            number: at + 1,
            name: step.name.clone(),
            command: filled(&step.command, &env),
            verify: filled(&step.verify, &env),
            rollback: step.rollback.as_ref().map(|rollback| filled(rollback, &env)),
        };
        self.steps.iter().filter(is_needed).enumerate().map(step).collect()
    }
}

impl When {
    fn holds(self, input: &Input, env: &[&Variable]) -> bool {
        match self {
            Self::Image => input.image.is_some(),
            Self::Version => input.version.is_some(),
            Self::Env => !env.is_empty(),
            Self::Secret => env.iter().any(|variable| variable.is_secret()),
            Self::NoEnv => env.is_empty(),
        }
    }
}

/// A command with its lines for variables filled in.
fn filled(command: &str, env: &[&Variable]) -> String {
    let of = |line: &str| -> Vec<String> {
        let kinds = [("{plain}", Some(false)), ("{secret}", Some(true)), ("{any}", None)];
        let Some((mark, secret)) = kinds.into_iter().find(|(mark, _)| line.contains(mark)) else {
            return vec![line.to_owned()];
        };
        let chosen = env.iter().filter(|one| secret.is_none_or(|secret| secret == one.is_secret()));
        chosen.map(|variable| line.replace(mark, &variable.name.0)).collect()
    };
    command.lines().flat_map(of).collect::<Vec<_>>().join("\n")
}

/// The variables of the target and the user's, each with an example of its value.
fn variables<'a>(
    input: &Input,
    target: &'a Target,
    notes: &mut Vec<String>,
) -> (Vec<Variable>, Vec<Option<&'a Line>>) {
    let tag = input.image.as_deref().and_then(tag);
    let field = |source| match source {
        Source::Service => input.service.as_deref(),
        Source::Version => input.version.as_deref().or(tag),
        Source::Image => input.image.as_deref(),
    };
    let own = |setting: &'a Setting| {
        let mut stated = input.env.0.iter().map(|variable| &variable.0);
        let stated = stated.find(|variable| variable.name == setting.name);
        let given = setting.from.and_then(field).and_then(|value| Line::new(value).ok());
        let variable = Variable {
            name: setting.name.clone(),
            description: Some(setting.description.clone()),
            secret: stated.and_then(|stated| stated.secret).or(Some(false)),
            value: stated.map_or(given, |stated| stated.value.clone()),
        };
        (variable, setting.example.as_ref())
    };
    let more = target.more(input).into_iter().map(|variable| (variable.clone(), None));
    let mut all: Vec<_> = target.settings(input).into_iter().map(own).chain(more).collect();
    for (variable, _) in &mut all {
        conceal(variable, notes);
    }
    all.into_iter().unzip()
}

/// Removes the value of a secret.
fn conceal(variable: &mut Variable, notes: &mut Vec<String>) {
    let is_secret = variable.is_secret();
    let is_stated = variable.secret.replace(is_secret).is_some();
    if is_secret && variable.value.take().is_some() && !is_stated {
        let name = &variable.name.0;
        notes.push(format!(
            "{name} is taken as a secret, so its value is left out ({{\"name\": \"{name}\", \"secret\": false}} keeps it)"
        ));
    }
}

/// The tag of an image, which is its version.
fn tag(image: &str) -> Option<&str> {
    let name = image.split('@').next().unwrap_or_default();
    name.rsplit_once(':').map(|(_, tag)| tag).filter(|tag| !tag.contains('/'))
}

/// The title: the target, if it is one already, else with the service.
fn titled(input: &Input, target: &str) -> String {
    let bare = |text: &str| text.trim_end_matches(['.', ':', ',', ';', '!', '?']).to_owned();
    let target = after(target, &["deploy to "]).unwrap_or(target);
    if after(target, &["deploy "]).is_some() {
        return capital(&bare(target));
    }
    let service = input.service.as_ref().map(|service| format!("{} ", bare(service)));
    format!("Deploy {}to {}", service.unwrap_or_default(), bare(target))
}

/// A variable in the list of variables.
fn row(variable: &Variable, example: Option<&Line>) -> Value {
    let example = example.filter(|_| variable.value.is_none());
    json!({
        "name": variable.name.0, "description": variable.description.as_deref().map(prose),
        "secret": variable.secret, "example": example.map(|text| code_span(text)),
    })
}

/// Commands that set the variables with a value, and stop where another is missing.
fn assignments(env: &[Variable]) -> String {
    let line = |Variable { name: VariableName(name), value, .. }: &Variable| match value {
        Some(value) => format!("export {name}={}", quote(value)),
        None => format!(": \"${{{name}:?}}\""),
    };
    env.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A text as one word of a shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Finds steps without a command, a check or a rollback, and steps and rollbacks out of order.
fn steps(document: &Document<'_>, findings: &mut Vec<Finding>) {
    let steps = numbered(document, "Step ");
    let rollbacks = numbered(document, "Roll back step ");
    if steps.is_empty() {
        findings.push(Finding::new(1, "there are no steps: add `### Step 1: …` below `## Steps`"));
    }
    for (number, (stated, part)) in (1..).zip(&steps) {
        let mut add = |what: String| findings.push(Finding::new(part.number, what));
        if *stated != Some(number) {
            add(format!("the number of this step must be {number}"));
        }
        let is_block = |line: &&str| line.starts_with("```") && line.ends_with("bash");
        if part.lines.iter().map(|line| line.text).filter(is_block).count() < 2 {
            add("this step needs a command and a check, each as a block of bash".to_owned());
        }
        if !rollbacks.iter().any(|(stated, _)| *stated == Some(number)) {
            add(format!("this step has no rollback: add `### Roll back step {number}: …`"));
        }
    }
    let late = rollbacks.windows(2).filter(|pair| pair[1].0 >= pair[0].0);
    findings.extend(late.map(|pair| {
        let what = "rollbacks must stand in reverse order, the last step first";
        Finding::new(pair[1].1.number, what)
    }));
}

/// The sections of level 3 whose titles begin with `start` and a number, with the number.
fn numbered<'a>(document: &'a Document<'a>, start: &str) -> Vec<(Option<usize>, &'a Part<'a>)> {
    let parts = document.parts.iter().filter(|part| part.level == 3);
    let numbered = parts.filter_map(|part| {
        let (number, _) = part.name.strip_prefix(start)?.split_once(':')?;
        Some((number.trim().parse().ok(), part))
    });
    numbered.collect()
}
