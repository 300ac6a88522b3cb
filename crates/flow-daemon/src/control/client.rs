//! The client of the control socket: blocking, one request per connection, every wait limited. It starts and stops
//! nothing and never trusts a server of another user.

use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use flow_files::system;
use nix::errno::Errno;
use nix::sys::socket::{self, UnixAddr};
use nix::unistd::Uid;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::address::Address;
use super::{Failure, Got, LONGEST_ANSWER, Request, Status, Stopping, Synced};

/// How long `status` and `stop` wait for a response.
const SHORT_WAIT: Duration = Duration::from_secs(2);
/// How long `sync` waits: the server's own limit, and a margin for the transfer.
const SYNC_WAIT: Duration = Duration::from_secs(12);
/// How long `get` waits for the whole response.
const GET_WAIT: Duration = Duration::from_secs(30);
/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// No process listens on the socket.
    #[error("nobody listens on the control socket")]
    Absent,
    /// A process listens and did not respond in time, or closed the connection.
    #[error("the server is not responding on its control socket")]
    Silent,
    /// A process of another user listens on the socket.
    #[error("the control socket belongs to another user")]
    Foreign,
    /// The daemon refused the request.
    #[error("{}", .0.error)]
    Failed(Failure),
    /// The response is invalid or too long.
    #[error("the server's answer could not be read: {0}")]
    Unreadable(String),
    /// An I/O error of the system.
    #[error("could not ask the server: {0}")]
    Io(#[from] io::Error),
}

/// Requests the status.
///
/// # Errors
/// When there is no valid response within 2 s.
pub fn status(socket: &Path) -> Result<Status, ClientError> {
    ask(socket, &Request::Status, SHORT_WAIT)
}

/// Requests an orderly shutdown.
///
/// # Errors
/// When there is no valid response within 2 s.
pub fn stop(socket: &Path) -> Result<Stopping, ClientError> {
    ask(socket, &Request::Stop, SHORT_WAIT)
}

/// Waits until everything that is on disk now is in the snapshot.
///
/// # Errors
/// When there is no valid response within 12 s.
pub fn sync(socket: &Path) -> Result<Synced, ClientError> {
    ask(socket, &Request::Sync, SYNC_WAIT)
}

/// The HTTP answer to a path with its query.
///
/// # Errors
/// When there is no valid response within 30 s.
pub fn get(socket: &Path, path: &str) -> Result<Got, ClientError> {
    ask(socket, &Request::Get { path: path.into() }, GET_WAIT)
}

/// Like [`get`], with a shorter wait.
///
/// # Errors
/// When there is no valid response within this time.
pub fn get_within(socket: &Path, path: &str, wait: Duration) -> Result<Got, ClientError> {
    ask(socket, &Request::Get { path: path.into() }, wait)
}

fn ask<T: DeserializeOwned>(
    socket: &Path,
    request: &Request,
    wait: Duration,
) -> Result<T, ClientError> {
    let deadline = Instant::now() + wait;
    let mut stream = connect(socket)?;
    if system::peer(&stream)? != Uid::effective() {
        return Err(ClientError::Foreign);
    }
    let mut line = serde_json::to_vec(request).map_err(io::Error::from)?;
    line.push(b'\n');
    stream.set_write_timeout(Some(wait))?;
    stream.write_all(&line).map_err(broken)?;
    decode(&read_line(&mut stream, deadline)?)
}

fn decode<T: DeserializeOwned>(line: &[u8]) -> Result<T, ClientError> {
    #[derive(Deserialize)]
    struct Head {
        ok: bool,
    }
    let unreadable = |e: serde_json::Error| ClientError::Unreadable(e.to_string());
    let head: Head = serde_json::from_slice(line).map_err(unreadable)?;
    if head.ok {
        serde_json::from_slice(line).map_err(unreadable)
    } else {
        Err(ClientError::Failed(serde_json::from_slice(line).map_err(unreadable)?))
    }
}

/// Connects without blocking: a full backlog means that the daemon is not accepting connections.
fn connect(socket: &Path) -> Result<UnixStream, ClientError> {
    let address = match Address::of(socket) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(ClientError::Absent),
        other => other?,
    };
    let target = UnixAddr::new(address.path()).map_err(io::Error::from)?;
    let end = system::client_socket().map_err(io::Error::from)?;
    match socket::connect(end.as_raw_fd(), &target) {
        Ok(()) => {}
        Err(Errno::ENOENT | Errno::ECONNREFUSED | Errno::ENOTSOCK) => {
            return Err(ClientError::Absent);
        }
        Err(Errno::EAGAIN) => return Err(ClientError::Silent),
        Err(e) => return Err(io::Error::from(e).into()),
    }
    let stream = UnixStream::from(end);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

fn read_line(stream: &mut UnixStream, deadline: Instant) -> Result<Vec<u8>, ClientError> {
    let mut line = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ClientError::Silent);
        }
        stream.set_read_timeout(Some(left))?;
        let count = match stream.read(&mut piece) {
            Ok(0) => return Err(ClientError::Silent),
            Ok(count) => count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(broken(e)),
        };
        let end = memchr::memchr(b'\n', &piece[..count]);
        line.extend_from_slice(&piece[..end.unwrap_or(count)]);
        if line.len() > LONGEST_ANSWER {
            return Err(ClientError::Unreadable(format!(
                "it is longer than {LONGEST_ANSWER} bytes"
            )));
        }
        if end.is_some() {
            return Ok(line);
        }
    }
}

fn broken(e: io::Error) -> ClientError {
    use io::ErrorKind::{BrokenPipe, ConnectionReset, TimedOut, WouldBlock};
    match e.kind() {
        BrokenPipe | ConnectionReset | TimedOut | WouldBlock => ClientError::Silent,
        _ => ClientError::Io(e),
    }
}
