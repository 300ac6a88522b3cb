//! The order in which a module defines the entities of a model.

use indexmap::{IndexMap, IndexSet};

use super::kind::Kind;

/// The entities of a model as kinds, in the order of their definitions.
#[derive(Debug)]
pub struct Ordered<'m> {
    /// Each entity with its kind, after those that it refers to as far as possible.
    pub kinds: IndexMap<&'m str, Kind>,
    /// Entities that refer to themselves or to one that is defined later.
    pub looping: IndexSet<String>,
}

impl<'m> Ordered<'m> {
    /// Sorts entities.
    pub fn new(mut kinds: IndexMap<&'m str, Kind>) -> Self {
        let mut needs: IndexMap<&str, Vec<String>> = IndexMap::new();
        for (name, kind) in &kinds {
            let mut found = Vec::new();
            kind.references(&mut found);
            needs.insert(name, found.into_iter().map(str::to_owned).collect());
        }
        let (sorted, looping) = sort(&needs);
        kinds.sort_by_cached_key(|name, _| sorted.get_index_of(*name));
        Self { kinds, looping }
    }

    /// Whether an entity that is defined earlier refers to this one.
    pub fn is_named_early(&self, entity: &str) -> bool {
        self.looping.iter().any(|earlier| {
            let mut named = Vec::new();
            if let Some(kind) = self.kinds.get(earlier.as_str()) {
                kind.references(&mut named);
            }
            self.is_before(earlier, entity) && named.contains(&entity)
        })
    }

    /// The kind without predicates, after following references.
    pub fn resolved<'k>(&'k self, kind: &'k Kind) -> &'k Kind {
        let mut kind = kind.base();
        // No chain of references is longer than the number of entities.
        for _ in 0..=self.kinds.len() {
            let Kind::Reference(entity) = kind else { break };
            let Some(next) = self.kinds.get(entity.as_str()) else { break };
            kind = next.base();
        }
        kind
    }

    /// Whether `entity` may refer to `other` directly, because that is defined earlier.
    pub fn is_before(&self, other: &str, entity: &str) -> bool {
        self.kinds.get_index_of(other) < self.kinds.get_index_of(entity)
    }
}

fn sort<'m>(needs: &IndexMap<&'m str, Vec<String>>) -> (IndexSet<&'m str>, IndexSet<String>) {
    let mut sorted: IndexSet<&str> = IndexSet::new();
    let mut looping: IndexSet<String> = IndexSet::new();
    for start in needs.keys() {
        // An explicit stack: a chain of entities may be deeper than the call stack allows.
        let mut path: IndexMap<&str, usize> = IndexMap::from([(*start, 0)]);
        while let Some((name, at)) = path.last().map(|(name, at)| (*name, *at)) {
            let next = needs.get(name).and_then(|list| list.get(at));
            let Some(next) = next.filter(|_| !sorted.contains(name)) else {
                sorted.insert(name);
                path.pop();
                continue;
            };
            path.insert(name, at + 1);
            match needs.get_key_value(next.as_str()) {
                Some((next, _)) if path.contains_key(next) => {
                    looping.insert(name.to_owned());
                }
                Some((next, _)) if !sorted.contains(next) => {
                    path.insert(next, 0);
                }
                _ => {}
            }
        }
    }
    (sorted, looping)
}
