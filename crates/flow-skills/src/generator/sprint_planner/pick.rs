//! The rule that selects stories for a plan.
//!
//! Candidates are ordered: begun ones first, then by priority, then as in the file. Each is selected together with all
//! open stories that it depends on, if all of them fit into the remaining capacity. A candidate that did not fit once
//! cannot fit later: selecting another story reduces the remaining capacity at least as much as the total size of that
//! candidate and its dependencies.

use indexmap::IndexSet;

use super::Capacity;
use crate::generator::report::Open;
use crate::project_state::Story;
use crate::project_state::graph::Graph;

/// The selected and unselected stories, as indexes of open stories.
#[derive(Debug)]
pub(super) struct Pick {
    pub(super) capacity: Capacity,
    /// The plan, each story after all its dependencies.
    pub(super) taken: Vec<usize>,
    /// Stories in the plan that are only dependencies of candidates.
    pub(super) needed: Vec<usize>,
    /// Candidates that are not in the plan, in their order.
    pub(super) left_out: Vec<usize>,
    /// For each story, the one that prevents its selection: itself or a dependency.
    pub(super) obstacles: Vec<Option<usize>>,
    /// The total size of the plan.
    pub(super) sum: u64,
}

/// A story with its unselected dependencies, in no order, and their total size.
#[derive(Debug, Default)]
pub(super) struct Missing {
    pub(super) stories: IndexSet<usize>,
    pub(super) size: u64,
}

/// What comes first among the candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// Begun work: the rule of the plan.
    Begun,
    /// The highest priority: shows what begun work displaces.
    Priority,
}

impl Pick {
    /// Selects from the candidates.
    pub(super) fn of(
        open: &Open<'_>,
        capacity: Capacity,
        first: First,
        is_selected: impl Fn(&Story) -> bool,
    ) -> Self {
        let obstacles = obstacles(open, capacity);
        let mut candidates: Vec<usize> =
            (0..open.stories.len()).filter(|at| is_selected(open.stories[*at])).collect();
        candidates.sort_by_key(|at| {
            let story = open.stories[*at];
            (first == First::Begun && !story.is_begun(), rank(story), *at)
        });
        let mut taken = IndexSet::new();
        let mut sum = 0;
        for at in candidates.iter().filter(|at| obstacles[**at].is_none()) {
            let left = capacity.amount - sum;
            if let Some(missing) = missing(open, capacity, *at, &taken, left) {
                sum += missing.size;
                taken.extend(missing.stories);
            }
        }
        candidates.retain(|at| !taken.contains(at));
        let needed = taken.iter().filter(|at| !is_selected(open.stories[**at])).copied().collect();
        let taken = sorted(open, &taken);
        Self { capacity, taken, needed, left_out: candidates, obstacles, sum }
    }

    /// A size in the capacity's unit, as text.
    pub(super) fn show(&self, amount: u64) -> String {
        self.capacity.unit.show(amount)
    }

    /// The planned part of the capacity: `15 of 20 points`, `6 h of 40 h`.
    pub(super) fn share(&self) -> String {
        let (planned, all) = (self.show(self.sum), self.show(self.capacity.amount));
        let number = planned.split_once(" point").map_or(planned.as_str(), |(number, _)| number);
        format!("{number} of {all}")
    }

    /// What a story that did not fit would add to the plan now.
    pub(super) fn more(&self, open: &Open<'_>, at: usize) -> Missing {
        let taken = self.taken.iter().copied().collect();
        missing(open, self.capacity, at, &taken, u64::MAX).unwrap_or_default()
    }
}

/// A story with its unselected dependencies; `None` if their total size exceeds `most`.
fn missing(
    open: &Open<'_>,
    capacity: Capacity,
    at: usize,
    taken: &IndexSet<usize>,
    most: u64,
) -> Option<Missing> {
    let mut missing = Missing::default();
    let mut waiting = vec![at];
    while let Some(at) = waiting.pop() {
        if !taken.contains(&at) && missing.stories.insert(at) {
            missing.size += capacity.size(open.stories[at]).unwrap_or_default();
            if missing.size > most {
                return None;
            }
            waiting.extend(open.graph.needs(at));
        }
    }
    Some(missing)
}

/// For each story the first one that prevents its selection: itself, else a dependency.
fn obstacles(open: &Open<'_>, capacity: Capacity) -> Vec<Option<usize>> {
    let mut obstacles: Vec<Option<usize>> = (0..open.stories.len()).map(Some).collect();
    for at in open.graph.order() {
        let is_sized = capacity.size(open.stories[at]).is_some();
        if !open.is_hindered(at) && !is_waiting(open, at) && is_sized {
            obstacles[at] = open.graph.needs(at).iter().find_map(|need| obstacles[*need]);
        }
    }
    obstacles
}

/// Whether a story's status says that something comes first, which its open dependencies do not explain: one that is
/// blocked or waiting may wait for them, a draft may not be planned at all.
pub(super) fn is_waiting(open: &Open<'_>, at: usize) -> bool {
    let story = open.stories[at];
    match story.status.as_str() {
        "blocked" | "waiting" => open.graph.needs(at).is_empty(),
        _ => !story.is_workable(),
    }
}

/// The rank of a story's priority; an unknown priority ranks last.
fn rank(story: &Story) -> u8 {
    let priority = story.priority.as_deref().unwrap_or_default().to_lowercase();
    match priority.as_str() {
        "p0" | "critical" => 0,
        "p1" | "high" => 1,
        "p2" | "medium" => 2,
        "p3" | "low" => 3,
        _ => 4,
    }
}

/// The plan's stories, each after its dependencies; else in the order of their selection.
fn sorted(open: &Open<'_>, taken: &IndexSet<usize>) -> Vec<usize> {
    let items = taken.iter().map(|at| (open.graph.id(*at), open.stories[*at].needs.as_slice()));
    Graph::new(items).order().into_iter().map(|place| taken[place]).collect()
}
