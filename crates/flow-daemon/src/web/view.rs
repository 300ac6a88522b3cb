//! A request, and what its answer is made from.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use http::Method;

use crate::model::time;
use crate::project::ServedFrom;
use crate::routes::Route;
use crate::store::Snapshot;

use super::request_counts::RequestCounts;

/// What the answers say about the server itself.
#[derive(Debug, Clone)]
pub struct About {
    /// The project folder's name (never its path).
    pub project: String,
    /// The process.
    pub pid: u32,
    /// When it started, on a clock that never goes back.
    pub started: Instant,
    /// The same on the clock of the calendar.
    pub started_at: SystemTime,
    /// Whose files it serves.
    pub served_from: ServedFrom,
    /// How many requests were answered how.
    pub requests: Arc<RequestCounts>,
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
            requests: Arc::default(),
        }
    }
}

/// A request, reduced to what an answer depends on.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path, still percent-encoded.
    pub path: &'a str,
    /// The query without its question mark.
    pub query: Option<&'a str>,
    /// `If-None-Match`, all its lines joined by commas.
    pub if_none_match: Option<&'a str>,
    /// `Last-Event-ID`, as a browser sends it when it opens a stream again.
    pub last_event_id: Option<&'a str>,
}

impl Request<'_> {
    /// A plain `GET` of nothing.
    pub const GET: Self = Self {
        method: &Method::GET,
        path: "",
        query: None,
        if_none_match: None,
        last_event_id: None,
    };
}

/// What an answer is made from: one state, and the resource that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) route: &'static Route,
    /// The decoded id; empty where the route has none.
    pub(super) id: &'a str,
}

impl View<'_> {
    /// When the newest of the files behind it was written.
    pub(super) fn timestamp(&self) -> Option<String> {
        self.snapshot.modified(self.route.sources).map(time::format)
    }
}
