//! The definition of the command line for shell completion and for tests. It parses nothing.

use clap::builder::PossibleValue;
use clap::{Arg, Command, ValueHint};

use super::definition;
use super::verbs::VERBS;
use crate::skill::generator::SKILLS;
use crate::skill::generator::skill::Skill;
use crate::skill::runtime::catalog;

/// The definition for shells: the verbs and the skills are subcommands of `flow skill`, a skill's words are the keys of
/// its fields, and a verb's are the names of skills.
pub fn definition_for_shells() -> Command {
    let names = || catalog::names().map(PossibleValue::new).collect::<Vec<_>>();
    definition().mut_subcommand("skill", |skill| {
        let options: Vec<Arg> =
            skill.get_arguments().filter(|arg| arg.get_id() != "words").cloned().collect();
        let command = |name: &'static str| Command::new(name).args(&options);
        let words = |words: Vec<PossibleValue>| words_arg().value_parser(words);
        let verbs = VERBS.iter().map(|verb| {
            let command = command(verb.name).about(verb.about);
            match verb.name {
                "list" | "check" => command,
                "add" => command.arg(words_arg().value_hint(ValueHint::AnyPath)),
                _ => command.arg(words(names())),
            }
        });
        let skills = SKILLS.iter().map(|skill| {
            command(skill.name).about(catalog::summary(skill.name)).arg(words(keys(skill)))
        });
        Command::new("skill").args(&options).subcommands(verbs).subcommands(skills)
    })
}

fn words_arg() -> Arg {
    Arg::new("words").num_args(0..)
}

/// The keys of a skill's fields, in the form `KEY=`.
fn keys(skill: &Skill) -> Vec<PossibleValue> {
    let schema = skill.schema();
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .map(|(name, field)| {
            let help = field["description"].as_str().unwrap_or_default().to_owned();
            PossibleValue::new(format!("{name}=")).help(help)
        })
        .collect()
}
