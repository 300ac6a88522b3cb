//! `flow api start`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::args::Launch;
use super::command_output::{CommandOutput, Delivery, OutputFormat};
use super::invocation::Invocation;
use super::port_taken::PortTaken;
use super::{history, status, text};
use crate::control::Status;
use crate::daemon::{self, Note, Outcome, Probe, StartOptions, Taken};
use crate::error::{Error, Result};
use crate::git_plans::GitPlans;
use crate::project::{History, Project, ServedFrom, Source};

/// Starts the server of a project.
pub(super) fn start(
    invocation: &Invocation,
    launch: Launch,
    output: OutputFormat,
) -> Result<CommandOutput> {
    let Launch { port, mode, history } = launch;
    let mut project = invocation.project()?;
    if history == History::Off {
        project = project.without_history();
    }
    let stop = invocation.command("stop");
    let files = FilesAtStart::of(&project);
    let asked =
        StartOptions { project: project.clone(), port, mode, common: Some(Box::new(GitPlans)) };
    let ready = |status: &Status, notes: &[Note]| {
        files.started(status, notes, &stop).print(output, Delivery::Optional);
        history::import_in_background(&project);
    };
    let outcome = match daemon::start(asked, ready) {
        Err(error @ Error::Io { .. }) => return Ok(refused_by_system(&error)),
        outcome => outcome?,
    };
    Ok(match outcome {
        Outcome::Started { status, notes } => {
            history::import_in_background(&project);
            files.started(&status, &notes, &stop)
        }
        Outcome::Running(status) => running(&status, port, &stop),
        Outcome::Silent(silent) => CommandOutput::refused("silent", &text::silent(&silent))
            .advised(&format!("run: {stop}"))
            .with("pid", silent.pid)
            .with("log", silent.log.to_string_lossy()),
        Outcome::Taken(taken) => self::taken(invocation, &taken),
        Outcome::Served => CommandOutput::quiet(),
    })
}

/// What the user should know about the files that are served.
struct FilesAtStart {
    root: PathBuf,
    /// The sources without a file.
    missing: Vec<String>,
    /// What to say where that is all of them.
    none: Option<String>,
    /// Whose files they are, where they are not the project's own.
    elsewhere: Option<String>,
}

impl FilesAtStart {
    fn of(project: &Project) -> Self {
        let missing = Source::ALL.into_iter().filter(|source| !project.has_file(*source));
        let missing: Vec<String> =
            missing.map(|source| text::missing(source, project.files(source))).collect();
        let elsewhere = match project.served_from() {
            ServedFrom::Root => None,
            ServedFrom::MainWorktree => Some(text::main_worktree(project.state_root())),
        };
        Self {
            root: project.root().to_path_buf(),
            none: (missing.len() == Source::ALL.len()).then(|| text::no_files(project)),
            missing,
            elsewhere,
        }
    }

    /// The health of the sources, once the server is running.
    fn health(&self) -> Value {
        match daemon::probe(&self.root) {
            Ok(Probe::Running { socket, .. }) => status::health(&socket),
            _ => Value::Null,
        }
    }

    fn started(&self, status: &Status, notes: &[Note], stop: &str) -> CommandOutput {
        let notes: Vec<String> =
            notes.iter().map(text::noted).chain(self.elsewhere.clone()).collect();
        let mut health = self.health();
        let beside: Vec<String> =
            serde_json::from_value(health["formats_not_read"].take()).unwrap_or_default();
        let sources = health["sources"].as_object().cloned().unwrap_or_default();
        let is_format = |name: &String| Source::ALL.iter().all(|source| source.name() != *name);
        let formats: Vec<String> = sources.keys().filter(|name| is_format(name)).cloned().collect();
        let health: Vec<&Value> = sources.values().collect();
        let broken: Vec<String> = health.iter().copied().filter_map(text::broken).collect();
        let doubtful: Vec<String> = health.iter().copied().filter_map(text::doubtful).collect();
        // A plan of another tool stands in for the files.
        let none = self.none.clone().filter(|_| formats.is_empty());
        let missing = if self.none.is_some() { &[][..] } else { &self.missing };
        let mut notes = notes;
        let read = formats.iter().map(|name| text::format_read(name, &sources[name]));
        notes.extend(read);
        let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
        notes.extend(text::formats_beside(&beside));
        let told = notes.iter().chain(missing).map(|sentence| text::note(sentence));
        let told = told.chain(none);
        let warned = broken.iter().chain(&doubtful).map(|sentence| text::warning(sentence));
        CommandOutput {
            facts: status::facts(status),
            result: text::started(status, "serving", stop),
            message: told.chain(warned).collect(),
            ..CommandOutput::quiet()
        }
        .with("started", true)
        .with("notes", notes)
        .with("missing", self.missing.clone())
        .with("broken", broken)
        .with("doubtful", doubtful)
        .with("formats", formats)
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
            facts: status::facts(status),
            result: text::started(status, "already running: serving", stop),
            ..CommandOutput::quiet()
        }
        .with("started", false),
    }
}

fn taken(invocation: &Invocation, taken: &Taken) -> CommandOutput {
    let PortTaken { what, holder, project, run, keep } = PortTaken::of(invocation, taken);
    let holder = holder.map_or(
        Value::Null,
        |holder| json!({"pid": holder.pid, "name": holder.name, "project": project}),
    );
    let advice = run.iter().map(|command| format!("run: {command}")).chain(keep.clone());
    advice
        .fold(CommandOutput::refused("port_taken", &what), |refused, next| refused.advised(&next))
        .with("port", taken.port)
        .with("holder", holder)
        .with("free_port", taken.free)
        .with("run", run)
        .with("keep", keep)
}

/// What the system refused. `flow doctor` knows more of the usual reasons.
fn refused_by_system(error: &Error) -> CommandOutput {
    CommandOutput::failed(error).advised("for the reason and a remedy, run: flow doctor")
}
