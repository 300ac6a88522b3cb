//! `flow skill chain A B C`: each skill reads what the one before made; every artifact is printed or written.

use serde_json::{Value, json};

use super::super::Here;
use super::super::answer::{Answer, Output as Print};
use super::super::args::SkillCall;
use super::find::Skill;
use super::text;
use super::{gather, said, state, write};
use crate::error::{Error, Result};
use crate::skill::envelope::envelope;
use crate::skill::input::{Context, Input};
use crate::skill::output::{Artifact, Fault, Output};
use crate::skill::read::{self, Format};

/// Most skills in a chain.
const LONGEST: usize = 16;

/// Runs the skills that the words name, on the input that the rest of the words is.
pub(super) fn chain(
    here: &Here,
    (call, words): (&SkillCall, &[String]),
    print: Print,
) -> Result<Answer> {
    let (skills, rest) = split(here, words)?;
    let Some(first) = skills.first() else { return Err(Error::Usage(text::name_missing("chain"))) };
    let input = gather::gather(first.fields(), call, rest)?;
    let made =
        state::with(here, |state| run(&skills, &input, &gather::context(here, call, state)?))?;
    finish(call, made, print)
}

/// Runs skills one after the other: all that they made, and the envelope of each.
fn run(skills: &[Skill], first: &Input, context: &Context) -> Result<(Output, Vec<Value>)> {
    let mut input = first.clone();
    let mut all = Output::default();
    let mut envelopes: Vec<Value> = Vec::new();
    for (at, skill) in skills.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| skills[before].name());
        let broken = |fault: Fault| {
            Error::Usage(text::broken_chain(skill.name(), before, &fault.to_string()))
        };
        if let Some(made) = envelopes.last() {
            let bytes = made.to_string().into_bytes();
            input = read::read(&bytes, Format::Json, skill.fields()).map_err(broken)?;
        }
        let output = skill.make(&input, context).map_err(broken)?;
        envelopes.push(envelope(skill.name(), &input.fields, &output));
        gather_output(&mut all, skill.name(), output);
    }
    Ok((all, envelopes))
}

/// The skills at the front of the words, and what follows.
fn split<'a>(here: &Here, words: &'a [String]) -> Result<(Vec<Skill>, &'a [String])> {
    let mut skills = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_name = !word.contains([' ', '=']) && skills.len() < LONGEST;
        match is_name.then(|| Skill::find(here, word)) {
            Some(Ok(skill)) => skills.push(skill),
            Some(Err(error)) if skills.is_empty() => return Err(error),
            _ => return Ok((skills, &words[at..])),
        }
    }
    Ok((skills, &[]))
}

fn gather_output(all: &mut Output, skill: &str, output: Output) {
    let said = |sentence: String| format!("{skill}: {sentence}");
    all.notes.extend(output.notes.into_iter().map(said));
    all.open.extend(output.open.into_iter().map(said));
    all.artifacts.extend(output.artifacts);
}

fn finish(
    call: &SkillCall,
    (all, envelopes): (Output, Vec<Value>),
    print: Print,
) -> Result<Answer> {
    let answer = said(json!({"chain": envelopes}), &all, call);
    match &call.out {
        Some(out) => {
            // A chain makes several files, so what is named is a folder even where it does not exist yet.
            let folder = out.join("");
            write::write_all(answer, "chain", (&all.artifacts, &folder), call.existing)
        }
        None if print == Print::Text => Ok(Answer { result: joined(&all.artifacts), ..answer }),
        None => Ok(answer),
    }
}

/// All artifacts, each under its name.
fn joined(artifacts: &[Artifact]) -> String {
    artifacts.iter().map(|artifact| text::under_name(&artifact.path, &artifact.text)).collect()
}
