//! The server of the control socket. It answers from a snapshot and passes requests on. Its only state is the stop
//! switch, and it knows no HTTP status.

use std::fmt;
use std::os::unix::net::UnixListener as StdListener;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use nix::sys::stat::{Mode, umask};
use nix::unistd::Uid;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::address::Address;
use super::{Got, LONGEST_REQUEST, Phase, Request, Response, Status, Stopping, Synced};
use crate::error::{Error, Result};
use crate::store::{Handle, Reader};

/// Most connections at a time.
const CONNECTIONS: usize = 16;
/// Time for a complete request line. A little under a second, so that the refusal arrives within one.
const LINE_WAIT: Duration = Duration::from_millis(900);
/// How long `sync` waits for the owner of the state.
const SYNC_WAIT: Duration = Duration::from_secs(10);
/// Time for a client to read its response.
const WRITE_WAIT: Duration = Duration::from_secs(30);
/// Pause after the system failed to accept a connection (too many open files).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Returns the HTTP status and body for a path with its query.
pub type Get = Arc<dyn Fn(&str) -> (u16, Bytes) + Send + Sync>;

/// Facts that do not change while the daemon runs.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The port on 127.0.0.1.
    pub port: u16,
    /// The project's root, absolute.
    pub project: String,
    /// Path of the log file.
    pub log: String,
    /// Start of the daemon, on the monotonic clock.
    pub started: Instant,
}

/// What the server needs to respond.
pub struct Service {
    /// Facts that do not change.
    pub facts: Facts,
    /// The state.
    pub reader: Reader,
    /// Sends requests to the owner of the state.
    pub handle: Handle,
    /// Answers `get`.
    pub get: Get,
    /// Set to true for an orderly shutdown.
    pub stop: watch::Sender<bool>,
}

impl Service {
    /// The current status.
    pub fn status(&self) -> Status {
        let Facts { port, project, log, started } = self.facts.clone();
        Status {
            phase: if *self.stop.borrow() { Phase::Stopping } else { Phase::Running },
            pid: std::process::id(),
            port,
            project,
            log,
            version: env!("CARGO_PKG_VERSION").into(),
            uptime_seconds: started.elapsed().as_secs(),
            generation: self.reader.snapshot().generation,
        }
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// Creates the socket file, with mode 0600 from the beginning.
///
/// # Errors
/// I/O errors of the system, also when the file exists.
pub fn bind(socket: &Path) -> Result<StdListener> {
    let open = || {
        let address = Address::of(socket)?;
        let before = umask(Mode::from_bits_truncate(0o177));
        let listener = StdListener::bind(address.path());
        umask(before);
        let listener = listener?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    open().map_err(|e| Error::path("create the control socket", socket, e))
}

/// Serves until it is dropped.
///
/// # Errors
/// When the runtime cannot register the listener.
pub async fn run(listener: StdListener, service: Arc<Service>) -> Result<()> {
    let listener = UnixListener::from_std(listener)
        .map_err(|e| Error::io("listen on the control socket", e))?;
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "could not accept a control connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            let busy = Response::failed("busy", "too many control connections; try again");
            let _ = stream.try_write(&busy.to_line());
            continue;
        };
        let service = Arc::clone(&service);
        connections.spawn(async move {
            converse(stream, &service).await;
            drop(place);
        });
    }
}

async fn converse(mut stream: UnixStream, service: &Service) {
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == Uid::effective().as_raw() => {}
        Ok(_) => {
            tracing::warn!("a control connection of another user was refused");
            let response = Response::failed("not_yours", "this server belongs to another user");
            return refuse(&mut stream, &response).await;
        }
        Err(error) => {
            tracing::warn!(%error, "a control connection was refused: its user is not known");
            let response = Response::failed(
                "unknown_user",
                "could not determine the user of the peer; try again",
            );
            return refuse(&mut stream, &response).await;
        }
    }
    let mut buffer = Vec::new();
    loop {
        let line = match timeout(LINE_WAIT, next_line(&mut stream, &mut buffer)).await {
            Ok(Line::Whole(line)) => line,
            Ok(Line::End) => return,
            Ok(Line::TooLong) => {
                let error = format!("the request is longer than {LONGEST_REQUEST} bytes");
                return refuse(&mut stream, &Response::failed("too_long", error)).await;
            }
            Err(_) => {
                let response =
                    Response::failed("too_slow", "no complete request line was received in time");
                return refuse(&mut stream, &response).await;
            }
        };
        let response = answer(&line, service).await;
        let sent = send(&mut stream, &response).await;
        // Only after the response has been sent: the shutdown would interrupt it.
        if matches!(response, Response::Stopping(_)) {
            service.stop.send_replace(true);
        }
        if !sent {
            return;
        }
    }
}

