//! What a project's daemon is doing, seen from outside. It changes nothing.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::runtime::Place;
use crate::control::Status;
use crate::control::client::{self, Trouble};
use crate::error::Result;

/// How long a daemon may give no answer: it is about to start or to stop, or has its hands full.
const TURNING: Duration = Duration::from_secs(2);
/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(20);

/// What was found.
#[derive(Debug)]
pub enum Look {
    /// It answers.
    Running {
        /// What it says.
        status: Status,
        /// Where more can be asked.
        socket: PathBuf,
    },
    /// It holds the lock and does not answer.
    Silent {
        /// Why not, as far as we see it.
        why: String,
        /// Its process, where that can be told.
        pid: Option<u32>,
        /// Its log.
        log: PathBuf,
    },
    /// None runs.
    Stopped {
        /// What one that did not stop in order has left.
        stale: Vec<PathBuf>,
    },
}

/// Looks at the daemon of a project.
///
/// # Errors
/// When the project's runtime folder is one that is never used (a link, another user's).
pub fn look(root: &Path) -> Result<Look> {
    let deadline = Instant::now() + TURNING;
    loop {
        let Some(place) = Place::find(root)? else {
            return Ok(Look::Stopped { stale: Vec::new() });
        };
        if !place.is_running() {
            return Ok(Look::Stopped { stale: place.files() });
        }
        let socket = place.socket();
        match client::status(&socket) {
            Ok(status) => return Ok(Look::Running { status, socket }),
            Err(why) if matches!(why, Trouble::Foreign) || Instant::now() > deadline => {
                let (pid, log) = (place.holder(), place.log());
                return Ok(Look::Silent { why: why.to_string(), pid, log });
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
}
