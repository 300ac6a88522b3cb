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

impl Moment {
    /// Requests all data.
    ///
    /// # Errors
    /// The request that failed, as a sentence.
    pub(super) fn ask(get: impl Fn(&str) -> Result<String, String>) -> Result<Self, String> {
        Ok(Self {
            health: read(&get, "/api/health")?,
            counts: Counts::ask(|path| get(path).ok()).ok_or("the counts could not be read")?,
            attention: read(&get, "/api/attention")?,
            agents: read(&get, "/api/agents")?,
            activity: Some(read(&get, CHANGES)?),
        })
    }
}

fn read(get: impl Fn(&str) -> Result<String, String>, path: &str) -> Result<Value, String> {
    serde_json::from_str(&get(path)?).map_err(|error| format!("{path} could not be read: {error}"))
}
