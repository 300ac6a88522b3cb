//! The open stories of a project, and what hinders each.

use std::collections::{HashMap, HashSet};

use crate::project_state::graph::Graph;
use crate::project_state::{Snapshot, Story};

/// The open stories of a project, or some of them.
#[derive(Debug)]
pub(crate) struct Open<'a> {
    /// The stories that are not on hold, in the order of the file.
    pub(crate) stories: Vec<&'a Story>,
    /// Their dependency graph; nodes are in the order of `stories`.
    pub(crate) graph: Graph<'a>,
    /// The open stories that are on hold.
    pub(crate) on_hold: Vec<&'a Story>,
    known: HashMap<&'a str, &'a Story>,
    is_stuck: Vec<bool>,
    in_cycles: HashSet<&'a str>,
}

impl<'a> Open<'a> {
    /// The open stories that `is_selected` selects. Dependencies on open stories that it does not select are ignored.
    pub(crate) fn of(snapshot: &'a Snapshot, is_selected: impl Fn(&Story) -> bool) -> Self {
        let known = snapshot.stories.iter().map(|story| (story.id.as_str(), story)).collect();
        let open = snapshot.stories.iter().filter(|story| story.is_open() && is_selected(story));
        let (on_hold, stories): (Vec<&Story>, Vec<&Story>) =
            open.partition(|story| story.is_on_hold());
        let graph =
            Graph::new(stories.iter().map(|story| (story.id.as_str(), story.needs.as_slice())));
        let mut is_stuck = vec![true; stories.len()];
        for at in graph.order() {
            is_stuck[at] = false;
        }
        let in_cycles = graph.cycles().concat().into_iter().collect();
        Self { stories, graph, on_hold, known, is_stuck, in_cycles }
    }

    pub(super) fn is_in_cycle(&self, at: usize) -> bool {
        self.in_cycles.contains(self.graph.id(at))
    }

    /// Whether a story is in a cycle, or depends on one that is.
    pub(crate) fn is_stuck(&self, at: usize) -> bool {
        self.is_stuck[at]
    }

    /// The ids that a story depends on and the project does not have.
    pub(crate) fn unknown(&self, at: usize) -> impl Iterator<Item = &'a str> {
        let ids = self.stories[at].needs.iter().map(String::as_str);
        ids.filter(|id| !self.known.contains_key(id))
    }

    pub(crate) fn known(&self, id: &str) -> Option<&'a Story> {
        self.known.get(id).copied()
    }

    /// The ids that a story depends on and that are not completed, or not in the project.
    pub(crate) fn unmet<'s>(&self, story: &'s Story) -> impl Iterator<Item = &'s str> {
        let ids = story.needs.iter().map(String::as_str);
        ids.filter(|id| self.known.get(id).is_none_or(|need| !need.is_completed()))
    }

    pub(crate) fn needs(&self, at: usize) -> impl Iterator<Item = &'a Story> {
        self.graph.needs(at).iter().map(|need| self.stories[*need])
    }

    /// Whether anything but open stories hinders a story.
    pub(crate) fn is_hindered(&self, at: usize) -> bool {
        let story = self.stories[at];
        self.is_stuck[at]
            || !story.reasons.is_empty()
            || self.unmet(story).any(|id| !self.known(id).is_some_and(Story::is_work))
            || (story.status == "blocked" && self.graph.needs(at).is_empty())
    }

    /// Whether a story is blocked: by its status, or by anything but open stories.
    pub(crate) fn is_blocked(&self, at: usize) -> bool {
        self.stories[at].status == "blocked" || self.is_hindered(at)
    }

    /// Whether nothing hinders a story, and its status lets somebody work on it.
    pub(crate) fn is_ready(&self, at: usize) -> bool {
        let is_workable = self.stories[at].is_workable();
        is_workable && self.graph.needs(at).is_empty() && !self.is_hindered(at)
    }
}
