//! Waits while the output still has a reader.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::error::{Error, Result};

/// Waits for `pause`; returns `false` at once if standard output has no reader any more (`flow watch | head -1`).
///
/// # Errors
/// I/O errors of the system.
pub(super) fn wait_for_reader(pause: Duration) -> Result<bool> {
    let stdout = io::stdout();
    // No events are requested: hang-ups and errors are always reported.
    let mut watched = [PollFd::new(stdout.as_fd(), PollFlags::empty())];
    let timeout = PollTimeout::try_from(pause).unwrap_or(PollTimeout::MAX);
    match poll(&mut watched, timeout) {
        Ok(0) | Err(Errno::EINTR) => Ok(true),
        Ok(_) => Ok(false),
        Err(error) => Err(Error::io("wait", io::Error::from(error))),
    }
}
