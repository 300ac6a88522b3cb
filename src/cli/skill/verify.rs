//! `flow skill verify NAME [FILE|-]`: prints the faults of an artifact, one line each; exit code 1 if there are any.

use std::path::Path;

use serde_json::{Value, json};

use super::super::args::SkillCall;
use super::super::command_output::{CommandOutput, Exit};
use super::super::invocation::Invocation;
use super::result::usage;
use super::{input, state, text};
use crate::error::{Error, Result};
use crate::skill::generator::{self, SKILLS};
use crate::skill::input::recognise;

/// Checks a file, or standard input.
pub(super) fn verify(
    invocation: &Invocation,
    name: &str,
    words: &[String],
    call: &SkillCall,
) -> Result<CommandOutput> {
    let name = name.to_lowercase();
    let skill = generator::find(&name)
        .ok_or_else(|| Error::Usage(text::unknown_skill(&name, generator::similar(&name))))?;
    let Some(verify) = skill.verify else {
        let can: Vec<&str> =
            SKILLS.iter().filter(|skill| skill.verify.is_some()).map(|skill| skill.name).collect();
        return Err(Error::Usage(text::no_verify(skill.name, &can)));
    };
    let file =
        call.input.as_deref().or_else(|| words.first().map(Path::new)).unwrap_or(Path::new("-"));
    let bytes = input::bytes(file)?;
    let artifact = recognise::decode(&bytes).map_err(|fault| usage(&fault))?;
    let check = |state| Ok(verify(&artifact, &input::context(invocation, call, state)?));
    let findings = state::with(invocation, check)?;
    let shown = file.to_string_lossy();
    let facts: Vec<Value> = findings
        .iter()
        .map(|finding| json!({"line": finding.line, "what": finding.what}))
        .collect();
    Ok(CommandOutput {
        exit: if findings.is_empty() { Exit::Fine } else { Exit::Refused },
        facts: json!({"skill": skill.name, "file": shown, "findings": facts}),
        ..CommandOutput::shown(text::findings(&shown, &findings))
    })
}
