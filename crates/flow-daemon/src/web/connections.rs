//! The open connections: their limit, and which one is closed when it is reached.
//!
//! Only the accept loop owns the list. It knows no HTTP except for the fixed answer to rejected clients.

use std::collections::HashMap;
use std::future::pending;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use serde_json::Map;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};

use super::reply::Reply;
use super::service::message;
use super::timeout_stream::{LINGER, Progress, TimeoutStream};

/// Number of rejected clients that are read from until they close, at a time. Others are closed after the answer.
const MOST_REFUSALS: usize = 8;
/// Time limit of a rejection.
const REFUSAL: Duration = Duration::from_secs(2);

/// The tasks of all open connections.
#[derive(Debug)]
pub(super) struct Connections {
    tasks: JoinSet<()>,
    open: HashMap<Id, Connection>,
    limit: usize,
    accepted: u64,
}

#[derive(Debug)]
struct Connection {
    /// Sequence number: the smallest is the oldest.
    number: u64,
    progress: Arc<Progress>,
    task: AbortHandle,
}

/// Whether another connection fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capacity {
    /// It does.
    Available,
    /// It does not: every open connection has sent a request.
    Exhausted,
}

impl Connections {
    /// No connections, and at most `limit`.
    pub(super) fn new(limit: usize) -> Self {
        Self { tasks: JoinSet::new(), open: HashMap::new(), limit, accepted: 0 }
    }

    /// Adds a connection.
    pub(super) fn add<F>(&mut self, progress: Arc<Progress>, connection: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let task = self.tasks.spawn(connection);
        self.accepted += 1;
        self.open.insert(task.id(), Connection { number: self.accepted, progress, task });
    }

    /// Frees capacity for another connection: at the limit, the oldest one without a request is closed.
    pub(super) async fn free_capacity(&mut self) -> Capacity {
        while let Some(ended) = self.tasks.try_join_next_with_id() {
            self.forget(ended);
        }
        while self.open.len() >= self.limit {
            if !self.evict() {
                return Capacity::Exhausted;
            }
            // Its socket is closed when its task has ended, not when the end is requested.
            self.ended().await;
        }
        Capacity::Available
    }

    /// Ends the oldest connection that has not sent a request; `false` if there is none.
    pub(super) fn evict(&mut self) -> bool {
        let silent = self.open.values().filter(|open| !open.progress.has_request());
        let oldest = silent.min_by_key(|open| open.number);
        oldest.inspect(|open| open.task.abort()).is_some()
    }

    /// Waits until a connection has ended; for ever if there is none. Cancel safe.
    pub(super) async fn ended(&mut self) {
        match self.tasks.join_next_with_id().await {
            Some(ended) => self.forget(ended),
            None => pending().await,
        }
    }

    /// Ends all remaining connections.
    pub(super) async fn abort(mut self) {
        self.tasks.shutdown().await;
    }

    fn forget(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                let id = error.id();
                if let Ok(panic) = error.try_into_panic() {
                    tracing::error!(panic = ?message(panic.as_ref()), "a connection failed");
                }
                id
            }
        };
        self.open.remove(&id);
    }
}

/// Rejects clients when the limit of connections is reached.
#[derive(Debug)]
pub(super) struct Refusals {
    tasks: JoinSet<()>,
    answer: Bytes,
}

impl Refusals {
    /// No client is being rejected.
    pub(super) fn new() -> Self {
        Self { tasks: JoinSet::new(), answer: too_many() }
    }

    /// Rejects a client.
    pub(super) fn add(&mut self, stream: TcpStream) {
        while self.tasks.try_join_next().is_some() {}
        if self.tasks.len() < MOST_REFUSALS {
            self.tasks.spawn(refuse(stream, self.answer.clone()));
        } else if let Ok(mut stream) = stream.into_std() {
            // The socket does not block, and nothing was sent on it before, so the answer fits into the send buffer.
            let _ = stream.write(&self.answer);
        }
    }
}

async fn refuse(stream: TcpStream, answer: Bytes) {
    let progress = Arc::<Progress>::default();
    // Its request is not read.
    progress.note_sending();
    let mut stream = TimeoutStream::new(stream, LINGER, progress);
    let words = async {
        stream.write_all(&answer).await?;
        stream.shutdown().await
    };
    // A client that does not accept even this is ignored.
    let _ = tokio::time::timeout(REFUSAL, words).await;
}

/// The complete answer as bytes: there is no request for hyper to answer yet.
fn too_many() -> Bytes {
    let sentence = "too many connections are open; try again in a second";
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let response =
        Reply::error(status, "too_many_connections", sentence, Map::new()).into_response();
    let mut bytes = format!("HTTP/1.1 {status}\r\n").into_bytes();
    for (name, value) in response.headers() {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    let length = response.body().len();
    let last = format!("content-length: {length}\r\nretry-after: 1\r\nconnection: close\r\n\r\n");
    bytes.extend(last.into_bytes());
    bytes.extend(response.body());
    bytes.into()
}
