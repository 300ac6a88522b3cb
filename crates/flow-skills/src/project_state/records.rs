//! The records of a project, read from the answers of the API. Members that a record does not have are absent; a title,
//! description or name is the id then, and a status or state `none`. Statuses have their canonical spelling (`in-progress`,
//! `done`, `completed`); times, priorities and errors are as written.
//!
//! The API has resolved the ids of what a record belongs to, and its status; those of what it depends on are resolved here.
//! Other spellings of the documented names are those of [`Kind::spellings`].

use indexmap::IndexSet;
use serde_json::Value;

use crate::story::effort::Effort;
use flow_model::dependency::{self, Dependencies, Resolver};
use flow_model::record::{self, Kind, Record};

#[derive(Debug, Clone, Default)]
pub(crate) struct Story {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) status: String,
    pub(crate) epic: Option<String>,
    /// Its owner or assignee.
    pub(crate) owner: Option<String>,
    pub(crate) priority: Option<String>,
    /// Its size, if that can be read.
    pub(crate) effort: Option<Effort>,
    /// The ids of the stories that it depends on, each once.
    pub(crate) needs: Vec<String>,
    /// What it waits for that is not a story, as written; else why it is blocked.
    pub(crate) reasons: Vec<String>,
    pub(crate) criteria: Vec<String>,
    pub(crate) started_at: Option<String>,
    pub(crate) completed_at: Option<String>,
    pub(crate) record: Value,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Epic {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) status: String,
    pub(crate) goal: Option<String>,
    pub(crate) owner: Option<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) description: String,
    pub(crate) state: String,
    pub(crate) story: Option<String>,
    /// The type of the agent that works on it.
    pub(crate) agent: Option<String>,
    /// The ids of the tasks that it depends on.
    pub(crate) needs: Vec<String>,
    pub(crate) updated_at: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) record: Value,
}

#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) story: Option<String>,
    pub(crate) branch: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) is_active: bool,
    pub(crate) last_active: Option<String>,
}

impl Story {
    /// Reads a record of `/api/stories`, whose dependencies are among the stories of the project.
    pub(crate) fn read_with(record: Value, known: &Resolver<'_, IndexSet<String>>) -> Self {
        let id = text(&record, &["id"]).unwrap_or_default();
        let spelled = |name: &str| text(&record, Kind::Story.spellings(name));
        let effort = effort(&record).find_map(Effort::read);
        let Dependencies { ids, mut reasons, .. } = dependencies(Kind::Story, &record, known);
        let status = status(&record, "status");
        if status == "blocked" && reasons.is_empty() {
            reasons.extend(spelled("blocked_reason"));
        }
        Self {
            title: spelled("title").unwrap_or_else(|| id.clone()),
            status,
            epic: text(&record, &["epic_id"]),
            owner: text(&record, &["owner"]),
            priority: spelled("priority"),
            effort,
            needs: ids.into_iter().collect(),
            reasons,
            criteria: criteria(&record),
            started_at: spelled("started_at"),
            completed_at: spelled("completed_at"),
            id,
            record,
        }
    }

    /// Whether it counts as completed, as in `/api/metrics`.
    pub(crate) fn is_completed(&self) -> bool {
        dependency::done(Kind::Story).contains(&self.status.as_str())
    }

    /// Whether it is still to be done: neither completed nor abandoned.
    pub(crate) fn is_open(&self) -> bool {
        dependency::is_open(Kind::Story, Some(&self.status))
    }

    /// Whether it was completed for certain: what is archived without a time of its completion may have been given up.
    pub(crate) fn is_done(&self) -> bool {
        self.is_completed() && (self.status != "archived" || self.completed_at.is_some())
    }

    /// Whether it is open work: neither completed nor abandoned nor deferred.
    pub(crate) fn is_work(&self) -> bool {
        self.is_open() && !self.is_on_hold()
    }

    /// Whether it is open and deferred.
    pub(crate) fn is_on_hold(&self) -> bool {
        dependency::ON_HOLD.contains(&self.status.as_str())
    }

    /// Whether its status lets somebody work on it: ready, or begun.
    pub(crate) fn is_workable(&self) -> bool {
        self.is_begun() || dependency::READY.contains(&self.status.as_str())
    }

