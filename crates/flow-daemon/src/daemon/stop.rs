//! Stops a daemon from another process: by a request, never by a signal. It has stopped when its lock is free.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::probe::{Probe, Silent, probe};
use super::runtime::RuntimeFolders;
use crate::control::{Status, client};
use crate::error::{Error, Result};

/// Time limit: 5 s for requests in flight, and a margin for the rest of the shutdown.
const LIMIT: Duration = Duration::from_secs(15);
/// Time for a daemon that did not accept the request to stop nevertheless.
const TRANSITION_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait before the next probe.
const PAUSE: Duration = Duration::from_millis(5);

/// The result of a stop.
#[derive(Debug)]
pub enum Stopped {
    /// This daemon has stopped.
    Gone(Status),
    /// None was running.
    NotRunning {
        /// Files left by a crashed daemon.
        stale: Vec<PathBuf>,
    },
    /// A daemon is running and does not accept the request.
    Silent(Silent),
}

/// Stops the daemon of a project and returns when its lock is free.
///
/// # Errors
/// When it takes too long, or the runtime folder must not be used.
pub fn stop(root: &Path) -> Result<Stopped> {
    let (status, socket) = match probe(root)? {
        Probe::Stopped { stale } => return Ok(Stopped::NotRunning { stale }),
        Probe::Silent(silent) => return Ok(Stopped::Silent(silent)),
        Probe::Running { status, socket } => (status, socket),
    };
    // A daemon that was stopping already may not respond any more; the lock decides.
    let asked = client::stop(&socket);
    let limit = if asked.is_ok() { LIMIT } else { TRANSITION_TIMEOUT };
    let deadline = Instant::now() + limit;
    while runs(root, &status)? {
        if Instant::now() > deadline {
            return match asked {
                Ok(_) => Err(too_slow(&status)),
                Err(why) => {
                    let (why, pid, log) = (why.to_string(), Some(status.pid), status.log.into());
                    Ok(Stopped::Silent(Silent { why, pid, log }))
                }
            };
        }
        thread::sleep(PAUSE);
    }
    Ok(Stopped::Gone(status))
}

/// Whether this very daemon is still running, and not another one that started since.
fn runs(root: &Path, asked: &Status) -> Result<bool> {
    let Some(folders) = RuntimeFolders::find(root)?.filter(RuntimeFolders::is_running) else {
        return Ok(false);
    };
    Ok(client::status(&folders.socket()).map_or(true, |other| other.pid == asked.pid))
}

fn too_slow(status: &Status) -> Error {
    Error::Refused(format!(
        "the server (pid {}) did not stop within {} s; its log is {}",
        status.pid,
        LIMIT.as_secs(),
        status.log
    ))
}
