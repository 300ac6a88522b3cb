//! Reads a small file whose type is not trusted: a checkout may contain a pipe, a device or an endless file instead.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

/// How a link in place of the file is treated. Links in the folders above it are always followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It is followed.
    Followed,
    /// It is an error.
    Refused,
}

/// Reads a whole regular file of at most `most` bytes, without blocking.
///
/// # Errors
/// I/O errors of the system, or when it is not a regular file or is larger.
pub fn read(path: &Path, most: u64, links: Links) -> io::Result<Vec<u8>> {
    // The type is checked before opening: opening some devices has side effects.
    let found = match links {
        Links::Followed => fs::metadata(path)?,
        Links::Refused => fs::symlink_metadata(path)?,
    };
    let irregular = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    if !found.is_file() {
        return Err(irregular());
    }
    let mut flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    if links == Links::Refused {
        flags |= OFlag::O_NOFOLLOW;
    }
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(irregular());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("over {most} bytes")));
    }
    Ok(bytes)
}
