//! The order in which a module defines the entities of a model, and what they are through references.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::kind::Kind;
use crate::reach;

/// The entities of a model as kinds, in the order of their definitions.
#[derive(Debug)]
pub(crate) struct Ordered<'m> {
    /// Each entity with its kind, after those that it refers to as far as possible.
    pub kinds: IndexMap<&'m str, Kind>,
    /// Entities that refer to themselves, directly or through others.
    pub recursive: HashSet<&'m str>,
}

impl<'m> Ordered<'m> {
    /// Sorts entities.
    pub(crate) fn new(kinds: IndexMap<&'m str, Kind>) -> Self {
        let mut next: Vec<Vec<usize>> = (kinds.values())
            .map(|kind| {
                let mut named = Vec::new();
                kind.references(&mut named);
                named.into_iter().filter_map(|name| kinds.get_index_of(name)).collect()
            })
            .collect();
        let cyclic = reach::are_in_cycles(&next);
        // Within a cycle, an alias is defined after its target: a lazy schema cannot be required.
        let alias: Vec<bool> =
            kinds.values().map(|kind| matches!(kind, Kind::Reference(_))).collect();
        for (at, named) in next.iter_mut().enumerate().filter(|(at, _)| cyclic[*at] && !alias[*at])
        {
            named.retain(|to| !(cyclic[*to] && alias[*to]) || *to == at);
        }
        let recursive = kinds.keys().zip(cyclic).filter(|(_, is_cyclic)| *is_cyclic);
        let recursive = recursive.map(|(name, _)| *name).collect();
        let mut unsorted: Vec<Option<(&str, Kind)>> = kinds.into_iter().map(Some).collect();
        let order = reach::finishing_order(&next).into_iter();
        let kinds = order.filter_map(|at| unsorted[at].take()).collect();
        Self { kinds, recursive }
    }

    /// The kind after following references.
    pub(crate) fn resolved<'k>(&'k self, mut kind: &'k Kind) -> &'k Kind {
        // No chain of references is longer than the number of entities.
        for _ in 0..=self.kinds.len() {
            let Kind::Reference(entity) = kind else { break };
            let Some(next) = self.kinds.get(entity.as_str()) else { break };
            kind = next;
        }
        kind
    }

    /// Whether `entity` may refer to `other` directly, because that is defined earlier.
    pub(crate) fn is_before(&self, other: &str, entity: &str) -> bool {
        self.kinds.get_index_of(other) < self.kinds.get_index_of(entity)
    }
}
