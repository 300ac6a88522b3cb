//! Converts a skill's output to that of the command.

use serde_json::Value;

use super::super::args::SkillCall;
use super::super::command_output::{CommandOutput, Exit, OutputFormat};
use super::super::text as words;
use super::runnable::Skill;
use super::text;
use crate::error::Error;
use crate::skill::generator::document;
use crate::skill::input::given::Given;
use crate::skill::output::{Artifact, Fault, Output};

/// A skill's fault as the command's error: invalid input, exit code 2.
pub(super) fn usage(fault: &Fault) -> Error {
    Error::Usage(fault.to_string())
}

/// The fault of a run. A call without any input gets an example of one.
pub(super) fn refused(skill: &Skill, input: &Given, fault: &Fault) -> Error {
    let is_bare = input.fields.is_empty() && input.upstream.is_none();
    match (fault, skill.example()) {
        (Fault::Missing(_), Some(example)) if is_bare => {
            Error::Usage(text::with_example(fault, example))
        }
        _ => usage(fault),
    }
}

/// A text about a skill.
pub(super) fn shown(name: &str, text: String) -> CommandOutput {
    CommandOutput {
        facts: serde_json::json!({"skill": name, "text": text}),
        artifact: text,
        ..CommandOutput::quiet()
    }
}

/// The output of a command with a skill's notes and open questions.
pub(super) fn reported(facts: Value, output: &Output, call: &SkillCall) -> CommandOutput {
    let notes = output.notes.iter().map(|note| words::note(note));
    let mut message: String =
        notes.chain(output.open.iter().map(|question| words::open_question(question))).collect();
    let blanks = if call.strict { document::blanks(output) } else { 0 };
    if blanks > 0 {
        message.push_str(&words::open_question(&text::blanks_left(blanks)));
    }
    let is_refused = call.strict && (blanks > 0 || !output.open.is_empty());
    CommandOutput {
        exit: if is_refused { Exit::Refused } else { Exit::Fine },
        facts,
        message,
        ..CommandOutput::quiet()
    }
}

/// Adds the main artifact for printing, and the names of the others.
pub(super) fn printed(
    mut command: CommandOutput,
    artifacts: &[Artifact],
    format: OutputFormat,
) -> CommandOutput {
    let Some((main, more)) = artifacts.split_first() else { return command };
    command.artifact.clone_from(&main.text);
    if !more.is_empty() && format == OutputFormat::Text {
        let paths: Vec<&str> = more.iter().map(|artifact| artifact.path.as_str()).collect();
        command.message.push_str(&words::note(&text::more_artifacts(&paths)));
    }
    command
}
