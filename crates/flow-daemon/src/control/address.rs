//! A short name for a socket whose path is too long for a socket address. It opens no socket.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Longest path, in bytes, that is used as it is. An address holds 107 bytes on Linux and 103 on macOS.
pub(crate) const LONGEST_PATH: usize = 100;

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

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    #[cfg(target_os = "linux")]
    fn short(socket: &Path) -> io::Result<Self> {
        use std::os::fd::AsRawFd;
        let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let folder = File::open(folder)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())).join(name);
        Ok(Self { path, _folder: Some(folder) })
    }

    #[cfg(not(target_os = "linux"))]
    fn short(_socket: &Path) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is too long for a socket"))
    }
}
