//! Why a file could not be read or written, with the file's name.

use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use crate::output::Fault;

/// A file that could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {problem}", path.display())]
pub struct FileError {
    /// Path of the file, as given.
    pub path: PathBuf,
    /// The reason.
    pub problem: Problem,
}

/// Why a file could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It does not exist.
    #[error("does not exist")]
    Missing,
    /// It exists, and must not be replaced.
    #[error("already exists; to replace it, add --force")]
    Exists,
    /// It has changed since it was read.
    #[error("has changed since it was read; run the command again")]
    Changed,
    /// It is a link, whose target the user did not choose.
    #[error("is a symlink or is below one; symlinks in a project are not followed")]
    Link,
    /// It is outside of the project.
    #[error("is outside the project; a path in a field must stay inside it")]
    Outside,
    /// It is a folder, FIFO, socket or device.
    #[error("is not a regular file")]
    NotAFile,
    /// It is a file, where a folder is expected.
    #[error("is not a folder")]
    NotAFolder,
    /// It is a folder, where a file is expected.
    #[error("is a folder; give a file in it")]
    IsAFolder,
    /// It exceeds a limit, in bytes.
    #[error("has more than {0} bytes, the limit")]
    TooLarge(u64),
    /// It is a folder with more entries than the limit.
    #[error("has more than {0} entries, the limit")]
    TooManyEntries(usize),
    /// It is not UTF-8.
    #[error("is not UTF-8 text")]
    NotText,
    /// It belongs to another user, named here.
    #[error(
        "belongs to the user {0}; templates and the list of trusted templates must be in your own folders"
    )]
    Owner(String),
    /// An I/O error of the system.
    #[error("cannot be used: {0}")]
    Io(String),
}

/// The result of reading or writing a file.
pub type Result<T> = std::result::Result<T, FileError>;

impl FileError {
    pub(super) fn new(path: &Path, problem: Problem) -> Self {
        Self { path: path.to_owned(), problem }
    }

    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        let problem = match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ENOENT) => Problem::Missing,
            Some(Errno::ELOOP) => Problem::Link,
            Some(Errno::EXDEV) => Problem::Outside,
            Some(Errno::ENOTDIR) => Problem::NotAFolder,
            Some(Errno::EISDIR) => Problem::IsAFolder,
            // A socket, or a FIFO without a reader.
            Some(Errno::ENXIO) => Problem::NotAFile,
            _ => Problem::Io(error.to_string()),
        };
        Self::new(path, problem)
    }

    /// Whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        self.problem == Problem::Missing
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Self::Unreadable(error.to_string())
    }
}
