//! The project: its absolute root, its settings, and every path under it.
//!
//! It finds the root and reads `.flow/config.json`. It neither reads nor watches the state files (that is
//! [`crate::store`]) and creates nothing.

use std::fs;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use nix::fcntl::OFlag;
use serde::Deserialize;

use crate::error::{Error, Result};

/// The port where nothing else is said.
pub const DEFAULT_PORT: u16 = 3456;
/// Largest `.flow/config.json` that is read, in bytes.
const CONFIG_BYTES: u64 = 64 * 1024;
/// Names that mark a project root, in one folder; any of them is enough.
const MARKS: [&str; 3] = [".flow", ".agileflow", "docs/09-agents"];
/// The largest limit that may be set, in bytes: offsets into a document are 32 bits wide.
const LARGEST_LIMIT: u64 = 2 * 1024 * 1024 * 1024;

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

    /// Its place in [`Source::ALL`], for arrays with one entry a source.
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

    /// Its name in `/api/health`'s `checks`.
    pub const fn check(self) -> &'static str {
        match self {
            Self::Status => "status_file",
            Self::Sessions => "sessions_file",
            Self::Tasks => "tasks_file",
            Self::Bus => "bus_log",
        }
    }

    /// Where it lies unless the settings say otherwise: the first of these that exists.
    const fn default_paths(self) -> &'static [&'static str] {
        match self {
            Self::Status => &["docs/09-agents/status.json"],
            Self::Sessions => {
                &[".flow/sessions/registry.json", ".agileflow/sessions/registry.json"]
            }
            Self::Tasks => {
                &[".flow/state/task-dependencies.json", ".agileflow/state/task-dependencies.json"]
            }
            Self::Bus => &["docs/09-agents/bus/log.jsonl"],
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
}

impl Default for Limits {
    fn default() -> Self {
        Self { json_bytes: 64 << 20, bus_bytes: 256 << 20 }
    }
}

/// A project folder and what was decided about it.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
    port: Option<u16>,
    files: [Vec<PathBuf>; 4],
    limits: Limits,
}

fn default_files() -> [Vec<PathBuf>; 4] {
    Source::ALL.map(|source| source.default_paths().iter().map(PathBuf::from).collect())
}

/// `.flow/config.json` as written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Config {
    port: Option<u16>,
    files: ConfigFiles,
    limits: ConfigLimits,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfigFiles {
    status: Option<String>,
    bus: Option<String>,
    sessions: Option<String>,
    tasks: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfigLimits {
    json_bytes: Option<u64>,
    bus_bytes: Option<u64>,
}

impl Project {
    /// Opens the project at `named`, or finds the one that `from` lies in.
    ///
    /// # Errors
    /// When the folder does not exist, when only the home folder or `/` could be meant, or when the settings
    /// cannot be used.
    pub fn open(named: Option<&Path>, from: &Path, home: Option<&Path>) -> Result<Self> {
        Self::with_config(Self::find(named, from, home)?)
    }

    /// The root alone, for those who must not depend on the settings: a daemon can be stopped whatever they say.
    ///
    /// # Errors
    /// When the folder does not exist, or only the home folder or `/` could be meant.
    pub fn find(named: Option<&Path>, from: &Path, home: Option<&Path>) -> Result<PathBuf> {
        let root = match named {
            Some(path) => from.join(path),
            None => find_root(from, home)?,
        };
        let root = fs::canonicalize(&root)
            .map_err(|e| Error::path("open the project folder", &root, e))?;
        if !root.is_dir() {
            return Err(Error::Usage(format!("the project {} is not a folder", root.display())));
        }
        Ok(root)
    }

    fn with_config(root: PathBuf) -> Result<Self> {
        let path = root.join(".flow/config.json");
        let config = read_config(&path)?;
        let wrong = |reason| Error::Config { path: path.clone(), reason };
        let given =
            [&config.files.status, &config.files.sessions, &config.files.tasks, &config.files.bus];
        let mut files = default_files();
        for (source, given) in Source::ALL.into_iter().zip(given) {
            if let Some(text) = given {
                files[source.index()] = vec![inside(source, text).map_err(wrong)?];
            }
        }
        let limits = limits(&config.limits).map_err(wrong)?;
        Ok(Self { root, port: config.port, files, limits })
    }

    /// A project without settings. Nothing is looked up: what lies at the root may be in memory alone.
    pub fn plain(root: PathBuf) -> Self {
        Self { root, port: None, files: default_files(), limits: Limits::default() }
    }

    /// The root: absolute, without links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The port that the settings name.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// How much of a file is read.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Where a source may lie, relative to the root: the first that exists is served.
    pub fn files(&self, source: Source) -> &[PathBuf] {
        &self.files[source.index()]
    }
}

fn find_root(from: &Path, home: Option<&Path>) -> Result<PathBuf> {
    let allowed = |dir: &&Path| dir.parent().is_some() && Some(*dir) != home;
    let marked = |dir: &&Path| MARKS.iter().any(|mark| dir.join(mark).is_dir());
    let above = || from.ancestors().filter(allowed);
    above()
        .find(marked)
        .or_else(|| above().find(|dir| dir.join(".git").exists()))
        .or_else(|| Some(from).filter(allowed))
        .map(Path::to_path_buf)
        .ok_or_else(|| {
            Error::Usage(format!(
                "{} is never taken for a project by itself; name it with --project if you mean it",
                from.display()
            ))
        })
}

fn read_config(path: &Path) -> Result<Config> {
    let unreadable = |e| Error::path("read", path, e);
    match fs::metadata(path) {
        Ok(there) if there.is_file() => {}
        // A cloned project may hold a link to a device, or to something that keeps a reader for ever.
        Ok(_) => return Err(refused(path, "it is not a regular file")),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(Config::default());
        }
        Err(e) => return Err(unreadable(e)),
    }
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = fs::OpenOptions::new().read(true).custom_flags(flags.bits()).open(path);
    let mut text = Vec::new();
    file.and_then(|file| file.take(CONFIG_BYTES + 1).read_to_end(&mut text)).map_err(unreadable)?;
    if text.len() as u64 > CONFIG_BYTES {
        return Err(refused(path, &format!("it is over {CONFIG_BYTES} bytes")));
    }
    serde_json::from_slice(&text).map_err(|e| refused(path, &e.to_string()))
}

fn refused(path: &Path, reason: &str) -> Error {
    Error::Config { path: path.into(), reason: reason.into() }
}

/// A path of the settings, which must stay inside the root.
fn inside(source: Source, text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    let stays =
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if text.is_empty() || !stays {
        return Err(format!(
            "files.{} is {text:?}, which is not a path inside the project (relative, without \"..\")",
            source.name()
        ));
    }
    Ok(path.components().filter(|part| matches!(part, Component::Normal(_))).collect())
}

fn limits(given: &ConfigLimits) -> Result<Limits, String> {
    let Limits { json_bytes, bus_bytes } = Limits::default();
    Ok(Limits {
        json_bytes: limit("json_bytes", given.json_bytes.unwrap_or(json_bytes))?,
        bus_bytes: limit("bus_bytes", given.bus_bytes.unwrap_or(bus_bytes))?,
    })
}

fn limit(name: &str, bytes: u64) -> Result<u64, String> {
    if (1..=LARGEST_LIMIT).contains(&bytes) {
        return Ok(bytes);
    }
    Err(format!("limits.{name} is {bytes}; it must be from 1 to {LARGEST_LIMIT} bytes"))
}
