//! A request, and the data from which its answer is made.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use http::Method;

use crate::history::State;
use crate::project::{ReadFrom, ServedFrom};
use crate::routes::Route;
use crate::store::Snapshot;

use super::process_usage::ProcessUsage;
use super::projects::OtherProjects;
use super::request_counts::RequestCounts;

/// Facts about the server in answers.
#[derive(Debug, Clone)]
pub struct About {
    /// The name of the project folder (never its path).
    pub project: String,
    /// Process id of the server.
    pub pid: u32,
    /// When it started, on the monotonic clock.
    pub started: Instant,
    /// When it started, by wall-clock time.
    pub started_at: SystemTime,
    /// Whose files it serves.
    pub served_from: ServedFrom,
    /// Which pages of this machine may read the answers.
    pub read_from: ReadFrom,
    /// Whether changes are kept beyond this run, where that is known.
    pub history: Option<State>,
    /// Number of answered requests per status.
    pub requests: Arc<RequestCounts>,
    /// What the process uses.
    pub usage: Arc<ProcessUsage>,
    /// What else is served on this machine.
    pub other_projects: Arc<OtherProjects>,
}

impl About {
    /// A server of a project in this process, started now.
    pub fn new(project: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            pid: std::process::id(),
            started: Instant::now(),
            started_at: SystemTime::now(),
            served_from: ServedFrom::default(),
            read_from: ReadFrom::default(),
            history: None,
            requests: Arc::default(),
            usage: Arc::default(),
            other_projects: Arc::default(),
        }
    }
}

/// A request, reduced to the parts on which an answer depends.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// `GET`, `HEAD`, `OPTIONS`, or another that is refused.
    pub method: &'a Method,
    /// The path, still percent-encoded.
    pub path: &'a str,
    /// The query without its question mark.
    pub query: Option<&'a str>,
    /// `If-None-Match`, all its lines joined by commas.
    pub if_none_match: Option<&'a str>,
    /// `Last-Event-ID`, which a browser sends when it reconnects to a stream.
    pub last_event_id: Option<&'a str>,
}

impl Request<'_> {
    /// A plain `GET` without headers.
    pub const GET: Self = Self {
        method: &Method::GET,
        path: "",
        query: None,
        if_none_match: None,
        last_event_id: None,
    };
}

/// The data of an answer: one state, and the requested resource.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) route: &'static Route,
    /// The decoded id; empty if the route has none.
    pub(super) id: &'a str,
}

impl View<'_> {
    /// When the newest of the files behind it was written.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        self.snapshot.modified(self.route.sources)
    }
}
