//! `flow api stop`.

use serde_json::json;

use super::command_output::{CommandOutput, Exit};
use super::invocation::Invocation;
use super::status::names;
use super::text;
use crate::daemon::{self, Stopped};
use crate::error::Result;

/// Stops the server of a project.
pub(super) fn stop(invocation: &Invocation) -> Result<CommandOutput> {
    let root = invocation.root()?;
    Ok(match daemon::stop(&root)? {
        Stopped::Gone(status) => CommandOutput {
            exit: Exit::Fine,
            facts: json!({
                "running": false, "stopped": true, "project": status.project, "pid": status.pid,
            }),
            result: text::stopped(&status),
            ..CommandOutput::quiet()
        },
        Stopped::NotRunning { stale } => CommandOutput {
            exit: Exit::Fine,
            facts: json!({
                "running": false, "stopped": false, "project": root.to_string_lossy(),
                "stale": names(&stale),
            }),
            result: text::not_running(&root),
            ..CommandOutput::quiet()
        },
        Stopped::Silent { why, pid, log } => {
            let next = match pid {
                Some(pid) => format!("{why}; to end it, run: kill {pid}"),
                None => why,
            };
            CommandOutput::refused("silent", &text::silent(pid, &next, &log))
                .with("pid", pid)
                .with("log", log.to_string_lossy())
        }
    })
}
