//! A finding: a fault and its remedy.

use std::path::Path;

use crate::cli::invocation::Invocation;
use crate::cli::port_taken::PortTaken;
use crate::cli::text;
use crate::daemon::{Obstacle, Taken};

/// The subject of a finding.
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
    pub(super) fn name(self) -> &'static str {
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

/// A fault and its remedy, each as one sentence without a full stop.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) area: Area,
    pub(super) what: String,
    pub(super) remedy: String,
}

impl Finding {
    pub(super) fn new(area: Area, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { area, what: what.into(), remedy: remedy.into() }
    }
}

/// An obstacle to a start, as a finding.
pub(super) fn obstacle_of_start(invocation: &Invocation, obstacle: &Obstacle) -> Finding {
    match obstacle {
        Obstacle::Refused(why) => Finding::new(
            Area::Rights,
            why,
            "rename or remove it, so that a start can create its folder for the runtime files",
        ),
        Obstacle::Shared { folder, mode } => Finding::new(
            Area::Rights,
            format!(
                "other users can write to {} (mode {mode:o}); lock, socket and log are in the private runtime folder",
                folder.display()
            ),
            format!("if this is not intended, run: chmod go-w {}", text::quoted(folder)),
        ),
        Obstacle::ReadOnly(folder) => read_only(folder),
        Obstacle::NotWritable(folder) => not_writable(folder),
        Obstacle::Private(why) => Finding::new(
            Area::Rights,
            why,
            "it is needed for `flow api list`, and for lock, socket and log where .flow is shared; unset FLOW_RUNTIME_DIR or correct it",
        ),
        Obstacle::Limits(why) => {
            Finding::new(Area::Rights, why, "run: ulimit -f unlimited -v unlimited")
        }
        Obstacle::Port(taken) => port_taken(invocation, taken),
        Obstacle::PortRefused(why) => Finding::new(
            Area::Port,
            why,
            "set a port from 1024 on in .flow/config.json: {\"port\": 3456}",
        ),
        Obstacle::NoWatches(why) => Finding::new(
            Area::Watching,
            format!("file watching is unavailable for this user: {why}; a server polls instead"),
            "stop programs that watch many files, or run as root: sysctl fs.inotify.max_user_instances=1024",
        ),
    }
}

fn read_only(folder: &Path) -> Finding {
    let what = format!(
        "{} is on a read-only file system, and a start writes its runtime files there",
        folder.display()
    );
    let remedy =
        "mount it writable; flow watch, flow api get and flow explain also work without a server";
    Finding::new(Area::Rights, what, remedy)
}

fn not_writable(folder: &Path) -> Finding {
    let what =
        format!("{} is not writable, and a start writes its runtime files there", folder.display());
    Finding::new(Area::Rights, what, format!("run: chmod u+wx {}", text::quoted(folder)))
}

fn port_taken(invocation: &Invocation, taken: &Taken) -> Finding {
    let PortTaken { what, run, keep, .. } = PortTaken::of(invocation, taken);
    let run = run.unwrap_or_else(|| "flow api start PORT=n, with a port that is free".to_owned());
    let keep = keep.map(|keep| format!("; {keep}")).unwrap_or_default();
    Finding::new(Area::Port, what, format!("run: {run}{keep}"))
}
