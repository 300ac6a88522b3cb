//! A client's socket with the two timeouts that hyper does not have: for a client that does not read its answer, and
//! for one that keeps sending after the last answer.
//!
//! It transfers bytes and knows no HTTP.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// How long the server reads from a client that keeps sending after the last answer. Closing at once would reset the
/// connection, and the client could lose the answer.
pub(super) const LINGER: Duration = Duration::from_secs(1);
/// How many bytes it may send in that time.
const MOST_UNREAD: usize = 1024 * 1024;
/// Size of the buffer for discarded bytes.
const SCRATCH: usize = 4096;

/// The progress of a client. The connection writes it; the accept loop and the socket read it.
#[derive(Debug, Default)]
pub(super) struct Progress {
    requested: AtomicBool,
    sending: AtomicBool,
}

impl Progress {
    /// Whether a complete request has arrived.
    pub(super) fn has_request(&self) -> bool {
        self.requested.load(Ordering::Relaxed)
    }

    /// Records that a complete request has arrived.
    pub(super) fn note_request(&self) {
        self.requested.store(true, Ordering::Relaxed);
    }

    /// Records that the client may be sending bytes that will not be read.
    pub(super) fn note_sending(&self) {
        self.sending.store(true, Ordering::Relaxed);
    }
}

/// A socket with limits.
#[derive(Debug)]
pub(super) struct TimeoutStream {
    stream: TcpStream,
    stall: Duration,
    /// Runs while the client accepts no bytes.
    stalled: Option<Pin<Box<Sleep>>>,
    progress: Arc<Progress>,
    /// Runs from the last answer on.
    leaving: Option<Pin<Box<Sleep>>>,
    unread: usize,
}

impl TimeoutStream {
    /// A socket whose writes fail when the client accepts no byte for the time `stall`.
    pub(super) fn new(stream: TcpStream, stall: Duration, progress: Arc<Progress>) -> Self {
        Self { stream, stall, stalled: None, progress, leaving: None, unread: 0 }
    }

    /// Fails a pending write that has waited for too long.
    fn watch_stall(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stall = self.stall;
        let timer = self.stalled.get_or_insert_with(|| Box::pin(sleep(stall)));
        ready!(timer.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Discards what the client still sends, within limits.
    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let mut scratch = [0; SCRATCH];
            let mut buffer = ReadBuf::new(&mut scratch);
            let read = Pin::new(&mut self.stream).poll_read(context, &mut buffer);
            match read {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    self.progress.note_sending();
                    self.unread += buffer.filled().len();
                    if self.unread > MOST_UNREAD {
                        return Poll::Ready(());
                    }
                }
                Poll::Pending if self.progress.sending.load(Ordering::Relaxed) => {
                    return self.poll_leaving(context);
                }
                Poll::Ready(_) | Poll::Pending => return Poll::Ready(()),
            }
        }
    }

    fn poll_leaving(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let timer = self.leaving.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        timer.as_mut().poll(context)
    }
}

impl AsyncRead for TimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch_stall(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch_stall(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        self.poll_drain(context).map(Ok)
    }
}
