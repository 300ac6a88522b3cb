//! The message of the forked process to the start: one JSON line through a pipe. The end of the pipe without a line
//! means that the process has ended.

use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::{Deserialize, Serialize};

use crate::control::Status;
use crate::error::{Error, Result};

/// The longest line, in bytes.
const LONGEST: usize = 64 * 1024;

/// The message of the forked process.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Readiness {
    /// The first load is done and the port responds.
    Ready(Status),
    /// The start failed, for this reason.
    Failed(String),
}

/// What was received from the forked process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// A complete message.
    Message(Readiness),
    /// It ended without a message.
    Ended,
    /// It still runs, and sent nothing in time.
    TimedOut,
}

/// Sends the message. An error means that the start is no longer waiting.
///
/// # Errors
/// When the pipe is closed.
pub(crate) fn send(mut pipe: PipeWriter, message: &Readiness) -> Result<()> {
    let line =
        serde_json::to_vec(message).map_err(|e| Error::io("write the result of the start", e))?;
    pipe.write_all(&line).map_err(|e| Error::io("report to the waiting start command", e))
}

/// Waits for the message until the pipe ends.
///
/// # Errors
/// When the pipe cannot be read.
pub(crate) fn wait(mut pipe: PipeReader, limit: Duration) -> Result<Received> {
    let wrong = |e: std::io::Error| Error::io("wait for the daemon", e);
    let deadline = Instant::now() + limit;
    let mut line = Vec::new();
    let mut piece = [0; 4096];
    while line.len() < LONGEST {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) => return Ok(Received::TimedOut),
            Err(Errno::EINTR) => continue,
            Err(e) => return Err(wrong(e.into())),
            Ok(_) => {}
        }
        match pipe.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => line.extend_from_slice(&piece[..count]),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(wrong(e)),
        }
    }
    Ok(serde_json::from_slice(&line).map_or(Received::Ended, Received::Message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_an_end_and_a_timeout_differ() {
        let (reader, writer) = std::io::pipe().unwrap();
        send(writer, &Readiness::Failed("no".into())).unwrap();
        let word = wait(reader, Duration::from_secs(5)).unwrap();
        assert_eq!(word, Received::Message(Readiness::Failed("no".into())));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(writer);
        assert_eq!(wait(reader, Duration::from_secs(5)).unwrap(), Received::Ended);
        let (reader, _writer) = std::io::pipe().unwrap();
        assert_eq!(wait(reader, Duration::from_millis(1)).unwrap(), Received::TimedOut);
    }
}
