//! `flow api logs [-f]`: the server's log, one line of text per JSON line.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::command_output::{CommandOutput, OutputFormat, write_out};
use super::invocation::Invocation;
use super::reader_gone::wait_for_reader;
use super::text;
use crate::daemon::LogReader;
use crate::error::{Error, Result};

/// How often a followed log is checked.
const PAUSE: Duration = Duration::from_millis(250);

/// Whether to wait for more at the end of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    No,
    Yes,
}

/// Prints the log, and with [`Follow::Yes`] what is appended until the reader of the output closes it.
pub(super) fn logs(
    invocation: &Invocation,
    follow: Follow,
    output: OutputFormat,
) -> Result<CommandOutput> {
    let root = invocation.root()?;
    let none = || {
        let start = invocation.command("start");
        let root = root.display();
        Error::Refused(format!(
            "no server has written a log for {root} yet; to start one, run: {start}"
        ))
    };
    let mut log = LogReader::find(&root)?.ok_or_else(none)?;
    let path = log.path();
    let read = |log: &mut LogReader| log.read().map_err(|e| Error::path("read", &path, e));
    let mut bytes = read(&mut log)?;
    if bytes.is_empty() && follow == Follow::No {
        return Err(none());
    }
    loop {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = if follow == Follow::Yes { end } else { bytes.len() };
        let rest = bytes.split_off(end);
        let lines = String::from_utf8_lossy(&bytes);
        let shown: String = lines.lines().map(|line| shown(line, output)).collect();
        if !write_out(&shown).map_err(|e| Error::io("write", e))? || follow == Follow::No {
            return Ok(CommandOutput::quiet());
        }
        if !wait_for_reader(PAUSE)? {
            return Ok(CommandOutput::quiet());
        }
        bytes = rest;
        bytes.extend(read(&mut log)?);
    }
}

/// A line of the log in the output format.
fn shown(line: &str, output: OutputFormat) -> String {
    match output {
        OutputFormat::Json => format!("{line}\n"),
        OutputFormat::Text => plain(line).unwrap_or_else(|| text::escape(line)) + "\n",
    }
}

/// The members that every line has.
#[derive(Deserialize)]
struct Line {
    timestamp: String,
    level: String,
    fields: Map<String, Value>,
}

/// A line of the log as text: time, level, message, and the other members by name.
fn plain(line: &str) -> Option<String> {
    let Line { timestamp, level, mut fields } = serde_json::from_str(line).ok()?;
    let word = |value: &Value| match value {
        Value::String(text) => text::escape(text),
        other => text::escape(&other.to_string()),
    };
    let message = fields.remove("message").map(|message| word(&message)).unwrap_or_default();
    let mut shown = format!("{} {:<5} {message}", text::escape(&timestamp), text::escape(&level));
    for (name, value) in &fields {
        let _ = write!(shown, " {}={}", text::escape(name), word(value));
    }
    Some(shown)
}
