//! Runs a program with limits on its time and its output. At a limit it is killed, and with it the process group that it
//! leads.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Time between two checks whether a program has ended, after its output is complete.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(2);

#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// Largest output, in bytes; an error output is cut there.
    pub(super) bytes: u64,
}

/// Why a program did not end by itself.
#[derive(Debug)]
pub(super) enum Stopped {
    NotRun(io::Error),
    TooSlow,
    TooLarge,
}

/// The output of a program that reads an input. The error output of one that succeeded is left out.
pub(super) fn run(mut command: Command, input: Vec<u8>, limits: Limits) -> Result<Output, Stopped> {
    let deadline = Instant::now() + limits.time;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(Stopped::NotRun)?;
    let stdin = child.stdin.take();
    // A program that has failed already reads no more.
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let (out, err) = (reader(child.stdout.take(), limits), reader(child.stderr.take(), limits));
    let read = out.recv_timeout(limits.time).ok();
    let is_complete = read.as_ref().is_some_and(|read| read.len() as u64 <= limits.bytes);
    let status = finish(&mut child, is_complete.then_some(deadline)).map_err(Stopped::NotRun)?;
    let stdout = read.ok_or(Stopped::TooSlow)?;
    if !is_complete {
        return Err(Stopped::TooLarge);
    }
    if status.success() {
        return Ok(Output { status, stdout, stderr: Vec::new() });
    }
    Ok(Output { status, stdout, stderr: err.recv_timeout(limits.time).unwrap_or_default() })
}

/// Reads to the end in a thread, up to one byte over the limit.
fn reader(from: Option<impl Read + Send + 'static>, limits: Limits) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            // An error ends the output; the exit status shows whether the output is complete.
            let _ = from.take(limits.bytes + 1).read_to_end(&mut bytes);
        }
        // The receiver is gone after the time limit.
        let _ = sender.send(bytes);
    });
    receiver
}

/// The exit status. Without a deadline, or after it, the program and its process group are killed.
fn finish(child: &mut Child, deadline: Option<Instant>) -> io::Result<ExitStatus> {
    while deadline.is_some_and(|deadline| Instant::now() < deadline) {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        thread::sleep(POLL_INTERVAL);
    }
    // The child is not reaped yet, so its id is still valid. It may have ended since the last check.
    let _ = i32::try_from(child.id()).map(|id| killpg(Pid::from_raw(id), Signal::SIGKILL));
    let _ = child.kill();
    child.wait()
}
