//! `flow api start`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::command_output::{CommandOutput, Delivery, Exit, OutputFormat};
use super::invocation::Invocation;
use super::{status, text};
use crate::control::Status;
use crate::daemon::{self, Mode, Note, Outcome, Probe, StartOptions, Taken};
use crate::error::Result;
use crate::project::{Project, ServedFrom, Source};

/// Starts the server of a project.
pub(super) fn start(
    invocation: &Invocation,
    port: Option<u16>,
    mode: Mode,
    output: OutputFormat,
) -> Result<CommandOutput> {
    let project = invocation.project()?;
    let stop = invocation.command("stop");
    let files = FilesAtStart::of(&project);
    let asked = StartOptions { project, port, mode };
    let ready = |status: &Status, notes: &[Note]| {
        files.started(status, notes, &stop).print(output, Delivery::Optional);
    };
    Ok(match daemon::start(asked, ready)? {
        Outcome::Started { status, notes } => files.started(&status, &notes, &stop),
        Outcome::Running(status) => running(&status, port, &stop),
        Outcome::Silent { pid, log } => {
            let next = format!("run: {stop}");
            CommandOutput::refused("silent", &text::silent(pid, &next, &log))
                .with("pid", pid)
                .with("log", log.to_string_lossy())
        }
        Outcome::Taken(taken) => {
            let free = taken.free.map(|port| invocation.command(&format!("start PORT={port}")));
            self::taken(&taken, free)
        }
        Outcome::Served => CommandOutput::quiet(),
    })
}

/// What the user should know of the files that are served.
struct FilesAtStart {
    root: PathBuf,
    /// The sources of which no file is there.
    missing: Vec<String>,
    /// Whose files they are, where they are not the project's own.
    elsewhere: Option<String>,
}

impl FilesAtStart {
    fn of(project: &Project) -> Self {
        let missing = Source::ALL.into_iter().filter(|source| !project.has_file(*source));
        let elsewhere = match project.served_from() {
            ServedFrom::Root => None,
            ServedFrom::MainWorktree => Some(text::main_worktree(project.state_root())),
        };
        Self {
            root: project.root().to_path_buf(),
            missing: missing.map(|source| text::missing(source, project.files(source))).collect(),
            elsewhere,
        }
    }

    /// The sources that cannot be served as they are on disk, once the server runs.
    fn broken(&self) -> Vec<String> {
        let Ok(Probe::Running { socket, .. }) = daemon::probe(&self.root) else {
            return Vec::new();
        };
        let health = status::health(&socket);
        let sources = Source::ALL.into_iter().map(|source| &health["sources"][source.name()]);
        sources.filter_map(text::broken).collect()
    }

    fn started(&self, status: &Status, notes: &[Note], stop: &str) -> CommandOutput {
        let notes: Vec<String> =
            notes.iter().map(text::noted).chain(self.elsewhere.clone()).collect();
        let broken = self.broken();
        let told = notes.iter().chain(&self.missing).map(|sentence| text::note(sentence));
        let warned = broken.iter().map(|sentence| text::warning(sentence));
        CommandOutput {
            exit: Exit::Fine,
            facts: status::facts(status),
            result: text::started(status, "serving", stop),
            message: told.chain(warned).collect(),
            ..CommandOutput::quiet()
        }
        .with("started", true)
        .with("notes", notes)
        .with("missing", self.missing.clone())
        .with("broken", broken)
    }
}

fn running(status: &Status, port: Option<u16>, stop: &str) -> CommandOutput {
    match port {
        Some(port) if port != 0 && port != status.port => {
            let refused =
                CommandOutput::refused("running_elsewhere", &text::elsewhere(status, port, stop));
            refused.with("url", status.url()).with("port", status.port).with("pid", status.pid)
        }
        _ => CommandOutput {
            exit: Exit::Fine,
            facts: status::facts(status),
            result: text::started(status, "already running: serving", stop),
            ..CommandOutput::quiet()
        }
        .with("started", false),
    }
}

fn taken(taken: &Taken, free: Option<String>) -> CommandOutput {
    let project = taken.holder.as_ref().and_then(|holder| {
        let daemons = daemon::list();
        let mut answers = daemons.into_iter().filter_map(|daemon| daemon.answer);
        answers.find(|(status, _)| status.pid == holder.pid).map(|(status, _)| status.project)
    });
    let holder = taken.holder.as_ref().map_or(
        Value::Null,
        |holder| json!({"pid": holder.pid, "name": holder.name, "project": project}),
    );
    CommandOutput::refused("port_taken", &text::taken(taken, project.as_deref(), free.as_deref()))
        .with("port", taken.port)
        .with("holder", holder)
        .with("free_port", taken.free)
        .with("run", free)
}
