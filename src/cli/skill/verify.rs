//! `flow skill verify [NAME] [FILE…|-]`: prints the faults of artifacts, one line each; exit code 1 if there are any. Without
//! a name the skill is recognised by the document.

use std::io::{self, IsTerminal};
use std::path::Path;

use serde_json::{Value, json};

use super::super::args::SkillCall;
use super::super::command_output::{CommandOutput, Exit};
use super::super::invocation::Invocation;
use super::result::usage;
use super::{context, input, state, text};
use crate::error::{Error, Result};
use crate::skill::generator::skill::{Skill, Verify};
use crate::skill::generator::{self, SKILLS, document};
use crate::skill::input::recognise;
use crate::skill::page::Finding;

/// Most files of a call.
const MOST: usize = 1_000;

/// Checks files, or standard input.
pub(super) fn verify(
    invocation: &Invocation,
    words: &[String],
    call: &SkillCall,
) -> Result<CommandOutput> {
    let (named, words) = match words.split_first() {
        Some((name, rest)) if generator::find(&name.to_lowercase()).is_some() => {
            (generator::find(&name.to_lowercase()), rest)
        }
        Some((name, _)) if name == "-" || Path::new(name).is_file() => (None, words),
        Some((file, _)) if file.contains(['.', '/']) => {
            return Err(Error::Usage(text::no_file(file)));
        }
        Some((name, _)) => {
            let name = name.to_lowercase();
            return Err(Error::Usage(text::unknown_skill(&name, generator::similar(&name))));
        }
        None if call.input.is_some() || !io::stdin().is_terminal() => (None, words),
        None => return Err(Error::Usage(text::name_missing("verify"))),
    };
    if let Some(skill) = named {
        verification(skill)?;
    }
    let files: Vec<&Path> = match &call.input {
        Some(input) => {
            std::iter::once(input.as_path()).chain(words.iter().map(Path::new)).collect()
        }
        None if words.is_empty() => vec![Path::new("-")],
        None => words.iter().map(Path::new).collect(),
    };
    if files.len() > MOST {
        return Err(Error::Usage(text::too_many_files(files.len(), MOST)));
    }
    let mut whole = CommandOutput::quiet();
    let mut all = Vec::new();
    let mut unread = Vec::new();
    for file in files {
        let (skill, findings) = match check(invocation, call, named, file) {
            Ok(checked) => checked,
            // The findings of the other files are told all the same.
            Err(Error::Usage(why)) => {
                unread.push(why);
                continue;
            }
            Err(error) => return Err(error),
        };
        let shown = file.to_string_lossy();
        let (faults, notes): (Vec<&Finding>, Vec<&Finding>) =
            findings.iter().partition(|finding| !finding.is_note);
        if !faults.is_empty() {
            whole.exit = Exit::Refused;
        }
        whole.result.push_str(&text::findings(&shown, &findings));
        let objects = |list: &[&Finding]| -> Vec<Value> {
            list.iter().map(|one| json!({"line": one.line, "what": one.what})).collect()
        };
        all.push(json!({"skill": skill.name, "file": shown, "findings": objects(&faults), "notes": objects(&notes)}));
    }
    let why = unread.join("; ");
    whole.facts = match all.len() {
        0 => return Err(Error::Usage(why)),
        1 => all.remove(0),
        _ => json!({"files": all}),
    };
    Ok(if unread.is_empty() { whole } else { whole.broken_off(&why) })
}

/// The skill of a document, and what is wrong with it.
fn check(
    invocation: &Invocation,
    call: &SkillCall,
    named: Option<&'static Skill>,
    file: &Path,
) -> Result<(&'static Skill, Vec<Finding>)> {
    let bytes = input::bytes(file)?;
    let artifact = recognise::decode(&bytes).map_err(|fault| usage(&fault))?;
    let skill = named
        .or_else(|| document::of(artifact))
        .ok_or_else(|| Error::Usage(text::of_no_skill(&file.to_string_lossy())))?;
    let verify = verification(skill)?;
    let check = |state| Ok(verify(artifact, &context::read(invocation, call, state)?));
    Ok((skill, state::with(invocation, check)?))
}

/// The function that verifies the artifacts of a skill.
fn verification(skill: &Skill) -> Result<Verify> {
    let can = || -> Vec<&str> {
        SKILLS.iter().filter(|skill| skill.verify.is_some()).map(|skill| skill.name).collect()
    };
    skill.verify.ok_or_else(|| Error::Usage(text::no_verify(skill.name, &can())))
}
