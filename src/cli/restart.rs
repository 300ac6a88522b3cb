//! `flow api restart`: a stop, then a start on the same port.

use super::args::Launch;
use super::command_output::{CommandOutput, Exit, OutputFormat};
use super::invocation::Invocation;
use super::{start, stop, text};
use crate::daemon::{self, Probe};
use crate::error::Result;

/// Restarts the server of a project, or starts it if none is running. Invalid settings are detected before anything is
/// stopped.
pub(super) fn restart(
    invocation: &Invocation,
    launch: Launch,
    output: OutputFormat,
) -> Result<CommandOutput> {
    invocation.project()?;
    let Probe::Running { status, .. } = daemon::probe(&invocation.root()?)? else {
        let answer = start::start(invocation, launch, output)?;
        return Ok(answer.with("restarted", false));
    };
    let stopped = stop::stop(invocation)?;
    if stopped.exit != Exit::Fine {
        return Ok(stopped);
    }
    // Clients know the port that it had.
    let port = Some(launch.port.unwrap_or(status.port));
    let started = start::start(invocation, Launch { port, ..launch }, output)?;
    if started.exit != Exit::Fine || started.result.is_empty() {
        return Ok(started);
    }
    let note = text::note(&format!("stopped the running server (pid {})", status.pid));
    let message = note + &started.message;
    Ok(CommandOutput { message, ..started }.with("restarted", true).with("stopped_pid", status.pid))
}