    /// Whether it is open and has a status of which no list says what it means, such as `wip`.
    pub(crate) fn has_other_status(&self) -> bool {
        let is_later = dependency::LATER.contains(&self.status.as_str());
        self.is_work() && !self.is_workable() && !is_later
    }

    /// Whether its work has begun and is not done.
    pub(crate) fn is_begun(&self) -> bool {
        dependency::BEGUN.contains(&self.status.as_str())
    }
}

impl Epic {
    pub(crate) fn read(record: &Value) -> Self {
        let id = text(record, &["id"]).unwrap_or_default();
        let spelled = |name: &str| text(record, Kind::Epic.spellings(name));
        Self {
            title: spelled("title").unwrap_or_else(|| id.clone()),
            status: match record["declared"].as_bool() {
                Some(false) => "not in the project".to_owned(),
                _ => status(record, "status"),
            },
            goal: spelled("goal").or_else(|| text(record, &["summary", "description"])),
            owner: spelled("owner"),
            id,
        }
    }
}

impl Task {
    /// Reads a record of `/api/tasks`, whose dependencies are among the tasks of the project.
    pub(crate) fn read_with(record: Value, known: &Resolver<'_, IndexSet<String>>) -> Self {
        let id = text(&record, &["id"]).unwrap_or_default();
        let spelled = |name: &str| text(&record, Kind::Task.spellings(name));
        let state = state(&record);
        // A completed task has its result there.
        let has_reason = matches!(state.as_str(), "blocked" | "failed");
        let reason = has_reason.then(|| spelled("blocked_reason")).flatten();
        Self {
            description: spelled("description")
                .or_else(|| spelled("title"))
                .unwrap_or_else(|| id.clone()),
            state,
            story: text(&record, &["story_id"]),
            agent: text(&record, &["subagent_type"]),
            needs: dependencies(Kind::Task, &record, known).ids.into_iter().collect(),
            updated_at: spelled("updated_at").or_else(|| spelled("completed_at")),
            error: reason.or_else(|| text(&record, &["error"])),
            id,
            record,
        }
    }

    /// Whether it is still to be done.
    pub(crate) fn is_open(&self) -> bool {
        dependency::is_open(Kind::Task, Some(&self.state))
    }
}

impl Session {
    pub(crate) fn read(record: &Value) -> Self {
        let id = text(record, &["id"]).unwrap_or_default();
        Self {
            name: text(record, Kind::Session.spellings("nickname")).unwrap_or_else(|| id.clone()),
            story: text(record, Kind::Session.spellings("story_id")),
            branch: text(record, &["branch"]),
            path: text(record, &["path"]),
            is_active: record["active"] == true,
            last_active: text(record, Kind::Session.spellings("last_active")),
            id,
        }
    }
}

/// The first of several members that is a number, or a text that is not blank.
pub(crate) fn text(record: &Value, names: &[&str]) -> Option<String> {
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

/// The members that may contain the size of a story: points before a working time.
fn effort(record: &Value) -> impl Iterator<Item = &Value> {
    let names = Kind::Story.name("estimate").into_iter();
    let names = names.flat_map(|row| row.others().iter().copied().chain([row.documented()]));
    names.filter_map(|name| record.get(name))
}

fn dependencies(
    kind: Kind,
    record: &Value,
    known: &Resolver<'_, IndexSet<String>>,
) -> Dependencies {
    if !kind.spellings("depends_on").iter().any(|name| record.get(*name).is_some()) {
        return Dependencies::default();
    }
    let text = record.to_string();
    let read = Record::read(kind, &text).map(|record| Dependencies::read(&record, known));
    read.unwrap_or_default()
}

fn criteria(record: &Value) -> Vec<String> {
    let names = Kind::Story.spellings("acceptance_criteria");
    let lists = names.iter().filter_map(|name| record.get(*name)?.as_array());
    let one = |value: &Value| match value {
        Value::Object(_) => text(value, &["text", "title", "name", "description"]),
        other => other.as_str().map(|text| text.trim().to_owned()),
    };
    let read = lists.map(|list| list.iter().filter_map(one).collect::<Vec<_>>());
    read.into_iter().find(|list| !list.is_empty()).unwrap_or_default()
}
