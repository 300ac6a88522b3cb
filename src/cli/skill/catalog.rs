//! What there is: `list`, `check` and `install`.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::super::Here;
use super::super::answer::{Answer, Exit};
use super::super::args::{Existing, SkillCall};
use super::custom;
use super::text;
use super::write::write;
use crate::cli::files::Files;
use crate::error::{Error, Result};
use crate::skill::generator::skill;
use crate::skill::input::place::Given;
use crate::skill::project_state::Context;
use crate::skill::runtime::catalog;

/// Every skill: the built-in ones, the project's own, and what is foreign.
pub(super) fn list(here: &Here) -> Result<Answer> {
    let built_in = catalog::names().map(
        |name| json!({"name": name, "source": "built-in", "description": catalog::summary(name)}),
    );
    let registry = custom::registry(here)?;
    let folder = custom::folder(here)?;
    let own = folder.templates.iter().map(|found| {
        let state = if registry.skills.contains_key(&found.name) { "own" } else { "own, not registered" };
        json!({"name": found.name, "source": state, "description": found.path.display().to_string()})
    });
    let skills: Vec<Value> = built_in.chain(own).collect();
    Ok(Answer {
        exit: Exit::Fine,
        result: text::skill_list(&skills, &folder.foreign),
        facts: json!({"count": skills.len(), "skills": skills, "foreign": folder.foreign}),
        message: String::new(),
    })
}

/// Runs every built-in skill on its example and compares with the output that it comes with; tries every own one.
pub(super) fn check(here: &Here) -> Result<Answer> {
    let mut results: Vec<(String, Result<(), String>)> =
        catalog::names().map(|name| (name.to_owned(), check_one(name))).collect();
    for found in custom::folder(here)?.templates {
        let result = custom::find(here, &found.name).map(drop).map_err(|error| error.to_string());
        results.push((found.name, result));
    }
    let wrong = results.iter().filter(|(_, result)| result.is_err()).count();
    Ok(Answer {
        exit: if wrong == 0 { Exit::Fine } else { Exit::Refused },
        facts: json!({"skills": results.len(), "wrong": wrong}),
        result: results.iter().map(|(name, result)| text::checked(name, result)).collect(),
        message: String::new(),
    })
}

fn check_one(name: &str) -> Result<(), String> {
    let skill = skill::find(name).ok_or("it has no row in the table of generators")?;
    let example =
        catalog::file(name, "assets/example.json").ok_or("it has no assets/example.json")?;
    let fields: Map<String, Value> =
        serde_json::from_str(example).map_err(|error| error.to_string())?;
    let context = Context {
        now: catalog::EXAMPLES_NOW.into(),
        state: Files::demo().state(),
        folder: PathBuf::from("."),
    };
    let output = skill
        .run(&Given { fields, ..Given::default() }, &context)
        .map_err(|fault| fault.to_string())?;
    let main = output.artifacts.first().ok_or("it makes no artifact")?;
    let mut golden =
        catalog::files(name).filter(|(path, _)| path.starts_with("assets/example.out."));
    if golden.any(|(_, text)| text == main.text) {
        Ok(())
    } else {
        Err("its example gives another text".into())
    }
}

/// Copies the catalog into a project's `.claude/skills/`, or to `--out`.
pub(super) fn install(here: &Here, call: &SkillCall) -> Result<Answer> {
    let target = match &call.out {
        Some(out) => here.current.join(out),
        None => here.root()?.join(".claude/skills"),
    };
    let files: Vec<(PathBuf, &str)> = catalog::names()
        .flat_map(|skill| {
            catalog::files(skill).map(move |(path, text)| (PathBuf::from(skill).join(path), text))
        })
        .map(|(path, text)| (target.join(path), text))
        .collect();
    let differs = |(path, text): &&(PathBuf, &str)| {
        path.exists() && std::fs::read(path).map_or(true, |there| there != text.as_bytes())
    };
    if let Some((taken, _)) = files.iter().find(differs).filter(|_| call.existing == Existing::Kept)
    {
        return Err(Error::Refused(text::exists(taken)));
    }
    for (path, text) in &files {
        write(path, text)?;
    }
    let count = catalog::names().count();
    Ok(Answer {
        facts: json!({"installed": count, "to": target.to_string_lossy()}),
        ..Answer::shown(text::installed(count, &target))
    })
}
