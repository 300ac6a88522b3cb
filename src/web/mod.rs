//! Requests and answers: pure functions of a snapshot and a request, and the server around them.

pub mod reply;
pub mod serve;

use std::time::Instant;

use http::Method;

use crate::store::Reader;
use reply::Reply;

/// What the answers say about the server itself.
#[derive(Debug, Clone)]
pub struct About {
    /// The project folder's name (never its path).
    pub project: String,
    /// The process.
    pub pid: u32,
    /// When it started, on a clock that never goes back.
    pub started: Instant,
}

/// What it takes to answer a request.
#[derive(Debug)]
pub struct App {
    /// The state.
    pub reader: Reader,
    /// The server.
    pub about: About,
}

/// A request, reduced to what an answer depends on.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path, still percent-encoded.
    pub path: &'a str,
    /// The query without its question mark.
    pub query: Option<&'a str>,
    /// `If-None-Match`, all its lines joined by commas.
    pub if_none_match: Option<&'a str>,
}

impl App {
    /// Answers a request. Never fails: a bad request is an answer too.
    pub fn answer(&self, asked: Asked<'_>) -> Reply {
        let _ = (&self.reader, &self.about, asked);
        Reply::json(bytes::Bytes::from_static(b"{}"))
    }
}
