//! `flow mcp`: the project for a coding agent, on standard input and output.

use super::command_output::{CommandOutput, OutputFormat};
use super::invocation::Invocation;
use crate::error::{Error, Result};
use crate::mcp;

/// How to register `flow mcp` with a coding agent.
pub(super) const HELP: &str = "\
Claude Code:  claude mcp add flow -- flow mcp
Other agents: the command flow with the arguments mcp, --project and the project's folder
It is read-only and needs no running server. The tools return the API's data; a skill's artifact is text in the answer.";

/// Serves the project until the client disconnects.
pub(super) fn mcp(invocation: &Invocation, output: OutputFormat) -> Result<CommandOutput> {
    if output == OutputFormat::Json {
        return Err(Error::Usage(
            "mcp writes JSON-RPC to standard output; run it without --json".to_owned(),
        ));
    }
    mcp::serve(invocation.project()?)?;
    Ok(CommandOutput::quiet())
}
