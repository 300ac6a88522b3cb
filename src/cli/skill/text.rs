//! The sentences of `flow skill`. Pure functions.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

use super::super::text::{escape, quoted};
use crate::skill::generator::skill::{Finding, Skill};
use crate::skill::output::{Artifact, Fault};
use crate::skill::runtime::custom::Custom;
use crate::skill::runtime::registry::Trust;
use crate::skill::text::{first, title};

/// Number of lines of a template that are shown before it is trusted.
const SHOWN_LINES: usize = 40;
/// Largest number of files that an error names.
const SHOWN_FILES: usize = 5;

/// The list of skills, each with its source.
pub(super) fn skill_list(skills: &[Value], foreign: &[String]) -> String {
    let word = |skill: &Value, name: &str| escape(skill[name].as_str().unwrap_or_default());
    let width =
        skills.iter().map(|skill| word(skill, "name").chars().count()).max().unwrap_or_default();
    let mut text = skills.iter().fold(String::new(), |mut text, skill| {
        let (name, source) = (word(skill, "name"), word(skill, "source"));
        // One line each; `show` prints the rest.
        let short = title(&word(skill, "description"));
        let _ = writeln!(text, "{name:<width$}  {source}  {short}");
        text
    });
    for name in foreign {
        let _ = writeln!(text, "{:<width$}  foreign  not managed by flow", escape(name));
    }
    text
}

/// The result of a skill's check.
pub(super) fn checked(name: &str, result: &Result<(), String>) -> String {
    match result {
        Ok(()) => format!("ok      {}\n", escape(name)),
        Err(why) => format!("failed  {}: {}\n", escape(name), escape(why)),
    }
}

/// Confirms that skills were copied; `left` is the number of skills that are not installed because none was named.
pub(super) fn installed(skills: &[&str], to: &Path, left: usize) -> String {
    let to = escape(&to.to_string_lossy());
    let (count, names) = (skills.len(), skills.join(", "));
    let word = if count == 1 { "skill" } else { "skills" };
    let rest = match left {
        0 => String::new(),
        left => format!("{left} more: name them, or give --all (flow skill list shows them)\n"),
    };
    format!("installed {count} {word} in {to}: {names}\n{rest}")
}

/// What is left to fill in, as a question.
pub(super) fn blanks_left(count: usize) -> String {
    let blanks = if count == 1 { "1 blank is" } else { &format!("{count} blanks are") };
    format!("{blanks} left in the document; flow skill verify lists them")
}

/// The error for a document that no skill is known to make.
pub(super) fn of_no_skill(file: &str) -> String {
    format!(
        "the title and headings of {} do not show which skill made it; name the skill: flow skill verify NAME FILE",
        escape(file)
    )
}

/// The error for a file that does not exist.
pub(super) fn no_file(file: &str) -> String {
    format!("no such file: {}", escape(file))
}

/// The error for a file in place of the names of environment variables.
pub(super) fn no_variables(file: &str) -> String {
    format!("{} is no file of variables: lines NAME=value with names in capitals", escape(file))
}

/// The error for a project without templates.
pub(super) fn no_templates(folder: &str) -> String {
    format!(
        "there is no template in {folder} to add: one is <name>.<ext>.tera, or a folder whose SKILL.md names metadata.flow-template"
    )
}

/// The error for a verb without a name.
pub(super) fn name_missing(verb: &str) -> String {
    match verb {
        "add" => "flow skill add requires the path of a template, or --all --yes".to_owned(),
        "chain" => {
            "flow skill chain requires the names of skills, followed by the input of the first"
                .to_owned()
        }
        "verify" => "flow skill verify requires a document: a file, or standard input".to_owned(),
        _ => {
            format!("flow skill {verb} requires a skill's name; to list them, run: flow skill list")
        }
    }
}

/// The error for `--all` without `--yes` and without a terminal.
pub(super) fn needs_yes() -> &'static str {
    "--all trusts every template of this project; read the templates above, then add --yes"
}

