//! Starts a daemon, up to the moment when the port responds: lock, port, control socket, fork. [`super::run`] does the
//! rest.

use std::fs;
use std::io::{PipeReader, PipeWriter};
use std::os::fd::RawFd;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use daemonize::{Daemonize, Outcome as Fork};
use flow_files::system;

use super::instance_guard::InstanceGuard;
use super::job::{Job, Mode};
use super::limits;
use super::lock::{self, Lock};
use super::port::{self, Taken};
use super::private;
use super::probe::Silent;
use super::ready::{self, Readiness, Received};
use super::run;
use super::runtime::{Note, RuntimeFolders};
use crate::control::{Phase, Status, client};
use crate::error::{Error, Result};
use crate::project::{DEFAULT_PORT, Project};
use crate::store::common_plan::CommonPlan;

/// How long to wait for a daemon that holds the lock and is not responding: it may be starting or stopping.
const TRANSITION_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for a lock that another program than a daemon has: a probe locks the file for some microseconds.
const FOREIGN_LOCK_TIMEOUT: Duration = Duration::from_secs(4);
/// How long to wait before the next probe.
const PAUSE: Duration = Duration::from_millis(10);
/// How long the first load may take.
const FIRST_LOAD: Duration = Duration::from_mins(2);
/// The highest standard file descriptor.
const STANDARD: RawFd = 2;

/// The options of a start.
#[derive(Debug)]
pub struct StartOptions {
    /// The project.
    pub project: Project,
    /// The port; 0 means any. If absent, the settings' port, else 3456.
    pub port: Option<u16>,
    /// Whether the daemon detaches from the terminal.
    pub mode: Mode,
    /// Finds what two worktrees have in common; without it, other worktrees are not looked at.
    pub common: Option<Box<dyn CommonPlan>>,
}

/// The result of a start.
#[derive(Debug)]
pub enum Outcome {
    /// It is ready, and this process continues.
    Started {
        /// Its first status.
        status: Status,
        /// What the user should know about the start.
        notes: Vec<Note>,
    },
    /// A daemon was running already.
    Running(Status),
    /// A daemon holds the lock and is not responding.
    Silent(Silent),
    /// Another process has the port.
    Taken(Taken),
    /// This process was the daemon, and has stopped.
    Served,
}

/// Starts a daemon. In the background this returns twice: in the caller's process with the outcome, and in the daemon's
/// process, at its end, with `Served` or an error. `ready` is called in the foreground only.
///
/// # Errors
/// When a resource that a daemon needs is denied.
pub fn start(options: StartOptions, ready: impl FnOnce(&Status, &[Note])) -> Result<Outcome> {
    if options.mode == Mode::Background {
        close_inherited();
    }
    limits::check()?;
    let (mut guard, mut notes) = match take_guard(&options)? {
        Ok(taken) => taken,
        Err(other) => return Ok(other),
    };
    let port = options.port.or(options.project.port()).unwrap_or(DEFAULT_PORT);
    let http = match port::bind(port)? {
        Ok(http) => http,
        Err(taken) => return Ok(Outcome::Taken(taken)),
    };
    let control = guard.bind()?;
    notes.extend(guard.folders().ignore());
    if let Err(error) = private::open() {
        notes.push(Note::NotListed { reason: error.to_string() });
    }
    let job = Job {
        project: options.project,
        mode: options.mode,
        guard,
        http,
        control,
        common: options.common,
    };
    match options.mode {
        Mode::Foreground => {
            run::run(job, |status| {
                ready(status, &notes);
                Ok(())
            })?;
            Ok(Outcome::Served)
        }
        Mode::Background => fork(job, notes),
    }
}

type Guarded = (InstanceGuard, Vec<Note>);

/// Takes the lock, or returns the outcome for the daemon that has it.
fn take_guard(options: &StartOptions) -> Result<Result<Guarded, Outcome>> {
    let root = options.project.root();
    let begun = Instant::now();
    let deadline = begun + TRANSITION_TIMEOUT;
    let mut notes = Vec::new();
    loop {
        // The running daemon first: a folder whose mode has changed must not cause a second one in another folder.
        if let Some(folders) = RuntimeFolders::find(root)?.filter(RuntimeFolders::is_running) {
            if let Some(outcome) = holder(&folders, deadline) {
                return Ok(Err(outcome));
            }
        } else {
            let (folders, more) = RuntimeFolders::prepare(root)?;
            match InstanceGuard::take(folders) {
                Ok(Some((guard, note))) => {
                    notes.extend(more);
                    notes.extend(note);
                    return Ok(Ok((guard, notes)));
                }
                Ok(None) if begun.elapsed() > FOREIGN_LOCK_TIMEOUT => {
                    return Err(foreign_lock(root)?);
                }
                Ok(None) => {}
                // A start that failed at this moment has removed its new folder.
                Err(e) if e.is_not_found() && Instant::now() < deadline => {}
                Err(e) => return Err(e),
            }
        }
        thread::sleep(PAUSE);
    }
}

