//! A dependency graph over ids: order, cycles, and the longest path. Results are deterministic, with ties in the order
//! in which the nodes were given.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use indexmap::IndexSet;

/// Nodes and their dependencies.
#[derive(Debug)]
pub struct Graph<'a> {
    ids: Vec<&'a str>,
    needs: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    /// The graph of nodes with the ids that each depends on.
    pub fn new(items: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let (ids, wanted): (Vec<&str>, Vec<&[String]>) = items.into_iter().unzip();
        let places: HashMap<&str, usize> =
            ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let needs_of = |wanted: &&[String]| {
            let known = wanted.iter().filter_map(|id| places.get(id.as_str()).copied());
            known.collect::<IndexSet<_>>().into_iter().collect()
        };
        let needs = wanted.iter().map(needs_of).collect();
        Self { ids, needs }
    }

    /// The id of a node.
    pub fn id(&self, at: usize) -> &'a str {
        self.ids[at]
    }

    pub(crate) fn needs(&self, at: usize) -> &[usize] {
        &self.needs[at]
    }

    pub(crate) fn all_needs(&self) -> &[Vec<usize>] {
        &self.needs
    }

    pub(crate) fn needed_by(&self) -> Vec<Vec<usize>> {
        let mut by = vec![Vec::new(); self.ids.len()];
        for (at, needs) in self.needs.iter().enumerate() {
            for need in needs {
                by[*need].push(at);
            }
        }
        by
    }

    /// The nodes, each after its dependencies, without those that are in a cycle or depend on one; ties keep the order
    /// given.
    pub(crate) fn order(&self) -> Vec<usize> {
        let needed_by = self.needed_by();
        let mut left: Vec<usize> = self.needs.iter().map(Vec::len).collect();
        let free = (0..left.len()).filter(|at| left[*at] == 0).map(Reverse);
        let mut ready: BinaryHeap<Reverse<usize>> = free.collect();
        let mut sorted = Vec::with_capacity(left.len());
        while let Some(Reverse(at)) = ready.pop() {
            sorted.push(at);
            for by in &needed_by[at] {
                left[*by] -= 1;
                if left[*by] == 0 {
                    ready.push(Reverse(*by));
                }
            }
        }
        sorted
    }

    /// The ids of the cycles, as [`flow_model::cycles::of`] defines them: each begins at its first node and lists each
    /// before the one that it depends on.
    pub(crate) fn cycles(&self) -> Vec<Vec<&'a str>> {
        let cycles = flow_model::cycles::of(&self.needs).into_iter();
        cycles.map(|cycle| cycle.into_iter().map(|at| self.ids[at]).collect()).collect()
    }

    /// The dependency path with the largest sum of weights, first to last, without stuck nodes.
    pub fn longest(&self, weight: impl Fn(usize) -> u64) -> Vec<usize> {
        let mut best: Vec<Option<(u64, Option<usize>)>> = vec![None; self.ids.len()];
        let mut end: Option<(u64, usize)> = None;
        for at in self.order() {
            let before = self.needs[at].iter().filter_map(|need| Some((best[*need]?.0, *need)));
            // Of equal paths the one through the node given first.
            let before = before.max_by_key(|(sum, need)| (*sum, Reverse(*need)));
            let sum = weight(at).saturating_add(before.map_or(0, |(sum, _)| sum));
            best[at] = Some((sum, before.map(|(_, need)| need)));
            if end.is_none_or(|(most, _)| sum > most) {
                end = Some((sum, at));
            }
        }
        let mut path = Vec::new();
        let mut next = end.map(|(_, at)| at);
        while let Some(at) = next {
            path.push(at);
            next = best[at].and_then(|(_, before)| before);
        }
        path.reverse();
        path
    }
}
