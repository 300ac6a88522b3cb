//! The open stories and what stands in the way of each: other stories, ids that the project does not have, something
//! that is no story, or a circle.

use std::collections::HashSet;

use super::graph::Graph;
use super::{Board, Story};

/// Statuses of work that has begun.
const BEGUN: [&str; 4] = ["doing", "in-progress", "in-review", "review"];
/// Statuses of work that is put off or given up, though not completed.
const PARKED: [&str; 9] = [
    "canceled",
    "cancelled",
    "deferred",
    "dropped",
    "on-hold",
    "paused",
    "rejected",
    "wont-do",
    "wontfix",
];

/// The open stories of a board, or some of them.
#[derive(Debug)]
pub struct Open<'a> {
    /// They, in the order of the file.
    pub stories: Vec<&'a Story>,
    /// Which needs which; nodes are in the order of `stories`, and what is completed is needed no more.
    pub graph: Graph<'a>,
    unknown: Vec<Vec<&'a str>>,
    is_stuck: Vec<bool>,
}

/// What stands in a story's own way, other stories aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocker<'a> {
    /// It is in a circle, or behind one.
    Circle,
    /// It needs an id that the project does not have.
    Unknown(&'a str),
    /// It waits for something that is no story, in these words.
    Outside(&'a str),
    /// Its status says that it is not to be done now.
    OnHold(&'a str),
    /// Its status is blocked, and nothing says by what.
    Unsaid,
}

impl<'a> Open<'a> {
    /// The open stories that `is_meant` takes. What those need must be among them, or is passed over.
    pub fn of(board: &'a Board, is_meant: impl Fn(&Story) -> bool) -> Self {
        let known: HashSet<&str> = board.stories.iter().map(|story| story.id.as_str()).collect();
        let open = board.stories.iter().filter(|story| !story.is_completed() && is_meant(story));
        let stories: Vec<&Story> = open.collect();
        let graph =
            Graph::new(stories.iter().map(|story| (story.id.as_str(), story.needs.as_slice())));
        let strange = |story: &&'a Story| {
            let needs = story.needs.iter().map(String::as_str);
            needs.filter(|id| !known.contains(id)).collect()
        };
        let unknown = stories.iter().map(strange).collect();
        let mut is_stuck = vec![false; stories.len()];
        for at in graph.order().stuck {
            is_stuck[at] = true;
        }
        Self { stories, graph, unknown, is_stuck }
    }

    /// The ids that a story needs and the project does not have.
    pub fn unknown(&self, at: usize) -> &[&'a str] {
        &self.unknown[at]
    }

    /// What stands in a story's own way, the gravest first.
    pub fn hindrance(&self, at: usize) -> Option<Blocker<'a>> {
        let story = self.stories[at];
        if self.is_stuck[at] {
            return Some(Blocker::Circle);
        }
        if let Some(id) = self.unknown[at].first() {
            return Some(Blocker::Unknown(id));
        }
        if PARKED.contains(&story.status.as_str()) {
            return Some(Blocker::OnHold(&story.status));
        }
        if let Some(words) = &story.waits_for {
            return Some(Blocker::Outside(words));
        }
        let is_unsaid = story.status == "blocked" && self.graph.needs(at).is_empty();
        is_unsaid.then_some(Blocker::Unsaid)
    }

    /// Whether nothing stands in a story's way.
    pub fn is_ready(&self, at: usize) -> bool {
        self.graph.needs(at).is_empty() && self.hindrance(at).is_none()
    }
}

/// Whether a story's work has begun.
pub fn is_begun(story: &Story) -> bool {
    BEGUN.contains(&story.status.as_str())
}
