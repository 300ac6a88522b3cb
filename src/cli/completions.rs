//! `flow completions SHELL`.

use clap_complete::Shell;

use super::answer::Answer;
use super::args;

/// The completions for a shell.
pub(super) fn completions(shell: Shell) -> Answer {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::definition_for_shells(), "flow", &mut script);
    Answer::shown(String::from_utf8_lossy(&script).into_owned())
}
