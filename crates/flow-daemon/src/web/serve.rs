//! The server: accepts connections, enforces their limits, and stops in order.
//!
//! It is one function of a listener, an application and a stop signal; tests bind port 0 and call the same function.
//! `service` answers requests after `guard` has checked them.

use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use nix::sys::resource::{Resource, getrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::error::{Error, Result};

use super::app::App;
use super::connections::{Capacity, Connections, Refusals};
use super::inflight_budget::InflightBudget;
pub use super::service::Answer;
use super::service::{POOL, Serving, service};
use super::timeout_stream::{Progress, TimeoutStream};

/// Largest number of connections, whatever the limit of open files.
const MOST_CONNECTIONS: u64 = 1024;
/// Open files reserved for everything else: the four sources, the watcher, the log, control clients, refusals.
const OTHER_FILES: u64 = 40;
/// Number of connections that are served even if that leaves too few files for the rest.
const FEWEST_CONNECTIONS: u64 = 8;
/// Most streams of changes at a time.
const MOST_STREAMS: usize = 256;
/// Most header lines of a request; hyper answers 431 to more.
const MOST_HEADERS: usize = 64;
/// Most bytes of a request's head; hyper answers 431 to more. It also bounds what is prepared for a slow client.
const HEAD_BYTES: usize = 32 * 1024;
/// Most bytes of memory of large answers in flight. A single one may be larger.
const IN_FLIGHT: usize = 1 << 30;
/// Pause after the system failed to accept a connection, as it does when too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How often the log repeats that the limit is reached, or that no connection can be accepted.
const COMPLAINT_EVERY: Duration = Duration::from_mins(1);

/// The limits of a client. Programs use the default; tests shorten the times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of connections at a time.
    pub connections: usize,
    /// Time from the beginning of the connection to the end of the first request.
    pub first_request: Duration,
    /// Time from the end of an answer to the end of the next request; longer than any usual polling interval.
    pub idle: Duration,
    /// Memory of large answers (over 1 MiB) that are being sent, in bytes; a single one may be larger.
    pub in_flight: usize,
    /// How long a client may receive no byte of its answer.
    pub stall: Duration,
    /// Time for answers in flight after the stop signal.
    pub grace: Duration,
}

impl Default for Limits {
    /// The number of connections depends on the number of files that this process may open.
    fn default() -> Self {
        Self {
            connections: connections_within(open_files()),
            first_request: Duration::from_secs(5),
            idle: Duration::from_secs(75),
            in_flight: IN_FLIGHT,
            stall: Duration::from_secs(30),
            grace: Duration::from_secs(5),
        }
    }
}

impl Limits {
    /// Number of change streams at a time: a quarter of the connections, so that they never use all.
    fn streams(&self) -> usize {
        (self.connections / 4).clamp(1, MOST_STREAMS)
    }
}

fn open_files() -> u64 {
    getrlimit(Resource::RLIMIT_NOFILE).map_or(MOST_CONNECTIONS, |(soft, _)| soft)
}

fn connections_within(open_files: u64) -> usize {
    let rest = open_files.saturating_sub(OTHER_FILES);
    usize::try_from(rest.clamp(FEWEST_CONNECTIONS, MOST_CONNECTIONS)).unwrap_or(usize::MAX)
}

/// Serves until `stop` becomes `true` or its sender is dropped, then lets answers in flight finish.
///
/// # Errors
/// When the listener cannot be used.
pub async fn run(
    listener: std::net::TcpListener,
    app: Arc<App>,
    stop: watch::Receiver<bool>,
) -> Result<()> {
    run_with(listener, app, stop, Limits::default()).await
}

/// Like [`run`], with another application and other limits.
///
/// # Errors
/// When the listener cannot be used.
pub async fn run_with<A: Answer>(
    listener: std::net::TcpListener,
    app: Arc<A>,
    mut stop: watch::Receiver<bool>,
    limits: Limits,
) -> Result<()> {
    listener.set_nonblocking(true).map_err(|e| Error::io("prepare the listener", e))?;
    let listener =
        TcpListener::from_std(listener).map_err(|e| Error::io("prepare the listener", e))?;
    let mut server = Server::new(app, limits, stop.clone());
    let mut pause = None;
    loop {
        tokio::select! {
            () = stopped(&mut stop) => break,
            () = server.connections.ended() => {}
            accepted = accept(&listener, pause) => match accepted {
                Ok(stream) => {
                    pause = None;
                    server.welcome(stream).await;
                }
                Err(error) => pause = server.not_accepted(&error),
            },
        }
    }
    drop(listener);
    server.stop().await;
    Ok(())
}

