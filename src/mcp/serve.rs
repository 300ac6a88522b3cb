//! The process: a store that follows the files, and the handler on standard input and output, until the client closes its
//! side or a signal says so.

use std::io::{self, stdout};
use std::os::fd::AsFd;
use std::sync::Arc;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::sleep;

use super::limits::{LONGEST_LINE, MOST_SKILLS, MOST_WORKING, READER_CHECK};
use super::server::Server;
use super::state::State;
use super::transport::Bounded;
use crate::daemon::{self, Signals};
use crate::error::{Error, Result};
use crate::history::Kept;
use crate::project::Project;
use crate::store::{Environment, Options, Store};

/// Number of threads for messages; work runs on others.
const THREADS: usize = 2;

/// Serves a project on standard input and output. Returns when the client disconnects or a signal arrives.
///
/// # Errors
/// When it cannot be set up, or the client does not speak the protocol.
pub fn serve(project: Project) -> Result<()> {
    daemon::log_to_stderr()?;
    // A client may wait only some seconds for its first answer, and large plans take longer to read.
    // The history is a server's to write; what it has is read.
    let keeper = daemon::kept(&project).map(Kept::into_keeper).transpose()?;
    let environment = Environment { keeper, ..Environment::default() };
    let store = Store::open_in_background(&project, &Options::default(), environment)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        // Work that answers a skill's process needs a second one. Standard input and output may need one each.
        .max_blocking_threads(2 * (MOST_WORKING + MOST_SKILLS) + 2)
        .enable_all()
        .build()
        .map_err(|error| Error::io("start the threads", error))?;
    let state = Arc::new(State::new(project, &store));
    let outcome = runtime.block_on(talk(state));
    // A thread that reads standard input cannot be interrupted.
    runtime.shutdown_background();
    store.stop();
    outcome
}

async fn talk(state: Arc<State>) -> Result<()> {
    let mut ends = Signals::listen().map_err(|error| Error::io("listen for signals", error))?;
    let (close, closing) = watch::channel(false);
    let (input, output) = stdio_pipes();
    let lines = AsyncRwTransport::new(input, output).with_max_line_length(LONGEST_LINE);
    let transport = Bounded::new(lines, close.clone());
    let begun = tokio::select! {
        begun = Server::new(state, closing.clone()).serve(transport) => begun,
        _ = ends.next() => return Ok(()),
    };
    let running = match begun {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(refused(&error)),
    };
    let cancel = running.cancellation_token();
    let mut done = std::pin::pin!(running.waiting());
    let ended = tokio::select! {
        ended = &mut done => ended,
        _ = ends.next() => {
            close.send_replace(true);
            cancel.cancel();
            done.await
        }
        () = reader_gone(closing) => {
            cancel.cancel();
            done.await
        }
    };
    ended.map(drop).map_err(|error| Error::io("serve the client", io::Error::other(error)))
}

/// Waits until the client has closed its side and nobody reads the answers to what it has sent.
async fn reader_gone(mut closing: watch::Receiver<bool>) {
    let _ = closing.wait_for(|is_closing| *is_closing).await;
    let output = stdout();
    loop {
        let mut polled = [PollFd::new(output.as_fd(), PollFlags::empty())];
        // What is not asked for is reported too: an error, or the end.
        if poll(&mut polled, PollTimeout::ZERO).is_ok_and(|ready| ready > 0) {
            return;
        }
        sleep(READER_CHECK).await;
    }
}

fn refused(error: &ServerInitializeError) -> Error {
    match error {
        ServerInitializeError::ExpectedInitializeRequest(_) => Error::Refused(
            "the client's first message is not a request of the Model Context Protocol".to_owned(),
        ),
        other => Error::Refused(format!("could not serve the client: {other}")),
    }
}
