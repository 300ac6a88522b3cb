//! The one error of the crate: what went wrong, where, and what to do about it.
//!
//! Bad *input files* are not errors. They are data: a source's state and its problems (see [`crate::store`]).
//! What a bad *request* gets is decided in [`crate::web`].

use std::io;
use std::path::{Path, PathBuf};

/// Why a command could not be carried out. The text is a sentence without a final stop, ready to be shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line or a setting is wrong. Exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The system refused something. `what` reads "could not …".
    #[error("{what}: {source}")]
    Io {
        /// What was tried, beginning with "could not".
        what: String,
        /// The system's own reason.
        source: io::Error,
    },
    /// The project's `.flow/config.json` cannot be used.
    #[error("{}: {reason}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        reason: String,
    },
    /// The command was understood and cannot be done as things stand. Exit code 1.
    #[error("{0}")]
    Refused(String),
}

/// The crate's result.
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

    /// Whether the system said that something is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}
