//! A thread that can open only the paths that it was given, with Landlock: whatever a check of paths overlooks, the
//! kernel denies. What the thread starts inherits the restriction; other threads are not affected.
//!
//! A restriction belongs to folders as they are when it begins: a folder that replaces one of them is denied, and needs
//! a new thread, started from one that is not restricted.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

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
        RestrictedThread::start(Allowed::default())
            .map_or(Self::Missing, |thread| thread.restriction)
    }
}

/// What a restricted thread may use. Files and folders; a folder includes everything below it. A path that does not
/// exist is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    /// Paths without links that may be read.
    pub read: Vec<PathBuf>,
    /// Programs and libraries: they may be read and executed, and links on the path are followed.
    pub execute: Vec<PathBuf>,
    /// Devices that may be read and written.
    pub write: Vec<PathBuf>,
}

type Task = Box<dyn FnOnce() + Send>;

/// A thread that is restricted for its whole life. It ends when this is dropped.
#[derive(Debug)]
pub struct RestrictedThread {
    tasks: SyncSender<Task>,
    restriction: Restriction,
}

impl RestrictedThread {
    /// Starts a thread. The calling thread must not be restricted itself.
    ///
    /// # Errors
    /// When the thread cannot be started, or the kernel can restrict threads but did not restrict this one.
    pub fn start(allowed: Allowed) -> io::Result<Self> {
        let (tasks, received) = sync_channel::<Task>(1);
        let (report, restricted) = sync_channel(1);
        let serve = move || {
            let restriction = restrict(&allowed);
            let is_restricted = restriction.is_ok();
            // The receiver waits for it.
            let _ = report.send(restriction);
            if is_restricted {
                run_all(&received);
            }
        };
        thread::Builder::new().name("restricted".to_owned()).spawn(serve)?;
        let restriction = restricted.recv().map_err(|_| ended())??;
        Ok(Self { tasks, restriction })
    }

    /// What the kernel enforces for it.
    pub fn restriction(&self) -> Restriction {
        self.restriction
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
        result.recv().map_err(|_| ended())
    }
}

fn run_all(tasks: &Receiver<Task>) {
    for task in tasks {
        task();
    }
}

fn ended() -> io::Error {
    io::Error::other("the thread that opens files has ended")
}

#[cfg(not(target_os = "linux"))]
fn restrict(_: &Allowed) -> io::Result<Restriction> {
    Ok(Restriction::Missing)
}

/// Restricts the calling thread.
#[cfg(target_os = "linux")]
fn restrict(allowed: &Allowed) -> io::Result<Restriction> {
    use landlock::{
        ABI, Access, AccessFs, PathBeneath, Ruleset, RulesetAttr, RulesetCreated,
        RulesetCreatedAttr, RulesetError, RulesetStatus,
    };
    use nix::fcntl::OFlag;
    use nix::sys::stat::Mode;
    use std::fs::File;
    use std::os::fd::AsFd;

    /// Everything that can be denied of files and folders, besides the settings of devices.
    const HANDLED: ABI = ABI::V3;
    type Rules = Result<RulesetCreated, RulesetError>;
    let refused = io::Error::other::<RulesetError>;
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let add = |rules: RulesetCreated, target: File, access| -> Rules {
        let is_folder = target.metadata().is_ok_and(|found| found.is_dir());
        let access = if is_folder { access } else { access & AccessFs::from_file(HANDLED) };
        rules.add_rule(PathBeneath::new(target.as_fd(), access))
    };
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(HANDLED))
        .and_then(Ruleset::create)
        .map_err(refused)?;
    for path in &allowed.read {
        let Ok(below) = path.strip_prefix("/") else { continue };
        let opened = crate::root()
            .and_then(|root| crate::open_beneath(root, below, OFlag::O_RDONLY, Mode::empty()));
        if let Ok(target) = opened {
            rules = add(rules, target, reading).map_err(refused)?;
        }
    }
    let others = [
        (&allowed.execute, reading | AccessFs::Execute),
        (&allowed.write, reading | AccessFs::WriteFile),
    ];
    for (paths, access) in others {
        for path in paths {
            if let Ok(target) = File::open(path) {
                rules = add(rules, target, access).map_err(refused)?;
            }
        }
    }
    let status = rules.restrict_self().map_err(refused)?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Restriction::Full,
        RulesetStatus::PartiallyEnforced => Restriction::Partial,
        RulesetStatus::NotEnforced => Restriction::Missing,
    })
}
