//! `flow mcp`: the project for a coding agent, on standard input and output.

use super::command_output::{CommandOutput, OutputFormat};
use super::invocation::Invocation;
use crate::error::{Error, Result};
use crate::mcp;

/// How a coding agent is told of `flow mcp`.
pub(super) const HELP: &str = "\
Claude Code:  claude mcp add flow -- flow mcp
Other agents: the command flow with the arguments mcp, --project and the project's folder
It reads only. The tools give what the API gives; a skill's artifact is text in the answer. No server has to run.";

/// Serves the project until the client is gone.
pub(super) fn mcp(invocation: &Invocation, output: OutputFormat) -> Result<CommandOutput> {
    if output == OutputFormat::Json {
        return Err(Error::Usage(
            "mcp always speaks JSON-RPC on standard output; run it without --json".to_owned(),
        ));
    }
    mcp::serve(invocation.project()?)?;
    Ok(CommandOutput::quiet())
}
