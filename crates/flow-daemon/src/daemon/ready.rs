//! How a start learns what became of the process it forked: one JSON line through a pipe. The end of the pipe
//! without a line means that the process is gone.

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

/// What the forked process says.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Word {
    /// The first load is done and the port answers.
    Ready(Status),
    /// It has given up.
    Failed(String),
}

/// What was heard of the forked process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It said this.
    Word(Word),
    /// It ended without a word.
    Ended,
    /// It is still there, and said nothing in time.
    Nothing,
}

/// Says it. An error means that nobody waits any more.
///
/// # Errors
/// When the pipe is closed.
pub(crate) fn tell(mut pipe: PipeWriter, word: &Word) -> Result<()> {
    let line = serde_json::to_vec(word).map_err(|e| Error::io("say how the start went", e))?;
    pipe.write_all(&line).map_err(|e| Error::io("tell the start that waited", e))
}

/// Waits for the word until the pipe ends.
///
/// # Errors
/// When the pipe cannot be read.
pub(crate) fn wait(mut pipe: PipeReader, limit: Duration) -> Result<Heard> {
    let wrong = |e: std::io::Error| Error::io("wait for the daemon", e);
    let deadline = Instant::now() + limit;
    let mut line = Vec::new();
    let mut piece = [0; 4096];
    while line.len() < LONGEST {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(pipe.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(0) => return Ok(Heard::Nothing),
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
    Ok(serde_json::from_slice(&line).map_or(Heard::Ended, Heard::Word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_an_end_and_silence_are_told_apart() {
        let (reader, writer) = std::io::pipe().unwrap();
        tell(writer, &Word::Failed("no".into())).unwrap();
        let word = wait(reader, Duration::from_secs(5)).unwrap();
        assert_eq!(word, Heard::Word(Word::Failed("no".into())));
        let (reader, writer) = std::io::pipe().unwrap();
        drop(writer);
        assert_eq!(wait(reader, Duration::from_secs(5)).unwrap(), Heard::Ended);
        let (reader, _writer) = std::io::pipe().unwrap();
        assert_eq!(wait(reader, Duration::from_millis(1)).unwrap(), Heard::Nothing);
    }
}
