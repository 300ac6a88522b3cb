//! The four files that are served: their names, default paths and limits.

use std::path::{Component, Path, PathBuf};

use crate::model::record::Kind;

/// One of the four files that are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// `status.json`: epics and stories.
    Status,
    /// The session registry.
    Sessions,
    /// The task registry.
    Tasks,
    /// The message log, one JSON object a line.
    Bus,
}

impl Source {
    /// All four, in the order in which they are reported.
    pub const ALL: [Self; 4] = [Self::Status, Self::Sessions, Self::Tasks, Self::Bus];

    /// Its index in [`Source::ALL`], for arrays with one entry per source.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its name in `/api/health`'s `sources`, in `/api/problems` and in `files.<name>` of the settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Sessions => "sessions",
            Self::Tasks => "tasks",
            Self::Bus => "bus",
        }
    }

    /// What it contains, as a phrase.
    pub const fn content(self) -> &'static str {
        match self {
            Self::Status => "epics and stories",
            Self::Sessions => "sessions",
            Self::Tasks => "tasks",
            Self::Bus => "messages, one JSON object a line",
        }
    }

    /// The kinds of its records.
    pub const fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Status => &[Kind::Epic, Kind::Story],
            Self::Sessions => &[Kind::Session],
            Self::Tasks => &[Kind::Task],
            Self::Bus => &[Kind::Message],
        }
    }

    /// Its name in `/api/health`'s `checks`.
    pub const fn check(self) -> &'static str {
        match self {
            Self::Status => "status_file",
            Self::Sessions => "sessions_file",
            Self::Tasks => "tasks_file",
            Self::Bus => "bus_log",
        }
    }

    /// Its default paths; the first that exists is read.
    pub(super) fn default_paths(self, documents: &Path) -> Vec<PathBuf> {
        match self {
            Self::Status => vec![documents.join("09-agents/status.json")],
            Self::Sessions => vec![
                ".flow/sessions/registry.json".into(),
                ".agileflow/sessions/registry.json".into(),
            ],
            Self::Tasks => vec![
                ".flow/state/task-dependencies.json".into(),
                ".agileflow/state/task-dependencies.json".into(),
            ],
            Self::Bus => vec![documents.join("09-agents/bus/log.jsonl")],
        }
    }
}

/// How much of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A JSON document of more bytes is refused; so is a single line of the log. Default 64 MiB.
    pub json_bytes: u64,
    /// A log of more bytes is served as its newest part. Default 256 MiB.
    pub bus_bytes: u64,
    /// A JSON document of more records is refused. Default 2,000,000.
    pub records: u64,
}

impl Limits {
    /// The smaller value of each limit.
    pub(super) fn lower_of(self, other: Self) -> Self {
        Self {
            json_bytes: self.json_bytes.min(other.json_bytes),
            bus_bytes: self.bus_bytes.min(other.bus_bytes),
            records: self.records.min(other.records),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { json_bytes: 64 << 20, bus_bytes: 256 << 20, records: 2_000_000 }
    }
}

/// What a path in the settings may be.
pub(super) const PATHS: &str = "use a relative path without \"..\"";

/// A path in the settings, which must stay inside the root.
pub(super) fn inside(name: &str, text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    let stays =
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let path: PathBuf =
        path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    if !stays || path.as_os_str().is_empty() {
        return Err(format!("{name} is {text:?}, which is not a path inside the project"));
    }
    Ok(path)
}
