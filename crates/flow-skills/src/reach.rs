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

/// Number of other nodes that are reachable from each node. Nodes of a cycle reach the same ones, so one search counts for all.
pub fn counts(next: &[Vec<usize>]) -> Vec<usize> {
    let component = components(next);
    let mut seen_from = vec![usize::MAX; next.len()];
    let mut count_of_component: Vec<Option<usize>> = vec![None; next.len()];
    let mut count = |start: usize| {
        *count_of_component[component[start]].get_or_insert_with(|| {
            let (mut waiting, mut count) = (vec![start], 0);
            while let Some(at) = waiting.pop() {
                if std::mem::replace(&mut seen_from[at], start) != start {
                    waiting.extend(&next[at]);
                    count += 1;
                }
            }
            count - 1
        })
    };
    (0..next.len()).map(&mut count).collect()
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
fn components(next: &[Vec<usize>]) -> Vec<usize> {
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

    fn edges() -> impl Strategy<Value = Vec<Vec<usize>>> {
        (1..30_usize).prop_flat_map(|count| {
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
}
