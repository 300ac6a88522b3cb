//! The records of the board, read from what the API serves. What a record does not say is absent here.
//!
//! The API has settled ids and the documented names; the names below are those that it leaves to whoever writes the
//! files.

use serde_json::Value;

use super::effort::Effort;
use flow_model::dependency::{self, Dependencies};
use flow_model::record::{self, Kind, Record};

/// Where a story says when it is accepted.
const CRITERIA: &[&str] = &["acceptance_criteria", "ac", "acceptanceCriteria", "criteria"];
/// Where a story says its size.
const EFFORT: &[&str] = &["points", "story_points", "storyPoints", "estimate"];
/// Where a story says when it was done, and when its work began.
const COMPLETED_AT: &[&str] = &["completed_at", "completedAt", "completed"];
const STARTED_AT: &[&str] = &["started_at", "startedAt", "started"];

/// A story.
#[derive(Debug, Clone)]
pub struct Story {
    /// Its id.
    pub id: String,
    /// Its title; its id where it has none.
    pub title: String,
    /// Its status as it is compared: `in-progress`, `done`; `none` where it has none.
    pub status: String,
    /// The id of its epic.
    pub epic: Option<String>,
    /// Who has it.
    pub owner: Option<String>,
    /// Its priority, as written: `P1`, `high`.
    pub priority: Option<String>,
    /// Its size.
    pub effort: Option<Effort>,
    /// The ids of the stories that come first, each once.
    pub needs: Vec<String>,
    /// What it waits for that is no story, in its own words.
    pub reasons: Vec<String>,
    /// When it is accepted.
    pub criteria: Vec<String>,
    /// When its work began, as written.
    pub started_at: Option<String>,
    /// When it was done, as written.
    pub completed_at: Option<String>,
    /// The whole record.
    pub record: Value,
}

/// An epic.
#[derive(Debug, Clone)]
pub struct Epic {
    /// Its id.
    pub id: String,
    /// Its title; its id where it has none.
    pub title: String,
    /// Its status as it is compared; `none` where it has none.
    pub status: String,
    /// What it is for.
    pub goal: Option<String>,
    /// Who has it.
    pub owner: Option<String>,
}

/// A task.
#[derive(Debug, Clone)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// What is to be done; its id where it does not say.
    pub description: String,
    /// Its state as it is compared: `running`, `completed`; `none` where it has none.
    pub state: String,
    /// The story that it is for.
    pub story: Option<String>,
    /// The kind of agent that does it.
    pub agent: Option<String>,
    /// The ids of the tasks that come first.
    pub needs: Vec<String>,
    /// When it was last touched, as written.
    pub updated_at: Option<String>,
    /// What went wrong, as written.
    pub error: Option<String>,
    /// The whole record.
    pub record: Value,
}

/// A session.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its id.
    pub id: String,
    /// What people call it; its id where it has no name.
    pub name: String,
    /// The story that it works on.
    pub story: Option<String>,
    /// The git branch that it works on.
    pub branch: Option<String>,
    /// Where it works.
    pub path: Option<String>,
    /// Whether it still runs.
    pub activity: Activity,
    /// When it was last seen, as written.
    pub last_active: Option<String>,
    /// The whole record.
    pub record: Value,
}

/// Whether a session still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// It does.
    Active,
    /// It has ended.
    Ended,
}

impl Story {
    /// Reads a record of `/api/stories` alone: which ids the project has is not known.
    pub fn read(record: Value) -> Self {
        Self::read_with(record, |_| false)
    }

    /// Reads a record of `/api/stories`; `is_known` tells whether there is a story of an id.
    pub fn read_with(record: Value, is_known: impl Fn(&str) -> bool) -> Self {
        let id = text(&record, &["id"]).unwrap_or_default();
        let Dependencies { ids, reasons } = dependencies(Kind::Story, &record, is_known);
        Self {
            title: text(&record, &["title", "name"]).unwrap_or_else(|| id.clone()),
            status: status(&record, "status"),
            epic: text(&record, &["epic_id"]),
            owner: text(&record, &["owner", "assignee"]),
            priority: text(&record, &["priority"]),
            effort: EFFORT.iter().find_map(|name| Effort::read(record.get(*name)?)),
            needs: ids.into_iter().collect(),
            reasons,
            criteria: criteria(&record),
            started_at: text(&record, STARTED_AT),
            completed_at: text(&record, COMPLETED_AT),
            id,
            record,
        }
    }

