//! The data of the screen, from answers of the API.

use serde_json::Value;

use crate::cli::counts::Counts;

/// The request for changes: more than any screen shows.
const CHANGES: &str = "/api/activity?limit=50";

/// The state of a project at one moment.
#[derive(Debug)]
pub(super) struct Moment {
    pub(super) health: Value,
    pub(super) counts: Counts,
    pub(super) attention: Value,
    pub(super) agents: Value,
    /// `None` if no server is running: the files contain no changes.
    pub(super) activity: Option<Value>,
}

/// Whether changes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum History {
    /// A server is running and has observed them.
    Known,
    /// Only the files are read.
    Unknown,
}

impl Moment {
    /// Requests all data.
    ///
    /// # Errors
    /// The request that failed, as a sentence.
    pub(super) fn ask(
        get: impl Fn(&str) -> Result<String, String>,
        history: History,
    ) -> Result<Self, String> {
        Ok(Self {
            health: read(&get, "/api/health")?,
            counts: Counts::ask(|path| get(path).ok()).ok_or("the counts could not be read")?,
            attention: read(&get, "/api/attention")?,
            agents: read(&get, "/api/agents")?,
            activity: match history {
                History::Known => Some(read(&get, CHANGES)?),
                History::Unknown => None,
            },
        })
    }
}

fn read(get: impl Fn(&str) -> Result<String, String>, path: &str) -> Result<Value, String> {
    serde_json::from_str(&get(path)?).map_err(|error| format!("{path} could not be read: {error}"))
}
