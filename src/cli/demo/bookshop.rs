//! The project that a demo shows: the example project with its times moved to now, and a script of what its agents do.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::{Error, Result};
use crate::model::time::{self, Edge};
use crate::skill::runtime::catalog::{DEMO, DEMO_WRITTEN};

/// What the agents do, a step on each line.
const SCRIPT: &str = include_str!("script.jsonl");
/// What stands for the time of a step in it.
const NOW: &str = "@now";
const STATUS: &str = "docs/09-agents/status.json";
const BUS: &str = "docs/09-agents/bus/log.jsonl";
const SESSIONS: &str = ".agileflow/sessions/registry.json";
const TASKS: &str = ".agileflow/state/task-dependencies.json";
/// Lengths of `2026-03-10T16:45:00` and of the date in it.
const TIME: usize = 19;
const DATE: usize = 10;

/// A step: members of records, `null` for a record that goes away.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// Seconds after the start.
    at: u64,
    /// How long before its moment it happened, in seconds.
    #[serde(default)]
    ago: u64,
    #[serde(default)]
    epics: Map<String, Value>,
    #[serde(default)]
    stories: Map<String, Value>,
    #[serde(default)]
    sessions: Map<String, Value>,
    #[serde(default)]
    tasks: Map<String, Value>,
    /// Messages without their time.
    #[serde(default)]
    say: Vec<Map<String, Value>>,
}

impl Step {
    /// The time after the start.
    pub(super) fn at(&self) -> Duration {
        Duration::from_secs(self.at)
    }
}

/// The script, in the order of time.
///
/// # Errors
/// Never in a program that was tested: the script is a part of it.
pub(super) fn script() -> Result<Vec<Step>> {
    let steps: std::result::Result<Vec<Step>, _> =
        SCRIPT.lines().map(serde_json::from_str).collect();
    steps.map_err(|error| Error::Refused(format!("the script of the demo: {error}")))
}

/// The project's files, and their content as values.
#[derive(Debug)]
pub(super) struct Bookshop {
    root: PathBuf,
    status: Value,
    sessions: Value,
    tasks: Value,
}

impl Bookshop {
    /// Writes the files as if they had been written now.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub(super) fn write(root: &Path) -> Result<Self> {
        let written = time::parse(DEMO_WRITTEN, Edge::Start).unwrap_or_default();
        let moved = now(Duration::ZERO).saturating_sub(written);
        let mut shop = Self {
            root: root.to_path_buf(),
            status: Value::Null,
            sessions: Value::Null,
            tasks: Value::Null,
        };
        for (path, text) in DEMO {
            let text = moved_by(text, moved);
            put(&root.join(path), &text)?;
            let value = || serde_json::from_str(&text).unwrap_or_default();
            match *path {
                STATUS => shop.status = value(),
                SESSIONS => shop.sessions = value(),
                TASKS => shop.tasks = value(),
                _ => {}
            }
        }
        Ok(shop)
    }

    /// Writes what happens in a step.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub(super) fn take(&mut self, step: &Step) -> Result<()> {
        let now = time::format_nanoseconds(now(Duration::from_secs(step.ago))).unwrap_or_default();
        merge(&mut self.status["epics"], &step.epics, &now);
        merge(&mut self.status["stories"], &step.stories, &now);
        merge(&mut self.sessions["sessions"], &step.sessions, &now);
        merge(&mut self.tasks["tasks"], &step.tasks, &now);
        if !step.epics.is_empty() || !step.stories.is_empty() {
            self.put(STATUS, &self.status)?;
        }
        if !step.sessions.is_empty() {
            self.put(SESSIONS, &self.sessions)?;
        }
        if !step.tasks.is_empty() {
            self.put(TASKS, &self.tasks)?;
        }
        let messages = step.say.iter().map(|message| {
            let mut line = Map::from_iter([("timestamp".to_owned(), now.as_str().into())]);
            line.extend(message.clone());
            format!("{}\n", Value::Object(line))
        });
        self.say(&messages.collect::<String>(), step.ago > 0)
    }

    /// Appends messages to the log; those of an earlier time are put among the others, by time.
    fn say(&self, messages: &str, is_earlier: bool) -> Result<()> {
        let path = self.root.join(BUS);
        if !is_earlier {
            return append(&path, messages);
        }
        let log = fs::read_to_string(&path).map_err(|error| Error::path("read", &path, error))?;
        let mut lines: Vec<&str> = log.lines().chain(messages.lines()).collect();
        lines.sort_by_cached_key(|line| timestamp(line));
        put(&path, &(lines.join("\n") + "\n"))
    }

    fn put(&self, path: &str, value: &Value) -> Result<()> {
        put(&self.root.join(path), &format!("{value:#}\n"))
    }
}

