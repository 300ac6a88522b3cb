//! Where a command that goes on reads from: the project's server, else its files; and when there may be something new.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::command_output::CommandOutput;
use super::invocation::Invocation;
use super::reader_gone::wait_for_reader;
use super::status;
use crate::control::client;
use crate::daemon::{self, Probe};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::skill::project_state::state::Answers;

/// How often the server is asked for its generation, one number over the control socket.
pub(super) const PAUSE: Duration = Duration::from_millis(250);
/// How often in a row a reading is repeated before the reason of a failure is shown.
const MOST_FAILED: u32 = 3;
/// Shortest time between two readings of the files, and its minimum as a multiple of a reading's duration.
const FILES_PAUSE: Duration = Duration::from_secs(2);
const FILES_REST: u32 = 20;

/// The source of the answers at one moment.
#[derive(Debug)]
pub(super) enum Origin {
    /// A running server.
    Server { socket: PathBuf, generation: u64 },
    /// The files, as they were read; and when to read them again.
    Files { files: Box<Files>, next: Instant },
}

/// The result of a reading.
#[derive(Debug)]
pub(super) enum Outcome<T> {
    /// What was read, and where.
    Read { value: T, origin: Origin },
    /// The output has no reader any more.
    Unwanted,
    /// A server holds its lock and does not respond.
    Silent(Box<CommandOutput>),
}

/// Reads where the project can be read now. A server that is stopping or starting does not answer: a reading that fails is
/// repeated a few times.
///
/// # Errors
/// Why the project cannot be read.
pub(super) fn read<T>(
    invocation: &Invocation,
    mut read: impl FnMut(&Origin) -> std::result::Result<T, String>,
) -> Result<Outcome<T>> {
    let mut failed = 0;
    loop {
        let outcome = match find(invocation) {
            Ok(Outcome::Read { origin, .. }) => {
                read(&origin).map(|value| Outcome::Read { value, origin }).map_err(Error::Refused)
            }
            Ok(Outcome::Silent(silent)) => Ok(Outcome::Silent(silent)),
            Ok(Outcome::Unwanted) => Ok(Outcome::Unwanted),
            Err(error) => Err(error),
        };
        let is_read = matches!(outcome, Ok(Outcome::Read { .. } | Outcome::Unwanted));
        if is_read || failed == MOST_FAILED {
            return outcome;
        }
        failed += 1;
        if !wait_for_reader(PAUSE)? {
            return Ok(Outcome::Unwanted);
        }
    }
}

/// The server, else the files.
fn find(invocation: &Invocation) -> Result<Outcome<()>> {
    let origin = match daemon::probe(&invocation.root()?)? {
        Probe::Running { status, socket } => {
            // What was written before the command began is part of what it shows.
            let generation = client::sync(&socket).map_or(status.generation, |now| now.generation);
            Origin::Server { socket, generation }
        }
        Probe::Silent(silent) => {
            return Ok(Outcome::Silent(Box::new(status::silent(invocation, &silent))));
        }
        Probe::Stopped { .. } => {
            let begun = Instant::now();
            // A broken file counts as being written for its first second.
            let files = Box::new(Files::read_at_rest(&invocation.project()?));
            let rest = begun.elapsed().saturating_mul(FILES_REST).max(FILES_PAUSE);
            Origin::Files { files, next: Instant::now() + rest }
        }
    };
    Ok(Outcome::Read { value: (), origin })
}

impl Origin {
    /// The status and body of the answer to a path.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn get(&self, path: &str) -> std::result::Result<(u16, String), String> {
        match self {
            Self::Server { socket, .. } => client::get(socket, path)
                .map(|got| (got.status, got.body))
                .map_err(|error| error.to_string()),
            Self::Files { files, .. } => files.get(path),
        }
    }

    /// Whether there may be something new.
    pub(super) fn is_new(&self) -> bool {
        match self {
            // A server that does not respond is examined at the next reading.
            Self::Server { socket, generation } => {
                client::status(socket).map_or(true, |now| now.generation != *generation)
            }
            Self::Files { next, .. } => Instant::now() >= *next,
        }
    }

    /// Waits until there may be something new, or `is_due`, but not longer than `until`; `false` if the output has no reader
    /// any more.
    ///
    /// # Errors
    /// I/O errors of the system.
    pub(super) fn wait_for_change(
        &self,
        until: Instant,
        is_due: impl Fn() -> bool,
    ) -> Result<bool> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if !wait_for_reader(PAUSE.min(left))? {
                return Ok(false);
            }
            if self.is_new() || Instant::now() >= until || is_due() {
                return Ok(true);
            }
        }
    }
}
