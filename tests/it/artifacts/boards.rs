//! Projects for the planning skills, written and read as raw JSON. The plain model here shares no code with the
//! product's reading of records.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use flow::files::Files;
use flow::project::Project;
use flow::skill::project_state::Context;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::making::context;

/// A project with this status document.
pub(super) fn project(folder: &Path, status: &Value) -> Context {
    let path = folder.join("docs/09-agents/status.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, status.to_string()).unwrap();
    let project = Project::at(folder).unwrap();
    Context { state: Files::read(&project).state(), ..context(folder) }
}

/// Stories as written, parsed by separate code.
#[derive(Debug, Clone)]
pub(super) struct Plain {
    /// Ids in the order of the file.
    pub(super) ids: Vec<String>,
    pub(super) stories: BTreeMap<String, Value>,
}

impl Plain {
    pub(super) fn of(status: &Value) -> Self {
        let all = status["stories"].as_object().unwrap();
        Self {
            ids: all.keys().cloned().collect(),
            stories: all.iter().map(|(id, story)| (id.clone(), story.clone())).collect(),
        }
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        let status = self.stories.get(id).map(|story| story["status"].as_str().unwrap_or_default());
        let closed = ["done", "archived", "completed", "deferred"];
        status.is_some_and(|status| !closed.contains(&status))
    }

    /// Whether it depends on a deferred story.
    fn needs_deferred(&self, id: &str) -> bool {
        let is_deferred =
            |need: &String| self.stories.get(need).is_some_and(|need| need["status"] == "deferred");
        self.needs(id).iter().any(is_deferred)
    }

    pub(super) fn open(&self) -> Vec<String> {
        self.ids.iter().filter(|id| self.is_open(id)).cloned().collect()
    }

    /// The ids of a story's dependencies, known or not.
    pub(super) fn needs(&self, id: &str) -> Vec<String> {
        let list = self.stories[id]["depends_on"].as_array().cloned().unwrap_or_default();
        list.iter().map(|id| id.as_str().unwrap().to_owned()).collect()
    }

    /// The open stories among its direct dependencies.
    pub(super) fn unmet(&self, id: &str) -> BTreeSet<String> {
        self.needs(id).into_iter().filter(|need| self.is_open(need)).collect()
    }

    /// The open stories among its transitive dependencies; in a cycle it contains the story too.
    pub(super) fn before(&self, id: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut size = usize::MAX;
        while found.len() != size {
            size = found.len();
            let next: Vec<String> =
                found.iter().chain([&id.to_owned()]).flat_map(|id| self.unmet(id)).collect();
            found.extend(next);
        }
        found
    }

    /// Whether it is in a cycle or depends on one.
    pub(super) fn is_stuck(&self, id: &str) -> bool {
        let mut all = self.before(id);
        all.insert(id.to_owned());
        all.iter().any(|id| self.before(id).contains(id))
    }

    pub(super) fn outside(&self, id: &str) -> Option<&str> {
        self.stories[id]["blocked_by"].as_str()
    }

    pub(super) fn unknown(&self, id: &str) -> Vec<String> {
        self.needs(id).into_iter().filter(|id| !self.stories.contains_key(id)).collect()
    }

    /// Whether anything but open stories blocks it directly.
    pub(super) fn is_hindered(&self, id: &str) -> bool {
        let status = self.stories[id]["status"].as_str().unwrap();
        self.is_stuck(id)
            || self.outside(id).is_some()
            || !self.unknown(id).is_empty()
            || self.needs_deferred(id)
            || (status == "blocked" && self.unmet(id).is_empty())
    }
}

/// Projects of up to `most` stories with random dependencies, including cycles, unknown ids, and reasons that are
/// not stories.
pub(super) fn boards(most: usize) -> impl Strategy<Value = Value> {
    let status = prop_oneof![
        5 => Just("ready"), 1 => Just("Waiting"), 1 => Just("To do"), 2 => Just("in-progress"), 1 => Just("in-review"), 2 => Just("done"),
        1 => Just("archived"), 1 => Just("blocked"), 1 => Just("deferred"),
    ];
    let priority = prop_oneof![
        Just(None),
        Just(Some("P0")),
        Just(Some("P1")),
        Just(Some("high")),
        Just(Some("low")),
    ];
    let size = prop_oneof![
        12 => (0..9_u32).prop_map(|points| json!(points)),
        1 => Just(json!("1d")),
        1 => Just(Value::Null),
    ];
    // Mostly on earlier stories; sometimes on any, for cycles, or on one that does not exist.
    let needs = proptest::collection::vec((0..100_usize, 0..40_u32), 0..3);
    let outside = prop_oneof![16 => Just(None), 1 => Just(Some("a key")), 1 => Just(Some("a word | of *hers*"))];
    let story = (status, priority, size, needs, outside, 1..3_u32);
    proptest::collection::vec(story, 0..=most).prop_map(|all| {
        let mut stories = serde_json::Map::new();
        let count = all.len();
        for (at, (status, priority, size, needs, outside, epic)) in all.into_iter().enumerate() {
            let needs = needs.iter().filter_map(|(to, kind)| match kind {
                0 => Some("US-0999".to_owned()),
                1 => Some(id(to % count)),
                _ => Some(id(to % at.max(1))).filter(|_| at > 0),
            });
            let needs: BTreeSet<String> = needs.collect();
            stories.insert(
                id(at),
                json!({
                    "title": format!("Story {at}"), "status": status, "priority": priority, "points": size,
                    "depends_on": needs, "blocked_by": outside, "epic_id": format!("EP-000{epic}"),
                }),
            );
        }
        json!({"stories": stories})
    })
}

fn id(at: usize) -> String {
    format!("US-{:04}", at + 1)
}

/// A chain of `count` stories, each depending on the one before, and the first on a story that closes a ring, if any.
pub(super) fn chain(count: usize, first: Option<usize>) -> Value {
    let story = |at: usize| {
        let need: Vec<String> = at.checked_sub(1).or(first).map(id).into_iter().collect();
        (
            id(at),
            json!({"title": "t", "status": "ready", "points": 1, "depends_on": need, "epic_id": "EP-0001"}),
        )
    };
    let stories: serde_json::Map<String, Value> = (0..count).map(story).collect();
    json!({"stories": stories})
}

/// The ids of the rows of a list in data.
pub(super) fn row_ids(list: &Value) -> Vec<String> {
    let rows = list["rows"].as_array().unwrap().iter();
    rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}
