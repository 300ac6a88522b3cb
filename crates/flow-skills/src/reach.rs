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
/// Handles 64 targets at a time, one bit each: ten thousand nodes take one word each and no table of all pairs.
pub fn counts(next: &[Vec<usize>]) -> Vec<usize> {
    let components = StronglyConnected::of(next);
    let mut counts = vec![0; next.len()];
    for first in (0..next.len()).step_by(64) {
        let mut seen = vec![0_u64; components.members.len()];
        // The successors of a component come before it.
        for (component, members) in components.members.iter().enumerate() {
            let own = members.iter().filter(|at| (first..first + 64).contains(at));
            let own = own.fold(0, |bits, at| bits | 1 << (at - first));
            let after = members.iter().flat_map(|at| &next[*at]);
            seen[component] = after.fold(own, |bits, to| bits | seen[components.of[*to]]);
        }
        for (at, count) in counts.iter_mut().enumerate() {
            *count += seen[components.of[at]].count_ones() as usize;
        }
    }
    // Each node counts itself among those that it reaches.
    counts.iter().map(|count| count - 1).collect()
}

/// Strongly connected components, in an order in which each comes after its successors.
struct StronglyConnected {
    members: Vec<Vec<usize>>,
    of: Vec<usize>,
}

impl StronglyConnected {
    /// Kosaraju's algorithm without recursion: a search along the edges for the finishing order, then one against them.
    fn of(next: &[Vec<usize>]) -> Self {
        let mut before = vec![Vec::new(); next.len()];
        for (from, to) in
            next.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |to| (at, *to)))
        {
            before[to].push(from);
        }
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut of = vec![usize::MAX; next.len()];
        for start in finishing_order(next).into_iter().rev() {
            if of[start] != usize::MAX {
                continue;
            }
            let (mut component, mut waiting) = (Vec::new(), vec![start]);
            of[start] = members.len();
            while let Some(at) = waiting.pop() {
                component.push(at);
                for from in &before[at] {
                    if of[*from] == usize::MAX {
                        of[*from] = members.len();
                        waiting.push(*from);
                    }
                }
            }
            members.push(component);
        }
        members.reverse();
        let last = members.len();
        Self { of: of.iter().map(|component| last - 1 - component).collect(), members }
    }
}

/// Whether each node is part of a cycle; one that leads to itself is.
pub fn are_in_cycles(next: &[Vec<usize>]) -> Vec<bool> {
    let components = StronglyConnected::of(next);
    let is_in_cycle =
        |at: usize| next[at].contains(&at) || components.members[components.of[at]].len() > 1;
    (0..next.len()).map(is_in_cycle).collect()
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
            prop_assert_eq!(counts(&next), expected);
        }

        #[test]
        fn the_nodes_in_cycles_are_those_that_a_successor_leads_back_to(next in edges()) {
            let leads_back = |at: usize| reached(&next, &next[at]).contains(&at);
            let expected: Vec<bool> = (0..next.len()).map(leads_back).collect();
            prop_assert_eq!(are_in_cycles(&next), expected);
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
    fn a_cycle_of_ten_thousand_is_counted() {
        let next: Vec<Vec<usize>> = (0..10_000).map(|at| vec![(at + 1) % 10_000]).collect();
        assert!(counts(&next).iter().all(|count| *count == 9_999));
    }
}
