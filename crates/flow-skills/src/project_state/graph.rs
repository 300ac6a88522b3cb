//! A dependency graph over ids: order, cycles, and the longest path. Results are deterministic, with ties in the order
//! in which the nodes were given.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use indexmap::IndexSet;

use crate::reach::reached;

/// Nodes and their dependencies.
#[derive(Debug)]
pub struct Graph<'a> {
    ids: Vec<&'a str>,
    needs: Vec<Vec<usize>>,
}

/// A topological order.
#[derive(Debug, PartialEq, Eq)]
pub struct Order {
    /// Nodes in an order in which each comes after its dependencies.
    pub sorted: Vec<usize>,
    /// Nodes that are in a cycle or depend on one, in the order given.
    pub stuck: Vec<usize>,
}

impl<'a> Graph<'a> {
    /// The graph of nodes with the ids that each depends on.
    pub fn new(items: impl IntoIterator<Item = (&'a str, &'a [String])>) -> Self {
        let (ids, wanted): (Vec<&str>, Vec<&[String]>) = items.into_iter().unzip();
        let places: HashMap<&str, usize> =
            ids.iter().enumerate().map(|(at, id)| (*id, at)).collect();
        let needs_of = |wanted: &&[String]| {
            let found = wanted.iter().filter_map(|id| places.get(id.as_str()).copied());
            found.collect::<IndexSet<_>>().into_iter().collect()
        };
        let needs = wanted.iter().map(needs_of).collect();
        Self { ids, needs }
    }

    /// The id of a node.
    pub fn id(&self, at: usize) -> &'a str {
        self.ids[at]
    }

    /// The index of an id.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.ids.iter().position(|known| *known == id)
    }

    /// The nodes that a node depends on.
    pub fn needs(&self, at: usize) -> &[usize] {
        &self.needs[at]
    }

    /// The dependencies of each node, by index.
    pub fn all_needs(&self) -> &[Vec<usize>] {
        &self.needs
    }

    /// The dependents of each node, by index.
    pub fn needed_by(&self) -> Vec<Vec<usize>> {
        let mut by = vec![Vec::new(); self.ids.len()];
        for (at, needs) in self.needs.iter().enumerate() {
            for need in needs {
                by[*need].push(at);
            }
        }
        by
    }

    /// Sorts so that each node comes after its dependencies; ties keep the order given.
    pub fn order(&self) -> Order {
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
        let stuck = (0..left.len()).filter(|at| left[*at] > 0).collect();
        Order { sorted, stuck }
    }

    /// The cycles, as [`flow_model::cycles::of`] defines them: each begins at its first node and lists each before the
    /// one that it depends on.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        flow_model::cycles::of(&self.needs)
    }

    /// The dependency path with the largest sum of weights, first to last, without stuck nodes.
    pub fn longest(&self, weight: impl Fn(usize) -> u64) -> Vec<usize> {
        let mut best: Vec<Option<(u64, Option<usize>)>> = vec![None; self.ids.len()];
        let mut end: Option<(u64, usize)> = None;
        for at in self.order().sorted {
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

    /// The first cycle among the first `count` nodes and their direct and indirect dependencies, as `A -> B -> A`.
    pub fn cycle_below(&self, count: usize) -> Option<String> {
        let below = reached(&self.needs, &(0..count).collect::<Vec<_>>());
        let mut cycles = self.cycles().into_iter();
        let cycle = cycles.find(|cycle| cycle.iter().all(|at| below.binary_search(at).is_ok()))?;
        let ids: Vec<&str> = cycle.iter().chain(cycle.first()).map(|at| self.ids[*at]).collect();
        Some(ids.join(" -> "))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph<'a>(ids: &'a [String], needs: &'a [Vec<String>]) -> Graph<'a> {
        Graph::new(ids.iter().map(String::as_str).zip(needs.iter().map(Vec::as_slice)))
    }

    /// Up to nine nodes with any dependencies among them, and sometimes an id that is not a node.
    fn items() -> impl Strategy<Value = Vec<Vec<String>>> {
        let name = (0..10_usize).prop_map(|at| at.to_string());
        proptest::collection::vec(proptest::collection::vec(name, 0..4), 0..9)
    }

    /// The weight of the heaviest path that ends at a node, by trying all: the plain model.
    fn heaviest(needs: &[Vec<usize>], at: usize) -> u64 {
        let below = needs[at].iter().map(|need| heaviest(needs, *need)).max();
        at as u64 + 1 + below.unwrap_or(0)
    }

    proptest! {
        #[test]
        fn order_cycles_and_paths_are_what_they_claim(wanted in items()) {
            let ids: Vec<String> = (0..wanted.len()).map(|at| at.to_string()).collect();
            let graph = graph(&ids, &wanted);
            let order = graph.order();
            let place = |at: usize| order.sorted.iter().position(|sorted| *sorted == at);
            for at in &order.sorted {
                for need in graph.needs(*at) {
                    prop_assert!(place(*need) < place(*at), "{need} comes before {at}");
                }
            }
            prop_assert_eq!(order.sorted.len() + order.stuck.len(), ids.len());
            let cycles = graph.cycles();
            prop_assert_eq!(cycles.is_empty(), order.stuck.is_empty());
            for cycle in &cycles {
                for (here, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                    prop_assert!(graph.needs(*here).contains(next));
                }
            }
            let path = graph.longest(|at| at as u64 + 1);
            for pair in path.windows(2) {
                prop_assert!(graph.needs(pair[1]).contains(&pair[0]));
            }
            if order.stuck.is_empty() {
                let needs: Vec<Vec<usize>> = (0..ids.len()).map(|at| graph.needs(at).to_vec()).collect();
                let most = (0..ids.len()).map(|at| heaviest(&needs, at)).max().unwrap_or(0);
                prop_assert_eq!(path.iter().map(|at| *at as u64 + 1).sum::<u64>(), most);
            }
        }
    }

    #[test]
    fn what_is_needed_and_not_there_is_no_node() {
        let ids = ["a".to_owned(), "b".to_owned()];
        let needs = [vec!["b".to_owned(), "z".to_owned()], vec![]];
        let graph = graph(&ids, &needs);
        assert_eq!(graph.needs(0), [1]);
        assert_eq!(graph.order(), Order { sorted: vec![1, 0], stuck: vec![] });
    }

    #[test]
    fn a_cycle_counts_for_the_nodes_that_lead_to_it() {
        let ids = ["a", "b", "c", "d"].map(str::to_owned);
        let needs = [vec![], vec!["d"], vec!["d"], vec!["c"]];
        let needs = needs.map(|needs| needs.into_iter().map(str::to_owned).collect());
        let graph = graph(&ids, &needs);
        assert_eq!(graph.cycle_below(1), None);
        assert_eq!(graph.cycle_below(2).as_deref(), Some("c -> d -> c"));
    }
}
