//! A short name for a socket whose path is too long for a socket address. It opens no socket.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use flow_files::system;

/// Longest path, in bytes, that is used as it is. An address holds 107 bytes on Linux and 103 on macOS.
pub(crate) const LONGEST_PATH: usize = 100;
/// The kind of the error for a path that is too long.
const TOO_LONG: io::ErrorKind = io::ErrorKind::InvalidFilename;

/// A path that fits into an address. It is valid for the lifetime of this value.
#[derive(Debug)]
pub(crate) struct Address {
    path: PathBuf,
    _folder: Option<File>,
}

impl Address {
    /// The short name of a socket file.
    ///
    /// # Errors
    /// When its folder cannot be opened, or the system has no short name for it.
    pub(crate) fn of(socket: &Path) -> io::Result<Self> {
        if socket.as_os_str().len() <= LONGEST_PATH {
            return Ok(Self { path: socket.into(), _folder: None });
        }
        Self::short(socket)
    }

    /// Whether a path is too long, and the system has no short name for it.
    pub(crate) fn is_too_long(socket: &Path) -> bool {
        Self::of(socket).is_err_and(|error| error.kind() == TOO_LONG)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn short(socket: &Path) -> io::Result<Self> {
        let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let folder = File::open(folder)?;
        let Some(short) = system::path_of(folder.as_fd()) else {
            return Err(io::Error::new(TOO_LONG, "the path is too long for a socket"));
        };
        Ok(Self { path: short.join(name), _folder: Some(folder) })
    }
}
