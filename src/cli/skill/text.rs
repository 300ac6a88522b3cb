//! The sentences of `flow skill`. Pure: data in, text out.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::super::text::{escape, quoted};
use crate::skill::generator::skill::{Finding, Skill};
use crate::skill::text::title;

/// The list of skills, each with its source.
pub(super) fn skill_list(skills: &[Value], foreign: &[String]) -> String {
    let word = |skill: &Value, name: &str| escape(skill[name].as_str().unwrap_or_default());
    let width =
        skills.iter().map(|skill| word(skill, "name").chars().count()).max().unwrap_or_default();
    let mut text = skills.iter().fold(String::new(), |mut text, skill| {
        let (name, source) = (word(skill, "name"), word(skill, "source"));
        // One line each; `show` has the rest.
        let short = title(&word(skill, "description"));
        let _ = writeln!(text, "{name:<width$}  {source}  {short}");
        text
    });
    for name in foreign {
        let _ = writeln!(text, "{:<width$}  foreign  left alone", escape(name));
    }
    text
}

/// How the check of a skill went.
pub(super) fn checked(name: &str, result: &Result<(), String>) -> String {
    match result {
        Ok(()) => format!("fine   {}\n", escape(name)),
        Err(why) => format!("wrong  {}: {}\n", escape(name), escape(why)),
    }
}

/// The catalog was copied.
pub(super) fn installed(count: usize, to: &Path) -> String {
    format!("installed {count} skills in {}\n", escape(&to.to_string_lossy()))
}

/// A verb needs a name.
pub(super) fn name_missing(verb: &str) -> String {
    match verb {
        "add" => "flow skill add needs the path of a template, or --all --yes".to_owned(),
        "chain" => {
            "flow skill chain needs the names of skills, then the input of the first".to_owned()
        }
        _ => format!("flow skill {verb} needs a skill's name"),
    }
}

/// `--all` without `--yes`.
pub(super) fn needs_yes() -> &'static str {
    "--all lets every template of this project run; read them, then add --yes"
}

/// A template that may not run.
pub(super) fn not_registered(name: &str, template: &Path, was_known: bool) -> String {
    let why = if was_known { "has changed since it was registered" } else { "is not registered" };
    format!(
        "the skill {name} {why}; read it, then register it: flow skill add {}",
        quoted(template)
    )
}

/// A name that cannot be removed, because it was never added.
pub(super) fn not_to_remove(name: &str, known: &[&str]) -> String {
    match known {
        [] => format!("{name:?} is not registered, and nothing is; built-in skills stay"),
        known => format!("{name:?} is not registered; registered are: {}", known.join(", ")),
    }
}

/// A verb that takes no words was given one.
pub(super) fn takes_no_word(verb: &str, word: &str) -> String {
    format!("flow skill {verb} takes no name, but was given {word:?}")
}

/// A path that is no template.
pub(super) fn no_template(file: &Path) -> String {
    let file = file.display();
    format!(
        "{file} is no template: it must be <name>.<ext>.tera, or a folder whose SKILL.md names metadata.flow-template"
    )
}

/// An own skill with a built-in one's name.
pub(super) fn name_is_taken(name: &str, template: &Path) -> String {
    format!("{name} is a built-in skill; give {} another name", template.display())
}

/// A skill was registered.
pub(super) fn added(name: &str, schema: &Value) -> String {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let fields: Vec<&str> = properties.map(|(name, _)| name.as_str()).collect();
    format!("added {name}; its inputs are {}\n", escape(&fields.join(", ")))
}

/// A chain that broke.
pub(super) fn broken_chain(skill: &str, before: Option<&str>, why: &str) -> String {
    match before {
        Some(before) => {
            format!("the chain breaks at {skill}, which cannot read what {before} made: {why}")
        }
        None => format!("the chain breaks at {skill}: {why}"),
    }
}

/// A chain in which a skill cannot read what the one before gives.
pub(super) fn impossible_chain(before: &Skill, after: &Skill, could: &[&str]) -> String {
    let accepts: Vec<&str> = after.input.accepts.iter().map(|kind| kind.name()).collect();
    let accepts = if accepts.is_empty() {
        "no output of another skill".to_owned()
    } else {
        accepts.join(", ")
    };
    let could = if could.is_empty() { "nothing".to_owned() } else { could.join(", ") };
    format!(
        "{} cannot follow {}: it accepts {accepts}, and {} gives {}; {could} could follow",
        after.name,
        before.name,
        before.name,
        before.gives.name()
    )
}

/// What verification found, one line each.
pub(super) fn findings(file: &str, findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        format!("{}:{}: {}\n", escape(file), finding.line, escape(&finding.what))
    };
    findings.iter().map(line).collect()
}

/// A skill that cannot verify.
pub(super) fn no_verify(name: &str, can: &[&str]) -> String {
    format!("{name} has no check of its artifacts; skills that have one: {}", can.join(", "))
}

/// An artifact under its name.
pub(super) fn under_name(name: &str, text: &str) -> String {
    format!("==> {} <==\n{text}\n", escape(name))
}

/// A word that is neither a verb nor a skill.
pub(super) fn unknown_skill(word: &str, nearest: Option<&str>) -> String {
    let hint = nearest.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
    format!("there is no skill {word:?}; {hint}`flow skill list` shows what there is")
}

/// A file is in the way.
pub(super) fn exists(file: &Path) -> String {
    format!("{} exists; --force replaces it", file.display())
}

/// A file was written.
pub(super) fn wrote(file: &Path) -> String {
    format!("wrote {}\n", escape(&file.to_string_lossy()))
}

/// More artifacts than are printed.
pub(super) fn more_artifacts(paths: &[&str]) -> String {
    format!("{} more: {}; --out DIR writes them all", paths.len(), paths.join(", "))
}
