//! The order in which a module defines the entities of a model.

use std::collections::HashSet;

use indexmap::IndexMap;

use super::kind::{self, Extra, Kind, Member};
use crate::reach;

/// Longest chain of entities of which each extends the next.
const MOST_BASES: usize = 16;

/// An object that has the members of other entities.
#[derive(Debug)]
pub(crate) struct Extension<'k> {
    /// The entities.
    pub bases: Vec<&'k str>,
    /// Further members, and those whose kind is narrower than that of an entity.
    pub own: Vec<Member>,
}

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
            kinds.values().map(|kind| matches!(kind.base(), Kind::Reference(_))).collect();
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

    /// The kind without predicates, after following references.
    pub(crate) fn resolved<'k>(&'k self, kind: &'k Kind) -> &'k Kind {
        let mut kind = kind.base();
        // No chain of references is longer than the number of entities.
        for _ in 0..=self.kinds.len() {
            let Kind::Reference(entity) = kind else { break };
            let Some(next) = self.kinds.get(entity.as_str()) else { break };
            kind = next.base();
        }
        kind
    }

    /// An intersection of objects as an extension of entities; `None` if the members that it has are not all known.
    pub(crate) fn extension<'k>(&self, kind: &'k Kind) -> Option<Extension<'k>> {
        let Kind::Intersection { parts, .. } = kind else { return None };
        let is_inline = |part: &&Kind| matches!(part, Kind::Object { .. });
        let allows = |part: &Kind| matches!(part, Kind::Object { extra: Extra::Allowed, .. });
        if parts.iter().filter(is_inline).any(allows) {
            return None;
        }
        let base = |part: &'k Kind| {
            if let Kind::Reference(name) = part { Some(name.as_str()) } else { None }
        };
        let bases: Vec<&str> = parts.iter().filter_map(base).collect();
        let inherited = parts.iter().filter(|part| !is_inline(part));
        let inherited = inherited.map(|part| self.members(part, 0));
        let inherited = inherited.collect::<Option<Vec<_>>>()?.concat();
        let is_own = |member: &Member| {
            let mut same = inherited.iter().filter(|other| other.key == member.key).peekable();
            let is_other =
                |own: &Member| (&own.kind, own.required) != (&member.kind, member.required);
            same.peek().is_none() || same.any(is_other)
        };
        let own = self.members(kind, 0)?.into_iter().filter(is_own).collect();
        Some(Extension { bases, own })
    }

    /// The members of an object that does not restrict others, through references and intersections.
    fn members(&self, kind: &Kind, depth: usize) -> Option<Vec<Member>> {
        match kind {
            Kind::Object { fields, extra: Extra::Unspecified | Extra::Allowed } => {
                Some(fields.clone())
            }
            Kind::Reference(entity) if depth < MOST_BASES => {
                self.members(self.kinds.get(entity.as_str())?, depth + 1)
            }
            Kind::Intersection { parts, .. } => {
                let parts = parts.iter().map(|part| self.members(part, depth));
                kind::all_members(&parts.collect::<Option<Vec<_>>>()?.concat())
            }
            _ => None,
        }
    }

    pub(crate) fn is_referred_to(&self, entity: &str) -> bool {
        self.kinds.iter().filter(|(other, _)| **other != entity).any(|(_, kind)| {
            let mut named = Vec::new();
            kind.references(&mut named);
            named.contains(&entity)
        })
    }

    /// Whether `entity` may refer to `other` directly, because that is defined earlier.
    pub(crate) fn is_before(&self, other: &str, entity: &str) -> bool {
        self.kinds.get_index_of(other) < self.kinds.get_index_of(entity)
    }
}
