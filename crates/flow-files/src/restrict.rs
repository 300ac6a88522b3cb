//! A thread that can open only the paths that it was given, with Landlock: whatever a check of paths overlooks, the
//! kernel denies. What the thread starts inherits the restriction; other threads are not affected.
//!
//! A restriction belongs to folders as they are when it begins: a folder that replaces one of them is denied, and needs
//! a new thread, started from one that is not restricted.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::sys::stat::Mode;

use crate::small_file::Links;
pub use crate::system::Restriction;
use crate::system::{self, Access, Target};

/// Where systems keep programs, their libraries, and the lists of these.
const SYSTEM: [&str; 12] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/ld-musl-x86_64.path",
    "/etc/ld-musl-aarch64.path",
];
/// Folders beside that of a program which contain what it needs.
const BESIDE: [&str; 5] = ["lib", "lib64", "libexec", "opt", "Cellar"];

/// The longest time that a thread sleeps at once: a lost wake-up of the system must not stop it for ever.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);

impl Restriction {
    /// Its name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "restricted",
            Self::Partial => "partly_restricted",
            Self::Missing => "unrestricted",
        }
    }

    /// What this kernel enforces.
    pub fn of_kernel() -> Self {
        RestrictedThread::start(&Allowed::default())
            .map_or(Self::Missing, |thread| thread.restriction)
    }
}

/// What a restricted thread may use. Files and folders; a folder includes everything below it. A path that cannot be
/// reached is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Paths without links that may be read.
    pub read: Vec<PathBuf>,
    /// Programs and libraries: they may be read and executed, and links on the path are followed.
    pub execute: Vec<PathBuf>,
    /// Devices that may be read and written.
    pub write: Vec<PathBuf>,
}

impl Allowed {
    /// What a program needs that is found in the folders of `path`, and does nothing but read the given paths and print.
    pub fn for_program(name: &str, path: &[PathBuf], read: Vec<PathBuf>) -> Self {
        let mut execute: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        let found = path.iter().map(|folder| folder.join(name)).find(|file| file.is_file());
        let target = found.as_ref().and_then(|file| file.canonicalize().ok());
        for file in found.into_iter().chain(target) {
            let prefix = file.ancestors().nth(2).map(Path::to_path_buf).unwrap_or_default();
            execute.extend(BESIDE.iter().map(|name| prefix.join(name)));
            execute.push(file);
        }
        Self { read, execute, write: vec!["/dev/null".into()] }
    }
}

type Task = Box<dyn FnOnce() + Send>;

/// A thread that is restricted for its whole life. It ends when this is dropped.
#[derive(Debug)]
pub struct RestrictedThread {
    tasks: SyncSender<Task>,
    restriction: Restriction,
    left_out: Vec<PathBuf>,
}

impl RestrictedThread {
    /// Starts a thread. The calling thread must not be restricted itself.
    ///
    /// # Errors
    /// When the thread cannot be started, or the kernel can restrict threads but did not restrict this one.
    pub fn start(allowed: &Allowed) -> io::Result<Self> {
        let (tasks, received) = sync_channel::<Task>(1);
        let (report, restricted) = sync_channel(1);
        let (targets, left_out) = targets(allowed)?;
        let serve = move || {
            let restriction = system::restrict(targets);
            let is_restricted = restriction.is_ok();
            // The receiver waits for it.
            let _ = report.send(restriction);
            if is_restricted {
                run_all(&received);
            }
        };
        thread::Builder::new().name("restricted".to_owned()).spawn(serve)?;
        let restriction = next(&restricted).ok_or_else(ended)??;
        Ok(Self { tasks, restriction, left_out })
    }

    /// What the kernel enforces for it.
    pub fn restriction(&self) -> Restriction {
        self.restriction
    }

    /// The paths that could not be reached when it started, and are denied to it even if they can be later.
    pub fn left_out(&self) -> &[PathBuf] {
        &self.left_out
    }

    /// Runs a function in the thread, and waits for its result.
    ///
    /// # Errors
    /// When the thread has ended, because an earlier function panicked.
    pub fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> io::Result<T> {
        let (sender, result) = sync_channel(1);
        // The receiver waits for it.
        let task = move || drop(sender.send(work()));
        self.tasks.send(Box::new(task)).map_err(|_| ended())?;
        next(&result).ok_or_else(ended)
    }
}

fn run_all(tasks: &Receiver<Task>) {
    while let Some(task) = next(tasks) {
        task();
    }
}

/// Waits for the next value; `None` if none can come.
fn next<T>(values: &Receiver<T>) -> Option<T> {
    loop {
        match values.recv_timeout(LONGEST_SLEEP) {
            Ok(value) => return Some(value),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
}

fn ended() -> io::Error {
    io::Error::other("the thread that opens files has ended")
}

/// Opens what a thread may use. Returns also the paths that are left out.
fn targets(allowed: &Allowed) -> io::Result<(Vec<Target>, Vec<PathBuf>)> {
    let wanted = [
        (&allowed.read, Links::Refused, Access::Read),
        (&allowed.execute, Links::Followed, Access::Execute),
        (&allowed.write, Links::Followed, Access::Write),
    ];
    let (mut targets, mut left_out) = (Vec::new(), Vec::new());
    if !system::RESTRICTS {
        return Ok((targets, left_out));
    }
    for (paths, links, access) in wanted {
        for path in paths {
            match target(path, links)? {
                Some(target) => targets.push((target, access)),
                None => left_out.push(path.clone()),
            }
        }
    }
    Ok((targets, left_out))
}

/// What a path leads to; `None` if that cannot be reached. It is not read.
fn target(path: &Path, links: Links) -> io::Result<Option<File>> {
    let opened = match (links, path.strip_prefix("/")) {
        (Links::Refused, Ok(below)) => {
            crate::open_beneath(crate::root()?, below, system::SEARCH, Mode::empty())
        }
        _ => nix::fcntl::open(path, system::SEARCH | OFlag::O_CLOEXEC, Mode::empty())
            .map(File::from)
            .map_err(io::Error::from),
    };
    match opened {
        Ok(target) => Ok(Some(target)),
        Err(error) => match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ENOENT | Errno::ENOTDIR | Errno::EACCES | Errno::ELOOP) => Ok(None),
            _ => Err(error),
        },
    }
}