/// Resolves on shutdown, or when the sender is dropped.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn accept(listener: &TcpListener, pause: Option<Instant>) -> io::Result<TcpStream> {
    if let Some(until) = pause {
        sleep_until(until).await;
    }
    listener.accept().await.map(|(stream, _)| stream)
}

struct Server<A> {
    serving: Arc<Serving<A>>,
    limits: Limits,
    http: http1::Builder,
    graceful: GracefulShutdown,
    connections: Connections,
    refusals: Refusals,
    complained: Option<Instant>,
}

impl<A: Answer> Server<A> {
    fn new(app: Arc<A>, limits: Limits, stop: watch::Receiver<bool>) -> Self {
        let mut http = http1::Builder::new();
        // hyper's timer also runs on an idle connection, so the first request has a separate deadline.
        http.timer(TokioTimer::new()).header_read_timeout(limits.idle);
        // The buffer size is not an exact limit: the allocation may be larger, and is used.
        http.max_headers(MOST_HEADERS).max_header_size(HEAD_BYTES).max_buf_size(HEAD_BYTES);
        // A client that closes its sending side after the request (`printf … | nc -N`) waits for its answer. Without
        // half-close it would get one or not, depending on which event the server sees first.
        http.keep_alive(true).half_close(true);
        let budget = InflightBudget::new(limits.in_flight);
        let expensive = Arc::new(Semaphore::new(POOL));
        let streams = Arc::new(Semaphore::new(limits.streams()));
        Self {
            serving: Arc::new(Serving { app, budget, expensive, streams, stop }),
            limits,
            http,
            graceful: GracefulShutdown::new(),
            connections: Connections::new(limits.connections),
            refusals: Refusals::new(),
            complained: None,
        }
    }

    async fn welcome(&mut self, stream: TcpStream) {
        if self.connections.free_capacity().await == Capacity::Exhausted {
            if self.may_complain() {
                tracing::warn!(limit = self.limits.connections, "too many connections");
            }
            return self.refusals.add(stream);
        }
        // Without it an answer in two writes would wait for the client's delayed acknowledgement.
        let _ = stream.set_nodelay(true);
        let progress = Arc::<Progress>::default();
        let stream =
            TokioIo::new(TimeoutStream::new(stream, self.limits.stall, Arc::clone(&progress)));
        let service = service(Arc::clone(&self.serving), Arc::clone(&progress));
        let connection = self.http.serve_connection(stream, service);
        let connection = self.graceful.watcher().watch(connection);
        let first_request = self.limits.first_request;
        let seen = Arc::clone(&progress);
        let task = async move { drive(connection, &seen, first_request).await };
        self.connections.add(progress, task);
    }

    /// When to accept again after the system failed to.
    fn not_accepted(&mut self, error: &io::Error) -> Option<Instant> {
        let gone =
            [ErrorKind::ConnectionAborted, ErrorKind::ConnectionReset, ErrorKind::Interrupted];
        if gone.contains(&error.kind()) {
            return None;
        }
        if self.may_complain() {
            tracing::warn!(%error, "could not accept a connection");
        }
        // Mostly the limit of open files is reached, and an inactive client holds one.
        self.connections.evict();
        Some(Instant::now() + ACCEPT_PAUSE)
    }

    /// Keeps a flood of clients from flooding the log.
    fn may_complain(&mut self) -> bool {
        let due = self.complained.is_none_or(|last| last.elapsed() >= COMPLAINT_EVERY);
        if due {
            self.complained = Some(Instant::now());
        }
        due
    }

    async fn stop(self) {
        if timeout(self.limits.grace, self.graceful.shutdown()).await.is_err() {
            tracing::warn!(
                "connections were still open after {:?} and are closed",
                self.limits.grace
            );
        }
        self.connections.abort().await;
    }
}

/// Runs a connection until it ends. One that has not sent a complete request in time is dropped.
async fn drive<E>(
    connection: impl Future<Output = Result<(), E>>,
    progress: &Progress,
    first_request: Duration,
) {
    let mut connection = pin!(connection);
    // The deadline ends with the first request, so that further requests do not pay for it.
    let first = poll_fn(|context| match connection.as_mut().poll(context) {
        Poll::Pending if !progress.has_request() => Poll::Pending,
        polled => Poll::Ready(polled.is_pending()),
    });
    if let Ok(true) = timeout(first_request, first).await {
        // An error is the client's: a broken request or connection, which hyper has answered if possible.
        let _ = connection.await;
    }
}

#[cfg(test)]
mod tests {
    use super::connections_within;

    #[test]
    fn connections_leave_files_to_the_rest() {
        let limits = [0, 47, 48, 49, 64, 1063, 1064, 1065, u64::MAX].map(connections_within);
        assert_eq!(limits, [8, 8, 8, 9, 24, 1023, 1024, 1024, 1024]);
    }
}
