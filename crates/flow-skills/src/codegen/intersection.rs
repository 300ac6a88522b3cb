//! Renders an intersection (`allOf`): as the library writes one, as a union of intersections, or as one object.

use std::collections::HashSet;

use super::kind::{self, Extra, Kind, Member};
use super::syntax::{Intersect, Renderer};
use crate::output::Result;

impl Renderer<'_> {
    /// All of several schemas, or a union of such where there are unions among them.
    pub(super) fn intersection(
        &self,
        kind: &Kind,
        parts: &[Kind],
        depth: usize,
    ) -> Result<Option<String>> {
        let whole = self.joined(parts, depth)?;
        let Some(products) = kind::products(parts).filter(|_| whole.is_none()) else {
            return Ok(whole);
        };
        let mut branches = Vec::new();
        for product in &products {
            let Kind::Intersection { parts, .. } = product else { return Ok(None) };
            let Some(text) = self.joined(parts, depth)? else { return Ok(None) };
            branches.push(text);
        }
        Ok(Some(self.module.library.union(self, kind, &branches.join(", "), None)))
    }

    /// All of several schemas, where the library can say that.
    fn joined(&self, parts: &[Kind], depth: usize) -> Result<Option<String>> {
        let call = match self.module.library.syntax().intersect {
            Intersect::Objects(_) if !self.are_objects(parts) => return Ok(None),
            Intersect::Any(call) | Intersect::Objects(call) => call,
        };
        if matches!(self.module.library.syntax().intersect, Intersect::Objects(_))
            && self.has_clash(parts)
        {
            // In Yup the last of two schemas of a member applies, and Joi accepts the values that either of them lists.
            let whole = self.as_one(parts);
            return whole.map(|whole| self.kind(&whole, depth)).transpose();
        }
        let texts = parts.iter().map(|part| self.kind(part, depth));
        let texts: Vec<String> = texts.collect::<Result<_>>()?;
        Ok(texts.into_iter().reduce(|all, part| format!("{all}.{call}({part})")))
    }

    /// Whether each part is an object that is written out, or an entity that is one and is defined before.
    fn are_objects(&self, parts: &[Kind]) -> bool {
        let ordered = self.module.ordered;
        parts.iter().all(|part| match part {
            Kind::Object { .. } => true,
            Kind::Reference(entity) => {
                matches!(ordered.kinds.get(entity.as_str()), Some(Kind::Object { .. }))
                    && !ordered.looping.contains(entity)
                    && !ordered.is_named_early(entity)
                    && ordered.is_before(entity, self.entity)
            }
            _ => false,
        })
    }

    /// The members of the parts that are objects.
    fn members<'k>(&'k self, parts: &'k [Kind]) -> impl Iterator<Item = &'k Member> {
        parts.iter().flat_map(|part| match self.resolved(part) {
            Kind::Object { fields, .. } => fields.as_slice(),
            _ => &[],
        })
    }

    /// Whether two parts have a member in common.
    fn has_clash(&self, parts: &[Kind]) -> bool {
        let mut seen = HashSet::new();
        !self.members(parts).all(|member| seen.insert(&member.key))
    }

    /// One object for several that do not restrict other members.
    fn as_one(&self, parts: &[Kind]) -> Option<Kind> {
        let is_open =
            |part| matches!(self.resolved(part), Kind::Object { extra: Extra::Unspecified, .. });
        let fields =
            kind::all_members(self.members(parts)).filter(|_| parts.iter().all(is_open))?;
        Some(Kind::Object { fields, extra: Extra::Unspecified })
    }
}
