//! Whether a project's daemon runs and responds, queried from another process. It changes nothing.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::runtime::RuntimeFolders;
use crate::control::Status;
use crate::control::client::{self, ClientError};
use crate::error::Result;

/// How long a daemon may be unresponsive: it may be starting, stopping, or busy.
const TRANSITION_TIMEOUT: Duration = Duration::from_secs(2);
/// How long to wait before the next probe.
const PAUSE: Duration = Duration::from_millis(20);

/// A daemon that is not responding.
#[derive(Debug)]
pub struct Silent {
    /// Why not, as far as known.
    pub why: String,
    /// Its process id, if known.
    pub pid: Option<u32>,
    /// Path of its log.
    pub log: PathBuf,
}

/// The result of a probe.
#[derive(Debug)]
pub enum Probe {
    /// It responds.
    Running {
        /// Its response.
        status: Status,
        /// Its control socket.
        socket: PathBuf,
    },
    /// It holds the lock and is not responding.
    Silent(Silent),
    /// None is running.
    Stopped {
        /// Files left by a crashed daemon.
        stale: Vec<PathBuf>,
    },
}

/// The control socket of a project's daemon, without a request to it; `None` if none runs.
///
/// # Errors
/// As [`probe`].
pub fn socket(root: &Path) -> Result<Option<PathBuf>> {
    let folders = RuntimeFolders::find(root)?.filter(RuntimeFolders::is_running);
    Ok(folders.map(|folders| folders.socket()))
}

/// Probes the daemon of a project.
///
/// # Errors
/// When the project's runtime folder must not be used (a link, or another user's).
pub fn probe(root: &Path) -> Result<Probe> {
    let deadline = Instant::now() + TRANSITION_TIMEOUT;
    loop {
        let Some(folders) = RuntimeFolders::find(root)? else {
            return Ok(Probe::Stopped { stale: Vec::new() });
        };
        if !folders.is_running() {
            return Ok(Probe::Stopped { stale: folders.files() });
        }
        let socket = folders.socket();
        match client::status(&socket) {
            Ok(status) => return Ok(Probe::Running { status, socket }),
            Err(why) if matches!(why, ClientError::Foreign) || Instant::now() > deadline => {
                let (why, pid, log) = (why.to_string(), folders.holder(), folders.log());
                return Ok(Probe::Silent(Silent { why, pid, log }));
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
}
