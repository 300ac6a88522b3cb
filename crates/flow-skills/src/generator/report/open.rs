//! The open stories and what hinders each: other stories, ids that the project does not have, stories that are on hold
//! or abandoned, something that is not a story, or a cycle. The one meaning of blocked and ready of all reports.
//!
//! Stories that are on hold are separate: they are neither waiting to begin nor blockers.

use std::collections::HashMap;

use indexmap::{IndexMap, IndexSet};

use crate::project_state::graph::Graph;
use crate::project_state::say::{LISTED, arrows, ids};
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
        Self { stories, graph, on_hold, known, is_stuck }
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

    /// The stories that a story depends on and that are on hold or abandoned.
    pub(crate) fn shelved(&self, at: usize) -> impl Iterator<Item = &'a Story> {
        let needs = self.stories[at].needs.iter();
        let needs = needs.filter_map(|id| self.known.get(id.as_str()).copied());
        needs.filter(|need| !need.is_completed() && !need.is_work())
    }

    /// The story of the project with an id.
    pub(crate) fn known(&self, id: &str) -> Option<&'a Story> {
        self.known.get(id).copied()
    }

    /// The ids that a story depends on and that are open work or not in the project.
    pub(crate) fn unmet<'s>(&self, story: &'s Story) -> impl Iterator<Item = &'s str> {
        let ids = story.needs.iter().map(String::as_str);
        ids.filter(|id| self.known.get(id).is_none_or(|need| need.is_work()))
    }

    /// The open stories that a story depends on.
    pub(crate) fn needs(&self, at: usize) -> impl Iterator<Item = &'a Story> {
        self.graph.needs(at).iter().map(|need| self.stories[*need])
    }

    /// Whether anything but open stories hinders a story.
    pub(crate) fn is_hindered(&self, at: usize) -> bool {
        let story = self.stories[at];
        self.is_stuck[at]
            || !story.reasons.is_empty()
            || self.unknown(at).next().is_some()
            || self.shelved(at).next().is_some()
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

    /// Its cycles and unknown ids, worded as what to do.
    pub(crate) fn questions(&self) -> Vec<String> {
        let mut questions: Vec<String> =
            self.graph.cycles().iter().take(LISTED).map(|cycle| circular(cycle)).collect();
        let mut unknown: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
        for (at, story) in self.stories.iter().enumerate() {
            for id in self.unknown(at) {
                unknown.entry(id).or_default().insert(&story.id);
            }
        }
        questions.extend(unknown.iter().take(LISTED).map(|(need, of)| {
            let verb = if of.len() == 1 { "needs" } else { "need" };
            let (of, need) = (ids(of.iter().copied()), ids([*need]));
            format!("depends_on: {of} {verb} {need}, which is not in the project (add the story, or remove the dependency)")
        }));
        questions
    }
}

/// A cycle, worded as what to do.
pub(crate) fn circular(cycle: &[&str]) -> String {
    let cycle = arrows(cycle);
    format!("depends_on: {cycle} depend on each other (remove one of the dependencies)")
}
