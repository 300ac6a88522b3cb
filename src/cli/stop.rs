//! `flow api stop`.

use serde_json::json;

use super::Here;
use super::answer::{Answer, Exit};
use super::status::names;
use super::text;
use crate::daemon::{self, Stopped};
use crate::error::Result;

/// Stops the server of a project.
pub(super) fn stop(here: &Here) -> Result<Answer> {
    let root = here.root()?;
    Ok(match daemon::stop(&root)? {
        Stopped::Gone(status) => Answer {
            exit: Exit::Fine,
            facts: json!({
                "running": false, "stopped": true, "project": status.project, "pid": status.pid,
            }),
            result: text::stopped(&status),
            ..Answer::quiet()
        },
        Stopped::NotRunning { stale } => Answer {
            exit: Exit::Fine,
            facts: json!({
                "running": false, "stopped": false, "project": root.to_string_lossy(),
                "stale": names(&stale),
            }),
            result: text::not_running(&root),
            ..Answer::quiet()
        },
        Stopped::Silent { why, pid, log } => {
            let next = match pid {
                Some(pid) => format!("{why}; to end it, run: kill {pid}"),
                None => why,
            };
            Answer::refused("silent", &text::silent(pid, &next, &log))
                .with("pid", pid)
                .with("log", log.to_string_lossy())
        }
    })
}
