//! The surroundings of a task: dependencies, work of others, and files touched.

use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Value, json};

use super::target::Target;
use super::{Snapshot, Story, Task, line, rows, say};
use crate::project_state::{Activity, Session};

/// The task whose surroundings are described.
pub(super) struct Around<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) target: &'a Target<'a>,
    /// The agent that the brief is for.
    pub(super) agent: Option<&'a str>,
}

impl<'a> Around<'a> {
    pub(super) fn own_tasks(&self) -> Value {
        let tasks: Vec<&Task> = self.tasks_of_story().collect();
        say::limit_rows(&tasks, |task| rows::task(task))
    }

    fn tasks_of_story(&self) -> impl Iterator<Item = &'a Task> {
        let story = self.target.story_id();
        let own = match self.target {
            Target::Task(task, _) => Some(task.id.as_str()),
            _ => None,
        };
        self.snapshot.tasks.iter().filter(move |task| {
            (story.is_some() && task.story.as_deref() == story) || own == Some(task.id.as_str())
        })
    }

    /// All dependencies, stories and tasks, each with its state and whether it is done.
    fn all_needs(&self) -> Vec<(Value, bool)> {
        let mut found = Vec::new();
        for id in self.target.story().map_or(&[][..], |story| &story.needs) {
            let story = self.snapshot.story(id);
            let row = story.map_or_else(|| not_there(id), rows::story);
            found.push((row, story.is_some_and(Story::is_completed)));
        }
        let Target::Task(task, _) = self.target else { return found };
        for id in &task.needs {
            let need = self.snapshot.tasks.iter().find(|other| other.id == *id);
            let row = |need: &Task| {
                json!({
                    "id": need.id, "title": line(&need.description), "status": need.state,
                    "owner": need.agent, "cite": rows::cite_task(need),
                })
            };
            let is_done = need.is_some_and(|need| need.state == "completed");
            found.push((need.map_or_else(|| not_there(id), row), is_done));
        }
        found
    }

    pub(super) fn needs(&self) -> Value {
        say::limit_rows(&self.all_needs(), |(row, _)| row.clone())
    }

    /// The dependencies that are not done, each with its status.
    pub(super) fn open_needs(&self) -> impl Iterator<Item = String> {
        let open = self.all_needs().into_iter().filter(|(_, is_done)| !is_done);
        let text = |row: &Value, name: &str| line(row[name].as_str().unwrap_or_default());
        open.map(move |(row, _)| format!("needs {} ({})", text(&row, "id"), text(&row, "status")))
    }

    pub(super) fn dependants(&self) -> Vec<&'a str> {
        let Some(id) = self.target.story_id() else { return Vec::new() };
        let open = self.snapshot.stories.iter().filter(|story| story.is_open());
        let dependants = open.filter(|story| story.needs.iter().any(|need| need == id));
        dependants.map(|story| story.id.as_str()).collect()
    }

    fn others(&self) -> impl Iterator<Item = &'a Session> {
        let agent = self.agent;
        self.snapshot.sessions.iter().filter(move |session| {
            let is_own = agent == Some(session.name.as_str()) || agent == Some(session.id.as_str());
            session.activity == Activity::Active && !is_own
        })
    }

    pub(super) fn on_the_same(&self) -> impl Iterator<Item = &'a Session> {
        let story = self.target.story_id();
        self.others().filter(move |session| story.is_some() && session.story.as_deref() == story)
    }

    pub(super) fn sessions(&self) -> Value {
        let sessions: Vec<&Session> = self.others().collect();
        say::limit_rows(&sessions, |session| rows::session(session))
    }

    /// The running tasks of others on the story's dependencies and its dependents; all running tasks if the brief is
    /// not about a story. Those of the story itself are [`Self::own_tasks`].
    pub(super) fn running(&self) -> Value {
        let near = self.near();
        let is_own = |task: &Task| {
            task.agent.as_deref().is_some_and(|agent| self.agent == Some(agent))
                || self.target.about() == Some(task.id.as_str())
        };
        let is_near = |task: &Task| {
            let story = task.story.as_deref();
            near.as_ref().is_none_or(|near| story.is_some_and(|story| near.contains(story)))
        };
        let running = self.snapshot.tasks.iter().filter(|task| task.state == "running");
        let running: Vec<&Task> = running.filter(|task| !is_own(task) && is_near(task)).collect();
        say::limit_rows(&running, |task| rows::task(task))
    }

    fn near(&self) -> Option<HashSet<&'a str>> {
        let id = self.target.story_id()?;
        let needs = self.target.story().into_iter().flat_map(|story| &story.needs);
        let stories = self.snapshot.stories.iter();
        let needed_by = stories.filter(|story| story.needs.iter().any(|need| need == id));
        Some(needs.chain(needed_by.map(|story| &story.id)).map(String::as_str).collect())
    }

    /// The files that the story's tasks report as changed, each with its tasks.
    pub(super) fn files(&self) -> Value {
        let mut files: IndexMap<String, Vec<&str>> = IndexMap::new();
        for task in self.tasks_of_story() {
            let lists = ["metadata", "result"].map(|member| &task.record[member]["files_modified"]);
            let names = lists.into_iter().filter_map(Value::as_array).flatten();
            for name in names.filter_map(Value::as_str).map(line).filter(|name| !name.is_empty()) {
                let tasks = files.entry(name).or_default();
                if tasks.last() != Some(&task.id.as_str()) {
                    tasks.push(&task.id);
                }
            }
        }
        let files: Vec<(String, Vec<&str>)> = files.into_iter().collect();
        say::limit_rows(&files, |(name, tasks)| {
            rows::quote(name, &format!("task {}", say::ids(tasks.iter().copied())))
        })
    }
}

fn not_there(id: &str) -> Value {
    json!({"id": id, "title": null, "status": "not in the project", "owner": null, "cite": null})
}
