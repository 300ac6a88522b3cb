//! `deployment-guide-generator`: how a service is deployed, checked and rolled back.

mod compose;
mod target;
mod variables;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use target::{Fields, NAME, Target, tag};
use variables::Variable;

use super::skill::{ContentKind, Definition, Kind, Needs, Skill, takes};
use crate::input::typed;
use crate::input::values::{Block, Int, Line, TextOr, Word};
use crate::output::{Artifact, Output, Result, bad_text};
use crate::page::{self, Document, Finding, Form, Section};
use crate::runtime::engine;
use crate::text::fence::fenced;
use crate::text::prose::prose;
use crate::text::{after, is_blank};

pub(super) const SKILL: Skill = Skill {
    name: NAME,
    input: Definition {
        takes: &[takes(ContentKind::Text, "target"), takes(ContentKind::Dotenv, "env")],
        prepare: compose::remove_version,
        ..Definition::of::<Input>()
    },
    needs: Needs::Input,
    gives: Kind::Report,
    run: |given, _| {
        let mut notes = Vec::new();
        let of_compose = compose::fields(&given.fields, &mut notes)?;
        let fields = of_compose.as_ref().unwrap_or(&given.fields);
        generate(&typed::read(fields)?).map(|output| output.noted(&notes))
    },
    verify: Some(|text, _| page::check(text, &Form::new("# Deploy …", SECTIONS), unrecoverable)),
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
        with = "Vec<TextOr<Map<String, Value>>>",
        extend("type" = ["array", "object"], "x-commas" = true, "x-labels" = ["Environment", "Environment variables"])
    )]
    env: Value,
    /// A URL that responds if the service is healthy, a path such as /healthz beside `port`, or a command that succeeds then.
    #[schemars(extend("x-labels" = ["Health check"]))]
    health: Option<Block>,
    /// The port on which the service answers on the machine itself, for a path as health check.
    port: Option<Int<1, 65535>>,
    /// The services of a compose file, which may be given whole, with `service` as the name of one.
    #[serde(rename = "services")]
    _services: Option<Map<String, Value>>,
}

fn generate(input: &Input) -> Result<Output> {
    let mut target = target::named(&input.target)?;
    let mut fields = Fields::new();
    fields.extend(input.service.as_deref().map(|service| ("service", service)));
    fields.extend(input.version.as_deref().map(|version| ("version", version)));
    fields.extend(input.image.as_deref().map(|image| ("image", image)));
    target.check(&fields)?;
    let stated = variables::read(&input.env)?;
    target.check_variables(&fields, &stated)?;
    let mut env = target.fill(&fields, stated);
    let mut open = Vec::new();
    if let Some(image) = &input.image
        && !image.contains('@')
        && tag(image).is_none()
    {
        open.push(format!(
            "image: {image} has no tag, so its version is not known (add one: {image}:1.4.2)"
        ));
    }
    let health = health_check(input, &target)?;
    match (&health, target.steps.last_mut()) {
        (Some(health), Some(last)) if is_blank(&last.verify) => last.verify.clone_from(health),
        (Some(health), Some(last)) => last.verify = format!("{}\n{health}", last.verify),
        _ => open.push("health: not given (add health=URL, or health=COMMAND that succeeds if the service is healthy)".to_owned()),
    }
    let service = input.service.as_ref().map(|service| format!("{service} ")).unwrap_or_default();
    let title = format!("Deploy {service}to {}", target.name);
    let assignments: Vec<String> = env.iter().map(assignment).collect();
    let mut notes = Vec::new();
    for Variable { name, description, value, secret, .. } in &mut env {
        *description = description.as_deref().map(prose);
        if *secret && value.is_some() {
            notes.push(format!("{name} is taken as a secret, so its value is left out"));
        }
    }
    for step in &mut target.steps {
        step.name = prose(&step.name);
        for commands in step.commands() {
            *commands = fenced("bash", commands);
        }
    }
    for commands in target.trouble.values_mut() {
        *commands = fenced("bash", commands);
    }
    let view = json!({
        "title": prose(&title),
        "env": env,
        "check": fenced("bash", &assignments.join("\n")),
        "steps": target.steps,
        "trouble": Vec::from_iter(target.trouble),
        "open": open.iter().map(|question| prose(question)).collect::<Vec<_>>(),
    });
    let text = engine::render_own(NAME, "assets/template.md.tera", &view)?;
    let data = json!({"title": title, "target": input.target, "service": input.service});
    let artifacts = vec![Artifact::new("deployment.md", "markdown", text)];
    Ok(Output { data, artifacts, open, notes })
}

/// The command that checks the health of a service, which answers at `host` where the commands run.
fn health_check(input: &Input, target: &Target) -> Result<Option<String>> {
    let host = target.host.as_deref();
    let health = input.health.as_deref().map(str::trim).unwrap_or_default();
    let is_path = health.starts_with('/') && !health.contains(char::is_whitespace);
    let port = input.port.map(Int::get);
    let url = match (port, host) {
        (Some(port), Some(host)) if is_path => format!("http://{host}:{port}{health}"),
        _ if is_path || health.starts_with('-') => {
            let allowed = "a URL such as https://shop.example/healthz, a command, or with systemd, docker compose and kubernetes a path beside port=8080";
            return Err(bad_text("health", health, allowed));
        }
        (Some(port), _) => {
            let allowed = "left out, or given beside a path, such as health=/healthz";
            return Err(bad_text("port", &port.to_string(), allowed));
        }
        _ if after(health, &["http://", "https://"]).is_some() => health.to_owned(),
        _ => return Ok(Some(health.to_owned()).filter(|health| !health.is_empty())),
    };
    let curl = "curl --fail --silent --show-error --max-time 10 --retry 5 --retry-all-errors";
    let check = format!("{curl} {}", quote(&url));
    let forward = target.forward.as_ref().filter(|_| is_path).zip(port);
    let forward = forward.map(|(command, port)| command.replace("{port}", &port.to_string()));
    Ok(Some(match forward {
        Some(forward) => format!(
            "{forward} &\nforward=$!\nhealthy=yes\n{check} || healthy=no\nkill \"$forward\"\ntest \"$healthy\" = yes"
        ),
        None => check,
    }))
}

/// The command that sets a variable, or that stops if it is not set.
fn assignment(Variable { name, value, secret, .. }: &Variable) -> String {
    match value {
        Some(value) if !secret => format!("export {name}={}", quote(value)),
        _ => format!(": \"${{{name}:?}}\""),
    }
}

/// A text as one word of a shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Finds steps without a rollback.
fn unrecoverable(document: &Document<'_>, findings: &mut Vec<Finding>) {
    for part in &document.parts {
        let Some(step) = step_number(part.name, "Step ") else { continue };
        let mut names = document.parts.iter().map(|part| part.name);
        if !names.any(|name| step_number(name, "Roll back step ") == Some(step)) {
            let what = format!("this step has no rollback: add `### Roll back step {step}: …`");
            findings.push(Finding::new(part.number, what));
        }
    }
}

/// The number in a heading such as `Step 3: Restart the service`.
fn step_number(heading: &str, start: &str) -> Option<u32> {
    heading.strip_prefix(start)?.split(':').next()?.trim().parse().ok()
}
