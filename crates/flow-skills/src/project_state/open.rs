//! The open stories and their blockers: other stories, ids that the project does not have, stories that are on hold or
//! abandoned, something that is not a story, or a cycle.
//!
//! Stories that are on hold are separate: they are neither waiting to begin nor blockers.

use std::collections::HashMap;

use super::graph::Graph;
use super::{Snapshot, Story};

/// The open stories of a project, or some of them.
#[derive(Debug)]
pub struct Open<'a> {
    /// The stories that are not on hold, in the order of the file.
    pub stories: Vec<&'a Story>,
    /// Their dependency graph; nodes are in the order of `stories`.
    pub graph: Graph<'a>,
    /// The open stories that are on hold.
    pub on_hold: Vec<&'a Story>,
    unknown: Vec<Vec<&'a str>>,
    shelved: Vec<Vec<&'a Story>>,
    is_stuck: Vec<bool>,
}

/// What blocks a story, apart from open stories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocker<'a> {
    /// It is in a cycle, or depends on a story that is.
    Cycle,
    /// It depends on an id that the project does not have.
    Unknown(&'a str),
    /// It depends on the story with this id and status, which is on hold or abandoned.
    OnHold(&'a str, &'a str),
    /// It waits for something that is not a story, described by this text.
    Outside(&'a str),
    /// Its status is blocked, and its record does not name a reason.
    NoReason,
}

impl<'a> Open<'a> {
    /// The open stories that `is_selected` selects. Dependencies on other stories are ignored.
    pub fn of(snapshot: &'a Snapshot, is_selected: impl Fn(&Story) -> bool) -> Self {
        let known: HashMap<&str, &Story> =
            snapshot.stories.iter().map(|story| (story.id.as_str(), story)).collect();
        let open = snapshot.stories.iter().filter(|story| story.is_open() && is_selected(story));
        let (on_hold, stories): (Vec<&Story>, Vec<&Story>) =
            open.partition(|story| story.is_on_hold());
        let graph =
            Graph::new(stories.iter().map(|story| (story.id.as_str(), story.needs.as_slice())));
        let strange = |story: &&'a Story| {
            let needs = story.needs.iter().map(String::as_str);
            needs.filter(|id| !known.contains_key(id)).collect()
        };
        let unknown = stories.iter().map(strange).collect();
        let is_shelved =
            |need: &&Story| !need.is_completed() && (need.is_on_hold() || !need.is_open());
        let shelved = |story: &&'a Story| {
            let needs = story.needs.iter().filter_map(|id| known.get(id.as_str()).copied());
            needs.filter(is_shelved).collect()
        };
        let shelved = stories.iter().map(shelved).collect();
        let mut is_stuck = vec![false; stories.len()];
        for at in graph.order().stuck {
            is_stuck[at] = true;
        }
        Self { stories, graph, on_hold, unknown, shelved, is_stuck }
    }

    /// The ids that a story depends on and the project does not have.
    pub fn unknown(&self, at: usize) -> &[&'a str] {
        &self.unknown[at]
    }

    /// The stories that a story depends on and that are on hold or abandoned.
    pub fn shelved(&self, at: usize) -> &[&'a Story] {
        &self.shelved[at]
    }

    /// What blocks a story; of several blockers the most serious.
    pub fn blocker(&self, at: usize) -> Option<Blocker<'a>> {
        let story = self.stories[at];
        if self.is_stuck[at] {
            return Some(Blocker::Cycle);
        }
        if let Some(id) = self.unknown[at].first() {
            return Some(Blocker::Unknown(id));
        }
        if let Some(need) = self.shelved[at].first() {
            return Some(Blocker::OnHold(&need.id, &need.status));
        }
        if let Some(words) = story.reasons.first() {
            return Some(Blocker::Outside(words));
        }
        let is_bare = story.status == "blocked" && self.graph.needs(at).is_empty();
        is_bare.then_some(Blocker::NoReason)
    }

    /// Whether nothing blocks a story, and its status lets somebody work on it.
    pub fn is_ready(&self, at: usize) -> bool {
        let is_workable = self.stories[at].is_workable();
        is_workable && self.graph.needs(at).is_empty() && self.blocker(at).is_none()
    }

    /// Whether a story is blocked: by its status, or by anything other than open stories.
    pub fn is_blocked(&self, at: usize) -> bool {
        self.stories[at].status == "blocked" || self.blocker(at).is_some()
    }

    /// The ids of the open stories that a story depends on.
    pub fn needs(&self, at: usize) -> impl Iterator<Item = &'a str> {
        self.graph.needs(at).iter().map(|need| self.graph.id(*need))
    }
}
