//! What a skill may know beside its input. The same context and input give the same bytes.

use std::path::PathBuf;

use super::state::State;

/// The moment, the project's state, and the folder of the call.
#[derive(Debug, Clone)]
pub struct Context {
    /// The moment, RFC 3339 in UTC (`2026-01-31T09:30:00Z`); its first ten characters are the date.
    pub now: String,
    /// The project's state, read only where a skill asks for it.
    pub state: State,
    /// The folder that relative paths and git ranges mean.
    pub folder: PathBuf,
    /// The project's root: no path in a field or in a file's content leads out of it.
    pub root: PathBuf,
    /// The file that the artifact is to be written to, where the user named one. A skill that extends a file takes it
    /// for its subject.
    pub out: Option<PathBuf>,
}

impl Context {
    /// The date, `2026-01-31`.
    pub fn today(&self) -> &str {
        self.now.get(..10).unwrap_or(&self.now)
    }
}
