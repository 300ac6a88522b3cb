//! Waiting while somebody reads the output.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::error::{Error, Result};

/// Waits for so long; `false`, and at once, where nobody reads standard output any more (`flow watch | head -1`).
///
/// # Errors
/// When the system does not let it wait.
pub(super) fn wait_for_reader(pause: Duration) -> Result<bool> {
    let stdout = io::stdout();
    // Nothing is asked for: hang-ups and errors are reported always.
    let mut watched = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
    let timeout = PollTimeout::try_from(pause).unwrap_or(PollTimeout::MAX);
    match poll(&mut watched, timeout) {
        Ok(0) | Err(Errno::EINTR) => Ok(true),
        Ok(_) => Ok(false),
        Err(error) => Err(Error::io("wait", io::Error::from(error))),
    }
}