/// Nanoseconds since 1970, so long ago.
fn now(ago: Duration) -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.saturating_sub(ago).as_nanos()).unwrap_or(i64::MAX)
}

/// The time of a message.
fn timestamp(line: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    message["timestamp"].as_str().map(str::to_owned)
}

/// Replaces members of records; `null` removes a record.
fn merge(records: &mut Value, changes: &Map<String, Value>, now: &str) {
    let Value::Object(records) = records else { return };
    for (id, change) in changes {
        let Value::Object(members) = change else {
            records.shift_remove(id);
            continue;
        };
        let record = records.entry(id).or_insert_with(|| Map::new().into());
        for (name, value) in members {
            record[name] = if value == NOW { now.into() } else { value.clone() };
        }
    }
}

/// Replaces a file as careful agents do.
fn put(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::path("write", path, error);
    let beside = path.with_extension("new");
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    fs::write(&beside, text).map_err(failed)?;
    fs::rename(&beside, path).map_err(failed)
}

fn append(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::path("write", path, error);
    let mut file = OpenOptions::new().append(true).open(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(failed)
}

/// The text with each time in it later by so many nanoseconds.
fn moved_by(text: &str, nanoseconds: i64) -> String {
    let mut moved = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        let (before, quoted) = rest.split_at(at + 1);
        moved.push_str(before);
        let end = end_of_string(quoted);
        let is_time = end > TIME && quoted.as_bytes()[DATE] == b'T' && quoted[..end].ends_with('Z');
        let time = Some(&quoted[..end]).filter(|_| is_time);
        let time = time.and_then(|time| time::parse(time, Edge::Start));
        let later = time.and_then(|time| time::format_nanoseconds(time + nanoseconds));
        moved.push_str(later.as_deref().unwrap_or(&quoted[..end]));
        let behind = (end + 1).min(quoted.len());
        moved.push_str(&quoted[end..behind]);
        rest = &quoted[behind..];
    }
    moved + rest
}

/// Where a string of JSON ends whose text begins here.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let ends = |c: u8| {
        let ends = c == b'"' && !is_escaped;
        is_escaped = c == b'\\' && !is_escaped;
        ends
    };
    text.bytes().position(ends).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_in_order_and_changes_what_is_there() {
        let steps = script().unwrap();
        assert!(steps.is_sorted_by_key(Step::at));
        assert_eq!(steps.last().unwrap().at(), Duration::from_mins(10));
        let folder = tempfile::tempdir().unwrap();
        let mut shop = Bookshop::write(folder.path()).unwrap();
        for step in &steps {
            let known = |records: &Value, changes: &Map<String, Value>| {
                changes.iter().all(|(id, change)| {
                    records.get(id).is_some()
                        || change.get("created_at").is_some()
                        || change.get("created").is_some()
                })
            };
            assert!(known(&shop.status["stories"], &step.stories), "{step:?}");
            assert!(known(&shop.status["epics"], &step.epics), "{step:?}");
            assert!(known(&shop.tasks["tasks"], &step.tasks), "{step:?}");
            assert!(known(&shop.sessions["sessions"], &step.sessions), "{step:?}");
            shop.take(step).unwrap();
        }
        let log = fs::read_to_string(folder.path().join(BUS)).unwrap();
        assert!(log.lines().all(|line| timestamp(line).is_some()));
        assert!(log.lines().is_sorted_by_key(timestamp));
    }

    #[test]
    fn only_times_are_moved() {
        let hour = 3_600_000_000_000;
        let text =
            r#"{"at": "2026-03-10T16:45:00Z", "x\"": "10Tx", "y": "2026-03-10T16:45:00.5Z"}"#;
        let expected =
            r#"{"at": "2026-03-10T17:45:00.000Z", "x\"": "10Tx", "y": "2026-03-10T17:45:00.500Z"}"#;
        assert_eq!(moved_by(text, hour), expected);
    }
}
