//! `flow skill`: its verbs, and running a skill.

mod text;
mod help;
mod result;
mod write;
mod runnable;
mod custom;
mod add;
mod find;
mod state;
mod input;
mod verify;
mod catalog;
mod chain;

use super::args::SkillCall;
use super::command_output::{CommandOutput, OutputFormat};
use super::invocation::Invocation;
use crate::error::{Error, Result};
use find::{find, find_or_template};
use result::{printed, refused, reported, shown};
use runnable::Skill;

/// Carries out `flow skill`.
pub(super) fn skill(
    invocation: &Invocation,
    call: &SkillCall,
    format: OutputFormat,
) -> Result<CommandOutput> {
    let (verb, words) =
        call.words.split_first().map_or(("list", &[][..]), |(verb, rest)| (verb.as_str(), rest));
    match (verb, words) {
        ("list" | "check" | "install", [word, ..]) => {
            Err(Error::Usage(text::takes_no_word(verb, word)))
        }
        ("list", _) if !call.help_of_skill => catalog::list(invocation),
        ("check", _) => catalog::check(invocation),
        ("install", _) => catalog::install(invocation, call),
        ("add", words) => add::add(invocation, call, words),
        ("chain", words) => chain::chain(invocation, call, words, format),
        (name, _) if call.help_of_skill => {
            Ok(shown(name, find_or_template(invocation, call, name)?.help()))
        }
        ("show" | "schema" | "remove" | "verify", []) => {
            Err(Error::Usage(text::name_missing(verb)))
        }
        ("show", [name, ..]) => Ok(shown(name, find(invocation, name)?.page())),
        ("schema", [name, ..]) => Ok(shown(name, find(invocation, name)?.schema_text())),
        ("verify", [name, rest @ ..]) => verify::verify(invocation, name, rest, call),
        ("remove", [name, ..]) => custom::remove(invocation, name),
        (name, words) => {
            run(invocation, &find_or_template(invocation, call, name)?, call, words, format)
        }
    }
}

fn run(
    invocation: &Invocation,
    skill: &Skill,
    call: &SkillCall,
    words: &[String],
    format: OutputFormat,
) -> Result<CommandOutput> {
    let input = input::collect_input(skill, call, words)?;
    let output = state::with(invocation, |state| {
        skill
            .run(&input, &input::context(invocation, call, state)?)
            .map_err(|fault| refused(skill, &input, &fault))
    })?;
    let facts = skill.envelope(&input, &output);
    let result = reported(facts, &output, call);
    match &call.out {
        Some(out) => {
            let destination = write::Destination { out, force: call.force };
            write::write_all(invocation, result, &output.artifacts, &destination)
        }
        None => Ok(printed(result, &output.artifacts, format)),
    }
}