/// A template's properties and text, for the user who decides whether to trust it.
pub(super) fn template_shown(name: &str, path: &Path, custom: &Custom, sha256: &str) -> String {
    let mut text = format!("{}  {}\n", escape(name), escape(&path.to_string_lossy()));
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

/// The question whether to trust templates.
pub(super) fn trust_question(count: usize) -> String {
    let what =
        if count == 1 { "this template".to_owned() } else { format!("these {count} templates") };
    format!(
        "flow renders {what} with the given fields, and runs nothing else. Trust {what}? [y/N] "
    )
}

/// The error for a template outside of the folder.
pub(super) fn not_in_folder(path: &Path, folder: &str) -> String {
    format!("{} is not in the project's {folder}; move it there", path.display())
}

/// The error for a template that is not trusted.
pub(super) fn not_trusted(name: &str, template: &Path, trust: Trust) -> String {
    let why = match trust {
        Trust::Changed => "has changed since you trusted it",
        _ => "is not trusted on this machine",
    };
    format!("the skill {name} {why}; read it, then run: flow skill add {}", quoted(template))
}

/// The error for removing a name that was never added.
pub(super) fn not_to_remove(name: &str, known: &[&str]) -> String {
    match known {
        [] => format!(
            "{name:?} is not a trusted template of this project, which has none; built-in skills cannot be removed"
        ),
        known => format!(
            "{name:?} is not a trusted template of this project; trusted: {}",
            known.join(", ")
        ),
    }
}

/// The error for an argument of a verb that takes none.
pub(super) fn takes_no_word(verb: &str, word: &str) -> String {
    format!("unexpected argument {word:?}; flow skill {verb} accepts no name")
}

/// The error for a path that is not a template.
pub(super) fn no_template(file: &Path) -> String {
    let file = file.display();
    format!(
        "{file} is not a template: it must be <name>.<ext>.tera, or a folder whose SKILL.md names metadata.flow-template"
    )
}

/// The error for a template with the name of a built-in skill.
pub(super) fn name_is_taken(name: &str, template: &Path) -> String {
    format!("{name} is a built-in skill; give {} another name", template.display())
}

/// Confirms that a skill was registered.
pub(super) fn added(name: &str, schema: &Value) -> String {
    format!("added {name}; its inputs are {}\n", escape(&fields(schema)))
}

/// The names of a schema's fields.
fn fields(schema: &Value) -> String {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Why a chain stopped.
pub(super) fn broken_chain(skill: &str, before: Option<&str>, why: &str) -> String {
    match before {
        Some(before) => {
            format!("the chain stops at {skill}, which cannot read the output of {before}: {why}")
        }
        None => format!("the chain stops at {skill}: {why}"),
    }
}

/// The error for a chain in which a skill does not accept the previous one's output.
pub(super) fn impossible_chain(before: &Skill, after: &Skill, could: &[&str]) -> String {
    let accepts: Vec<String> = after.input.accepts.iter().map(ToString::to_string).collect();
    let accepts = if accepts.is_empty() {
        "no output of another skill".to_owned()
    } else {
        accepts.join(", ")
    };
    let could = if could.is_empty() { "nothing".to_owned() } else { could.join(", ") };
    format!(
        "{} cannot follow {}: it accepts {accepts}, and {} produces {}; could follow: {could}",
        after.name, before.name, before.name, before.gives
    )
}

/// The findings of a verification, one line each.
pub(super) fn findings(file: &str, findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let note = if finding.is_note { "note: " } else { "" };
        format!("{}:{}: {note}{}\n", escape(file), finding.line, escape(&finding.what))
    };
    findings.iter().map(line).collect()
}

/// The error for a skill without verification.
pub(super) fn no_verify(name: &str, can: &[&str]) -> String {
    format!("{name} does not support verify; skills that do: {}", can.join(", "))
}

/// An artifact with its name as a heading.
pub(super) fn under_name(name: &str, text: &str) -> String {
    format!("==> {} <==\n{text}\n", escape(name))
}

/// The error for a word that is neither a verb nor a skill.
pub(super) fn unknown_skill(word: &str, nearest: Option<&str>) -> String {
    let hint = nearest.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
    format!("there is no skill {word:?}; {hint}to list all, run: flow skill list")
}

/// A fault of the first skill of a chain, with the words that are for a later skill as they are written for it.
pub(super) fn for_later(why: &str, words: &[String]) -> String {
    if words.is_empty() {
        why.to_owned()
    } else {
        format!("{why}; for a later skill: {}", words.join(" "))
    }
}

/// The error for a call with too many files.
pub(super) fn too_many_files(given: usize, most: usize) -> String {
    format!("{given} files are given, over the limit of {most}; check them in several calls")
}

/// The error for a skill of the project that has no template.
pub(super) fn foreign(name: &str) -> String {
    format!(
        "the skill {name} is for coding agents: it has no template that flow could fill in (metadata.flow-template in its SKILL.md)"
    )
}

/// A fault of a call without input.
pub(super) fn with_example(fault: &Fault, example: &str) -> String {
    format!("{fault}; for example: {example}")
}

/// The error for an artifact whose path leads out of the chosen folder.
pub(super) fn leads_out(path: &Path, folder: &Path) -> String {
    format!("{} is outside the folder {} of --out", path.display(), folder.display())
}

/// The error for the name of a file of another kind than the output.
pub(super) fn other_kind(file: &Path, artifact: &Artifact) -> String {
    let (file, Artifact { kind, path, .. }) = (escape(&file.to_string_lossy()), artifact);
    format!(
        "{file} is the name of another kind of file: the skill writes {kind}; give --out {path}"
    )
}

/// The error for the name of a file where several files are written.
pub(super) fn several_files(file: &Path, artifacts: &[Artifact]) -> String {
    let name = escape(&file.to_string_lossy());
    let paths = artifacts.iter().map(|artifact| artifact.path.as_str());
    let paths = first(paths, SHOWN_FILES, " and ");
    let folder = escape(&file.with_extension("").to_string_lossy());
    format!(
        "{name} is one file, and the skill writes several ({paths}); give a folder, such as --out {folder}/"
    )
}

/// Confirms that a file was written.
pub(super) fn wrote(file: &Path) -> String {
    format!("wrote {}\n", escape(&file.to_string_lossy()))
}

/// A note that names the artifacts that are not printed.
pub(super) fn more_artifacts(paths: &[&str]) -> String {
    format!("{} more: {}; --out DIR writes them all", paths.len(), paths.join(", "))
}
