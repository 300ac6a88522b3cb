//! The control socket's language: one JSON object a line each way. Its server runs in the daemon, its client in
//! the commands. It decides nothing about the process (that is [`crate::daemon`]) and knows no HTTP: what `get`
//! answers comes through a function that the daemon hands in.

pub mod client;
pub mod server;
mod address;

use http::uri::PathAndQuery;
use serde::{Deserialize, Serialize};

/// The longest request line, in bytes.
pub const LONGEST_REQUEST: usize = 64 * 1024;
/// The longest answer that a client reads, in bytes.
pub const LONGEST_ANSWER: usize = 512 << 20;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "lowercase")]
pub enum Request {
    /// What runs, where, since when.
    Status,
    /// An orderly stop.
    Stop,
    /// That everything on disk at the time of the call is in the snapshot.
    Sync,
    /// What HTTP gives for a path.
    Get {
        /// The path, with its query.
        path: String,
    },
}

impl Request {
    /// Reads a request line.
    ///
    /// # Errors
    /// The refusal that its client gets.
    pub fn read(line: &[u8]) -> Result<Self, Response> {
        let unreadable =
            |e| Response::failed("bad_request", format!("the request could not be read: {e}"));
        let request = serde_json::from_slice(line).map_err(unreadable)?;
        match &request {
            Self::Get { path } if !is_path(path) => Err(Response::failed(
                "invalid_path",
                format!("{path:?} is not a path that HTTP could ask for"),
            )),
            _ => Ok(request),
        }
    }
}

/// Whether HTTP could ask for this path.
pub fn is_path(text: &str) -> bool {
    text.starts_with('/') && PathAndQuery::try_from(text).is_ok()
}

/// What the daemon does at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It serves.
    Running,
    /// It was asked to stop and lets requests finish.
    Stopping,
}

/// The answer to `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// What it does.
    pub phase: Phase,
    /// The process.
    pub pid: u32,
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The project's root.
    pub project: String,
    /// The log file.
    pub log: String,
    /// The version that runs.
    pub version: String,
    /// Whole seconds since the start.
    pub uptime_seconds: u64,
    /// How many snapshots have been published.
    pub generation: u64,
}

impl Status {
    /// Where people begin to read.
    pub fn url(&self) -> String {
        url(self.port)
    }

    /// The page for people, in a browser.
    pub fn page(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

/// The first page of a daemon on this port.
pub fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/api")
}

/// The answer to `stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopping {
    /// What it does from now on.
    pub phase: Phase,
}

/// The answer to `sync`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synced {
    /// The snapshot that has everything.
    pub generation: u64,
}

/// The answer to `get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Got {
    /// The status that HTTP gives.
    pub status: u16,
    /// The body that HTTP gives.
    pub body: String,
}

/// Why a request was not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// One sentence.
    pub error: String,
    /// A stable word.
    pub code: String,
}

/// An answer before it is a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "each is the answer of its name")]
pub enum Response {
    Status(Status),
    Stopping(Stopping),
    Synced(Synced),
    Got(Got),
    Failed(Failure),
}

#[derive(Serialize)]
struct Line<'a> {
    ok: bool,
    #[serde(flatten)]
    response: &'a Response,
}

impl Response {
    /// A refusal.
    pub fn failed(code: &str, error: impl Into<String>) -> Self {
        Self::Failed(Failure { error: error.into(), code: code.into() })
    }

    /// The line as it is sent, with its newline.
    pub fn to_line(&self) -> Vec<u8> {
        let line = Line { ok: !matches!(self, Self::Failed(_)), response: self };
        let mut bytes = serde_json::to_vec(&line).unwrap_or_else(|_| br#"{"ok":false}"#.to_vec());
        bytes.push(b'\n');
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_is_one_line_that_says_whether_it_is_ok() {
        let got = Response::Got(Got { status: 200, body: "{\"a\":\n1}".into() });
        assert_eq!(got.to_line(), b"{\"ok\":true,\"status\":200,\"body\":\"{\\\"a\\\":\\n1}\"}\n");
        let failed = Response::failed("busy", "later");
        assert_eq!(failed.to_line(), b"{\"ok\":false,\"error\":\"later\",\"code\":\"busy\"}\n");
        let stopping = Response::Stopping(Stopping { phase: Phase::Stopping });
        assert_eq!(stopping.to_line(), b"{\"ok\":true,\"phase\":\"stopping\"}\n");
    }

    #[test]
    fn requests_read_as_documented() {
        let read = |text: &str| Request::read(text.as_bytes()).ok();
        assert_eq!(read(r#"{"request":"status"}"#), Some(Request::Status));
        let get = Request::Get { path: "/api".into() };
        assert_eq!(read(r#"{"request":"get","path":"/api"}"#), Some(get));
        assert_eq!(read(r#"{"request":"get"}"#), None);
        assert_eq!(read(r#"{"request":"drop"}"#), None);
        assert_eq!(read(r#"{"request":"get","path":"api"}"#), None);
    }
}
