//! Reachability in a graph, over node indexes. Nodes of a cycle reach each other.

/// The nodes that are reachable from these, themselves included, in the order of their indexes.
pub fn reached(next: &[Vec<usize>], starts: &[usize]) -> Vec<usize> {
    let mut is_seen = vec![false; next.len()];
    let mut waiting = starts.to_vec();
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut is_seen[at], true) {
            waiting.extend(&next[at]);
        }
    }
    (0..is_seen.len()).filter(|at| is_seen[*at]).collect()
}

/// Number of other nodes that are reachable from each node.
///
/// Cycles of any size take time in proportion to the graph; apart from them it takes a step for each 64 pairs of nodes.
pub fn counts(next: &[Vec<usize>]) -> Vec<usize> {
    let component = components(next);
    let totals = Acyclic::of(next, &component).totals();
    // Each node counts itself among those that it reaches.
    component.iter().map(|index| totals[*index] - 1).collect()
}

/// A graph whose cycles are contracted: its nodes are the components of another one. Each leads to later ones only.
struct Acyclic {
    next: Vec<Vec<usize>>,
    /// Number of nodes of each component.
    sizes: Vec<usize>,
}

impl Acyclic {
    fn of(next: &[Vec<usize>], component: &[usize]) -> Self {
        let count = component.iter().max().map_or(0, |last| last + 1);
        let mut graph = Self { next: vec![Vec::new(); count], sizes: vec![0; count] };
        for (from, all) in component.iter().zip(next) {
            graph.sizes[*from] += 1;
            let others = all.iter().map(|to| component[*to]).filter(|to| to != from);
            graph.next[*from].extend(others);
        }
        for all in &mut graph.next {
            all.sort_unstable();
            all.dedup();
        }
        graph
    }

    /// The sum of the sizes that each component reaches, its own included. Handles 64 targets at a time, one bit each, so
    /// that there is no table of all pairs.
    fn totals(&self) -> Vec<usize> {
        let count = self.sizes.len();
        let mut totals = vec![0; count];
        for first in (0..count).step_by(64) {
            let targets = first..count.min(first + 64);
            // The targets whose size has a bit, for each bit that one has.
            let planes: Vec<(u32, u64)> = (0..usize::BITS)
                .map(|bit| {
                    let has_bit = |at: &usize| (self.sizes[*at] >> bit) & 1 == 1;
                    (bit, targets.clone().filter(has_bit).map(|at| 1_u64 << (at - first)).sum())
                })
                .filter(|(_, mask)| *mask != 0)
                .collect();
            let mut seen = vec![0_u64; targets.end];
            for at in (0..targets.end).rev() {
                let bit = if at < first { 0 } else { 1 << (at - first) };
                // Later components reach none of these targets.
                let later = self.next[at].iter().take_while(|to| **to < targets.end);
                seen[at] = later.fold(bit, |bits, to| bits | seen[*to]);
                let sums = planes
                    .iter()
                    .map(|(bit, mask)| ((seen[at] & mask).count_ones() as usize) << bit);
                totals[at] += sums.sum::<usize>();
            }
        }
        totals
    }
}

/// Whether each node is part of a cycle; one that leads to itself is.
pub fn are_in_cycles(next: &[Vec<usize>]) -> Vec<bool> {
    let component = components(next);
    let leads_back =
        |(at, all): (usize, &Vec<usize>)| all.iter().any(|to| component[*to] == component[at]);
    next.iter().enumerate().map(leads_back).collect()
}

/// A number for each node that it shares with the nodes that it reaches and that reach it (Kosaraju's algorithm). The
/// numbers are those from 0 on; other nodes that a node reaches have larger ones.
pub fn components(next: &[Vec<usize>]) -> Vec<usize> {
    let mut previous = vec![Vec::new(); next.len()];
    for (from, all) in next.iter().enumerate() {
        for to in all {
            previous[*to].push(from);
        }
    }
    let mut component: Vec<Option<usize>> = vec![None; next.len()];
    let mut count = 0;
    for start in finishing_order(next).into_iter().rev() {
        if component[start].is_some() {
            continue;
        }
        let mut waiting = vec![start];
        while let Some(at) = waiting.pop() {
            if component[at].is_none() {
                component[at] = Some(count);
                waiting.extend(&previous[at]);
            }
        }
        count += 1;
    }
    component.into_iter().flatten().collect()
}

/// The nodes in the order in which a depth-first search finishes them: each after those that it leads to, except in
/// cycles.
pub fn finishing_order(next: &[Vec<usize>]) -> Vec<usize> {
    let mut is_seen = vec![false; next.len()];
    let mut finished = Vec::with_capacity(next.len());
    for start in 0..next.len() {
        if std::mem::replace(&mut is_seen[start], true) {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((at, taken)) = path.last_mut() {
            let Some(to) = next[*at].get(*taken).copied() else {
                finished.push(*at);
                path.pop();
                continue;
            };
            *taken += 1;
            if !std::mem::replace(&mut is_seen[to], true) {
                path.push((to, 0));
            }
        }
    }
    finished
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Up to 150 nodes, so that the targets take three words, with any edges.
    fn edges() -> impl Strategy<Value = Vec<Vec<usize>>> {
        (1..150_usize).prop_flat_map(|count| {
            proptest::collection::vec(proptest::collection::vec(0..count, 0..3), count)
        })
    }

    proptest! {
        #[test]
        fn as_many_are_counted_as_a_search_meets(next in edges()) {
            let met = |at: usize| reached(&next, &[at]).len() - 1;
            let expected: Vec<usize> = (0..next.len()).map(met).collect();
            prop_assert_eq!(&counts(&next), &expected);
        }

        #[test]
        fn the_nodes_in_cycles_are_those_that_a_successor_leads_back_to(next in edges()) {
            let leads_back = |at: usize| reached(&next, &next[at]).contains(&at);
            let expected: Vec<bool> = (0..next.len()).map(leads_back).collect();
            prop_assert_eq!(are_in_cycles(&next), expected);
        }

        #[test]
        fn a_component_is_what_nodes_that_reach_each_other_share(next in edges()) {
            let component = components(&next);
            let met: Vec<Vec<usize>> = (0..next.len()).map(|at| reached(&next, &[at])).collect();
            for from in 0..next.len() {
                for to in 0..next.len() {
                    let is_mutual = met[from].contains(&to) && met[to].contains(&from);
                    prop_assert_eq!(component[from] == component[to], is_mutual);
                }
            }
        }

        #[test]
        fn nodes_outside_of_cycles_are_finished_after_their_successors(next in edges()) {
            let order = finishing_order(&next);
            let is_after = |from: usize, to: usize| {
                order.iter().position(|at| *at == from) > order.iter().position(|at| *at == to)
            };
            for from in 0..next.len() {
                for to in &next[from] {
                    prop_assert!(is_after(from, *to) || reached(&next, &[*to]).contains(&from));
                }
            }
        }
    }

    #[test]
    fn a_cycle_of_a_million_is_counted() {
        const MANY: usize = 1_000_000;
        let cycle: Vec<Vec<usize>> = (0..MANY).map(|at| vec![(at + 1) % MANY]).collect();
        assert!(counts(&cycle).iter().all(|count| *count == MANY - 1));
    }
}
