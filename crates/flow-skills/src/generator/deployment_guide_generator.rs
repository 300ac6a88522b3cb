//! `deployment-guide-generator`: how something is put into service, checked, and taken back.

use serde::Serialize;
use serde_json::{Value, json};

use super::deployment_profiles::{self, Profile, Setting, Step, Trouble};
use super::prose::{one_line, prose};
use super::shell;
use crate::fields::{self, bad, bad_text, missing};
use crate::input::Input;
use crate::output::{self, Artifact, Fault, Output, Result};
use crate::project_state::Context;
use crate::runtime::engine;

/// The skill's name.
pub(super) const NAME: &str = "deployment-guide-generator";
/// How a sentence about a deployment begins, and what stands before its target.
const VERBS: [&str; 9] =
    ["put", "host", "deploy", "release", "install", "ship", "run", "publish", "roll"];
/// How much of an unknown target an error shows, in characters.
const SHOWN: usize = 80;
const PLACES: [&str; 6] = [" to ", " on ", " with ", " under ", " as ", " using "];

#[derive(Debug, Clone, Serialize)]
struct Variable {
    name: String,
    description: String,
    required: bool,
    secret: bool,
    example: Option<String>,
}

/// Makes the guide.
///
/// # Errors
/// When there is no target, an unknown one has no steps, or a part cannot be used.
pub(super) fn generate(input: &Input, _context: &Context) -> Result<Output> {
    let (target, said) = target(input)?;
    let profiles = deployment_profiles::all()?;
    let profile = deployment_profiles::find(&profiles, target);
    let (mut open, mut notes) = (Vec::new(), Vec::new());
    let stated = steps(input)?;
    let own = !stated.is_empty();
    let steps = match profile {
        _ if own => stated,
        Some(profile) => profile.steps.clone(),
        None => return Err(no_steps(target, &profiles)),
    };
    if own && profile.is_some() {
        notes.push("The steps of the input take the place of the built-in ones.".to_owned());
    }
    let service = fields::line(input, "service")?.or(said);
    let mut env = if own { Vec::new() } else { profile.map_or(Vec::new(), variables) };
    for variable in environment(input)? {
        env.retain(|known| known.name != variable.name);
        env.push(variable);
    }
    let health = health(input)?;
    if health.is_none() {
        open.push(
            "How does one see that it is healthy? The input names no health check.".to_owned(),
        );
    }
    let title = service
        .map_or_else(|| format!("Deploy to {target}"), |name| format!("Deploy {name} to {target}"));
    let model = json!({
        "title": one_line(&title),
        "target": target,
        "profile": profile.filter(|_| !own).map(|profile| &profile.name),
        "service": service,
        "steps": output::value(&steps)?,
        "rollback": output::value(&steps.iter().rev().collect::<Vec<_>>())?,
        "env": output::value(&env)?,
        "health": health,
    });
    let shown = shown(&model, (&steps, &env), profile, &open);
    let text = engine::render_own(NAME, "assets/template.md.tera", &shown)?;
    let artifact = Artifact::new("deployment.md", "markdown", text);
    Ok(Output { data: model, artifacts: vec![artifact], open, notes })
}

fn no_steps(target: &str, profiles: &[Profile]) -> Fault {
    let names: Vec<&str> = profiles.iter().map(|profile| profile.name.as_str()).collect();
    let shown: String = target.chars().take(SHOWN).collect();
    let description = format!("the steps, because {shown:?} is none of {}", names.join(", "));
    missing("steps", "a list of {command, verify, rollback}", &description)
}

/// Where it goes, and what, where a sentence says that: `deploy the shop to kubernetes`.
fn target(input: &Input) -> Result<(&str, Option<&str>)> {
    // An envelope's text stands in the main field, and is no target.
    let before = upstream(input, "target").and_then(Value::as_str);
    let is_text = input.text("target").is_none_or(|text| text.trim().contains('\n'));
    if let Some(target) = before.filter(|_| is_text) {
        return Ok((target, None));
    }
    let text = fields::line(input, "target")?.ok_or_else(|| {
        missing("target", "text", "where it is put into service, such as systemd")
    })?;
    Ok(sentence(text).unwrap_or((text, None)))
}

fn sentence(text: &str) -> Option<(&str, Option<&str>)> {
    let (verb, rest) = text.trim_end_matches('.').split_once(' ')?;
    if !VERBS.contains(&verb.to_lowercase().as_str()) {
        return None;
    }
    let rest = rest.strip_prefix("out ").unwrap_or(rest);
    let bare = |text: &str| -> usize {
        let article = ["the ", "a ", "an ", "our "].iter().find(|word| text.starts_with(**word));
        article.map_or(0, |word| word.len())
    };
    let at = PLACES.iter().filter_map(|word| Some((rest.rfind(word)?, word.len()))).max()?;
    let (what, place) = (rest.get(..at.0)?.trim(), rest.get(at.0 + at.1..)?.trim());
    let (what, place) = (what.get(bare(what)..)?, place.get(bare(place)..)?);
    (!place.is_empty()).then_some((place, Some(what).filter(|what| !what.is_empty())))
}

/// What the skill before says of a field.
fn upstream<'a>(input: &'a Input, field: &str) -> Option<&'a Value> {
    input.upstream.as_ref()?.1.get(field)
}

/// A list of the input, else of the skill before.
fn list<'a>(input: &'a Input, field: &str) -> &'a [Value] {
    match input.list(field) {
        [] => upstream(input, field).and_then(Value::as_array).map_or(&[], Vec::as_slice),
        own => own,
    }
}