/// The error for a lock that is held, but not as a daemon holds it.
fn foreign_lock(root: &Path) -> Result<Error> {
    let (folders, _) = RuntimeFolders::prepare(root)?;
    let pids: Vec<String> =
        Lock::holders(folders.home()).iter().map(|pid| format!("pid {pid}")).collect();
    let pids = if pids.is_empty() { String::new() } else { format!(" ({})", pids.join(", ")) };
    Ok(Error::Refused(format!(
        "another program{pids} has locked {}, and is not a server of flow; end it and start again",
        folders.home().path().join(lock::NAME).display()
    )))
}

/// The outcome for the daemon that holds the lock; `None` while it may be starting or stopping.
fn holder(folders: &RuntimeFolders, deadline: Instant) -> Option<Outcome> {
    match client::status(&folders.socket()) {
        Ok(status) if status.phase == Phase::Running => Some(Outcome::Running(status)),
        _ if Instant::now() > deadline => {
            let (why, pid, log) = (String::new(), folders.holder(), folders.log());
            Some(Outcome::Silent(Silent { why, pid, log }))
        }
        _ => None,
    }
}

fn fork(job: Job, notes: Vec<Note>) -> Result<Outcome> {
    let (reader, writer) = std::io::pipe().map_err(|e| Error::io("create a pipe", e))?;
    let daemon = Daemonize::new().working_directory(job.project.root()).umask(0o077);
    let log = job.guard.folders().log();
    match daemon.execute() {
        Fork::Parent(forked) => {
            drop(writer);
            let outcome = wait(reader, job.guard, notes);
            // After an error the daemon may run nevertheless: only its first process could not be waited for.
            match (outcome, forked) {
                (Ok(None), Err(e)) => Err(Error::Refused(format!("could not fork: {e}"))),
                (Ok(None), Ok(_)) => Err(ended(&log)),
                (Ok(Some(outcome)), _) => Ok(outcome),
                (Err(error), _) => Err(error),
            }
        }
        Fork::Child(forked) => {
            drop(reader);
            let forked = forked.map_err(|e| Error::Refused(format!("could not detach: {e}")));
            serve(job, forked.map(drop), writer)
        }
    }
}

/// Waits in the caller's process until the daemon serves or has failed; `None` if it ended without a message.
fn wait(reader: PipeReader, guard: InstanceGuard, notes: Vec<Note>) -> Result<Option<Outcome>> {
    let log = guard.folders().log();
    let received = match ready::wait(reader, FIRST_LOAD) {
        Ok(Received::Ended) => {
            guard.abandon();
            return Ok(None);
        }
        Ok(Received::TimedOut) => Err(Error::Refused(format!(
            "the server is not ready after {} s; run: flow api stop; its log is {}",
            FIRST_LOAD.as_secs(),
            log.display()
        ))),
        Ok(Received::Message(Readiness::Failed(why))) => Err(Error::Refused(why)),
        Ok(Received::Message(Readiness::Ready(status))) => Ok(status),
        Err(error) => Err(error),
    };
    guard.leave();
    received.map(|status| Some(Outcome::Started { status, notes }))
}

/// The error if the daemon ended without a message.
fn ended(log: &Path) -> Error {
    let log = if log.exists() { format!("; its log is {}", log.display()) } else { String::new() };
    let memory = limits::memory().map(|limit| format!("; {limit}")).unwrap_or_default();
    Error::Refused(format!("the server exited before it was ready{memory}{log}"))
}

/// Runs the daemon in its own process, from the fork to its end.
fn serve(job: Job, forked: Result<()>, writer: PipeWriter) -> Result<Outcome> {
    let mut pipe = Some(writer);
    let ended = forked.and_then(|()| {
        run::run(job, |status| match pipe.take() {
            Some(pipe) => ready::send(pipe, &Readiness::Ready(status.clone())),
            None => Ok(()),
        })
    });
    if let (Err(e), Some(pipe)) = (&ended, pipe)
        && ready::send(pipe, &Readiness::Failed(e.to_string())).is_ok()
    {
        // The process that waits prints it; both may still share a terminal.
        return Ok(Outcome::Served);
    }
    ended.map(|()| Outcome::Served)
}

/// Closes inherited file descriptors: a caller that waits for the end of such a pipe would wait for the daemon. The
/// daemon has not opened any yet.
fn close_inherited() {
    let listed = fs::read_dir(system::DESCRIPTORS).or_else(|_| fs::read_dir("/dev/fd"));
    let Ok(entries) = listed else { return };
    let open: Vec<RawFd> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|descriptor| *descriptor > STANDARD)
        .collect();
    for descriptor in open {
        // The descriptor of the listing is among them and closed already.
        let _ = nix::unistd::close(descriptor);
    }
}
