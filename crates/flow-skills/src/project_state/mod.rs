//! A project's stories, epics, tasks and sessions as the planning skills read them.
//!
//! It parses the answers of [`state`] and computes over them (`graph`). It writes nothing.

pub mod context;
pub mod graph;
pub(crate) mod message;
pub(crate) mod names;
mod records;
pub(crate) mod recorded;
pub(crate) mod say;
pub(crate) mod span;
pub mod state;
pub(crate) mod changes;
pub mod when;

pub use context::Context;
pub(crate) use flow_model::similar::id_prefix;
pub(crate) use message::{Message, MessageKind};
pub(crate) use records::{Epic, Session, Story, Task, text};

use flow_model::dependency::Resolver;
use indexmap::IndexSet;
use serde_json::Value;

use crate::output::{Fault, Result};
use state::{Gaps, State};

/// The records of a project at one moment.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// In the order of the file.
    pub(crate) stories: Vec<Story>,
    /// Declared epics first.
    pub(crate) epics: Vec<Epic>,
    /// In the order of the file.
    pub(crate) tasks: Vec<Task>,
    /// Including ended ones.
    pub(crate) sessions: Vec<Session>,
    /// The answer of `/api/metrics`.
    pub(crate) metrics: Value,
    /// When the newest of the files was written, RFC 3339 in UTC; `None` if there are no files.
    pub(crate) time: Option<String>,
    pub(crate) gaps: Gaps,
    /// The ids of the stories that are ready, if that is unknown of others, whose format states no dependencies.
    pub(crate) ready: Option<IndexSet<String>>,
}

/// The number after the highest of ids with a prefix: 3 for `US-` and `US-0002`.
pub(crate) fn next_number<'a>(prefix: &str, ids: impl Iterator<Item = &'a str>) -> Result<u32> {
    let highest = ids.filter_map(|id| id.strip_prefix(prefix)?.parse::<u32>().ok()).max();
    let next = highest.unwrap_or(0).checked_add(1).filter(|next| *next < 1_000_000_000);
    next.ok_or_else(|| Fault::Refused(format!("no number is left for an id {prefix}…: add one")))
}

impl Snapshot {
    /// Reads all records, and the counts of `/api/metrics`.
    pub(crate) fn read(state: &State) -> Result<Self> {
        let metrics = state.get("/api/metrics")?;
        let stories = state.list("stories", "")?;
        let epics = state.list("epics", "")?;
        let tasks = state.list("tasks", "")?;
        let sessions = state.list("sessions", "?active=all")?;
        let (known_stories, known_tasks) = (ids(&stories), ids(&tasks));
        let (of_stories, of_tasks) = (Resolver::new(&known_stories), Resolver::new(&known_tasks));
        let story = |record| Story::read_with(record, &of_stories);
        let task = |record| Task::read_with(record, &of_tasks);
        let mut snapshot = Self {
            stories: stories.into_iter().map(story).collect(),
            epics: epics.iter().map(Epic::read).collect(),
            tasks: tasks.into_iter().map(task).collect(),
            sessions: sessions.iter().map(Session::read).collect(),
            time: metrics["timestamp"].as_str().map(str::to_owned),
            metrics,
            gaps: state.gaps()?,
            ready: None,
        };
        if snapshot.gaps.plan.is_some() {
            snapshot.translate(state)?;
            let ready = state.get("/api/stories?ready=true")?;
            let stories = ready["stories"].as_array().filter(|_| !ready["ready_unknown"].is_null());
            snapshot.ready = stories.map(|stories| ids(stories));
        }
        Ok(snapshot)
    }

    /// Replaces a format's own words for statuses by those that the API counts them as.
    fn translate(&mut self, state: &State) -> Result<()> {
        let statuses = self.metrics["stories"]["by_status"].as_object().into_iter().flatten();
        for (status, _) in statuses {
            let query = format!("?fields=id&status={}", State::encoded(status));
            let ids = ids(&state.list("stories", &query)?);
            for story in self.stories.iter_mut().filter(|story| ids.contains(&story.id)) {
                story.status.clone_from(status);
            }
        }
        Ok(())
    }

    /// Refuses one without records and messages.
    pub(crate) fn with_records(self) -> Result<Self> {
        let is_empty = self.stories.is_empty()
            && self.epics.is_empty()
            && self.tasks.is_empty()
            && self.sessions.is_empty()
            && self.metrics["bus"]["total"] == 0;
        self.unless(is_empty, "stories, tasks, sessions or messages")
    }

    /// Refuses one without stories.
    pub(crate) fn with_stories(self) -> Result<Self> {
        let is_empty = self.stories.is_empty();
        self.unless(is_empty, "stories")
    }

    /// Refuses one that has none of what a report is of, with a remedy.
    fn unless(self, is_empty: bool, what: &str) -> Result<Self> {
        let why = match &self.gaps.doubtful {
            _ if !is_empty => return Ok(self),
            _ if !self.gaps.unread.is_empty() => {
                format!("repair the files that could not be read: {}", self.gaps.unread.join(", "))
            }
            Some(doubtful) => doubtful.trim_end_matches('.').to_owned(),
            None => "add them to its files, or name another project by --project DIR".to_owned(),
        };
        Err(Fault::Refused(format!("the project has no {what}; {why}")))
    }

    pub(crate) fn story(&self, id: &str) -> Option<&Story> {
        self.stories.iter().find(|story| story.id == id)
    }

    pub(crate) fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    pub(crate) fn epic(&self, id: &str) -> Option<&Epic> {
        self.epics.iter().find(|epic| epic.id == id)
    }
}

fn ids(records: &[Value]) -> IndexSet<String> {
    records.iter().filter_map(|record| record["id"].as_str()).map(str::to_owned).collect()
}
