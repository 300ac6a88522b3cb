//! Faults of the running server, or of the files that one left.

use serde_json::Value;

use super::finding::{Area, Finding, obstacle_of_start};
use crate::cli::invocation::Invocation;
use crate::cli::{status, text};
use crate::control::Status;
use crate::daemon::{self, LogReader, Probe};
use crate::project::{DEFAULT_PORT, Project};

/// The first message in the log of each successful start.
const READY: &str = "ready";

/// The findings. If no server is running, they include whether its port is free.
pub(super) fn findings(
    invocation: &Invocation,
    look: &Probe,
    project: Option<&Project>,
) -> Vec<Finding> {
    match look {
        Probe::Running { status, socket } => {
            let mut found: Vec<Finding> = version(invocation, status).into_iter().collect();
            found.extend(project.and_then(|project| other_port(invocation, status, project)));
            if status::health(socket)["watcher"] == "poll" {
                found.push(Finding::new(
                    Area::Watching,
                    "file watching is unavailable; the server polls the files every 250 ms",
                    format!(
                        "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches with sysctl, then run: {}",
                        invocation.command("restart")
                    ),
                ));
            }
            found.extend(errors_in_log(invocation));
            found
        }
        Probe::Silent(silent) => {
            let next = match silent.pid {
                Some(pid) => {
                    format!("run: {}; if it keeps running: kill {pid}", invocation.command("stop"))
                }
                None => format!("run: {}", invocation.command("stop")),
            };
            vec![Finding::new(Area::Server, text::silent(silent), next)]
        }
        Probe::Stopped { stale } => {
            let mut found = Vec::new();
            if !stale.is_empty() {
                let start = format!("run: {}", invocation.command("start"));
                found.push(Finding::new(Area::Runtime, text::stale(stale), start));
            }
            let port = project.map(|project| project.port().unwrap_or(DEFAULT_PORT));
            let obstacle = port.and_then(daemon::port_obstacle);
            found.extend(obstacle.map(|obstacle| obstacle_of_start(invocation, &obstacle)));
            found
        }
    }
}

fn version(invocation: &Invocation, status: &Status) -> Option<Finding> {
    let of_program = env!("CARGO_PKG_VERSION");
    (status.version != of_program).then(|| {
        Finding::new(
            Area::Version,
            format!(
                "the server has version {}, and this program has version {of_program}",
                status.version
            ),
            format!("run: {}", invocation.command("restart")),
        )
    })
}

/// A port in the settings that differs from the server's. The server may have been started on another one on purpose,
/// so only the settings are mentioned.
fn other_port(invocation: &Invocation, status: &Status, project: &Project) -> Option<Finding> {
    let port = project.port().filter(|port| *port != 0 && *port != status.port)?;
    Some(Finding::new(
        Area::Port,
        format!("the settings give port {port}, but the server runs on port {}", status.port),
        format!("run: {}", invocation.command(&format!("restart PORT={port}"))),
    ))
}

/// The errors that the server has logged since its last start.
fn errors_in_log(invocation: &Invocation) -> Option<Finding> {
    let bytes = LogReader::find(&invocation.root().ok()?).ok()??.read().ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let of_this_run = lines.take_while(|line| line["fields"]["message"] != READY);
    let errors: Vec<Value> = of_this_run.filter(|line| line["level"] == "ERROR").collect();
    let last = errors.first()?["fields"]["message"].as_str().unwrap_or_default();
    Some(Finding::new(
        Area::Server,
        format!(
            "the server has logged {} errors since its start, the last one: {last}",
            errors.len()
        ),
        format!("run: {}", invocation.command("logs")),
    ))
}
