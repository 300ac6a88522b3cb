//! The error type of the crate: what went wrong, where, and what to do about it.
//!
//! Invalid *input files* are not errors but data: the state of a source and its problems (see [`crate::store`]).
//! [`crate::web`] decides how an invalid *request* is answered.

use std::io;
use std::path::{Path, PathBuf};

/// Why a command failed. The text is a sentence without a full stop, ready to be shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line or a setting is wrong. Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// An I/O error of the system.
    #[error("{what}: {source}")]
    Io {
        /// What failed: "could not …".
        what: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The project's `.flow/config.json` cannot be used.
    #[error("{}: {reason}", path.display())]
    Config {
        /// Path of the settings file.
        path: PathBuf,
        /// The fault in it, with its key.
        reason: String,
    },
    /// The command is valid and cannot be carried out in the current state. Exit code 1.
    #[error("{0}")]
    Refused(String),
}

/// A result with this crate's error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An `Io` error about a path: `could not <verb> <path>`.
    pub fn path(verb: &str, path: &Path, source: io::Error) -> Self {
        Self::Io { what: format!("could not {verb} {}", path.display()), source }
    }

    /// An `Io` error about anything else: `could not <what>`.
    pub fn io(what: &str, source: impl Into<io::Error>) -> Self {
        Self::Io { what: format!("could not {what}"), source: source.into() }
    }

    /// Whether it is the system's "not found".
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
