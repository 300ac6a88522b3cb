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
            facts: json!({
                "running": false, "stopped": true, "project": status.project, "pid": status.pid,
            }),
            result: text::stopped(&status),
            ..CommandOutput::quiet()
        },
        Stopped::NotRunning { stale } => CommandOutput {
            facts: json!({
                "running": false, "stopped": false, "project": root.to_string_lossy(),
                "stale": names(&stale),
            }),
            result: text::not_running(&root),
            ..CommandOutput::quiet()
        },
        Stopped::Silent(silent) => {
            let refused = CommandOutput::refused("silent", &text::silent(&silent));
            let refused = match silent.pid {
                Some(pid) => refused.advised(&text::kill(pid)),
                None => refused,
            };
            refused.with("pid", silent.pid).with("log", silent.log.to_string_lossy())
        }
    })
}

/// Stops every server of this user, one after the other.
pub(super) fn stop_all() -> CommandOutput {
    let mut all = CommandOutput { facts: json!({}), ..CommandOutput::quiet() };
    let (mut stopped, mut failed) = (Vec::new(), Vec::new());
    for listed in daemon::list() {
        let root = listed.root.to_string_lossy().into_owned();
        let (why, pid) = match daemon::stop(&listed.root) {
            Ok(Stopped::Gone(status)) => {
                all.result.push_str(&text::stopped(&status));
                stopped.push(json!({"project": root, "pid": status.pid}));
                continue;
            }
            // It has stopped by itself in the meantime.
            Ok(Stopped::NotRunning { .. }) => continue,
            Ok(Stopped::Silent(silent)) => (text::silent(&silent), silent.pid),
            Err(error) => (error.to_string(), None),
        };
        all.exit = Exit::Refused;
        all.message.push_str(&text::problem(&format!("{root}: {why}")));
        all.message.extend(pid.map(|pid| text::next(&text::kill(pid))));
        failed.push(json!({"project": root, "error": why}));
    }
    if stopped.is_empty() && failed.is_empty() {
        all.result = text::list(&[]);
    }
    all.with("stopped", stopped).with("failed", failed)
}
