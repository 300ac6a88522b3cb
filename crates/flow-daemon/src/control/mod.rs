//! The protocol of the control socket: one JSON object per line in each direction. Its server runs in the daemon, its
//! client in the commands. It decides nothing about the process ([`crate::daemon`] does) and knows no HTTP: the answer
//! to `get` comes from a function that the daemon passes in.

pub mod client;
pub mod server;
pub(crate) mod address;

use http::uri::PathAndQuery;
use serde::{Deserialize, Serialize};

/// The longest request line, in bytes.
pub const LONGEST_REQUEST: usize = 64 * 1024;
/// Longest response that a client reads, in bytes.
pub const LONGEST_ANSWER: usize = 512 << 20;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "lowercase")]
pub enum Request {
    /// The status of the daemon.
    Status,
    /// An orderly shutdown.
    Stop,
    /// That everything on disk at the time of the request is in the snapshot.
    Sync,
    /// The HTTP answer to a path.
    Get {
        /// The path, with its query.
        path: String,
    },
}

impl Request {
    /// Reads a request line.
    ///
    /// # Errors
    /// The refusal that the client receives.
    pub fn read(line: &[u8]) -> Result<Self, Response> {
        let unreadable =
            |e| Response::failed("bad_request", format!("the request could not be read: {e}"));
        let request = serde_json::from_slice(line).map_err(unreadable)?;
        match &request {
            Self::Get { path } if !is_path(path) => Err(Response::failed(
                "invalid_path",
                format!("{path:?} is not a valid request path"),
            )),
            _ => Ok(request),
        }
    }
}

/// Whether the path is valid in an HTTP request.
pub fn is_path(text: &str) -> bool {
    text.starts_with('/') && PathAndQuery::try_from(text).is_ok()
}

/// The phase of the daemon's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// It serves.
    Running,
    /// It was asked to stop and lets open requests finish.
    Stopping,
}

/// The response to `status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The daemon's phase.
    pub phase: Phase,
    /// Process id of the daemon.
    pub pid: u32,
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The project's root, absolute.
    pub project: String,
    /// Path of the log file.
    pub log: String,
    /// Version of the running program.
    pub version: String,
    /// Whole seconds since the start.
    pub uptime_seconds: u64,
    /// Number of snapshots published so far.
    pub generation: u64,
}

impl Status {
    /// Address of the API's index.
    pub fn url(&self) -> String {
        url(self.port)
    }

    /// Address of the page.
    pub fn page(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }
}

/// Address of the API's index on this port.
pub fn url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/api")
}

/// The response to `stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopping {
    /// The phase that begins now.
    pub phase: Phase,
}

/// The response to `sync`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Synced {
    /// Generation of the snapshot that contains everything.
    pub generation: u64,
}

/// The response to `get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Got {
    /// The HTTP status.
    pub status: u16,
    /// The HTTP body.
    pub body: String,
}

/// Why a request was not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// A sentence for people.
    pub error: String,
    /// A stable identifier.
    pub code: String,
}

/// A response before it is serialised.
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

    /// The line to send, with its newline.
    pub fn to_line(&self) -> Vec<u8> {
        let line = Line { ok: !matches!(self, Self::Failed(_)), response: self };
        let mut bytes = serde_json::to_vec(&line).unwrap_or_else(|_| br#"{"ok":false}"#.to_vec());
        bytes.push(b'\n');
        bytes
    }
}
