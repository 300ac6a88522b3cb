//! `flow skill chain A B C`: each skill reads the output of the previous one; every artifact is printed or written.

use serde_json::{Value, json};

use super::super::args::SkillCall;
use super::super::command_output::{CommandOutput, OutputFormat};
use super::super::invocation::Invocation;
use super::find::find;
use super::result::reported;
use super::runnable::Skill;
use super::{context, input, state, text, write};
use crate::error::{Error, Result};
use crate::skill::generator;
use crate::skill::input::definition::Request;
use crate::skill::input::given::Given;
use crate::skill::output::{Artifact, Fault, Output};
use crate::skill::project_state::Context;

/// Largest number of skills in a chain.
const LONGEST: usize = 16;

/// Runs the skills that the words name; the remaining words are the input of the first.
pub(super) fn chain(
    invocation: &Invocation,
    call: &SkillCall,
    words: &[String],
    format: OutputFormat,
) -> Result<CommandOutput> {
    let (skills, rest) = split(invocation, words)?;
    let Some(first) = skills.first() else { return Err(Error::Usage(text::name_missing("chain"))) };
    let (assigned_words, mut rest): (Vec<String>, Vec<String>) =
        rest.iter().cloned().partition(|word| assigned(word, &skills).is_some());
    possible(&skills)?;
    let of_first = assigned_words.iter().filter_map(|word| assigned(word, &skills));
    let of_first = of_first.filter(|(skill, _)| *skill == 0);
    rest.extend(of_first.map(|(_, (name, text))| format!("{name}={text}")));
    let input = input::collect_input(first, call, &rest).map_err(|error| match error {
        Error::Usage(why) => Error::Usage(text::for_later(&why, &for_later(&skills, &rest))),
        other => other,
    })?;
    let given = ChainInput { first: input, assigned: assigned_words };
    let made = state::with(invocation, |state| {
        // A chain writes to a folder, so no file is its subject.
        run(&skills, &given, &Context { out: None, ..context::read(invocation, call, state)? })
    })?;
    let broken = made.broken.clone();
    let answer = finish(invocation, call, made, format)?;
    Ok(match broken {
        None => answer,
        Some(why) => answer.broken_off(&why),
    })
}

/// The input of a chain.
struct ChainInput {
    /// The input of the first skill.
    first: Given,
    /// Words such as `changelog-entry.version=1.0.0`, for one of the skills; those for the first are in its input.
    assigned: Vec<String>,
}

/// The index of the skill that a word names, with the word's key and value.
fn assigned<'a>(word: &'a str, skills: &[Skill]) -> Option<(usize, (&'a str, &'a str))> {
    let (name, rest) = word.split_once('.')?;
    let at = skills.iter().position(|skill| skill.name() == name)?;
    Some((at, input::pair(rest)?))
}

/// The words without a skill that a later skill has a field for, as they are written for that skill.
fn for_later(skills: &[Skill], words: &[String]) -> Vec<String> {
    let of_skill = |word: &String| {
        let (key, value) = input::pair(word)?;
        let skill = skills.iter().skip(1).find(|skill| skill.has_field(key))?;
        Some(format!("{}.{key}={value}", skill.name()))
    };
    words.iter().filter_map(of_skill).collect()
}

/// The output of a chain.
#[derive(Default)]
struct Made {
    all: Output,
    /// The envelope of each skill.
    envelopes: Vec<Value>,
    /// Why the chain stopped early; the output until then is kept.
    broken: Option<String>,
}

/// Runs skills one after the other.
fn run(skills: &[Skill], given: &ChainInput, context: &Context) -> Result<Made> {
    let mut made = Made::default();
    for (at, skill) in skills.iter().enumerate() {
        let input = input(given, skills, at, made.envelopes.last());
        match input.and_then(|input| link(skill, &input, context)) {
            Ok((output, envelope)) => {
                made.envelopes.push(envelope);
                merge(&mut made.all, skill.name(), output);
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

/// The input of a skill of the chain: the chain's own, or the output of the previous skill and the words that name it.
fn input(
    given: &ChainInput,
    skills: &[Skill],
    at: usize,
    before: Option<&Value>,
) -> Result<Given, Fault> {
    let Some(before) = before else { return Ok(given.first.clone()) };
    let all = given.assigned.iter().filter_map(|word| assigned(word, skills));
    let pairs = all.filter(|(skill, _)| *skill == at);
    let request = Request {
        contents: vec![before.to_string().into_bytes()],
        pairs: pairs.map(|(_, (name, text))| (name.to_owned(), text.to_owned())).collect(),
        ..Request::default()
    };
    skills[at].place(&request)
}

/// Runs one skill of a chain.
fn link(skill: &Skill, input: &Given, context: &Context) -> Result<(Output, Value), Fault> {
    let output = skill.run(input, context)?;
    let envelope = skill.envelope(input, &output);
    Ok((output, envelope))
}

/// Checks that each skill accepts the output of the previous one.
fn possible(skills: &[Skill]) -> Result<()> {
    for pair in skills.windows(2) {
        let [Skill::BuiltIn(before), Skill::BuiltIn(after)] = pair else { continue };
        if !after.input.accepts.contains(&before.gives) {
            let could: Vec<&str> =
                generator::followers(before.gives).map(|skill| skill.name).collect();
            return Err(Error::Usage(text::impossible_chain(before, after, &could)));
        }
    }
    Ok(())
}

/// The skills at the beginning of the words, and the remaining words.
fn split<'a>(invocation: &Invocation, words: &'a [String]) -> Result<(Vec<Skill>, &'a [String])> {
    let mut skills = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_name = !word.contains([' ', '=']) && skills.len() < LONGEST;
        match is_name.then(|| find(invocation, word)) {
            Some(Ok(skill)) => skills.push(skill),
            Some(Err(error)) if skills.is_empty() || names_one(invocation, &words[at + 1..]) => {
                return Err(error);
            }
            _ => return Ok((skills, &words[at..])),
        }
    }
    Ok((skills, &[]))
}

/// Whether one of the words is a skill's name: then the word before it is an unknown name rather than input.
fn names_one(invocation: &Invocation, words: &[String]) -> bool {
    words.iter().any(|word| !word.contains([' ', '=']) && find(invocation, word).is_ok())
}

fn merge(all: &mut Output, skill: &str, output: Output) {
    let named = |sentence: String| format!("{skill}: {sentence}");
    all.notes.extend(output.notes.into_iter().map(named));
    all.open.extend(output.open.into_iter().map(named));
    all.artifacts.extend(output.artifacts);
}

fn finish(
    invocation: &Invocation,
    call: &SkillCall,
    made: Made,
    format: OutputFormat,
) -> Result<CommandOutput> {
    let Made { all, envelopes, .. } = made;
    let answer = reported(json!({"chain": envelopes}), &all, call);
    match &call.out {
        Some(out) => {
            // A chain writes several files, so its path is a folder even if it does not exist yet.
            let folder = out.join("");
            let destination = write::Destination { out: &folder, force: call.force };
            write::write_all(invocation, answer, &all.artifacts, &destination)
        }
        None if format == OutputFormat::Text => {
            Ok(CommandOutput { artifact: joined(&all.artifacts), ..answer })
        }
        None => Ok(answer),
    }
}

/// All artifacts, each under its name.
fn joined(artifacts: &[Artifact]) -> String {
    artifacts.iter().map(|artifact| text::under_name(&artifact.path, &artifact.text)).collect()
}
