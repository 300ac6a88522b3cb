//! The resource limits of the caller's shell (`ulimit`) that would make a daemon fail.

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};

use super::log;
use crate::error::{Error, Result};

/// Size of the largest file that a daemon writes, in bytes: its log.
const LARGEST_FILE: u64 = log::LARGEST;
/// Address space that a daemon needs for code, stacks and threads, in bytes; about three times the usage of a daemon
/// that serves small files. With less, starting a thread or allocating memory fails at any point.
const LEAST_MEMORY: u64 = 128 << 20;

/// Raises limits that are too small as far as the system allows.
///
/// # Errors
/// When one stays too small: the system would end the process without a message.
pub(crate) fn check() -> Result<()> {
    raise(Resource::RLIMIT_FSIZE, LARGEST_FILE).map_err(|limit| {
        Error::Refused(format!(
            "file size is limited to {limit} bytes (ulimit -f), and the server's log needs {LARGEST_FILE}; \
             raise the limit (ulimit -f unlimited) and start again"
        ))
    })?;
    raise(Resource::RLIMIT_AS, LEAST_MEMORY).map_err(|limit| {
        Error::Refused(format!(
            "memory is limited to {} KiB (ulimit -v), and the server needs at least {}; \
             raise the limit (ulimit -v unlimited) and start again",
            limit / 1024,
            LEAST_MEMORY / 1024
        ))
    })
}

/// Raises the soft limit to the hard one if it is below `least`; returns the limit if that is too small too.
fn raise(resource: Resource, least: u64) -> Result<(), u64> {
    let Ok((soft, hard)) = getrlimit(resource) else { return Ok(()) };
    if soft >= least {
        return Ok(());
    }
    if hard >= least && setrlimit(resource, hard, hard).is_ok() { Ok(()) } else { Err(soft) }
}

/// The message about a memory limit after a daemon ended without one.
pub(crate) fn memory() -> Option<String> {
    let (soft, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    (soft != RLIM_INFINITY).then(|| format!("memory is limited to {} KiB (ulimit -v)", soft / 1024))
}
