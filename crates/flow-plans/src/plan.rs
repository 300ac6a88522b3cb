//! One plan of the records of all files of a format.

use std::collections::HashMap;

use crate::members::Members;

use flow_model::kind::Kind;
use flow_model::problem::Effect;
use serde_json::{Map, Value};

/// The records of one format, in the order of its files and of their lines.
#[derive(Debug, Default)]
pub struct Plan {
    /// The epics.
    pub epics: Vec<PlannedRecord>,
    /// The stories.
    pub stories: Vec<PlannedRecord>,
    /// The tasks.
    pub tasks: Vec<PlannedRecord>,
    /// What is not served, or may not be read as it is meant: the number of the file, and the issue.
    pub issues: Vec<(usize, Issue)>,
    /// Statuses and states with the meaning of another: the kind of record, the word, and that other, both in their
    /// canonical spelling. They hold for this plan only.
    pub synonyms: Vec<(Kind, String, String)>,
    /// Ids of records that were moved to where they are not served, as their files have them.
    pub retired: Vec<(Kind, String)>,
    /// Number of files that are none of the format's in spite of their paths.
    pub foreign: usize,
}

/// A record, and where it begins.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRecord {
    /// Its id among the records of its kind in this format.
    pub id: String,
    /// The number of its file among those that were joined.
    pub file: usize,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// Its members, without `id` and `format`.
    pub members: Members,
}

impl Plan {
    /// The records of a kind. Sessions and messages have none.
    pub fn records(&mut self, kind: Kind) -> Option<&mut Vec<PlannedRecord>> {
        match kind {
            Kind::Epic => Some(&mut self.epics),
            Kind::Story => Some(&mut self.stories),
            Kind::Task => Some(&mut self.tasks),
            Kind::Session | Kind::Message => None,
        }
    }
}

impl Plan {
    /// Adds to each story that has tasks how many they are and how many of them are completed, without optional ones.
    pub fn count_tasks(&mut self) {
        let counts = self.counts();
        for story in &mut self.stories {
            if let Some(count) = counts.get(&story.id) {
                count.add_to(&mut story.members);
            }
        }
    }

    /// The same, and a status for each story without one.
    pub fn complete_from_boxes(&mut self) {
        let counts = self.counts();
        for story in &mut self.stories {
            let Some(count) = counts.get(&story.id) else { continue };
            if !story.members.contains_key("status") {
                story.members.insert("status".to_owned(), count.status().into());
                story.members.insert("status_source".to_owned(), "boxes".into());
            }
            count.add_to(&mut story.members);
        }
    }

    /// The tasks of each story.
    fn counts(&self) -> HashMap<String, Count> {
        let mut counts: HashMap<String, Count> = HashMap::new();
        for task in &self.tasks {
            let member = |name: &str| task.members.get(name).and_then(Value::as_str);
            let Some(story) = member("story_id") else { continue };
            if task.members.contains_key("optional") {
                continue;
            }
            let count = match counts.get_mut(story) {
                Some(count) => count,
                None => counts.entry(story.to_owned()).or_default(),
            };
            count.total += 1;
            match member("state") {
                Some(COMPLETED) => count.completed += 1,
                Some(RUNNING) => count.running += 1,
                _ => {}
            }
        }
        counts
    }
}

/// A status in its canonical spelling: in lower case, with `-` for `_` and spaces.
pub fn canonical(status: &str) -> String {
    let words = status.split([' ', '_', '-']).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// The state of a task that is still to be done.
pub const QUEUED: &str = "queued";
/// The state of a task that is worked on.
pub const RUNNING: &str = "running";
/// The state of a task that is done.
pub const COMPLETED: &str = "completed";

/// The tasks of a story, without optional ones.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    total: usize,
    completed: usize,
    running: usize,
}

impl Count {
    fn status(self) -> &'static str {
        if self.completed == self.total {
            "done"
        } else if self.completed + self.running > 0 {
            "in-progress"
        } else {
            "ready"
        }
    }

    fn add_to(self, members: &mut Map<String, Value>) {
        members.insert("tasks_total".to_owned(), self.total.into());
        members.insert("tasks_completed".to_owned(), self.completed.into());
    }
}

/// Why something in a file is not served, or may not be read as it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The line, from 1.
    pub line: u64,
    /// Its effect.
    pub effect: Effect,
    /// The reason, as a phrase.
    pub reason: String,
}
