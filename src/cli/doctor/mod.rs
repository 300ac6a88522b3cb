//! `flow doctor`: everything that keeps a project from being served as it is on disk, each with its remedy.

mod files;
mod server;

use serde_json::{Value, json};

use super::command_output::{CommandOutput, Exit};
use super::invocation::Invocation;
use super::terminal::{Size, wrapped};
use super::text::{self, escape};
use crate::daemon::{self, Obstacle, obstacles};
use crate::error::Result;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Area {
    Project,
    Settings,
    Files,
    Watching,
    Port,
    Rights,
    Runtime,
    Server,
    Version,
}

impl Area {
    fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Settings => "settings",
            Self::Files => "files",
            Self::Watching => "watching",
            Self::Port => "port",
            Self::Rights => "rights",
            Self::Runtime => "runtime files",
            Self::Server => "server",
            Self::Version => "version",
        }
    }
}

/// Something that is wrong, and what to do about it. Each is one sentence without a final stop.
#[derive(Debug)]
pub(super) struct Finding {
    area: Area,
    what: String,
    remedy: String,
}

impl Finding {
    pub(super) fn new(area: Area, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { area, what: what.into(), remedy: remedy.into() }
    }
}

/// Examines the project.
pub(super) fn doctor(invocation: &Invocation) -> Result<CommandOutput> {
    Ok(answer(&findings(invocation)))
}

fn findings(invocation: &Invocation) -> Vec<Finding> {
    let root = match invocation.root() {
        Ok(root) => root,
        Err(error) => {
            let remedy = "name the project's folder: flow doctor --project DIR";
            return vec![Finding::new(Area::Project, error.to_string(), remedy)];
        }
    };
    let mut found: Vec<Finding> =
        obstacles(&root).iter().map(|obstacle| obstacle_of_start(invocation, obstacle)).collect();
    let project = match invocation.project() {
        Ok(project) => Some(project),
        Err(error) => {
            let remedy = "correct it, then run flow doctor again: files and port are checked with right settings only";
            found.push(Finding::new(Area::Settings, error.to_string(), remedy));
            None
        }
    };
    // A folder that is refused is among the obstacles already.
    let look = daemon::probe(&root).ok();
    if let Some(look) = &look {
        found.extend(server::findings(invocation, look, project.as_ref()));
    }
    if let Some(project) = &project {
        found.extend(files::findings(invocation, look.as_ref(), project));
    }
    found
}

fn obstacle_of_start(invocation: &Invocation, obstacle: &Obstacle) -> Finding {
    match obstacle {
        Obstacle::Refused(why) => Finding::new(
            Area::Rights,
            why,
            "move it away, so that a start can make a folder of its own for the runtime files",
        ),
        Obstacle::Shared { folder, mode } => Finding::new(
            Area::Rights,
            format!(
                "other users can write to {} (mode {mode:o}); lock, socket and log are kept elsewhere",
                folder.display()
            ),
            format!("if that is not meant, run: chmod go-w {}", text::quoted(folder)),
        ),
        Obstacle::ReadOnly(folder) => Finding::new(
            Area::Rights,
            format!(
                "nothing can be written to {}, where a start puts its runtime files",
                folder.display()
            ),
            format!("run: chmod u+wx {}", text::quoted(folder)),
        ),
        Obstacle::Private(why) => Finding::new(
            Area::Rights,
            why,
            "it is needed for `flow api list`, and for lock, socket and log where .flow is shared; unset FLOW_RUNTIME_DIR or correct it",
        ),
        Obstacle::Limits(why) => {
            Finding::new(Area::Rights, why, "run: ulimit -f unlimited -v unlimited")
        }
        Obstacle::Port(taken) => {
            let who = taken.holder.as_ref().map_or_else(
                || "a process that cannot be seen from here".to_owned(),
                |holder| format!("{} (pid {})", holder.name, holder.pid),
            );
            let free = taken.free.unwrap_or_default();
            let start = invocation.command(&format!("start PORT={free}"));
            Finding::new(
                Area::Port,
                format!("port {} is taken by {who}", taken.port),
                format!(
                    "run: {start}, or keep another port with {{\"port\": {free}}} in .flow/config.json"
                ),
            )
        }
        Obstacle::PortRefused(why) => Finding::new(
            Area::Port,
            why,
            "name another port in .flow/config.json, from 1024 on: {\"port\": 3456}",
        ),
        Obstacle::NoWatches(why) => Finding::new(
            Area::Watching,
            format!(
                "the system watches no more files for this user: {why}; a server polls instead"
            ),
            "end programs that watch many files, or as root run: sysctl fs.inotify.max_user_instances=1024",
        ),
    }
}

fn answer(findings: &[Finding]) -> CommandOutput {
    let rows: Vec<Value> = findings
        .iter()
        .map(|found| json!({"area": found.area.name(), "finding": found.what, "remedy": found.remedy}))
        .collect();
    let facts = json!({"count": rows.len(), "findings": rows});
    if findings.is_empty() {
        return CommandOutput { facts, ..CommandOutput::shown("no findings\n".to_owned()) };
    }
    let width = Size::of_output().width;
    let shown = |found: &Finding| {
        let name = found.area.name();
        let what = wrapped(&escape(&found.what), name.len() + 2, width);
        let remedy = wrapped(&escape(&found.remedy), 2, width);
        format!("{}: {what}\n  {remedy}\n", text::emphasis(name))
    };
    let result = findings.iter().map(shown).collect();
    CommandOutput { exit: Exit::Refused, facts, ..CommandOutput::shown(result) }
}
