//! The real file system, whose files are opened by a restricted thread: it can open the project's files and those of
//! its repository, and nothing else.
//!
//! The thread is replaced whenever those folders are others than when it started: another worktree, or a root that was
//! removed and created again. A stat and a path without links are found by the calling thread, since no restriction
//! applies to them.

use std::cell::RefCell;
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flow_files::restrict::{Allowed, RestrictedThread, Restriction};
use flow_files::worktree::{RealFiles, Worktree};

use super::disk::{Disk, Listed, Open, RealDisk, Stat};

/// How long a list of worktrees counts as current. A path that is denied is checked against a new list at once.
const LIST_CURRENT: Duration = Duration::from_secs(1);

/// The file system of a project.
#[derive(Debug)]
pub struct RestrictedDisk {
    root: PathBuf,
    started: RefCell<Option<Started>>,
}

/// A thread, and what it was allowed.
#[derive(Debug)]
struct Started {
    thread: RestrictedThread,
    readable: Vec<Readable>,
    /// When `readable` was compared with the folders that exist.
    compared: Instant,
}

/// A file or folder that may be read. While a thread may read it, the system gives its inode number to no other one.
#[derive(Debug, PartialEq, Eq)]
struct Readable {
    path: PathBuf,
    /// Device and inode; `None` if it cannot be reached, or could not be when the thread started.
    identity: Option<(u64, u64)>,
}

impl RestrictedDisk {
    /// The disk of the project with this root, which contains no link.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf(), started: RefCell::default() }
    }

    /// Carries out work on a path in the restricted thread.
    fn restricted<T: Send + 'static>(
        &self,
        path: &Path,
        work: impl Fn(&Path) -> io::Result<T> + Clone + Send + 'static,
    ) -> io::Result<T> {
        if !path.starts_with(&self.root) {
            self.renew(LIST_CURRENT);
        }
        let attempt = || {
            let started = self.started.borrow();
            let Some(Started { thread, .. }) = started.as_ref() else { return work(path) };
            let (path, work) = (path.to_path_buf(), work.clone());
            thread.run(move || work(&path)).flatten()
        };
        self.start();
        let done = attempt();
        let is_denied =
            done.as_ref().is_err_and(|error| error.kind() == ErrorKind::PermissionDenied);
        if is_denied && self.renew(Duration::ZERO) { attempt() } else { done }
    }

    /// Starts the thread, if none runs.
    fn start(&self) {
        let mut started = self.started.borrow_mut();
        if started.is_none() {
            *started = start(readable(&self.root));
        }
    }

    /// Replaces the thread if its list is older than `age` and no longer current. Returns whether it did.
    fn renew(&self, age: Duration) -> bool {
        let mut started = self.started.borrow_mut();
        let Some(current) = started.as_mut().filter(|current| current.compared.elapsed() >= age)
        else {
            return false;
        };
        let readable = readable(&self.root);
        current.compared = Instant::now();
        if current.readable == readable {
            return false;
        }
        *started = start(readable);
        true
    }
}

impl Disk for RestrictedDisk {
    fn stat(&self, path: &Path) -> io::Result<Stat> {
        RealDisk.stat(path)
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        RealDisk.resolve(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Open>> {
        self.restricted(path, |path| RealDisk.open(path))
    }

    fn read_small(&self, path: &Path, most: u64) -> io::Result<String> {
        self.restricted(path, move |path| RealDisk.read_small(path, most))
    }

    fn list(&self, folder: &Path, most: usize) -> io::Result<Vec<Listed>> {
        self.restricted(folder, move |folder| RealDisk.list(folder, most))
    }

    fn restriction(&self) -> Restriction {
        self.start();
        let started = self.started.borrow();
        started.as_ref().map_or(Restriction::Missing, |started| started.thread.restriction())
    }
}

/// A thread that may read this. `None` if it cannot be restricted now: the files are served all the same, health reports
/// it, and the next opening tries again.
fn start(mut readable: Vec<Readable>) -> Option<Started> {
    let read = readable.iter().map(|readable| readable.path.clone()).collect();
    let thread = RestrictedThread::start(&Allowed { read, ..Allowed::default() });
    let thread = thread.inspect_err(|error| {
        tracing::warn!(%error, "the thread that opens the files could not be restricted");
    });
    let thread = thread.ok()?;
    for missed in readable.iter_mut().filter(|entry| thread.left_out().contains(&entry.path)) {
        missed.identity = None;
    }
    Some(Started { thread, readable, compared: Instant::now() })
}

/// What may be read of a project: its root, its repository, and the corresponding folders of the repository's other
/// worktrees. The `.git` of each is needed to check that it belongs to the repository.
fn readable(root: &Path) -> Vec<Readable> {
    let mut paths = vec![root.to_path_buf()];
    if let Some(worktree) = Worktree::of(&RealFiles, root) {
        let below = root.strip_prefix(&worktree.top).unwrap_or(Path::new(""));
        for Worktree { top, .. } in worktree.others() {
            paths.extend([top.join(".git"), top.join(below)]);
        }
        paths.extend([worktree.top.join(".git"), worktree.repository]);
    }
    let readable = |path: PathBuf| {
        let identity = fs::metadata(&path).ok().map(|found| (found.dev(), found.ino()));
        Readable { path, identity }
    };
    paths.into_iter().map(readable).collect()
}
