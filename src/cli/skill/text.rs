//! The sentences of `flow skill`. Pure: data in, text out.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::super::text::{escape, note, quoted};
use crate::skill::generator::skill::{Finding, Skill};
use crate::skill::runtime::custom::Custom;
use crate::skill::runtime::registry::Trust;
use crate::skill::text::title;

/// Most lines of a template that are shown before it is trusted.
const SHOWN_LINES: usize = 40;

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
        _ => format!("flow skill {verb} needs a skill's name; `flow skill list` shows them"),
    }
}

/// `--all` without `--yes` and without a terminal.
pub(super) fn needs_yes() -> &'static str {
    "--all trusts every template of this project; read the templates above, then add --yes"
}

/// What a template is and does, for the user who is to trust it.
pub(super) fn template_shown(name: &str, path: &Path, custom: &Custom, sha256: &str) -> String {
    let mut text = format!("{}  {}\n", escape(name), escape(&path.to_string_lossy()));
    if !custom.description.is_empty() {
        let _ = writeln!(text, "  says: {}", escape(&custom.description));
    }
    let _ = writeln!(text, "  inputs: {}", escape(&fields(&custom.schema)));
    let _ = writeln!(text, "  sha256: {sha256}");
    let lines = custom.template.lines().count();
    for line in custom.template.lines().take(SHOWN_LINES) {
        let _ = writeln!(text, "  | {}", escape(line));
    }
    if lines > SHOWN_LINES {
        let _ = writeln!(text, "  | … {} more lines", lines - SHOWN_LINES);
    }
    text
}

/// Asks for consent.
pub(super) fn trust_question(count: usize) -> String {
    let what =
        if count == 1 { "this template".to_owned() } else { format!("these {count} templates") };
    format!(
        "flow renders {what} with the fields that it is given, and runs nothing else. Trust {what}? [y/N] "
    )
}

/// A suggestion of the project that leads to nothing.
pub(super) fn suggested_missing(name: &str) -> String {
    note(&format!(
        ".flow/skills.json suggests {name:?}, but there is no such template in .claude/skills"
    ))
}

/// A template elsewhere.
pub(super) fn not_in_folder(path: &Path, folder: &str) -> String {
    format!("{} does not lie in the project's {folder}; move it there", path.display())
}

/// A template that may not run.
pub(super) fn not_trusted(name: &str, template: &Path, trust: Trust) -> String {
    let why = match trust {
        Trust::Changed => "has changed since you trusted it",
        _ => "is not trusted by you on this machine",
    };
    format!("the skill {name} {why}; read it, then run: flow skill add {}", quoted(template))
}

/// A name that cannot be removed, because it was never added.
pub(super) fn not_to_remove(name: &str, known: &[&str]) -> String {
    match known {
        [] => format!(
            "{name:?} is not trusted, and no template of this project is; built-in skills stay"
        ),
        known => format!("{name:?} is not trusted; trusted are: {}", known.join(", ")),
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
    format!("added {name}; its inputs are {}\n", escape(&fields(schema)))
}

/// The names of a schema's fields.
fn fields(schema: &Value) -> String {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
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

/// An artifact's path that is no path below the folder that was named.
pub(super) fn leads_out(path: &Path, folder: &Path) -> String {
    format!("{} leads out of the folder {} of --out", path.display(), folder.display())
}

/// A file is there, and is not of the kind that the skill extends.
pub(super) fn not_extended(exists: &str, why: &str) -> String {
    format!("{exists}; {why}")
}

/// A file was written.
pub(super) fn wrote(file: &Path) -> String {
    format!("wrote {}\n", escape(&file.to_string_lossy()))
}

/// More artifacts than are printed.
pub(super) fn more_artifacts(paths: &[&str]) -> String {
    format!("{} more: {}; --out DIR writes them all", paths.len(), paths.join(", "))
}
