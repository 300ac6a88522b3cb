//! What the user gave to a skill: a file or a pipe, text, `key=value` words, the time and the project.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

use super::super::Here;
use super::super::args::SkillCall;
use super::find::Skill;
use super::usage;
use crate::error::{Error, Result};
use crate::model::time::{self, Edge};
use crate::skill::input::{Context, Input, LARGEST};
use crate::skill::project_state::recorded;
use crate::skill::project_state::state::State;
use crate::skill::read;

/// What standard input means where it is no terminal and nothing else is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pipe {
    /// It is the input.
    Input,
    /// It is read only where `--input -` says so.
    PassedOver,
}

/// Everything that the user gave: a file or a pipe first, text and `key=value` words over it.
pub(super) fn gather(skill: &Skill, call: &SkillCall, words: &[String]) -> Result<Input> {
    let fields = skill.fields();
    let (pairs, plain): (Vec<_>, Vec<_>) = words.iter().partition(|word| pair(word).is_some());
    let mut input = match &call.input {
        Some(path) => {
            read::read(&bytes(path)?, call.format, fields).map_err(|fault| usage(&fault))?
        }
        None if plain.is_empty()
            && pairs.is_empty()
            && call.from_story.is_none()
            && skill.pipe() == Pipe::Input
            && !is_terminal() =>
        {
            read::read(&bytes(Path::new("-"))?, call.format, fields)
                .map_err(|fault| usage(&fault))?
        }
        None => Input::default(),
    };
    if !plain.is_empty() {
        let text = plain.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
        let given =
            read::read(text.as_bytes(), call.format, fields).map_err(|fault| usage(&fault))?;
        input.fields.extend(given.fields);
        input.upstream = given.upstream.or(input.upstream);
    }
    for pair in pairs.iter().filter_map(|word| pair(word)) {
        read::assign(&mut input, pair, fields).map_err(|fault| usage(&fault))?;
    }
    if let Some(id) = &call.from_story {
        input.fields.insert(recorded::FIELD.into(), id.as_str().into());
    }
    Ok(input)
}

fn is_terminal() -> bool {
    std::io::IsTerminal::is_terminal(&std::io::stdin())
}

/// `key=value`, where the key is a name; a sentence with an equals sign is none.
pub(super) fn pair(word: &str) -> Option<(&str, &str)> {
    let (key, value) = word.split_once('=')?;
    let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    is_name.then_some((key, value))
}

fn bytes(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = LARGEST as u64 + 1;
    let read = if path == Path::new("-") {
        std::io::stdin().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map(|_| bytes)
        .map_err(|error| Error::Usage(format!("could not read {}: {error}", path.display())))
}

/// What a skill may know beside its input.
pub(super) fn context(here: &Here, call: &SkillCall, state: State) -> Result<Context> {
    let now = match &call.now {
        None => time::format(SystemTime::now()),
        Some(text) if time::parse(text, Edge::Start).is_some() => moment(text),
        Some(text) => {
            return Err(Error::Usage(format!(
                "--now is {text:?}, but must be an RFC 3339 time or a date"
            )));
        }
    };
    Ok(Context { now, state, folder: here.current.clone() })
}

/// A date alone means its beginning.
fn moment(text: &str) -> String {
    if text.len() == 10 { format!("{text}T00:00:00Z") } else { text.to_owned() }
}
