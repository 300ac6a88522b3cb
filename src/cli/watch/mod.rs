//! `flow watch`: the state of a project on a screen that is drawn again on each change.

mod all;
mod all_screen;
mod data;
mod keys;
mod screen;
mod view;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::args::Watch;
use super::command_output::{CommandOutput, OutputFormat, write_out};
use super::explain;
use super::invocation::Invocation;
use super::origin::{self, Origin, Outcome, PAUSE};
use super::reader_gone::wait_for_reader;
use super::terminal::{Size, plain};
use crate::error::{Error, Result};
use crate::model::time::{self, Edge};
use data::{History, Moment};
use keys::Keyboard;
use screen::{Frame, Line};
use view::{Request, View};

/// How often the screen is drawn without a change: ages grow, and sessions become silent.
const REDRAW: Duration = Duration::from_secs(10);
/// How often all servers are asked for their generation.
const LOOK: Duration = Duration::from_millis(500);
/// Height of a terminal that does not say it.
const USUAL_HEIGHT: usize = 24;
/// Moves the cursor to the top, and clears the rest.
const HOME: &str = "\u{1b}[H";
const CLEAR_LINE: &str = "\u{1b}[K\n";
const CLEAR_BELOW: &str = "\u{1b}[J";

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
    let mut shown = None;
    loop {
        let (moment, origin) = match origin::read(invocation, |origin| moment(origin, now))? {
            Outcome::Read { value, origin } => (value, origin),
            Outcome::Silent(silent) => return Ok(*silent),
            Outcome::Unwanted => return Ok(CommandOutput::quiet()),
        };
        let draw = |size, is_filtered| drawn(&moment, &origin, size, now, is_filtered);
        if asked.once {
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
            None => Self::without_keys(),
        })
    }

    fn without_keys() -> Self {
        if keys::is_screen() { Self::Screen } else { Self::Text }
    }

    /// The text of a screen.
    fn text(&self, lines: Vec<Line>, size: Size) -> String {
        match self {
            Self::Text => joined(&lines) + "\n",
            Self::Screen | Self::Keys(..) => in_place(lines, size),
        }
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
            let text = self.text(draw(size, false), size);
            let is_read = write_out(&text).map_err(|e| Error::io("write", e))?;
            let is_resized = || Size::of_output() != size;
            return Ok(is_read && origin.wait_for_change(Instant::now() + REDRAW, is_resized)?);
        };
        let redraw = Instant::now() + REDRAW;
        loop {
            let size = Size::of_output();
            let lines = draw(size, view.is_filtered());
            let lines = view.lines(lines, size.width, size.height.unwrap_or(USUAL_HEIGHT));
            keys::write(&keyed(&lines)).map_err(|e| Error::io("write", e))?;
            let pressed = loop {
                let Some(pressed) = keyboard.wait(PAUSE)? else { return Ok(false) };
                if origin.is_new() || Instant::now() >= redraw {
                    // Keys that came before the change apply to the screen before it.
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
fn keyed(lines: &[String]) -> String {
    let is_plain = anstream::AutoStream::choice(&std::io::stdout()) == anstream::ColorChoice::Never;
    let line = |line: &String| if is_plain { plain(line) } else { line.clone() };
    let lines = lines.iter().map(line).collect::<Vec<_>>().join("\u{1b}[K\r\n");
    format!("{HOME}{lines}{CLEAR_BELOW}")
}

/// Shows every project that is served, once or until the reader of the output closes it.
fn watch_all(once: bool, now: Option<i64>) -> Result<CommandOutput> {
    let mut projects = all::look(&[]);
    let output = Output::without_keys();
    loop {
        let size = Size::of_output();
        let frame =
            Frame { size, now: now.unwrap_or_else(present), origin: "", is_filtered: false };
        let lines = all_screen::draw(&projects, frame);
        if once {
            return Ok(CommandOutput::shown(joined(&lines)));
        }
        if !write_out(&output.text(lines, size)).map_err(|e| Error::io("write", e))? {
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
    let moment = moment(origin, None).map_err(Error::Refused)?;
    let text = joined(&drawn(&moment, origin, Size::of_output(), None, false));
    Ok(CommandOutput { facts: json!({"screen": text}), ..CommandOutput::shown(text) })
}

fn drawn(
    moment: &Moment,
    origin: &Origin,
    size: Size,
    now: Option<i64>,
    is_filtered: bool,
) -> Vec<Line> {
    let place = match origin {
        Origin::Server { generation, .. } => format!("generation {generation}"),
        Origin::Files { .. } => "no server; read from the files".to_owned(),
    };
    let now = now.unwrap_or_else(present);
    screen::draw(moment, Frame { size, now, origin: &place, is_filtered })
}

/// The time that the user gave as the current one.
fn pinned(text: &str) -> Result<i64> {
    time::parse(text, Edge::Start).ok_or_else(|| {
        Error::Usage(format!(
            "--now must be an RFC 3339 time such as 2026-03-10T09:00:00Z, or a date, not {text:?}"
        ))
    })
}

fn present() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The data to show.
fn moment(origin: &Origin, now: Option<i64>) -> std::result::Result<Moment, String> {
    let history = match origin {
        Origin::Files { files, .. } if !files.has_changes() => History::Unknown,
        Origin::Files { .. } | Origin::Server { .. } => History::Known,
    };
    let is_wide = Size::of_output().width >= screen::WITH_SIDE;
    let wide = is_wide.then(|| now.unwrap_or_else(present));
    Moment::ask(|path| origin.get(path).map(|(_, body)| body), history, wide)
}

/// A screen in place of the one before.
fn in_place(lines: Vec<Line>, size: Size) -> String {
    let shown = lines.into_iter().take(size.height.unwrap_or(usize::MAX).saturating_sub(1));
    let lines: String = shown.map(|line| line.text + CLEAR_LINE).collect();
    format!("{HOME}{lines}{CLEAR_BELOW}")
}
