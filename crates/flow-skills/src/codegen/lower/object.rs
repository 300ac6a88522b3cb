//! Lowers the rules of objects.

use std::rc::Rc;

use indexmap::IndexMap;

use super::{Lowering, Purpose, core};
use crate::codegen::kind::{Extra, Kind, Member};
use crate::data::{ObjectRules, Shape, StringRules, Type};

/// Patterns that every name matches.
const EVERY_NAME: [&str; 7] = ["", "^", ".*", "^.*$", "^.*", ".+", "^.+$"];

impl Lowering<'_> {
    /// The rules of objects as a kind; `rest` keeps those that it does not express.
    pub(super) fn object(self, rules: &ObjectRules, rest: &mut Shape) -> Kind {
        let exact = self.purpose == Purpose::Exact;
        let mut keys: Vec<&String> = rules.properties.keys().collect();
        keys.extend(rules.required.iter().filter(|key| !rules.properties.contains_key(*key)));
        keys.dedup();
        let shape = Rc::new(Shape { object: rules.clone(), ..Shape::of(Type::Object) });
        let mut left = ObjectRules {
            properties: IndexMap::new(),
            required: Vec::new(),
            additional: None,
            pattern_properties: IndexMap::new(),
            unevaluated_properties: None,
            ..rules.clone()
        };
        if !exact
            && keys.is_empty()
            && let Some(map) = self.map(rules, &mut left, &shape)
        {
            rest.object = left;
            return map;
        }
        let extra = match rules.additional.as_deref().map(core) {
            Some(value)
                if keys.is_empty() && is_typed(&value) && rules.pattern_properties.is_empty() =>
            {
                let value = Box::new(self.shape(&value));
                rest.object = left;
                return Kind::Map { key: None, value, shape };
            }
            _ => self.extra(rules, &mut left, &shape),
        };
        let fields = keys.into_iter().map(|key| self.member(key, rules, &extra)).collect();
        rest.object = left;
        if !exact && extra == Extra::Unspecified && fields == Vec::new() {
            return Kind::any_object();
        }
        Kind::Object { fields, extra }
    }

    /// The allowed members besides the named ones.
    fn extra(self, rules: &ObjectRules, left: &mut ObjectRules, shape: &Rc<Shape>) -> Extra {
        let exact = self.purpose == Purpose::Exact;
        let additional = rules.additional.as_deref().map(core);
        let is_left = !rules.pattern_properties.is_empty()
            || exact && additional.as_ref().is_some_and(is_typed);
        if is_left {
            left.pattern_properties.clone_from(&rules.pattern_properties);
            if additional.is_some() {
                let named = rules.properties.keys().map(|key| (key.clone(), Shape::default()));
                left.properties = named.collect();
                left.additional.clone_from(&rules.additional);
            }
            return Extra::Allowed;
        }
        match additional {
            None => Extra::Unspecified,
            Some(shape) if shape.never => Extra::Forbidden,
            Some(value) if is_typed(&value) => {
                Extra::Typed(Box::new(self.shape(&value)), Rc::clone(shape))
            }
            Some(_) => Extra::Allowed,
        }
    }

    fn member(self, key: &String, rules: &ObjectRules, extra: &Extra) -> Member {
        let shape = rules.properties.get(key);
        let kind = match (shape, extra) {
            (Some(shape), _) => self.shape(shape),
            // A required member without a schema is an additional one.
            (None, Extra::Forbidden) => self.shape(&Shape::never()),
            (None, Extra::Typed(kind, _)) => (**kind).clone(),
            (None, _) => Kind::Any,
        };
        let description = shape.and_then(|shape| shape.description.clone());
        Member { key: key.clone(), kind, required: rules.required.contains(key), description }
    }

    /// An object without named members whose names match one pattern or list.
    fn map(self, rules: &ObjectRules, left: &mut ObjectRules, shape: &Rc<Shape>) -> Option<Kind> {
        let is_closed = rules.additional.as_deref().is_some_and(|shape| core(shape).never);
        let map = |key: Option<Kind>, value: Kind| Kind::Map {
            key: key.map(Box::new),
            value: Box::new(value),
            shape: Rc::clone(shape),
        };
        if let Some((pattern, value)) = rules.pattern_properties.first() {
            let is_every = EVERY_NAME.contains(&pattern.as_str());
            if rules.pattern_properties.len() > 1 || !(is_closed || is_every) {
                return None;
            }
            let names = StringRules { pattern: Some(pattern.clone()), ..StringRules::default() };
            let key = (!is_every).then_some(Kind::String(names));
            return Some(map(key, self.shape(value)));
        }
        let names = rules.property_names.as_deref().filter(|_| !is_closed)?;
        let key = self.shape(&Shape { types: vec![Type::String], ..core(names) });
        if !matches!(key, Kind::Literal(_) | Kind::String(_)) {
            return None;
        }
        left.property_names = None;
        let value = rules.additional.as_deref().map_or(Kind::Any, |shape| self.shape(shape));
        Some(map(Some(key), value))
    }
}

/// Whether a shape neither forbids nor allows everything.
fn is_typed(shape: &Shape) -> bool {
    !shape.never && *shape != Shape::default()
}
