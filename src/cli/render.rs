//! The hidden command by which a custom template is rendered in a process of its own.

use super::answer::{Answer, Exit};
use crate::skill::runtime::sandbox;

/// Renders the job on standard input.
pub(super) fn render() -> Answer {
    match sandbox::serve(std::io::stdin()) {
        Ok(text) => Answer { artifact: text, ..Answer::quiet() },
        Err(fault) => Answer { exit: Exit::Refused, message: fault.to_string(), ..Answer::quiet() },
    }
}
