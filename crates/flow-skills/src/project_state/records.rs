//! The records of the board, read from what the API serves. What a record does not say is absent here.
//!
//! The API has settled ids and the documented names; the names below are those that it leaves to whoever writes the
//! files.

use serde_json::Value;

use super::effort::Effort;
use flow_model::record;

/// Where a story says what comes before it.
const NEEDS: &[&str] = &["depends_on", "dependencies", "dependsOn", "blocked_by", "blockedBy"];
/// Where a story says when it is accepted.
const CRITERIA: &[&str] = &["acceptance_criteria", "ac", "acceptanceCriteria", "criteria"];
/// Where a story says its size.
const EFFORT: &[&str] = &["points", "story_points", "storyPoints", "estimate"];
/// Where a story says when it was done.
const COMPLETED_AT: &[&str] = &["completed_at", "completedAt", "completed"];

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
    pub waits_for: Option<String>,
    /// When it is accepted.
    pub criteria: Vec<String>,
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
    /// Reads a record of `/api/stories`.
    pub fn read(record: Value) -> Self {
        let id = text(&record, &["id"]).unwrap_or_default();
        let (needs, rest) = needs(&record, &id);
        Self {
            title: text(&record, &["title", "name"]).unwrap_or_else(|| id.clone()),
            status: status(&record, "status"),
            epic: text(&record, &["epic_id"]),
            owner: text(&record, &["owner", "assignee"]),
            priority: text(&record, &["priority"]),
            effort: EFFORT.iter().find_map(|name| Effort::read(record.get(*name)?)),
            needs,
            waits_for: rest,
            criteria: criteria(&record),
            completed_at: text(&record, COMPLETED_AT),
            id,
            record,
        }
    }

    /// Whether it counts as completed, as `/api/metrics` has it.
    pub fn is_completed(&self) -> bool {
        record::COMPLETED.contains(&self.status.as_str())
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
    /// Reads a record of `/api/tasks`.
    pub fn read(record: Value) -> Self {
        let id = text(&record, &["id"]).unwrap_or_default();
        Self {
            description: text(&record, &["description", "title"]).unwrap_or_else(|| id.clone()),
            state: state(&record),
            story: text(&record, &["story_id"]),
            agent: text(&record, &["subagent_type"]),
            needs: needs(&record, &id).0,
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

fn status(record: &Value, field: &str) -> String {
    text(record, &[field])
        .map_or_else(|| "none".to_owned(), |text| record::status(&text).into_owned())
}

fn state(record: &Value) -> String {
    let state = status(record, "state");
    if state == "done" { "completed".to_owned() } else { state }
}

/// The ids that come first, and what a record waits for that is not an id.
fn needs(record: &Value, own: &str) -> (Vec<String>, Option<String>) {
    let mut ids: Vec<String> = Vec::new();
    let mut rest = None;
    for value in NEEDS.iter().filter_map(|name| record.get(*name)) {
        match value {
            Value::Array(items) => {
                for id in items.iter().filter_map(Value::as_str).map(str::trim) {
                    if !id.is_empty() && !ids.iter().any(|known| known == id) {
                        ids.push(id.to_owned());
                    }
                }
            }
            Value::String(words) if is_id_like(words, own) => ids.push(words.trim().to_owned()),
            Value::String(words) if !words.trim().is_empty() => {
                rest = Some(words.trim().to_owned());
            }
            _ => {}
        }
    }
    (ids, rest)
}

/// Whether a text is an id of the same make as a record's own: `US-0002` beside `US-0001`.
fn is_id_like(text: &str, own: &str) -> bool {
    let text = text.trim();
    let prefix = |id: &str| id.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    !text.is_empty() && text != prefix(text) && prefix(text) == prefix(own)
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
