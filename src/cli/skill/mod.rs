//! `flow skill`: what each verb does, and the way from a call to a skill's output.

mod catalog;
mod chain;
mod custom;
mod find;
mod help;
mod input;
mod state;
mod text;
mod verify;
mod write;

use serde_json::Value;

use super::Here;
use super::answer::{Answer, Exit, Output as Print};
use super::args::{Help, OpenQuestions, SkillCall};
use super::text as words;
use crate::error::{Error, Result};
use crate::skill::output::{Artifact, Fault, Output};
use find::Skill;

/// A skill's fault as the command's error: the input is wrong, exit code 2.
fn usage(fault: &Fault) -> Error {
    Error::Usage(fault.to_string())
}

/// Carries out a call.
pub(super) fn skill(here: &Here, call: &SkillCall, print: Print) -> Result<Answer> {
    let (verb, words) =
        call.words.split_first().map_or(("list", &[][..]), |(verb, rest)| (verb.as_str(), rest));
    match (verb, words) {
        ("list" | "check" | "install", [word, ..]) => {
            Err(Error::Usage(text::takes_no_word(verb, word)))
        }
        ("list", _) if call.help != Help::Asked => catalog::list(here),
        ("check", _) => catalog::check(here),
        ("install", _) => catalog::install(here, call),
        ("add", words) => custom::add(here, call, words),
        ("chain", words) => chain::chain(here, (call, words), print),
        (name, _) if call.help == Help::Asked => {
            Ok(shown(name, Skill::find_or_template(here, call, name)?.help()))
        }
        ("show" | "schema" | "remove" | "verify", []) => {
            Err(Error::Usage(text::name_missing(verb)))
        }
        ("show", [name, ..]) => Ok(shown(name, Skill::find(here, name)?.page())),
        ("schema", [name, ..]) => Ok(shown(name, Skill::find(here, name)?.schema_text())),
        ("verify", [name, rest @ ..]) => verify::verify(name, rest, call),
        ("remove", [name, ..]) => custom::remove(here, name),
        (name, words) => {
            run(here, &Skill::find_or_template(here, call, name)?, (call, words), print)
        }
    }
}

fn shown(name: &str, text: String) -> Answer {
    Answer {
        facts: serde_json::json!({"skill": name, "text": text}),
        artifact: text,
        ..Answer::quiet()
    }
}

fn run(
    here: &Here,
    skill: &Skill,
    (call, words): (&SkillCall, &[String]),
    print: Print,
) -> Result<Answer> {
    let input = input::collect_input(skill, call, words)?;
    let output = state::with(here, |state| {
        skill.run(&input, &input::context(here, call, state)?).map_err(|fault| usage(&fault))
    })?;
    let facts = skill.envelope(&input, &output);
    let answer = said(facts, &output, call);
    match &call.out {
        Some(out) => {
            let destination = write::Destination { out, existing: call.existing };
            write::write_all(here, answer, &output.artifacts, &destination)
        }
        None => Ok(printed(answer, &output.artifacts, print)),
    }
}

/// An answer with a skill's notes and open questions.
fn said(facts: Value, output: &Output, call: &SkillCall) -> Answer {
    let is_refused = call.open_questions == OpenQuestions::Refused && !output.open.is_empty();
    let notes = output.notes.iter().map(|note| words::note(note));
    let message =
        notes.chain(output.open.iter().map(|question| words::open_question(question))).collect();
    Answer {
        exit: if is_refused { Exit::Refused } else { Exit::Fine },
        facts,
        message,
        ..Answer::quiet()
    }
}

fn printed(mut answer: Answer, artifacts: &[Artifact], print: Print) -> Answer {
    let Some((main, more)) = artifacts.split_first() else { return answer };
    answer.artifact.clone_from(&main.text);
    if !more.is_empty() && print == Print::Text {
        let paths: Vec<&str> = more.iter().map(|artifact| artifact.path.as_str()).collect();
        answer.message.push_str(&words::note(&text::more_artifacts(&paths)));
    }
    answer
}
