//! `flow watch`: the state of a project on a screen that is drawn again on each change.

mod data;
mod keys;
mod screen;
mod view;

use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::command_output::{CommandOutput, OutputFormat, write_out};
use super::explain;
use super::invocation::Invocation;
use super::reader_gone::wait_for_reader;
use super::status;
use super::terminal::{Size, plain};
use crate::control::client;
use crate::daemon::{self, Probe};
use crate::error::{Error, Result};
use crate::files::Files;
use crate::model::time::{self, Edge};
use crate::skill::project_state::state::Answers;
use data::{History, Moment};
use keys::Keyboard;
use screen::{Frame, Line};
use view::{Request, View};

/// How often the server is asked for its generation, one number over the control socket.
const PAUSE: Duration = Duration::from_millis(250);
/// How often in a row it is asked again before the reason of a failure is shown.
const MOST_FAILED: u32 = 3;
/// How often the screen is drawn without a change: ages grow, and sessions become silent.
const REDRAW: Duration = Duration::from_secs(10);
/// Shortest time between two readings of the files, and its minimum as a multiple of a reading's duration.
const FILES_PAUSE: Duration = Duration::from_secs(2);
const FILES_REST: u32 = 20;
/// Height of a terminal that does not say it.
const USUAL_HEIGHT: usize = 24;
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

impl Origin {
    /// Whether there may be other data.
    fn is_due(&self) -> bool {
        match self {
            // A server that does not respond is examined in the next iteration.
            Self::Server { socket, generation } => {
                client::status(socket).map_or(true, |now| now.generation != *generation)
            }
            Self::Files { next } => Instant::now() >= *next,
        }
    }
}

/// Where the screens are written.
#[derive(Debug)]
enum Output {
    /// Each behind the one before, in a file, a pipe, or on a terminal that cannot move its cursor.
    Text,
    /// Each in place of the one before, on a terminal whose keys are not ours.
    Screen,
    /// The other screen of a terminal, with its keys.
    Keys(Box<Keyboard>, View),
}

/// Shows the project, once or until the user or the reader of the output ends it.
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
    let mut shown = None;
    let mut failed = 0;
    loop {
        let (moment, origin) = match moment(invocation, now.unwrap_or_else(present)) {
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
        let place = match origin {
            Origin::Server { generation, .. } => format!("generation {generation}"),
            Origin::Files { .. } => "no server; read from the files".to_owned(),
        };
        let draw = |size, is_filtered| {
            let now = now.unwrap_or_else(present);
            screen::draw(&moment, Frame { size, now, origin: &place, is_filtered })
        };
        if once {
            return Ok(CommandOutput::shown(joined(&draw(Size::of_output(), false))));
        }
        // The first data come before the other screen: an error stays on the usual one.
        let output = match &mut shown {
            Some(output) => output,
            none => none.insert(Output::open()?),
        };
        if !output.show(invocation, &origin, draw)? {
            return Ok(CommandOutput::quiet());
        }
    }
}

fn joined(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text.clone() + "\n").collect()
}

impl Output {
    fn open() -> Result<Self> {
        Ok(match Keyboard::open()? {
            Some(keyboard) => Self::Keys(Box::new(keyboard), View::default()),
            None if keys::is_screen() => Self::Screen,
            None => Self::Text,
        })
    }

    /// Shows a moment until there may be another one; `false` if nobody looks any more.
    fn show(
        &mut self,
        invocation: &Invocation,
        origin: &Origin,
        draw: impl Fn(Size, bool) -> Vec<Line>,
    ) -> Result<bool> {
        let Self::Keys(keyboard, view) = self else {
            let size = Size::of_output();
            let lines = draw(size, false);
            let text = match self {
                Self::Text => joined(&lines) + "\n",
                _ => in_place(lines, size),
            };
            let is_read = write_out(&text).map_err(|e| Error::io("write", e))?;
            return Ok(is_read && wait_for_change(origin, size)?);
        };
        let redraw = Instant::now() + REDRAW;
        loop {
            let size = Size::of_output();
            let lines = draw(size, view.is_filtered());
            let lines = view.lines(lines, size.width, size.height.unwrap_or(USUAL_HEIGHT));
            keys::write(&screen_of(&lines)).map_err(|e| Error::io("write", e))?;
            let pressed = loop {
                let Some(pressed) = keyboard.wait(PAUSE)? else { return Ok(false) };
                if origin.is_due() || Instant::now() >= redraw {
                    // What was pressed meanwhile counts for what was shown.
                    for key in pressed {
                        view.press(key);
                    }
                    return Ok(true);
                }
                if !pressed.is_empty() || Size::of_output() != size {
                    break pressed;
                }
            };
            for key in pressed {
                match view.press(key) {
                    Request::Nothing => {}
                    Request::Quit => return Ok(false),
                    Request::Explain(id) => view.explain(&explained(invocation, &id)),
                }
            }
        }
    }
}

/// What is known of a record, or why nothing is.
fn explained(invocation: &Invocation, id: &str) -> String {
    match explain::explain(invocation, id) {
        Ok(output) => output.result,
        Err(error) => error.to_string(),
    }
}

/// The text that replaces a screen by these lines.
fn screen_of(lines: &[String]) -> String {
    let is_plain = anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never;
    let line = |line: &String| if is_plain { plain(line) } else { line.clone() };
    let lines = lines.iter().map(line).collect::<Vec<_>>().join("\u{1b}[K\r\n");
    format!("{HOME}{lines}{CLEAR_BELOW}")
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
fn moment(
    invocation: &Invocation,
    now: i64,
) -> Result<Result<(Moment, Origin), Box<CommandOutput>>> {
    let root = invocation.root()?;
    let wide = (Size::of_output().width >= screen::WITH_SIDE).then_some(now);
    match daemon::probe(&root)? {
        Probe::Running { status, socket } => {
            let get = |path: &str| {
                client::get(&socket, path).map(|got| got.body).map_err(|error| error.to_string())
            };
            let moment = Moment::ask(get, History::Known, wide).map_err(Error::Refused)?;
            Ok(Ok((moment, Origin::Server { socket, generation: status.generation })))
        }
        Probe::Silent(silent) => Ok(Err(Box::new(status::silent(invocation, &silent)))),
        Probe::Stopped { .. } => {
            let begun = Instant::now();
            // A broken file counts as being written for its first second.
            let files = Files::read_at_rest(&invocation.project()?);
            let get = |path: &str| files.get(path).map(|(_, body)| body);
            let history = if files.has_changes() { History::Known } else { History::Unknown };
            let moment = Moment::ask(get, history, wide).map_err(Error::Refused)?;
            let rest = begun.elapsed().saturating_mul(FILES_REST).max(FILES_PAUSE);
            Ok(Ok((moment, Origin::Files { next: Instant::now() + rest })))
        }
    }
}

/// A screen in place of the one before.
fn in_place(lines: Vec<Line>, size: Size) -> String {
    let shown = lines.into_iter().take(size.height.unwrap_or(usize::MAX).saturating_sub(1));
    let lines: String = shown.map(|line| line.text + CLEAR_LINE).collect();
    format!("{HOME}{lines}{CLEAR_BELOW}")
}

/// Waits until the data may have changed; `false` if the output has no reader any more.
fn wait_for_change(origin: &Origin, size: Size) -> Result<bool> {
    let redraw = Instant::now() + REDRAW;
    loop {
        if !wait_for_reader(PAUSE)? {
            return Ok(false);
        }
        if origin.is_due() || Instant::now() >= redraw || Size::of_output() != size {
            return Ok(true);
        }
    }
}
