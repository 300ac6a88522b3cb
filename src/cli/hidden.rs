//! The hidden commands: parts of the program that run in a process of their own, which limits itself.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::command_output::{CommandOutput, Exit};
use super::history;
use crate::mcp;
use crate::skill::runtime::{git, sandbox};

/// Carries out a hidden command; `None` if the words are none.
pub(super) fn run(words: &[OsString]) -> Option<CommandOutput> {
    let (word, rest) = words.split_first()?;
    let done = match (word.to_str()?, rest) {
        (sandbox::WORD, []) => sandbox::serve(io::stdin()).map_err(|fault| fault.to_string()),
        (git::WORD, words) => Err(git::become_git(words).to_string()),
        (mcp::RUN_SKILL, [root]) => mcp::run_skill(Path::new(root))
            .map(|()| String::new())
            .map_err(|error| format!("could not run the skill: {error}")),
        (history::IMPORT, [root]) => history::import_after_start(Path::new(root))
            .map(|()| String::new())
            .map_err(|error| error.to_string()),
        _ => return None,
    };
    Some(match done {
        Ok(artifact) => CommandOutput { artifact, ..CommandOutput::quiet() },
        Err(message) => CommandOutput { exit: Exit::Refused, message, ..CommandOutput::quiet() },
    })
}
