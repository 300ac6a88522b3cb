//! `flow mcp`: the project for a coding agent, on standard input and output.

use super::command_output::{CommandOutput, OutputFormat};
use super::invocation::Invocation;
use crate::error::{Error, Result};
use crate::mcp;

/// Serves the project until the client is gone.
pub(super) fn mcp(invocation: &Invocation, output: OutputFormat) -> Result<CommandOutput> {
    if output == OutputFormat::Json {
        return Err(Error::Usage(
            "mcp speaks JSON-RPC on standard output; leave --json out".to_owned(),
        ));
    }
    mcp::serve(invocation.project()?)?;
    Ok(CommandOutput::quiet())
}
