//! Why a file could not be read or written, in words that name the file.

use std::io;
use std::path::{Path, PathBuf};

use nix::errno::Errno;

use crate::output::Fault;

/// A file that could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} {problem}", path.display())]
pub struct FileError {
    /// The file, as it was named.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// There is nothing of this name.
    #[error("does not exist")]
    Missing,
    /// It is there, and may not be replaced.
    #[error("exists; --force replaces it")]
    Exists,
    /// It is not what it was when it was read.
    #[error("has changed since it was read; run the command again")]
    Changed,
    /// A link: where it leads is not the user's word.
    #[error("is a symbolic link, or lies behind one; links in a project are not followed")]
    Link,
    /// Out of the project.
    #[error("leads out of the project; a path in a field must stay inside it")]
    Outside,
    /// A folder, FIFO, socket or device.
    #[error("is not a regular file")]
    NotAFile,
    /// A file in a folder's place.
    #[error("is not a folder")]
    NotAFolder,
    /// A folder in a file's place.
    #[error("is a folder; name a file in it")]
    IsAFolder,
    /// Over a limit, in bytes.
    #[error("has more than {0} bytes, the limit")]
    TooLarge(u64),
    /// A folder over a limit.
    #[error("has more than {0} entries, the limit")]
    TooManyEntries(usize),
    /// Bytes that are no text.
    #[error("is not UTF-8 text")]
    NotText,
    /// Another user's, by name.
    #[error("belongs to the user {0}; templates and trust are read only from folders of your own")]
    Owner(String),
    /// As the system says.
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
            // A socket, or a FIFO that nobody reads.
            Some(Errno::ENXIO) => Problem::NotAFile,
            _ => Problem::Io(error.to_string()),
        };
        Self::new(path, problem)
    }

    /// Whether there is nothing of this name.
    pub fn is_missing(&self) -> bool {
        self.problem == Problem::Missing
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        Self::Unreadable(error.to_string())
    }
}
