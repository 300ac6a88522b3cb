//! Cycles in a dependency graph, in time proportional to its size. Without recursion, so that a long chain needs no deep
//! stack.

/// Cycles that share no node, such that the graph without their nodes has none. `needs` holds, for each node, the nodes
/// that it needs. Each cycle begins at its smallest node and lists each before the one that it needs; cycles are
/// ordered by their first node.
pub fn of(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search =
        Search { needs, marks: vec![Mark::New; needs.len()], path: Vec::new(), cycles: Vec::new() };
    for start in 0..needs.len() {
        search.from(start);
    }
    search.cycles.sort_unstable();
    search.cycles
}

/// What is known of a node.
#[derive(Debug, Clone, Copy)]
enum Mark {
    New,
    /// It is in the path, at this depth.
    InPath(usize),
    /// It is in a cycle that was found, or leads to no cycle of others. This stays true, since nodes are only removed.
    Done,
}

struct Search<'a> {
    needs: &'a [Vec<usize>],
    marks: Vec<Mark>,
    /// The nodes of the path, and for each the number of its needs that were followed.
    path: Vec<(usize, usize)>,
    cycles: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Follows the needs of a node and of the nodes that these lead to.
    fn from(&mut self, start: usize) {
        self.enter(start);
        while let Some((at, followed)) = self.path.last_mut() {
            let at = *at;
            let Some(need) = self.needs[at].get(*followed).copied() else {
                self.marks[at] = Mark::Done;
                self.path.pop();
                continue;
            };
            *followed += 1;
            match self.marks[need] {
                // The search goes on before the cycle, with what its first node was needed by.
                Mark::InPath(depth) => self.leave(depth),
                Mark::New | Mark::Done => self.enter(need),
            }
        }
    }

    fn enter(&mut self, at: usize) {
        if let Mark::New = self.marks[at] {
            self.marks[at] = Mark::InPath(self.path.len());
            self.path.push((at, 0));
        }
    }

    /// Takes the end of the path from a depth on as a cycle.
    fn leave(&mut self, depth: usize) {
        let cycle: Vec<usize> = self.path.drain(depth..).map(|(at, _)| at).collect();
        for at in &cycle {
            self.marks[*at] = Mark::Done;
        }
        self.cycles.push(from_smallest(cycle));
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

    /// It would take hours if the chain were followed again for each of the cycles at its end.
    #[test]
    fn a_chain_to_many_cycles_is_followed_once() {
        const LONG: usize = 100_000;
        let chain = (0..LONG).map(|at| vec![at + 1]);
        let ends = (0..LONG).map(|at| LONG + 1 + 2 * at).collect();
        let pairs = (0..LONG).map(|at| LONG + 1 + 2 * at);
        let pairs = pairs.flat_map(|first| [vec![first + 1], vec![first]]);
        let needs: Vec<Vec<usize>> = chain.chain([ends]).chain(pairs).collect();
        assert_eq!(of(&needs).len(), LONG);
    }

    #[test]
    fn a_cycle_of_a_hundred_thousand_is_no_deep_recursion() {
        let needs: Vec<Vec<usize>> = (0..100_000).map(|at| vec![(at + 1) % 100_000]).collect();
        assert_eq!(of(&needs)[0].len(), needs.len());
    }
}
