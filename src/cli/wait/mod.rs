//! `flow wait`: returns when a condition holds, and tells each thing once.

mod change;
mod condition;
mod cursor;
mod look;
mod needs_you;
mod records;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::args::Wait;
use super::command_output::{CommandOutput, Exit};
use super::invocation::Invocation;
use super::origin::{self, Origin, Outcome};
use super::text::{self, emphasis, escape};
use crate::error::{Error, Result};
use crate::model::span;
use condition::Condition;
use cursor::{Cursor, Place, START};
use look::{Look, Told};
use records::Wanted;

/// How often is looked again without a change: sessions become silent.
const LOOK_AGAIN: Duration = Duration::from_secs(10);
/// Longest time that is waited.
const LONGEST: Duration = Duration::from_hours(30 * 24);

/// A call that waits.
#[derive(Debug)]
struct Waiting {
    condition: Condition,
    /// `None` before the first look.
    cursor: Option<Cursor>,
    since: Option<Cursor>,
    /// Whether what holds at the first look is told.
    from_start: bool,
    seen: change::Seen,
    record: Option<Wanted>,
}

/// Waits.
pub(super) fn wait(invocation: &Invocation, asked: &Wait) -> Result<CommandOutput> {
    let begun = Instant::now();
    let timeout = asked.timeout.as_deref().map(timeout).transpose()?;
    let deadline = begun + timeout.unwrap_or(LONGEST);
    let mut waiting = Waiting::new(asked)?;
    loop {
        let outcome = origin::read(invocation, |origin| waiting.look(origin))?;
        let origin = match outcome {
            Outcome::Read { value: Look::Told(told), .. } => return Ok(waiting.told(&told)),
            Outcome::Read { value: Look::Invalid(error), .. } => return Err(error),
            Outcome::Read { value: Look::Nothing, origin } => origin,
            Outcome::Silent(silent) => return Ok(*silent),
            Outcome::Unwanted => return Ok(unwanted()),
        };
        if Instant::now() >= deadline {
            return Ok(waiting.timed_out(asked.timeout.as_deref().unwrap_or("30d")));
        }
        let until = deadline.min(Instant::now() + LOOK_AGAIN);
        if !origin.wait_for_change(until, || false)? {
            return Ok(unwanted());
        }
    }
}

fn timeout(text: &str) -> Result<Duration> {
    span::parse(text).filter(|timeout| *timeout <= LONGEST).ok_or_else(|| {
        Error::Usage(format!(
            "--timeout must be a time of at most 30 days, such as 30s, 10m or 2h, not {text:?}"
        ))
    })
}

/// Nobody reads the output any more.
fn unwanted() -> CommandOutput {
    CommandOutput { exit: Exit::Refused, ..CommandOutput::quiet() }
}

impl Waiting {
    fn new(asked: &Wait) -> Result<Self> {
        let condition = Condition::read(&asked.condition)?;
        let from_start = asked.since.as_deref() == Some(START);
        if from_start && condition == Condition::Change {
            return Err(Error::Usage(format!(
                "--since {START} is not valid with change; for past changes, run: flow history"
            )));
        }
        let since = asked.since.as_deref().filter(|_| !from_start);
        let since = since.map(|text| Cursor::read(text, &condition.text())).transpose()?;
        let seen = change::Seen::default();
        Ok(Self { condition, cursor: None, since, from_start, seen, record: None })
    }

    fn look(&mut self, origin: &Origin) -> std::result::Result<Look, String> {
        let mut cursor = match self.cursor.take().or_else(|| self.since.clone()) {
            Some(cursor) => cursor,
            None => self.first(origin)?,
        };
        // A look that fails is repeated from the same cursor.
        self.since = Some(cursor.clone());
        let look = self.look_from(origin, &mut cursor)?;
        self.cursor = Some(cursor);
        Ok(look)
    }

    /// The cursor of a call that was given none.
    fn first(&mut self, origin: &Origin) -> std::result::Result<Cursor, String> {
        let mut cursor = Cursor::new(&self.condition.text(), look::place(origin));
        match &self.condition {
            Condition::NeedsYou if !self.from_start => needs_you::begin(origin, &mut cursor)?,
            Condition::Change => change::begin(origin, &mut cursor, &mut self.seen)?,
            _ => {}
        }
        Ok(cursor)
    }

    fn look_from(
        &mut self,
        origin: &Origin,
        cursor: &mut Cursor,
    ) -> std::result::Result<Look, String> {
        match &self.condition {
            Condition::NeedsYou => needs_you::look(origin, cursor),
            Condition::Change => change::look(origin, cursor, &mut self.seen),
            Condition::None { collection, status } => {
                records::look_for_none(origin, *collection, status, cursor)
            }
            Condition::Record { collection, id, status } => {
                if self.record.is_none() {
                    match Wanted::find(origin, *collection, id, status)? {
                        Ok(wanted) => self.record = Some(wanted),
                        Err(error) => return Ok(Look::Invalid(error)),
                    }
                }
                match &self.record {
                    Some(wanted) => wanted.look(origin, cursor),
                    None => Ok(Look::Nothing),
                }
            }
        }
    }

    fn cursor(&self) -> String {
        let none = || Cursor::new(&self.condition.text(), Place::Files);
        self.cursor.clone().unwrap_or_else(none).text()
    }

    fn told(&self, told: &Told) -> CommandOutput {
        let mut lines = String::new();
        for item in &told.items {
            let _ = writeln!(lines, "{}\n  key     {}", line(item), escape(word(item, "key")));
        }
        if told.more > 0 {
            let _ = writeln!(lines, "{} more: call again with --since", told.more);
        }
        let cursor = self.cursor();
        let _ = writeln!(lines, "cursor  {cursor}");
        let facts = json!({
            "condition": self.condition.text(),
            "timed_out": false,
            "items": told.items,
            "more": told.more,
            "cursor": cursor,
        });
        CommandOutput { facts, ..CommandOutput::shown(lines) }
    }

    fn timed_out(&self, timeout: &str) -> CommandOutput {
        let cursor = self.cursor();
        let facts = json!({
            "condition": self.condition.text(),
            "timed_out": true,
            "items": [],
            "more": 0,
            "cursor": cursor,
        });
        let waited = format!("waited {timeout} for: {}", self.condition.text());
        CommandOutput {
            exit: Exit::Refused,
            facts,
            message: text::note(&waited),
            ..CommandOutput::shown(format!("cursor  {cursor}\n"))
        }
    }
}

/// An item in a line: what it is, the record, and why.
fn line(item: &Value) -> String {
    let label = word(item, "label");
    let id = Some(word(item, "id")).filter(|id| !id.is_empty());
    let id = id.unwrap_or_else(|| word(item, "story_id"));
    let kind = if label.is_empty() { word(item, "kind") } else { label };
    let kind = if kind == "none" { "" } else { kind };
    let title = word(item, "title");
    let reason = [word(item, "reason"), word(item, "summary"), word(item, "status")];
    let reason = reason.into_iter().find(|text| !text.is_empty()).unwrap_or_default();
    let title = if reason.contains(title) { "" } else { title };
    let texts = [title, reason].into_iter().filter(|text| !text.is_empty());
    let texts = texts.map(escape).collect::<Vec<_>>().join(": ");
    let parts = [emphasis(&escape(kind)), escape(id), texts];
    let parts = parts.iter().filter(|part| !part.is_empty() && **part != emphasis(""));
    parts.map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn word<'a>(item: &'a Value, name: &str) -> &'a str {
    item[name].as_str().unwrap_or_default()
}
