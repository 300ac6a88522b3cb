//! The verbs `list`, `check` and `install`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::super::args::SkillCall;
use super::super::command_output::{CommandOutput, Exit};
use super::super::invocation::Invocation;
use super::custom;
use super::text;
use super::write::Target;
use crate::error::{Error, Result};
use crate::files::Files;
use crate::skill::generator;
use crate::skill::input::definition::Request;
use crate::skill::project_state::Context;
use crate::skill::runtime::catalog;
use crate::skill::runtime::files::Existing;
use crate::skill::runtime::registry::Trust;

/// The skills on the project's state, which are installed where no other is named.
const REPORTS: [&str; 6] = [
    "agent-brief",
    "blocker-analysis",
    "handoff-note",
    "retro-facilitator",
    "sprint-planner",
    "status-report",
];

/// Every skill: the built-in ones, the project's custom ones, and foreign files.
pub(super) fn list(invocation: &Invocation) -> Result<CommandOutput> {
    let built_in = catalog::names().map(
        |name| json!({"name": name, "source": "built-in", "description": catalog::summary(name)}),
    );
    let contents = custom::contents(invocation)?;
    let trust = custom::trust(invocation, &contents.templates)?;
    let custom = contents.templates.iter().zip(trust).map(|(found, trust)| {
        let source = match (&found.text, trust) {
            (Err(_), _) => "custom, not readable",
            (Ok(_), Trust::Trusted) => "custom",
            (Ok(_), Trust::Changed) => "custom, changed",
            (Ok(_), Trust::Unknown) => "custom, not trusted",
        };
        let path = found.path.display().to_string();
        let description = found.text.as_ref().map_or_else(ToString::to_string, |_| path);
        json!({"name": found.name, "source": source, "description": description})
    });
    let skills: Vec<Value> = built_in.chain(custom).collect();
    Ok(CommandOutput {
        result: text::skill_list(&skills, &contents.foreign),
        facts: json!({"count": skills.len(), "skills": skills, "foreign": contents.foreign}),
        ..CommandOutput::quiet()
    })
}

/// Runs every built-in skill on its example and compares the output with the expected one; parses every custom one.
pub(super) fn check(invocation: &Invocation) -> Result<CommandOutput> {
    let mut results: Vec<(String, Result<(), String>)> =
        catalog::names().map(|name| (name.to_owned(), check_one(name))).collect();
    for found in custom::contents(invocation)?.templates {
        let result =
            custom::find(invocation, &found.name).map(drop).map_err(|error| error.to_string());
        results.push((found.name, result));
    }
    let wrong = results.iter().filter(|(_, result)| result.is_err()).count();
    Ok(CommandOutput {
        exit: if wrong == 0 { Exit::Fine } else { Exit::Refused },
        facts: json!({"skills": results.len(), "wrong": wrong}),
        result: results.iter().map(|(name, result)| text::checked(name, result)).collect(),
        ..CommandOutput::quiet()
    })
}

fn check_one(name: &str) -> Result<(), String> {
    let skill = generator::find(name).ok_or("it is not in the table of generators")?;
    let example =
        catalog::file(name, "assets/example.json").ok_or("it has no assets/example.json")?;
    let fields: Map<String, Value> =
        serde_json::from_str(example).map_err(|error| error.to_string())?;
    let context = Context {
        now: catalog::EXAMPLES_NOW.into(),
        state: Files::demo().state(),
        // The commits of a repository around this folder may name stories of the examples.
        folder: PathBuf::from("/"),
        root: PathBuf::from("/"),
        out: None,
    };
    let given = skill.place(&Request { fields, ..Request::default() });
    let output =
        given.and_then(|given| skill.run(&given, &context)).map_err(|fault| fault.to_string())?;
    let main = output.artifacts.first().ok_or("it makes no artifact")?;
    let mut golden =
        catalog::files(name).filter(|(path, _)| path.starts_with("assets/example.out."));
    if golden.any(|(_, text)| text == main.text) {
        Ok(())
    } else {
        Err("its example gives a different output".into())
    }
}

/// The names of the skills to install: those that are given, all with `--all`, else the reports.
fn chosen(call: &SkillCall, names: &[String]) -> Result<Vec<&'static str>> {
    if call.all {
        return Ok(catalog::names().collect());
    }
    if names.is_empty() {
        let is_report = |name: &&str| REPORTS.contains(name);
        return Ok(catalog::names().filter(is_report).collect());
    }
    let find = |name: &String| {
        let name = name.to_lowercase();
        let unknown = || Error::Usage(text::unknown_skill(&name, generator::similar(&name)));
        generator::find(&name).map(|skill| skill.name).ok_or_else(unknown)
    };
    names.iter().map(find).collect()
}

/// Copies skills into a project's `.claude/skills/`, or to `--out`.
pub(super) fn install(
    invocation: &Invocation,
    call: &SkillCall,
    names: &[String],
) -> Result<CommandOutput> {
    let skills = chosen(call, names)?;
    let folder = match &call.out {
        Some(out) => out.clone(),
        None => invocation.root()?.join(".claude/skills"),
    };
    let target = Target::open(invocation, &folder)?;
    let files = skills.iter().flat_map(|skill| {
        catalog::files(skill).map(move |(path, text)| (Path::new(skill).join(path), text))
    });
    let existing = if call.force { Existing::Forced } else { Existing::Kept };
    let mut changed = Vec::new();
    for (path, text) in files {
        let there = match target.read(&path, text.len() as u64) {
            // A file that cannot be read is a different one; the check reports it.
            Err(_) => {
                target.check(&path, existing)?;
                None
            }
            Ok(there) => there,
        };
        if there.as_deref() != Some(text.as_bytes()) {
            target.check(&path, existing)?;
            changed.push((path, text));
        }
    }
    for (path, text) in &changed {
        target.write(path, text, existing)?;
    }
    let left = catalog::names().count() - skills.len();
    let is_asked = call.all || !names.is_empty();
    Ok(CommandOutput {
        facts: json!({"installed": skills.len(), "skills": skills, "to": folder.to_string_lossy()}),
        ..CommandOutput::shown(text::installed(&skills, &folder, if is_asked { 0 } else { left }))
    })
}
