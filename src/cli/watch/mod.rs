//! `flow watch`: the state of a project on a screen that is drawn again on each change.

mod data;
mod screen;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::command_output::{CommandOutput, OutputFormat, write_out};
use super::invocation::Invocation;
use super::reader_gone::wait_for_reader;
use super::status;
use super::terminal::Size;
use crate::control::client;
use crate::daemon::{self, Probe};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::model::time::{self, Edge};
use crate::skill::project_state::state::Answers;
use data::{History, Moment};
use screen::Frame;

/// How often the server is asked for its generation, one number over the control socket.
const PAUSE: Duration = Duration::from_millis(250);
/// How often in a row it is asked again before the reason of a failure is shown.
const MOST_FAILED: u32 = 3;
/// How often the screen is drawn without a change: ages grow, and sessions become silent.
const REDRAW: Duration = Duration::from_secs(10);
/// Shortest time between two readings of the files, and its minimum as a multiple of a reading's duration.
const FILES_PAUSE: Duration = Duration::from_secs(2);
const FILES_REST: u32 = 20;
/// Moves the cursor to the top, and clears the rest.
const HOME: &str = "\u{1b}[H";
const CLEAR_LINE: &str = "\u{1b}[K\n";
const CLEAR_BELOW: &str = "\u{1b}[J";

/// The source of a moment.
#[derive(Debug)]
enum Origin {
    Server { socket: PathBuf, generation: u64 },
    Files { next: Instant },
}

/// Shows the project, once or until the reader of the output closes it.
pub(super) fn watch(
    invocation: &Invocation,
    once: bool,
    now: Option<&str>,
    output: OutputFormat,
) -> Result<CommandOutput> {
    if output == OutputFormat::Json {
        return Err(Error::Usage(
            "watch prints text; for JSON run: flow api get attention, flow api get agents, or flow api get activity"
                .to_owned(),
        ));
    }
    let now = now.map(pinned).transpose()?;
    let mut failed = 0;
    loop {
        let (moment, origin) = match moment(invocation) {
            Ok(Ok(found)) => found,
            // A server that is stopping does not answer; then there is none.
            Ok(Err(_)) | Err(_) if failed < MOST_FAILED => {
                failed += 1;
                if !wait_for_reader(PAUSE)? {
                    return Ok(CommandOutput::quiet());
                }
                continue;
            }
            Ok(Err(silent)) => return Ok(*silent),
            Err(error) => return Err(error),
        };
        failed = 0;
        let size = Size::of_output();
        let place = match origin {
            Origin::Server { generation, .. } => format!("generation {generation}"),
            Origin::Files { .. } => "no server; read from the files".to_owned(),
        };
        let frame = Frame { size, now: now.unwrap_or_else(present), origin: &place };
        let text = screen::draw(&moment, frame);
        if once {
            return Ok(CommandOutput::shown(text));
        }
        let is_read = write_out(&framed(&text, size)).map_err(|e| Error::io("write", e))?;
        if !is_read || !wait_for_change(&origin, size)? {
            return Ok(CommandOutput::quiet());
        }
    }
}

/// The time that the user gave as the current one.
fn pinned(text: &str) -> Result<i64> {
    time::parse(text, Edge::Start).ok_or_else(|| {
        Error::Usage(format!("--now must be an RFC 3339 time or a date, not {text:?}"))
    })
}

fn present() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The data to show, or the message for a server that does not respond.
fn moment(invocation: &Invocation) -> Result<Result<(Moment, Origin), Box<CommandOutput>>> {
    let root = invocation.root()?;
    match daemon::probe(&root)? {
        Probe::Running { status, socket } => {
            let get = |path: &str| {
                client::get(&socket, path).map(|got| got.body).map_err(|error| error.to_string())
            };
            let moment = Moment::ask(get, History::Known).map_err(Error::Refused)?;
            Ok(Ok((moment, Origin::Server { socket, generation: status.generation })))
        }
        Probe::Silent(silent) => Ok(Err(Box::new(status::silent(invocation, &silent)))),
        Probe::Stopped { .. } => {
            let begun = Instant::now();
            // A broken file counts as being written for its first second.
            let files = Files::read_at_rest(&invocation.project()?);
            let get = |path: &str| files.get(path).map(|(_, body)| body);
            let history = if files.has_changes() { History::Known } else { History::Unknown };
            let moment = Moment::ask(get, history).map_err(Error::Refused)?;
            let rest = begun.elapsed().saturating_mul(FILES_REST).max(FILES_PAUSE);
            Ok(Ok((moment, Origin::Files { next: Instant::now() + rest })))
        }
    }
}

/// A screen that replaces the one before; in a file or a pipe, text followed by a blank line.
fn framed(text: &str, size: Size) -> String {
    if !io::stdout().is_terminal() {
        return format!("{text}\n");
    }
    let shown = text.lines().take(size.height.unwrap_or(usize::MAX).saturating_sub(1));
    let lines = shown.flat_map(|line| [line, CLEAR_LINE]);
    [HOME].into_iter().chain(lines).chain([CLEAR_BELOW]).collect()
}

/// Waits until the data may have changed; `false` if the output has no reader any more.
fn wait_for_change(origin: &Origin, size: Size) -> Result<bool> {
    let redraw = Instant::now() + REDRAW;
    loop {
        if !wait_for_reader(PAUSE)? {
            return Ok(false);
        }
        let is_due = match origin {
            // A server that does not respond is examined in the next iteration.
            Origin::Server { socket, generation } => {
                client::status(socket).map_or(true, |now| now.generation != *generation)
            }
            Origin::Files { next } => Instant::now() >= *next,
        };
        if is_due || Instant::now() >= redraw || Size::of_output() != size {
            return Ok(true);
        }
    }
}
