//! `flow watch`: the state of a project on a screen that is drawn again on each change.

mod all;
mod all_screen;
mod data;
mod screen;

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::args::Watch;
use super::command_output::{CommandOutput, OutputFormat, write_out};
use super::invocation::Invocation;
use super::origin::{self, Origin, Outcome};
use super::reader_gone::wait_for_reader;
use super::terminal::Size;
use crate::error::{Error, Result};
use crate::model::time::{self, Edge};
use data::{History, Moment};
use screen::Frame;

/// How often the screen is drawn without a change: ages grow, and sessions become silent.
const REDRAW: Duration = Duration::from_secs(10);
/// How often all servers are asked for their generation.
const LOOK: Duration = Duration::from_millis(500);
/// Moves the cursor to the top, and clears the rest.
const HOME: &str = "\u{1b}[H";
const CLEAR_LINE: &str = "\u{1b}[K\n";
const CLEAR_BELOW: &str = "\u{1b}[J";

/// Shows the project, once or until the reader of the output closes it.
pub(super) fn watch(
    invocation: &Invocation,
    asked: &Watch,
    output: OutputFormat,
) -> Result<CommandOutput> {
    if output == OutputFormat::Json {
        return Err(Error::Usage(
            "watch prints text; for JSON run: flow api get attention, flow api get agents, or flow api get activity"
                .to_owned(),
        ));
    }
    let now = asked.now.as_deref().map(pinned).transpose()?;
    if asked.all {
        return watch_all(asked.once, now);
    }
    loop {
        let (moment, origin) = match origin::read(invocation, moment)? {
            Outcome::Read { value, origin } => (value, origin),
            Outcome::Silent(silent) => return Ok(*silent),
            Outcome::Unwanted => return Ok(CommandOutput::quiet()),
        };
        let size = Size::of_output();
        let text = drawn(&moment, &origin, size, now);
        if asked.once {
            return Ok(CommandOutput::shown(text));
        }
        let is_read = write_out(&framed(&text, size)).map_err(|e| Error::io("write", e))?;
        let is_resized = || Size::of_output() != size;
        if !is_read || !origin.wait_for_change(Instant::now() + REDRAW, is_resized)? {
            return Ok(CommandOutput::quiet());
        }
    }
}

/// Shows every project that is served, once or until the reader of the output closes it.
fn watch_all(once: bool, now: Option<i64>) -> Result<CommandOutput> {
    let mut projects = all::look(&[]);
    loop {
        let size = Size::of_output();
        let frame = Frame { size, now: now.unwrap_or_else(present), origin: "" };
        let text = all_screen::draw(&projects, frame);
        if once {
            return Ok(CommandOutput::shown(text));
        }
        if !write_out(&framed(&text, size)).map_err(|e| Error::io("write", e))? {
            return Ok(CommandOutput::quiet());
        }
        let redraw = Instant::now() + REDRAW;
        loop {
            if !wait_for_reader(LOOK)? {
                return Ok(CommandOutput::quiet());
            }
            let next = all::look(&projects);
            let is_other = next.len() != projects.len()
                || next.iter().zip(&projects).any(|(one, before)| one.differs_from(before));
            projects = next;
            if is_other || Instant::now() >= redraw || Size::of_output() != size {
                break;
            }
        }
    }
}

/// The screen of what is served now.
pub(super) fn screen_of(origin: &Origin) -> Result<CommandOutput> {
    let moment = moment(origin).map_err(Error::Refused)?;
    let text = drawn(&moment, origin, Size::of_output(), None);
    Ok(CommandOutput { facts: json!({"screen": text}), ..CommandOutput::shown(text) })
}

fn drawn(moment: &Moment, origin: &Origin, size: Size, now: Option<i64>) -> String {
    let place = match origin {
        Origin::Server { generation, .. } => format!("generation {generation}"),
        Origin::Files { .. } => "no server; read from the files".to_owned(),
    };
    screen::draw(moment, Frame { size, now: now.unwrap_or_else(present), origin: &place })
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

/// The data to show.
fn moment(origin: &Origin) -> std::result::Result<Moment, String> {
    let history = match origin {
        Origin::Files { files, .. } if !files.has_changes() => History::Unknown,
        Origin::Files { .. } | Origin::Server { .. } => History::Known,
    };
    Moment::ask(|path| origin.get(path).map(|(_, body)| body), history)
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