enum Line {
    Whole(Vec<u8>),
    End,
    TooLong,
}

/// The next line; the bytes after it stay in the buffer. The last line may lack its newline.
async fn next_line(stream: &mut UnixStream, buffer: &mut Vec<u8>) -> Line {
    let mut seen = 0;
    loop {
        if let Some(at) = memchr::memchr(b'\n', &buffer[seen..]) {
            let rest = buffer.split_off(seen + at + 1);
            let mut line = std::mem::replace(buffer, rest);
            line.pop();
            return if line.len() > LONGEST_REQUEST { Line::TooLong } else { Line::Whole(line) };
        }
        seen = buffer.len();
        if seen > LONGEST_REQUEST {
            return Line::TooLong;
        }
        match stream.read_buf(buffer).await {
            Ok(0) if buffer.is_empty() => return Line::End,
            Ok(0) => return Line::Whole(std::mem::take(buffer)),
            Ok(_) => {}
            Err(_) => return Line::End,
        }
    }
}

async fn send(stream: &mut UnixStream, response: &Response) -> bool {
    matches!(timeout(WRITE_WAIT, stream.write_all(&response.to_line())).await, Ok(Ok(())))
}

/// Sends a refusal and closes. Further bytes of the client are read for a moment: closing with unread bytes would reset
/// the connection before the client has read the refusal.
async fn refuse(stream: &mut UnixStream, response: &Response) {
    if !send(stream, response).await || stream.shutdown().await.is_err() {
        return;
    }
    let mut sink = vec![0; LONGEST_REQUEST];
    let drain = async { while matches!(stream.read(&mut sink).await, Ok(1..)) {} };
    let _ = timeout(LINE_WAIT, drain).await;
}

async fn answer(line: &[u8], service: &Service) -> Response {
    match Request::read(line) {
        Ok(Request::Status) => Response::Status(service.status()),
        Ok(Request::Stop) => {
            tracing::info!("stop requested");
            Response::Stopping(Stopping { phase: Phase::Stopping })
        }
        Ok(Request::Sync) => sync(&service.handle).await,
        Ok(Request::Get { path }) => get(path, &service.get).await,
        Err(refusal) => refusal,
    }
}

async fn sync(handle: &Handle) -> Response {
    let waiting = match handle.sync() {
        Ok(waiting) => waiting,
        Err(e) => return Response::failed("unavailable", e.to_string()),
    };
    match timeout(SYNC_WAIT, waiting).await {
        Ok(Ok(generation)) => Response::Synced(Synced { generation }),
        Ok(Err(_)) => Response::failed("unavailable", "the state is no longer updated"),
        Err(_) => Response::failed("timeout", "the files were not loaded within 10 s"),
    }
}

/// Runs on the blocking pool: a large body must not occupy a worker of the runtime.
async fn get(path: String, get: &Get) -> Response {
    let get = Arc::clone(get);
    let answer = tokio::task::spawn_blocking(move || {
        let (status, body) = get(&path);
        (status, String::from_utf8_lossy(&body).into_owned())
    });
    match answer.await {
        Ok((status, body)) => Response::Got(Got { status, body }),
        Err(_) => Response::failed("internal", "could not build the response"),
    }
}
