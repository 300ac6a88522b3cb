//! `flow skill chain A B C`: each skill reads what the one before made; every artifact is printed or written.

use serde_json::{Value, json};

use super::super::Here;
use super::super::answer::{Answer, Output as Print};
use super::super::args::SkillCall;
use super::find::Skill;
use super::text;
use super::{input, said, state, write};
use crate::error::{Error, Result};
use crate::skill::generator::skill;
use crate::skill::input::place::{Given, Request};
use crate::skill::output::{Artifact, Fault, Output};
use crate::skill::project_state::Context;

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
    let (meant, rest): (Vec<String>, Vec<String>) =
        rest.iter().cloned().partition(|word| meant(word, &skills).is_some());
    possible(&skills)?;
    let input = input::collect_input(first, call, &rest)?;
    let given = Words { first: input, meant };
    let made = state::with(here, |state| {
        // A chain writes below a folder, so no file is its subject.
        run(&skills, &given, &Context { out: None, ..input::context(here, call, state)? })
    })?;
    let broken = made.broken.clone();
    let answer = finish(here, call, made, print)?;
    Ok(match broken {
        None => answer,
        Some(why) => answer.broken_off(&why),
    })
}

/// What a chain was given.
struct Words {
    /// The input of the first skill.
    first: Given,
    /// Words such as `changelog-entry.version=1.0.0`, for one of the skills.
    meant: Vec<String>,
}

/// The skill that a word is meant for, by its place, and its key and value.
fn meant<'a>(word: &'a str, skills: &[Skill]) -> Option<(usize, (&'a str, &'a str))> {
    let (name, rest) = word.split_once('.')?;
    let at = skills.iter().position(|skill| skill.name() == name)?;
    Some((at, input::pair(rest)?))
}

/// What a chain made.
#[derive(Default)]
struct Made {
    all: Output,
    /// The envelope of each skill.
    envelopes: Vec<Value>,
    /// Why it goes no further; what was made until then is not lost.
    broken: Option<String>,
}

/// Runs skills one after the other.
fn run(skills: &[Skill], given: &Words, context: &Context) -> Result<Made> {
    let mut made = Made::default();
    for (at, skill) in skills.iter().enumerate() {
        let input = input(given, (skills, at), made.envelopes.last());
        match input.and_then(|input| link(skill, &input, context)) {
            Ok((output, envelope)) => {
                made.envelopes.push(envelope);
                gather_output(&mut made.all, skill.name(), output);
            }
            Err(fault) => {
                let before = at.checked_sub(1).map(|before| skills[before].name());
                let why = text::broken_chain(skill.name(), before, &fault.to_string());
                if before.is_none() {
                    return Err(Error::Usage(why));
                }
                made.broken = Some(why);
                break;
            }
        }
    }
    Ok(made)
}

/// The input of a skill of the chain: the chain's own, or what the skill before made; and the words meant for it.
fn input(
    given: &Words,
    (skills, at): (&[Skill], usize),
    before: Option<&Value>,
) -> Result<Given, Fault> {
    let own = given.meant.iter().filter_map(|word| meant(word, skills));
    let pairs = own.filter(|(skill, _)| *skill == at);
    let request = Request {
        contents: before.map(|envelope| envelope.to_string().into_bytes()).into_iter().collect(),
        pairs: pairs.map(|(_, (name, text))| (name.to_owned(), text.to_owned())).collect(),
        ..Request::default()
    };
    let mut input = skills[at].place(&request)?;
    if before.is_none() {
        let mut first = given.first.clone();
        first.fields.extend(input.fields);
        input = first;
    }
    Ok(input)
}

/// Runs one skill of a chain.
fn link(skill: &Skill, input: &Given, context: &Context) -> Result<(Output, Value), Fault> {
    let output = skill.run(input, context)?;
    let envelope = skill.envelope(input, &output);
    Ok((output, envelope))
}

/// Whether each skill accepts what the one before gives.
fn possible(skills: &[Skill]) -> Result<()> {
    for pair in skills.windows(2) {
        let [Skill::BuiltIn(before), Skill::BuiltIn(after)] = pair else { continue };
        if !after.input.accepts.contains(&before.gives) {
            let could: Vec<&str> = skill::followers(before.gives).map(|skill| skill.name).collect();
            return Err(Error::Usage(text::impossible_chain(before, after, &could)));
        }
    }
    Ok(())
}

/// The skills at the front of the words, and what follows.
fn split<'a>(here: &Here, words: &'a [String]) -> Result<(Vec<Skill>, &'a [String])> {
    let mut skills = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_name = !word.contains([' ', '=']) && skills.len() < LONGEST;
        match is_name.then(|| Skill::find(here, word)) {
            Some(Ok(skill)) => skills.push(skill),
            Some(Err(error)) if skills.is_empty() || names_one(here, &words[at + 1..]) => {
                return Err(error);
            }
            _ => return Ok((skills, &words[at..])),
        }
    }
    Ok((skills, &[]))
}

/// Whether a skill is named here: then the word before it is a name that is not known, and no input.
fn names_one(here: &Here, words: &[String]) -> bool {
    words.iter().any(|word| !word.contains([' ', '=']) && Skill::find(here, word).is_ok())
}

fn gather_output(all: &mut Output, skill: &str, output: Output) {
    let said = |sentence: String| format!("{skill}: {sentence}");
    all.notes.extend(output.notes.into_iter().map(said));
    all.open.extend(output.open.into_iter().map(said));
    all.artifacts.extend(output.artifacts);
}

fn finish(here: &Here, call: &SkillCall, made: Made, print: Print) -> Result<Answer> {
    let Made { all, envelopes, .. } = made;
    let answer = said(json!({"chain": envelopes}), &all, call);
    match &call.out {
        Some(out) => {
            // A chain makes several files, so what is named is a folder even where it does not exist yet.
            let folder = out.join("");
            let destination = write::Destination { out: &folder, existing: call.existing };
            write::write_all(here, answer, &all.artifacts, &destination)
        }
        None if print == Print::Text => Ok(Answer { artifact: joined(&all.artifacts), ..answer }),
        None => Ok(answer),
    }
}

/// All artifacts, each under its name.
fn joined(artifacts: &[Artifact]) -> String {
    artifacts.iter().map(|artifact| text::under_name(&artifact.path, &artifact.text)).collect()
}
