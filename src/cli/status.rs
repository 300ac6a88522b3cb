//! `flow api status`.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::command_output::{CommandOutput, Exit};
use super::counts::Counts;
use super::invocation::Invocation;
use super::text;
use crate::control::{Status, client};
use crate::daemon::{self, Probe, Silent};
use crate::error::Result;
use crate::routes::ROUTES;

/// Prints the status of a project's server.
pub(super) fn status(invocation: &Invocation) -> Result<CommandOutput> {
    let root = invocation.root()?;
    Ok(match daemon::probe(&root)? {
        Probe::Running { status, socket } => {
            let get = |path: &str| client::get(&socket, path).ok().map(|got| got.body);
            running(&status, &health(&socket), Counts::ask(get).as_ref())
        }
        Probe::Stopped { stale } => stopped(invocation, &root, &stale),
        Probe::Silent(found) => silent(invocation, &found),
    })
}

/// The output for a server that holds its lock and does not respond.
pub(super) fn silent(invocation: &Invocation, found: &Silent) -> CommandOutput {
    let refused = CommandOutput::refused("silent", &text::silent(found));
    CommandOutput { exit: Exit::Silent, ..refused }
        .advised(&format!("run: {}", invocation.command("stop")))
        .with("running", true)
        .with("pid", found.pid)
        .with("log", found.log.to_string_lossy())
}

/// The status of a server, for programs.
pub(super) fn facts(status: &Status) -> Value {
    json!({
        "running": true,
        "phase": status.phase,
        "url": status.url(),
        "address": format!("http://127.0.0.1:{}", status.port),
        "page": status.page(),
        "port": status.port,
        "pid": status.pid,
        "project": status.project,
        "log": status.log,
        "version": status.version,
        "uptime_seconds": status.uptime_seconds,
        "generation": status.generation,
    })
}

/// Paths as strings.
pub(super) fn names(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

fn running(status: &Status, health: &Value, counts: Option<&Counts>) -> CommandOutput {
    let endpoints: Map<String, Value> =
        ROUTES.iter().map(|route| (route.path.into(), route.gives.into())).collect();
    CommandOutput {
        facts: facts(status),
        result: text::status(status, health, counts),
        ..CommandOutput::quiet()
    }
    .with("health", health["status"].clone())
    .with("counts", counts.map_or(Value::Null, Counts::facts))
    .with("sources", health["sources"].clone())
    .with("endpoints", endpoints)
}

fn stopped(invocation: &Invocation, root: &Path, stale: &[PathBuf]) -> CommandOutput {
    let start = invocation.command("start");
    CommandOutput {
        exit: Exit::NotRunning,
        facts: json!({
            "running": false, "project": root.to_string_lossy(), "stale": names(stale),
            "run": start,
        }),
        result: text::not_running_yet(root, &start),
        message: if stale.is_empty() { String::new() } else { text::note(&text::stale(stale)) },
        ..CommandOutput::quiet()
    }
}

/// The answer of `/api/health`; `Null` if there is none.
pub(super) fn health(socket: &Path) -> Value {
    let got = client::get(socket, "/api/health").ok();
    got.and_then(|got| serde_json::from_str(&got.body).ok()).unwrap_or_default()
}
