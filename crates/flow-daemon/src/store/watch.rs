//! Asks the system to report changes in the folders between the root and the files. The only file that uses `notify`.
//!
//! An event is only a hint: events get lost when folders are swapped, through links and on some mounts, so every file
//! is polled too (the owner's sweep).

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arc_swap::ArcSwap;

use notify::event::{AccessKind, AccessMode, EventKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::project::{Project, Source};

use super::options::Scope;
use super::snapshot::Watching;

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// A file may have changed.
    Files,
    /// A folder may have been created, removed or replaced, or events were lost.
    Folders,
}

/// A source of events.
pub trait Watch: Send {
    /// Watches the folders that exist; folders that are watched already and unchanged stay so.
    fn arm(&mut self, report: Report);

    /// Watches these folders too, whatever the names of their files are.
    fn follow(&mut self, folders: HashSet<PathBuf>);

    /// Whether events are reliable for all of them.
    fn mode(&self) -> Watching;
}

/// A source without events.
#[derive(Debug)]
pub struct Silent;

impl Watch for Silent {
    fn arm(&mut self, _: Report) {}

    fn follow(&mut self, _: HashSet<PathBuf>) {}

    fn mode(&self) -> Watching {
        Watching::Poll
    }
}

/// The system's events.
#[derive(Debug)]
pub struct Native {
    watcher: RecommendedWatcher,
    root: PathBuf,
    files: Vec<PathBuf>,
    scope: Scope,
    armed: HashMap<PathBuf, Identity>,
    mode: Watching,
    /// The folders of the formats, as the filter of events knows them.
    followed: Followed,
}

/// Folders in which every file matters.
type Followed = Arc<ArcSwap<HashSet<PathBuf>>>;

/// Distinguishes a folder from one that was created in its place: inode numbers are reused.
type Identity = (u64, u64, Option<SystemTime>);

/// Watches a project; reports nothing if the system cannot watch files.
pub fn open(
    project: &Project,
    scope: Scope,
    send: impl Fn(Report) + Send + 'static,
) -> Box<dyn Watch> {
    let files: Vec<PathBuf> =
        Source::ALL.iter().flat_map(|source| project.files(*source)).cloned().collect();
    let followed = Followed::default();
    let names = Names::of(project.state_root(), &files, &followed);
    let report = move |event: notify::Result<notify::Event>| {
        if let Some(report) = names.report(&event) {
            send(report);
        }
    };
    match notify::recommended_watcher(report) {
        Ok(watcher) => Box::new(Native {
            watcher,
            root: project.state_root().to_path_buf(),
            files,
            scope,
            armed: HashMap::new(),
            mode: Watching::Native,
            followed,
        }),
        Err(error) => {
            tracing::warn!(?error, "file watching is unavailable; polling");
            Box::new(Silent)
        }
    }
}

/// The names of the files and folders that matter, so that events of others are cheap.
struct Names {
    root: PathBuf,
    files: HashSet<OsString>,
    folders: HashSet<OsString>,
    followed: Followed,
}

impl Names {
    fn of(root: &Path, files: &[PathBuf], followed: &Followed) -> Self {
        let name = |path: &Path| path.file_name().map(OsString::from);
        let parents = files.iter().flat_map(|file| file.ancestors().skip(1));
        Self {
            root: root.to_path_buf(),
            files: files.iter().filter_map(|file| name(file)).collect(),
            folders: parents.filter_map(name).collect(),
            followed: Arc::clone(followed),
        }
    }

    fn report(&self, event: &notify::Result<notify::Event>) -> Option<Report> {
        let Ok(event) = event else { return Some(Report::Folders) };
        if event.need_rescan() || event.paths.is_empty() {
            return Some(Report::Folders);
        }
        // Own readings cause access events too; only the end of a write matters.
        let written = AccessKind::Close(AccessMode::Write);
        if matches!(event.kind, EventKind::Access(kind) if kind != written) {
            return None;
        }
        let named = |path: &PathBuf, names: &HashSet<OsString>| {
            path.file_name().is_some_and(|name| names.contains(name))
        };
        if event.paths.iter().any(|path| *path == self.root || named(path, &self.folders)) {
            return Some(Report::Folders);
        }
        let followed = self.followed.load();
        let is_followed =
            |path: &PathBuf| path.parent().is_some_and(|parent| followed.contains(parent));
        let matters = |path: &PathBuf| named(path, &self.files) || is_followed(path);
        event.paths.iter().any(matters).then_some(Report::Files)
    }
}

impl Native {
    /// The folders from the root to each file, as named and as resolved through links.
    fn folders(&self) -> HashSet<PathBuf> {
        let mut folders = HashSet::new();
        for file in self.files.iter().map(|file| self.root.join(file)) {
            if self.scope == Scope::Files {
                folders.insert(file);
                continue;
            }
            let real = fs::canonicalize(&file).unwrap_or_default();
            folders.extend(real.parent().map(Path::to_path_buf));
            let below_root =
                file.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.root));
            folders.extend(below_root.map(Path::to_path_buf));
        }
        folders
    }

    fn watch(&mut self, folder: &Path) {
        let Some(identity) = identity(folder) else {
            self.armed.remove(folder);
            return;
        };
        if self.armed.get(folder) == Some(&identity) {
            return;
        }
        if self.armed.remove(folder).is_some() {
            // Fails if the folder no longer exists; its watch is gone too.
            let _ = self.watcher.unwatch(folder);
        }
        match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => drop(self.armed.insert(folder.to_path_buf(), identity)),
            Err(error) => {
                tracing::debug!(?error, ?folder, "could not watch a folder; polling");
                self.mode = Watching::Poll;
            }
        }
    }
}

impl Watch for Native {
    fn arm(&mut self, report: Report) {
        let mut folders = self.folders();
        let followed = self.followed.load_full();
        if report == Report::Folders {
            // A folder that was moved away and back is the same, but no longer watched.
            let known: Vec<PathBuf> = self.armed.drain().map(|(folder, _)| folder).collect();
            for folder in known {
                let _ = self.watcher.unwatch(&folder);
            }
        }
        let is_wanted = |folder: &PathBuf| folders.contains(folder) || followed.contains(folder);
        let gone: Vec<PathBuf> =
            self.armed.keys().filter(|folder| !is_wanted(folder)).cloned().collect();
        for folder in gone {
            self.armed.remove(&folder);
            let _ = self.watcher.unwatch(&folder);
        }
        // The folders of formats have stats of their own: they are armed when one of them has changed.
        let is_armed = |folder: &&PathBuf| self.armed.contains_key(*folder);
        folders.extend(followed.iter().filter(|folder| !is_armed(folder)).cloned());
        self.mode = Watching::Native;
        for folder in folders {
            self.watch(&folder);
        }
    }

    fn follow(&mut self, folders: HashSet<PathBuf>) {
        self.followed.store(Arc::new(folders));
        self.arm(Report::Files);
        for folder in self.followed.load_full().iter() {
            self.watch(folder);
        }
    }

    fn mode(&self) -> Watching {
        self.mode
    }
}

fn identity(folder: &Path) -> Option<Identity> {
    fs::metadata(folder).ok().map(|meta| (meta.dev(), meta.ino(), meta.created().ok()))
}
