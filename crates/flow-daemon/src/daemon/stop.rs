//! The stop of a daemon, from outside: it is asked, never signalled, and "stopped" means that its lock is free.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::look::{Look, look};
use super::runtime::Place;
use crate::control::{Status, client};
use crate::error::{Error, Result};

/// How long it may take: 5 s for requests in flight, and what the daemon needs around them.
const LIMIT: Duration = Duration::from_secs(15);
/// How long one that did not take the request may be about to stop anyway.
const TURNING: Duration = Duration::from_secs(2);
/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(5);

/// How it went.
#[derive(Debug)]
pub enum Stopped {
    /// This one is gone.
    Gone(Status),
    /// None was running.
    NotRunning {
        /// What one that did not stop in order has left.
        stale: Vec<PathBuf>,
    },
    /// One runs and does not take the request.
    Silent {
        /// Why not, as far as we see it.
        why: String,
        /// Its process, where that can be told.
        pid: Option<u32>,
        /// Its log.
        log: PathBuf,
    },
}

/// Stops the daemon of a project and returns when its lock is free.
///
/// # Errors
/// When it takes too long, or the runtime folder is one that is never used.
pub fn stop(root: &Path) -> Result<Stopped> {
    let (status, socket) = match look(root)? {
        Look::Stopped { stale } => return Ok(Stopped::NotRunning { stale }),
        Look::Silent { why, pid, log } => return Ok(Stopped::Silent { why, pid, log }),
        Look::Running { status, socket } => (status, socket),
    };
    // Where it was stopping already it may not answer any more, which is all that was wanted: the lock decides.
    let asked = client::stop(&socket);
    let limit = if asked.is_ok() { LIMIT } else { TURNING };
    let deadline = Instant::now() + limit;
    while runs(root, &status)? {
        if Instant::now() > deadline {
            return match asked {
                Ok(_) => Err(too_slow(&status)),
                Err(why) => Ok(Stopped::Silent {
                    why: why.to_string(),
                    pid: Some(status.pid),
                    log: status.log.into(),
                }),
            };
        }
        thread::sleep(PAUSE);
    }
    Ok(Stopped::Gone(status))
}

/// Whether this daemon still runs. Another one that has started in its place is not it.
fn runs(root: &Path, asked: &Status) -> Result<bool> {
    let Some(place) = Place::find(root)?.filter(Place::is_running) else { return Ok(false) };
    Ok(client::status(&place.socket()).map_or(true, |other| other.pid == asked.pid))
}

fn too_slow(status: &Status) -> Error {
    Error::Refused(format!(
        "the server (pid {}) was asked to stop and has not after {} s; its log is {}",
        status.pid,
        LIMIT.as_secs(),
        status.log
    ))
}
