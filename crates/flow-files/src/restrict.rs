//! A thread that can open only the paths that it was given, with Landlock: whatever a check of paths overlooks, the
//! kernel denies. What the thread starts inherits the restriction; other threads are not affected.
//!
//! A restriction belongs to folders as they are when it begins: a folder that replaces one of them is denied, and needs
//! a new thread, started from one that is not restricted.

#[cfg(target_os = "linux")]
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

#[cfg(target_os = "linux")]
use nix::errno::Errno;
#[cfg(target_os = "linux")]
use nix::fcntl::OFlag;
#[cfg(target_os = "linux")]
use nix::sys::stat::Mode;

#[cfg(target_os = "linux")]
use crate::small_file::Links;

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

/// How much of a restriction the kernel enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restriction {
    /// All of it.
    Full,
    /// Opening files, but not truncating them by path (Linux before 6.2).
    Partial,
    /// Nothing: Linux before 5.13, Landlock is not enabled, or another system.
    Missing,
}

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
            let restriction = restrict(targets);
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

/// A file or folder that is open, and how it may be used.
#[cfg(target_os = "linux")]
type Target = (File, landlock::BitFlags<landlock::AccessFs>);
#[cfg(not(target_os = "linux"))]
type Target = ();

#[cfg(not(target_os = "linux"))]
fn targets(_: &Allowed) -> io::Result<(Vec<Target>, Vec<PathBuf>)> {
    Ok((Vec::new(), Vec::new()))
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: Vec<Target>) -> io::Result<Restriction> {
    Ok(Restriction::Missing)
}

/// Everything that can be denied of files and folders, besides the settings of devices.
#[cfg(target_os = "linux")]
const HANDLED: landlock::ABI = landlock::ABI::V3;

/// Opens what a thread may use. Returns also the paths that are left out.
#[cfg(target_os = "linux")]
fn targets(allowed: &Allowed) -> io::Result<(Vec<Target>, Vec<PathBuf>)> {
    use landlock::AccessFs;

    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let wanted = [
        (&allowed.read, Links::Refused, reading),
        (&allowed.execute, Links::Followed, reading | AccessFs::Execute),
        (&allowed.write, Links::Followed, reading | AccessFs::WriteFile),
    ];
    let (mut targets, mut left_out) = (Vec::new(), Vec::new());
    for (paths, links, access) in wanted {
        for path in paths {
            let Some(target) = target(path, links)? else {
                left_out.push(path.clone());
                continue;
            };
            let is_folder = target.metadata()?.is_dir();
            let access = if is_folder { access } else { access & AccessFs::from_file(HANDLED) };
            targets.push((target, access));
        }
    }
    Ok((targets, left_out))
}

/// Restricts the calling thread.
#[cfg(target_os = "linux")]
fn restrict(targets: Vec<Target>) -> io::Result<Restriction> {
    use landlock::{
        Access, AccessFs, PathBeneath, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
        RulesetStatus,
    };

    let refused = io::Error::other::<RulesetError>;
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(HANDLED))
        .and_then(Ruleset::create)
        .map_err(refused)?;
    for (target, access) in targets {
        rules = rules.add_rule(PathBeneath::new(target, access)).map_err(refused)?;
    }
    Ok(match rules.restrict_self().map_err(refused)?.ruleset {
        RulesetStatus::FullyEnforced => Restriction::Full,
        RulesetStatus::PartiallyEnforced => Restriction::Partial,
        RulesetStatus::NotEnforced => Restriction::Missing,
    })
}

/// What a path leads to; `None` if that cannot be reached. It is not read.
#[cfg(target_os = "linux")]
fn target(path: &Path, links: Links) -> io::Result<Option<File>> {
    let opened = match (links, path.strip_prefix("/")) {
        (Links::Refused, Ok(below)) => {
            crate::open_beneath(crate::root()?, below, OFlag::O_PATH, Mode::empty())
        }
        _ => nix::fcntl::open(path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())
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
