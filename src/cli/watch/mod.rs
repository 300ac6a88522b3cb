//! `flow watch`: the first screen as text, drawn again when something changes.

mod data;
mod screen;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::command_output::{CommandOutput, OutputFormat, write_out};
use super::files::Files;
use super::invocation::Invocation;
use super::reader_gone::wait_for_reader;
use super::status;
use super::terminal::Size;
use crate::control::client;
use crate::daemon::{self, Probe};
use crate::error::{Error, Result};
use crate::model::time::{self, Edge};
use crate::skill::project_state::state::Answers;
use data::{History, Moment};
use screen::Frame;

/// How often the server is asked whether something changed. It is one number over the control socket.
const PAUSE: Duration = Duration::from_millis(250);
/// How often the screen is drawn although nothing changed: ages grow, and silence is a matter of time.
const REDRAW: Duration = Duration::from_secs(10);
/// The shortest time between two readings of the files, and how much longer than a reading it is.
const FILES_PAUSE: Duration = Duration::from_secs(2);
const FILES_REST: u32 = 20;
/// Puts the cursor at the top, and clears what is behind it.
const HOME: &str = "\u{1b}[H";
const CLEAR_LINE: &str = "\u{1b}[K\n";
const CLEAR_BELOW: &str = "\u{1b}[J";

/// How long the screen is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Times {
    Once,
    OnEachChange,
}

/// Where a moment comes from.
#[derive(Debug)]
enum Origin {
    Server { socket: PathBuf, generation: u64 },
    Files { next: Instant },
}

/// Shows the project, once or until the output's reader goes away.
pub(super) fn watch(
    invocation: &Invocation,
    times: Times,
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
    loop {
        let (moment, origin) = match moment(invocation)? {
            Ok(found) => found,
            Err(silent) => return Ok(*silent),
        };
        let size = Size::of_output();
        let place = match origin {
            Origin::Server { generation, .. } => format!("generation {generation}"),
            Origin::Files { .. } => "no server; read from the files".to_owned(),
        };
        let frame = Frame { size, now: now.unwrap_or_else(present), origin: &place };
        let text = screen::draw(&moment, frame);
        if times == Times::Once {
            return Ok(CommandOutput::shown(text));
        }
        let is_read = write_out(&framed(&text, size)).map_err(|e| Error::io("write", e))?;
        if !is_read || !wait_for_change(&origin, size)? {
            return Ok(CommandOutput::quiet());
        }
    }
}

/// The time that is given as now.
fn pinned(text: &str) -> Result<i64> {
    time::parse(text, Edge::Start).ok_or_else(|| {
        Error::Usage(format!("--now is {text:?}; it must be an RFC 3339 time or a date"))
    })
}

fn present() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// What there is to show; or what to say of a server that does not answer.
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
        Probe::Silent { why, pid, log } => {
            Ok(Err(Box::new(status::silent(invocation, &why, pid, &log))))
        }
        Probe::Stopped { .. } => {
            let begun = Instant::now();
            let files = Files::read(&invocation.project()?);
            let get = |path: &str| files.get(path).map(|(_, body)| body);
            let moment = Moment::ask(get, History::Unknown).map_err(Error::Refused)?;
            let rest = begun.elapsed().saturating_mul(FILES_REST).max(FILES_PAUSE);
            Ok(Ok((moment, Origin::Files { next: Instant::now() + rest })))
        }
    }
}

/// A screen over the one before; in a file or a pipe, with a blank line behind.
fn framed(text: &str, size: Size) -> String {
    if !io::stdout().is_terminal() {
        return format!("{text}\n");
    }
    let shown = text.lines().take(size.height.unwrap_or(usize::MAX).saturating_sub(1));
    let lines = shown.flat_map(|line| [line, CLEAR_LINE]);
    [HOME].into_iter().chain(lines).chain([CLEAR_BELOW]).collect()
}

/// Waits until there may be something else to show; `false` where nobody reads the output any more.
fn wait_for_change(origin: &Origin, size: Size) -> Result<bool> {
    let redraw = Instant::now() + REDRAW;
    loop {
        if !wait_for_reader(PAUSE)? {
            return Ok(false);
        }
        let is_due = match origin {
            // One that does not answer is looked at more closely by the next turn.
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
