//! Renders an intersection (`allOf`): as an extension of an object, as the library writes one, or as a union of
//! intersections.

use std::rc::Rc;

use super::kind::{self, Extra, Kind};
use super::order::Extension;
use super::script;
use super::syntax::Renderer;
use crate::data::Shape;
use crate::output::Result;

impl Renderer<'_> {
    /// All of several schemas, or a union of such where there are unions among them.
    pub(super) fn intersection(
        &self,
        kind: &Kind,
        parts: &[Kind],
        shape: &Rc<Shape>,
        depth: usize,
    ) -> Result<Option<String>> {
        let whole = self.joined(kind, parts, depth)?;
        let Some(products) = kind::products(parts, shape).filter(|_| whole.is_none()) else {
            return Ok(whole);
        };
        let mut branches = Vec::new();
        for product in &products {
            let Kind::Intersection { parts, .. } = product else { return Ok(None) };
            let Some(text) = self.joined(product, parts, depth)? else { return Ok(None) };
            branches.push(text);
        }
        Ok(Some((self.module.library.union)(self, kind, &branches.join(", "), None)))
    }

    /// All of several schemas, where the library can express that.
    fn joined(&self, kind: &Kind, parts: &[Kind], depth: usize) -> Result<Option<String>> {
        if self.is_object_schema(kind)
            && let Some(extension) = self.module.ordered.extension(kind)
        {
            return self.extension(&extension, depth).map(Some);
        }
        let call = self.module.library.intersect;
        // An intersection accepts a member that any of its parts accepts.
        let Some(call) = call.filter(|_| !parts.iter().any(|part| self.is_closed(part))) else {
            return Ok(None);
        };
        let texts = parts.iter().map(|part| self.kind(part, depth));
        let texts: Vec<String> = texts.collect::<Result<_>>()?;
        Ok(texts.into_iter().reduce(|all, part| format!("{all}.{call}({part})")))
    }

    /// An object that has the members of other entities too.
    fn extension(&self, extension: &Extension<'_>, depth: usize) -> Result<String> {
        let Extension { bases, own } = extension;
        let syntax = self.module.library;
        let mut names = bases.iter().map(|base| self.module.names.upper(base));
        let Some(first) = names.next() else {
            return self.object(own, &Extra::Unspecified, depth);
        };
        let [before, after] = syntax.concat;
        let all = names.fold(first.to_owned(), |all, name| format!("{all}{before}{name}{after}"));
        if own.is_empty() {
            return Ok(all);
        }
        let members = script::block(&self.members(own, depth)?, depth);
        Ok(self.with_required(&format!("{all}.{}({members})", syntax.extend), own))
    }

    /// Whether a kind is written as a schema of an object, whose members can be extended and read.
    pub(super) fn is_object_schema(&self, kind: &Kind) -> bool {
        let ordered = self.module.ordered;
        match kind {
            Kind::Object { .. } => true,
            Kind::Reference(entity) => {
                !self.has_explicit_type(kind)
                    && ordered
                        .kinds
                        .get(entity.as_str())
                        .is_some_and(|own| self.is_object_schema(own))
            }
            Kind::Intersection { parts, .. } => {
                ordered.extension(kind).is_some()
                    && parts.iter().all(|part| self.is_object_schema(part))
            }
            _ => false,
        }
    }

    /// Whether a kind restricts the members that are not named.
    fn is_closed(&self, kind: &Kind) -> bool {
        match self.resolved(kind) {
            Kind::Object { extra, .. } => *extra == Extra::Forbidden,
            Kind::Union { branches, .. } => branches.iter().any(|branch| self.is_closed(branch)),
            _ => false,
        }
    }
}