fn variables(profile: &Profile) -> Vec<Variable> {
    let variable = |setting: &Setting| Variable {
        name: setting.name.clone(),
        description: setting.description.clone(),
        required: true,
        secret: false,
        example: Some(setting.example.clone()),
    };
    profile.env.iter().map(variable).collect()
}

fn steps(input: &Input) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    for (at, value) in list(input, "steps").iter().enumerate() {
        let path = format!("steps[{at}]");
        let part = |name: &str, what: &str| {
            let field = format!("{path}.{name}");
            let text = fields::member(value, &path, name)?
                .ok_or_else(|| missing(&field, "a shell command", what))?;
            shell::command(&field, text)
        };
        let (command, verify) =
            (part("command", "what is run")?, part("verify", "what shows that the step worked")?);
        let rollback =
            part("rollback", "what takes the step back; true where there is nothing to take back")?;
        let name = fields::member(value, &path, "name")?.map(one_line);
        let name = name.unwrap_or_else(|| {
            let first = command.lines().next().unwrap_or_default();
            first.chars().take(60).collect()
        });
        steps.push(Step { name, command, verify, rollback });
    }
    Ok(steps)
}

fn environment(input: &Input) -> Result<Vec<Variable>> {
    let mut env: Vec<Variable> = Vec::new();
    for (at, value) in list(input, "env").iter().enumerate() {
        let path = format!("env[{at}]");
        let variable = match value {
            Value::String(text) => {
                let (name, description) = text.split_once(':').unwrap_or((text, ""));
                let (name, example) = name.split_once('=').unwrap_or((name, ""));
                let some = |text: &str| Some(one_line(text)).filter(|text| !text.is_empty());
                let description = some(description).unwrap_or_default();
                Variable {
                    name: name.trim().to_owned(),
                    description,
                    required: true,
                    secret: false,
                    example: some(example),
                }
            }
            _ => record(&path, value)?,
        };
        let is_name = variable.name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && variable.name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !is_name {
            return Err(bad_text(
                &format!("{path}.name"),
                &variable.name,
                "letters, digits and _, not a digit first",
            ));
        }
        if env.iter().any(|known| known.name == variable.name) {
            return Err(bad_text(
                &format!("{path}.name"),
                &variable.name,
                "a name that no other variable has",
            ));
        }
        env.push(variable);
    }
    Ok(env)
}

fn record(path: &str, value: &Value) -> Result<Variable> {
    let name = fields::member(value, path, "name")?
        .ok_or_else(|| missing(&format!("{path}.name"), "text", "the variable's name"))?;
    let flag = |name: &str, absent: bool| match value.get(name) {
        None | Some(Value::Null) => Ok(absent),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(bad(&format!("{path}.{name}"), other, "true or false")),
    };
    let (required, secret) = (flag("required", true)?, flag("secret", false)?);
    let description = fields::member(value, path, "description")?.map(one_line).unwrap_or_default();
    // An example of a secret could be the secret.
    let example = fields::member(value, path, "example")?.filter(|_| !secret).map(one_line);
    Ok(Variable { name: name.to_owned(), description, required, secret, example })
}

/// The command that shows whether it is healthy.
fn health(input: &Input) -> Result<Option<String>> {
    let Some(text) = input.text("health").map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    if text.starts_with("http://") || text.starts_with("https://") {
        fields::one_line("health", text)?;
        let quoted = shell::quote(text);
        return Ok(Some(format!(
            "curl --fail --silent --show-error --max-time 10 --retry 5 --retry-all-errors {quoted}"
        )));
    }
    shell::command("health", text).map(Some)
}

/// A block of shell, fenced by more backticks than it has.
fn block(command: &str) -> String {
    let longest = command.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    format!("{fence}bash\n{command}\n{fence}")
}

fn shown(
    model: &Value,
    (steps, env): (&[Step], &[Variable]),
    profile: Option<&Profile>,
    open: &[String],
) -> Value {
    let step = |(at, step): (usize, &Step)| {
        json!({
            "number": at + 1, "name": prose(step.name.trim_end_matches(['.', ':', ',', ';', '!', '?'])),
            "command": block(&step.command), "verify": block(&step.verify), "rollback": block(&step.rollback),
        })
    };
    let shown: Vec<Value> = steps.iter().enumerate().map(step).collect();
    let required: Vec<String> = env
        .iter()
        .filter(|variable| variable.required)
        .map(|v| format!(": \"${{{}:?}}\"", v.name))
        .collect();
    let variable = |variable: &Variable| {
        json!({
            "name": variable.name, "description": prose(&variable.description), "required": variable.required,
            "secret": variable.secret, "example": variable.example.as_deref().map(prose),
        })
    };
    let trouble =
        |trouble: &Trouble| json!({"symptom": trouble.symptom, "command": block(&trouble.command)});
    let trouble: Vec<Value> =
        profile.into_iter().flat_map(|profile| &profile.trouble).map(trouble).collect();
    json!({
        "title": prose(model["title"].as_str().unwrap_or_default().trim_end_matches(['.', ':', ',', ';', '!', '?'])),
        "steps": shown,
        "rollback": shown.iter().rev().collect::<Vec<_>>(),
        "env": env.iter().map(variable).collect::<Vec<_>>(),
        "check": (!required.is_empty()).then(|| block(&required.join("\n"))),
        "health": model["health"].as_str().map(block),
        "trouble": trouble,
        "open": open,
    })
}