    /// Whether it counts as completed, as `/api/metrics` has it.
    pub fn is_completed(&self) -> bool {
        dependency::done(Kind::Story).contains(&self.status.as_str())
    }

    /// Whether it still has to be done: it is neither completed nor given up.
    pub fn is_open(&self) -> bool {
        dependency::is_open(Kind::Story, Some(&self.status))
    }

    /// Whether it is put off, though open.
    pub fn is_on_hold(&self) -> bool {
        dependency::ON_HOLD.contains(&self.status.as_str())
    }

    /// Whether its work has begun and is not done.
    pub fn is_begun(&self) -> bool {
        dependency::BEGUN.contains(&self.status.as_str())
    }
}

impl Epic {
    /// Reads a record of `/api/epics`.
    pub fn read(record: &Value) -> Self {
        let id = text(record, &["id"]).unwrap_or_default();
        Self {
            title: text(record, &["title", "name"]).unwrap_or_else(|| id.clone()),
            status: status(record, "status"),
            goal: text(record, &["goal", "summary", "description"]),
            owner: text(record, &["owner"]),
            id,
        }
    }
}

impl Task {
    /// Reads a record of `/api/tasks`; `is_known` tells whether there is a task of an id.
    pub fn read_with(record: Value, is_known: impl Fn(&str) -> bool) -> Self {
        let id = text(&record, &["id"]).unwrap_or_default();
        Self {
            description: text(&record, &["description", "title"]).unwrap_or_else(|| id.clone()),
            state: state(&record),
            story: text(&record, &["story_id"]),
            agent: text(&record, &["subagent_type"]),
            needs: dependencies(Kind::Task, &record, is_known).ids.into_iter().collect(),
            updated_at: text(&record, &["updated_at", "updatedAt"]),
            error: text(&record, &["error"]),
            id,
            record,
        }
    }
}

impl Session {
    /// Reads a record of `/api/sessions`.
    pub fn read(record: Value) -> Self {
        let id = text(&record, &["id"]).unwrap_or_default();
        let is_active = record["active"] == true;
        Self {
            name: text(&record, &["nickname", "name"]).unwrap_or_else(|| id.clone()),
            story: text(&record, &["story_id", "story", "storyId"]),
            branch: text(&record, &["branch"]),
            path: text(&record, &["path"]),
            activity: if is_active { Activity::Active } else { Activity::Ended },
            last_active: text(&record, &["last_active", "lastActive"]),
            id,
            record,
        }
    }
}

/// The first of several members that is text that is not blank, or a number.
pub fn text(record: &Value, names: &[&str]) -> Option<String> {
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    names.iter().find_map(|name| word(record.get(*name)?))
}

/// What stands before the number of an id such as `US-0009`; none where it is of another form.
pub fn id_prefix(id: &str) -> Option<&str> {
    let (prefix, number) = id.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = !prefix.is_empty() && prefix.chars().all(char::is_alphabetic);
    (is_number && is_name).then_some(prefix)
}

fn status(record: &Value, field: &str) -> String {
    text(record, &[field])
        .map_or_else(|| "none".to_owned(), |text| record::status(&text).into_owned())
}

fn state(record: &Value) -> String {
    let state = status(record, "state");
    if state == "done" { "completed".to_owned() } else { state }
}

/// What a record names in its dependency fields.
fn dependencies(kind: Kind, record: &Value, is_known: impl Fn(&str) -> bool) -> Dependencies {
    if !dependency::FIELDS.iter().any(|name| record.get(*name).is_some()) {
        return Dependencies::default();
    }
    let text = record.to_string();
    let read = Record::read(kind, &text).map(|record| Dependencies::read(&record, is_known));
    read.unwrap_or_default()
}

fn criteria(record: &Value) -> Vec<String> {
    let lists = CRITERIA.iter().filter_map(|name| record.get(*name)?.as_array());
    let one = |value: &Value| match value {
        Value::Object(_) => text(value, &["text", "title", "name", "description"]),
        other => other.as_str().map(|text| text.trim().to_owned()),
    };
    let found = lists.map(|list| list.iter().filter_map(one).collect::<Vec<_>>());
    found.into_iter().find(|list| !list.is_empty()).unwrap_or_default()
}
