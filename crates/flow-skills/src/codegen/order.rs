//! The order in which a module defines the entities of a model, and what they are through references.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use serde_json::Value;

use super::kind::Meeting;
use super::kind::{Extra, Kind, Member};
use crate::data::in_place::DEEPEST;
use crate::reach;

/// An object that has the members of other entities.
#[derive(Debug)]
pub(crate) struct Extension<'k> {
    /// The entities.
    pub bases: Vec<&'k str>,
    /// Further members, and those whose kind is narrower than that of an entity.
    pub added: Vec<Member>,
}

/// The entities of a model as kinds, in the order of their definitions.
#[derive(Debug)]
pub(crate) struct Ordered<'m> {
    /// Each entity with its kind, after those that it refers to as far as possible.
    pub kinds: IndexMap<&'m str, Kind>,
    /// Entities that refer to themselves, directly or through others.
    pub recursive: HashSet<&'m str>,
    /// The members of the entities that were asked for.
    members: RefCell<HashMap<String, Option<Vec<Member>>>>,
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
        Self { kinds, recursive, members: RefCell::default() }
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

    /// An intersection of objects as an extension of entities; `None` if the members that it has are not all known.
    pub(crate) fn extension<'k>(&self, kind: &'k Kind) -> Option<Extension<'k>> {
        let Kind::Intersection(parts) = kind else { return None };
        let is_base = |part: &&Kind| matches!(part, Kind::Reference(_));
        let allows = |part: &Kind| matches!(part, Kind::Object { extra: Extra::Allowed, .. });
        if parts.iter().any(allows) {
            return None;
        }
        let name = |part: &'k Kind| {
            if let Kind::Reference(name) = part { Some(name.as_str()) } else { None }
        };
        let bases: Vec<&str> = parts.iter().filter_map(name).collect();
        let inherited = parts.iter().filter(is_base).map(|part| self.members(part));
        let inherited = inherited.collect::<Option<Vec<_>>>()?.concat();
        let is_own = |member: &Member| {
            let mut same = inherited.iter().filter(|other| other.key == member.key).peekable();
            let is_other = |inherited: &Member| {
                (&inherited.kind, inherited.required) != (&member.kind, member.required)
            };
            same.peek().is_none() || same.any(is_other)
        };
        let added = self.members(kind)?.into_iter().filter(is_own).collect();
        Some(Extension { bases, added })
    }

    /// The members of an object that does not restrict others, through references and intersections.
    pub(crate) fn members(&self, kind: &Kind) -> Option<Vec<Member>> {
        self.members_at(kind, 0)
    }

    fn members_at(&self, kind: &Kind, depth: usize) -> Option<Vec<Member>> {
        match kind {
            Kind::Object { fields, extra: Extra::Unspecified | Extra::Allowed } => {
                Some(fields.clone())
            }
            Kind::Reference(entity) if depth < DEEPEST => {
                if let Some(known) = self.members.borrow().get(entity) {
                    return known.clone();
                }
                let members = self.members_at(self.kinds.get(entity.as_str())?, depth + 1);
                self.members.borrow_mut().insert(entity.clone(), members.clone());
                members
            }
            Kind::Intersection(parts) => {
                let parts = parts.iter().map(|part| self.members_at(part, depth));
                let parts = parts.collect::<Option<Vec<_>>>()?.concat();
                Some(Meeting::default().members(parts))
            }
            _ => None,
        }
    }

    /// The member that distinguishes the branches of a union: required in each, with disjoint strings.
    pub(crate) fn tag(&self, branches: &[Kind]) -> Option<String> {
        let fields = |branch: &Kind| match branch {
            Kind::Object { fields, .. } => Some(fields.clone()),
            other => match self.resolved(other) {
                Kind::Object { fields, .. } => Some(fields.clone()),
                _ => self.members(other),
            },
        };
        let all: Vec<Vec<Member>> = branches.iter().map(fields).collect::<Option<_>>()?;
        let is_tag = |key: &str| {
            let mut seen: Vec<&Value> = Vec::new();
            all.iter().all(|fields| {
                let field = fields.iter().find(|field| field.key == key && field.required);
                let Some(Kind::Literal(words)) = field.map(|field| &field.kind) else {
                    return false;
                };
                let is_new = words.iter().all(|word| word.is_string() && !seen.contains(&word));
                seen.extend(words);
                is_new
            })
        };
        all.first()?.iter().map(|field| &field.key).find(|key| is_tag(key)).cloned()
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
