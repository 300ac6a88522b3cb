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
mod context;
mod input;
mod verify;
mod catalog;
mod chain;

use std::path::Path;

use super::args::SkillCall;
use super::args::verbs::verb;
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
    if let Some(path) = &call.template
        && call.words.first().is_none_or(|first| input::pair(first).is_some())
    {
        let skill = custom::explicit(&custom::name_of(path), path)?;
        return run(invocation, &skill, call, &call.words, format);
    }
    let (verb, words) =
        call.words.split_first().map_or(("list", &[][..]), |(verb, rest)| (verb.as_str(), rest));
    match (verb, words) {
        ("list" | "check", [word, ..]) => Err(Error::Usage(text::takes_no_word(verb, word))),
        ("list", _) => catalog::list(invocation),
        ("check", _) => catalog::check(invocation),
        ("install", names) => catalog::install(invocation, call, names),
        ("add", words) => add::add(invocation, call, words),
        ("chain", words) => chain::chain(invocation, call, words, format),
        ("show" | "schema" | "remove", []) => Err(Error::Usage(text::name_missing(verb))),
        ("show", [name, ..]) => Ok(shown(name, find(invocation, name)?.page())),
        ("schema", [name, ..]) => Ok(shown(name, find(invocation, name)?.schema_text())),
        ("verify", words) => verify::verify(invocation, words, call),
        ("remove", [name, ..]) => custom::remove(invocation, name),
        (name, words) => {
            let skill = find_or_template(invocation, call.template.as_deref(), name)?;
            run(invocation, &skill, call, words, format)
        }
    }
}

/// The help of a skill, or of a verb.
pub(super) fn help(
    invocation: &Invocation,
    name: &str,
    template: Option<&Path>,
) -> Result<CommandOutput> {
    if let Some(verb) = verb(name) {
        return Ok(CommandOutput::shown(help::verb(verb)));
    }
    Ok(shown(name, find_or_template(invocation, template, name)?.help()))
}

fn run(
    invocation: &Invocation,
    skill: &Skill,
    call: &SkillCall,
    words: &[String],
    format: OutputFormat,
) -> Result<CommandOutput> {
    let input = input::collect_input(skill, call, words)?;
    let mut output = state::with(invocation, |state| {
        skill
            .run(&input, &context::read(invocation, call, state)?)
            .map_err(|fault| refused(skill, &input, &fault))
    })?;
    if call.force {
        output.force();
    }
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
