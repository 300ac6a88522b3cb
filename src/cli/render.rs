//! The hidden command that renders a custom template in a child process.

use super::command_output::{CommandOutput, Exit};
use crate::skill::runtime::sandbox;

/// Renders the job on standard input.
pub(super) fn render() -> CommandOutput {
    match sandbox::serve(std::io::stdin()) {
        Ok(text) => CommandOutput { artifact: text, ..CommandOutput::quiet() },
        Err(fault) => CommandOutput {
            exit: Exit::Refused,
            message: fault.to_string(),
            ..CommandOutput::quiet()
        },
    }
}
