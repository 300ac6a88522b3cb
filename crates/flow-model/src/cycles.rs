//! Cycles in a dependency graph. Without recursion, so that a long chain needs no deep stack.

use std::collections::HashMap;

/// Cycles that share no node, such that the graph without their nodes has none. `needs` holds, for each node, the nodes
/// that it needs. Each cycle begins at its smallest node and lists each before the one that it needs; cycles are
/// ordered by their first node.
pub fn of(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search =
        Search { needs, is_alive: vec![true; needs.len()], is_done: vec![false; needs.len()] };
    let mut cycles = Vec::new();
    for start in 0..needs.len() {
        while let Some(cycle) = search.cycle_from(start) {
            for at in &cycle {
                search.is_alive[*at] = false;
            }
            cycles.push(from_smallest(cycle));
        }
    }
    cycles.sort_unstable();
    cycles
}

struct Search<'a> {
    needs: &'a [Vec<usize>],
    /// Nodes that are in no cycle found so far.
    is_alive: Vec<bool>,
    /// Nodes that lead to no cycle. This stays true, since nodes are only removed.
    is_done: Vec<bool>,
}

impl Search<'_> {
    /// A cycle that a depth-first search from a node finds.
    fn cycle_from(&mut self, start: usize) -> Option<Vec<usize>> {
        if !self.is_alive[start] || self.is_done[start] {
            return None;
        }
        // Each node of the path, and the number of its needs that were followed.
        let mut path = vec![(start, 0)];
        let mut depth_of: HashMap<usize, usize> = HashMap::from([(start, 0)]);
        while let Some((at, followed)) = path.last_mut() {
            let Some(need) = self.needs[*at].get(*followed).copied() else {
                self.is_done[*at] = true;
                depth_of.remove(at);
                path.pop();
                continue;
            };
            *followed += 1;
            if let Some(depth) = depth_of.get(&need) {
                return Some(path[*depth..].iter().map(|(at, _)| *at).collect());
            }
            if self.is_alive[need] && !self.is_done[need] {
                depth_of.insert(need, path.len());
                path.push((need, 0));
            }
        }
        None
    }
}

fn from_smallest(mut cycle: Vec<usize>) -> Vec<usize> {
    let smallest = cycle.iter().enumerate().min_by_key(|(_, at)| **at);
    let depth = smallest.map_or(0, |(depth, _)| depth);
    cycle.rotate_left(depth);
    cycle
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::of;

    /// The nodes that remain after repeatedly removing those that need no remaining node: the plain model.
    fn peeled(needs: &[Vec<usize>], without: &[usize]) -> Vec<usize> {
        let mut left: Vec<usize> = (0..needs.len()).filter(|at| !without.contains(at)).collect();
        loop {
            let before = left.clone();
            left.retain(|at| needs[*at].iter().any(|need| before.contains(need)));
            if left.len() == before.len() {
                return left;
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_found_is_a_cycle_and_nothing_is_missed(
            needs in (1..14_usize).prop_flat_map(|count| {
                proptest::collection::vec(proptest::collection::vec(0..count, 0..3), count)
            }),
        ) {
            let cycles = of(&needs);
            for cycle in &cycles {
                let next = cycle.iter().cycle().skip(1);
                prop_assert!(cycle.iter().zip(next).all(|(at, next)| needs[*at].contains(next)));
                prop_assert_eq!(cycle.iter().min(), cycle.first());
            }
            let mut all = cycles.concat();
            all.sort_unstable();
            let count = all.len();
            all.dedup();
            prop_assert_eq!(all.len(), count, "no item is in two");
            prop_assert_eq!(peeled(&needs, &all), Vec::<usize>::new(), "none is left");
            prop_assert_eq!(cycles.is_empty(), peeled(&needs, &[]).is_empty());
        }
    }

    #[test]
    fn cycles_share_no_item_and_leave_none() {
        assert_eq!(of(&[vec![0]]), [vec![0]]);
        assert_eq!(of(&[vec![1], vec![2], vec![0], vec![0]]), [vec![0, 1, 2]]);
        assert_eq!(of(&[vec![1, 2], vec![0], vec![3], vec![2]]), [vec![0, 1], vec![2, 3]]);
        assert_eq!(of(&[vec![1], vec![]]), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn a_cycle_of_a_hundred_thousand_is_no_deep_recursion() {
        let needs: Vec<Vec<usize>> = (0..100_000).map(|at| vec![(at + 1) % 100_000]).collect();
        assert_eq!(of(&needs)[0].len(), needs.len());
    }
}
