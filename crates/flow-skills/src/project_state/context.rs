//! What a skill depends on besides its input. The same context and input give the same bytes.

use std::path::PathBuf;

use super::state::State;

/// The current time, the project's state, and the folders of the call.
#[derive(Debug, Clone)]
pub struct Context {
    /// The current time, RFC 3339 in UTC (`2026-01-31T09:30:00Z`); its first ten characters are the date.
    pub now: String,
    /// The project's state, read only if a skill uses it.
    pub state: State,
    /// The base of relative paths and git ranges.
    pub folder: PathBuf,
    /// The project's root: no path in a field or in a file's content may lead out of it.
    pub root: PathBuf,
    /// The file that the artifact is written to, if the user named one. A skill that extends a file uses it as its
    /// subject.
    pub out: Option<PathBuf>,
}

impl Context {
    /// The current date, `2026-01-31`.
    pub fn today(&self) -> &str {
        self.now.get(..10).unwrap_or(&self.now)
    }
}
