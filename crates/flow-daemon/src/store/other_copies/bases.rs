//! What the commits of two worktrees have in common, remembered: git runs once for two commits.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::project::Project;

use super::super::common_plan::CommonPlan;
use super::super::snapshot::Snapshot;

/// Largest number of pairs of commits whose common commit is remembered.
const MOST_PAIRS: usize = 1_024;
/// Largest number of plans that are held.
const MOST_PLANS: usize = 4;

/// The common commits and their plans.
#[derive(Debug)]
pub(super) struct Bases {
    project: Project,
    source: Box<dyn CommonPlan>,
    pairs: IndexMap<[String; 2], Option<String>>,
    plans: IndexMap<String, Option<Arc<Snapshot>>>,
}

impl Bases {
    /// Of the copies of a project's plan.
    pub(super) fn new(project: Project, source: Box<dyn CommonPlan>) -> Self {
        Self { project, source, pairs: IndexMap::new(), plans: IndexMap::new() }
    }

    /// The plan that two commits have in common; `None` if it is not known.
    pub(super) fn of(&mut self, one: &str, other: &str) -> Option<Arc<Snapshot>> {
        let mut pair = [one.to_owned(), other.to_owned()];
        pair.sort();
        if !self.pairs.contains_key(&pair) {
            let base = if one == other {
                Some(one.to_owned())
            } else {
                self.source.base(&self.project, one, other)
            };
            make_room(&mut self.pairs, MOST_PAIRS);
            self.pairs.insert(pair.clone(), base);
        }
        let base = self.pairs.get(&pair)?.clone()?;
        if !self.plans.contains_key(&base) {
            let plan = self.source.plan(&self.project, &base);
            make_room(&mut self.plans, MOST_PLANS);
            self.plans.insert(base.clone(), plan);
        }
        self.plans.get(&base)?.clone()
    }
}

/// Forgets the oldest entry of a full map.
fn make_room<K, V>(map: &mut IndexMap<K, V>, most: usize) {
    if map.len() >= most {
        map.shift_remove_index(0);
    }
}
