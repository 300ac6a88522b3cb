//! Lowers shapes to [`Kind`]s: the part that a target can express becomes a kind, the rest stays a shape and becomes a
//! predicate.
//!
//! The kind alone is a necessary condition, and kind and predicate together are sufficient, so every part of a shape
//! may be moved from one to the other. The [`Purpose`]s differ in how much is left to predicates.

mod null;
mod object;
mod outline;
mod values;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use indexmap::IndexMap;

use super::check::{Formats, is_scoped};
use super::kind::{Kind, Member};
use super::{merge, names};
use crate::data::{
    ArrayRules, Model, NumberRules, ObjectRules, Shape, StringRules, Type, in_place,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Purpose {
    /// Static types only, as authors usually mean the schema.
    Types,
    /// Static types only, which hold for every value that the schema accepts.
    SoundTypes,
    /// A validator as an engineer would write it.
    Idiomatic,
    /// A validator with JSON Schema's verdict on every value.
    Exact,
}

impl Purpose {
    /// Whether a schema that lists members and has no type is taken for an object.
    fn implies_types(self) -> bool {
        matches!(self, Self::Types | Self::Idiomatic)
    }

    fn validates(self) -> bool {
        matches!(self, Self::Idiomatic | Self::Exact)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Lowering<'m> {
    /// The model.
    pub model: &'m Model,
    /// The purpose of the kinds.
    pub purpose: Purpose,
    /// Whether `format` is checked.
    pub formats: Formats,
    /// What is known of entities.
    pub known: &'m Known,
    /// Number of references that were followed from an entity to this shape.
    pub depth: usize,
}

/// What is known of entities by their names, so that each is looked into once.
#[derive(Debug, Default)]
pub(crate) struct Known {
    objects: RefCell<HashMap<(Purpose, String), bool>>,
    members: RefCell<HashMap<String, Option<Vec<Member>>>>,
}

/// The intermediate result for a shape.
#[derive(Debug, Default)]
struct Parts {
    /// Kinds that must all hold, each with its shape.
    kinds: Vec<(Kind, Shape)>,
    /// The part that is left for a predicate.
    rest: Shape,
}

/// Longest chain of references that is followed: a model has none that is longer.
const MOST_REFERENCES: usize = in_place::DEEPEST;

impl<'m> Lowering<'m> {
    pub(crate) fn new(
        model: &'m Model,
        purpose: Purpose,
        formats: Formats,
        known: &'m Known,
    ) -> Self {
        Self { model, purpose, formats, known, depth: 0 }
    }

    pub(crate) fn entities(self) -> IndexMap<&'m str, Kind> {
        let lower = |(name, entity): (&'m String, &'m crate::data::Entity)| {
            (name.as_str(), self.shape(&entity.shape))
        };
        self.model.entities.iter().map(lower).collect()
    }

    pub(crate) fn shape(self, shape: &Shape) -> Kind {
        let whole = core(shape);
        if whole.never {
            return match self.purpose {
                Purpose::Exact => self.refined(Kind::Any, whole.clone(), &whole),
                _ => Kind::Never,
            };
        }
        let whole = if self.purpose == Purpose::Exact { whole } else { merge::flatten(whole) };
        if self.purpose.validates() && has_inherited(&whole.object) {
            return self.refined(Kind::Any, whole.clone(), &whole);
        }
        let mut parts = Parts::default();
        self.values(&whole, &mut parts);
        if let Some(entity) = &whole.reference {
            parts.kinds.push((Kind::Reference(entity.clone()), Shape::reference(entity)));
        }
        self.combined(&whole, &mut parts);
        parts.rest.not.clone_from(&whole.not);
        parts.rest.if_shape.clone_from(&whole.if_shape);
        parts.rest.then_shape.clone_from(&whole.then_shape);
        parts.rest.else_shape.clone_from(&whole.else_shape);
        if is_scoped(&whole) {
            parts.rest = whole.clone();
        }
        let base = match self.joined(&mut parts) {
            Kind::Nullable(inner) if self.refuses_null(&whole) => *inner,
            base => base,
        };
        self.refined(base, parts.rest, &whole)
    }

    fn refined(self, base: Kind, rest: Shape, whole: &Shape) -> Kind {
        if !self.purpose.validates() || rest == Shape::default() {
            return base;
        }
        let sound = Self { purpose: Purpose::SoundTypes, ..self };
        let is_lost = self.purpose == Purpose::Exact || base == Kind::Any;
        let narrowed = is_lost.then(|| Box::new(sound.shape(whole)));
        Kind::Refined { base: Box::new(base), rest: Rc::new(rest), narrowed }
    }

    fn combined(self, whole: &Shape, parts: &mut Parts) {
        for shape in &whole.all_of {
            let kind = self.shape(shape);
            if kind.base() == &Kind::Any || self.purpose == Purpose::Exact {
                parts.rest.all_of.push(shape.clone());
            } else {
                parts.kinds.push((kind, shape.clone()));
            }
        }
        let shape = Shape { any_of: whole.any_of.clone(), ..Shape::default() };
        match self.union(whole, &whole.any_of) {
            Some(kind) => parts.kinds.push((kind, shape)),
            None => parts.rest.any_of = shape.any_of,
        }
        let is_empty = |branch: &Shape| core(branch) == Shape::default();
        let is_plain = self.purpose != Purpose::Exact && !whole.one_of.iter().any(is_empty);
        let shape = Shape { one_of: whole.one_of.clone(), ..Shape::default() };
        match self.union(whole, &whole.one_of).filter(|_| is_plain) {
            Some(kind) => parts.kinds.push((kind, shape)),
            None => parts.rest.one_of = shape.one_of,
        }
    }

    /// The union of the branches of `anyOf` or `oneOf`, if each has a type.
    fn union(self, whole: &Shape, branches: &[Shape]) -> Option<Kind> {
        if branches.is_empty() {
            return None;
        }
        let inherit = |branch: &Shape| match whole.types.as_slice() {
            // A branch without a type constrains values of the surrounding type.
            [kind] if branch.types.is_empty() && constrains(branch, *kind) => {
                Shape { types: vec![*kind], ..branch.clone() }
            }
            _ => branch.clone(),
        };
        let exact = self.purpose == Purpose::Exact;
        let kind = |own| if exact { self.shape(own) } else { self.shape(&inherit(own)) };
        let kinds: Vec<Kind> = branches.iter().map(kind).collect();
        let is_typed = |kind: &Kind| match kind {
            Kind::Refined { base, .. } => **base != Kind::Any,
            // An empty branch allows everything, and so does the union.
            Kind::Any => !exact,
            _ => true,
        };
        kinds.iter().all(is_typed).then(|| self.one_of(kinds))
    }

    /// One kind for several that must all hold.
    fn joined(self, parts: &mut Parts) -> Kind {
        let mut kinds: Vec<(Kind, Shape)> = Vec::new();
        for (kind, shape) in parts.kinds.drain(..) {
            if kind != Kind::Any && !kinds.iter().any(|(other, _)| *other == kind) {
                kinds.push((kind, shape));
            }
        }
        if kinds.iter().any(|(kind, _)| *kind == Kind::Never) {
            return Kind::Never;
        }
        let exact = self.purpose == Purpose::Exact;
        // "type": "object" next to a reference or a union is redundant.
        if !exact && kinds.len() > 1 && kinds.iter().any(|(kind, _)| !is_bare(kind)) {
            kinds.retain(|(kind, _)| !is_bare(kind));
        }
        if kinds.len() < 2 {
            return kinds.pop().map_or(Kind::Any, |(kind, _)| kind);
        }
        let is_nullable = kinds.iter().all(|(kind, _)| matches!(kind, Kind::Nullable(_)));
        if !exact && kinds.iter().all(|(kind, _)| self.is_object(kind.not_null())) {
            // Null is allowed if each of them allows it.
            for (kind, _) in &mut kinds {
                *kind = kind.not_null().clone();
            }
            // The shared part comes first, like the base of a class.
            kinds.sort_by_key(|(kind, _)| !matches!(kind, Kind::Reference(_)));
            let (parts, shapes): (Vec<Kind>, Vec<Shape>) = kinds.into_iter().unzip();
            let shape = Rc::new(Shape { all_of: shapes, ..Shape::default() });
            let all = Kind::Intersection { parts, shape };
            return if is_nullable { Kind::Nullable(Box::new(all)) } else { all };
        }
        let rank = |kind: &Kind| match kind {
            Kind::Literal(_) => 0,
            Kind::Reference(_) | Kind::Union { .. } => 1,
            _ => 2,
        };
        kinds.sort_by_key(|(kind, _)| rank(kind));
        let (base, _) = kinds.remove(0);
        parts.rest.all_of.extend(kinds.into_iter().map(|(_, shape)| shape));
        base
    }

    fn is_object(self, kind: &Kind) -> bool {
        match kind.base() {
            Kind::Object { .. } | Kind::Map { .. } | Kind::Intersection { .. } => true,
            Kind::Union { branches, .. } => branches.iter().all(|branch| self.is_object(branch)),
            Kind::Reference(entity) => self.is_object_entity(entity),
            _ => false,
        }
    }

    fn is_object_entity(self, entity: &str) -> bool {
        let Some((shape, inner)) = self.follow(entity) else { return false };
        let key = (self.purpose, entity.to_owned());
        if let Some(known) = self.known.objects.borrow().get(&key) {
            return *known;
        }
        let is_object = shape.types == [Type::Object]
            || inner.is_object(&inner.shape(&outline::outline(shape)));
        self.known.objects.borrow_mut().insert(key, is_object);
        is_object
    }

    /// The shape of an entity and what lowers it, unless the chain of references is too long.
    fn follow(self, entity: &str) -> Option<(&'m Shape, Self)> {
        let entity = self.model.entities.get(entity).filter(|_| self.depth < MOST_REFERENCES)?;
        Some((&entity.shape, Self { depth: self.depth + 1, ..self }))
    }

    /// The kind of one type; `rest` keeps the rules that it does not express.
    fn typed(self, kind: Type, whole: &Shape, rest: &mut Shape) -> Kind {
        match kind {
            Type::Null => Kind::Null,
            Type::Boolean => Kind::Boolean,
            Type::Integer | Type::Number => {
                let rules = self.number(&whole.number, &mut rest.number);
                Kind::Number { whole: kind == Type::Integer, rules }
            }
            Type::String => Kind::String(self.string(&whole.string, &mut rest.string)),
            Type::Array => self.array(&whole.array, rest),
            Type::Object => self.object(&whole.object, rest),
        }
    }

    fn number(self, rules: &NumberRules, rest: &mut NumberRules) -> NumberRules {
        if self.purpose != Purpose::Exact {
            return rules.clone();
        }
        let bounds =
            [&rules.minimum, &rules.maximum, &rules.exclusive_minimum, &rules.exclusive_maximum];
        // Scripts represent integers exactly only up to 2^53 - 1.
        let is_held = |bound: &serde_json::Number| {
            bound.as_f64().is_some_and(|float| float.abs() <= 9_007_199_254_740_991.0)
        };
        if !bounds.into_iter().flatten().all(is_held) {
            rest.clone_from(rules);
            return NumberRules::default();
        }
        rest.multiple_of.clone_from(&rules.multiple_of);
        NumberRules { multiple_of: None, ..rules.clone() }
    }

    fn string(self, rules: &StringRules, rest: &mut StringRules) -> StringRules {
        let format = rules.format.clone().filter(|format| self.formats.asserts(format));
        let rules = StringRules { format, ..rules.clone() };
        if self.purpose != Purpose::Exact {
            return rules;
        }
        // A minimum length of one is the same in every unit of characters.
        let min_length = rules.min_length.filter(|least| *least <= 1);
        let own =
            StringRules { min_length, pattern: rules.pattern.clone(), ..StringRules::default() };
        let min_length = rules.min_length.filter(|least| *least > 1);
        *rest = StringRules { min_length, pattern: None, ..rules };
        own
    }

    fn array(self, rules: &ArrayRules, rest: &mut Shape) -> Kind {
        let exact = self.purpose == Purpose::Exact;
        if let ArrayRules { contains: Some(own), min_contains, max_contains, .. } = rules {
            let (contains, min_contains, max_contains) =
                (Some(own.clone()), *min_contains, *max_contains);
            rest.array =
                ArrayRules { contains, min_contains, max_contains, ..ArrayRules::default() };
        }
        let mut own = ArrayRules {
            min_items: rules.min_items,
            max_items: rules.max_items,
            unique_items: rules.unique_items,
            ..ArrayRules::default()
        };
        if rules.prefix_items.is_empty() {
            let item = rules.items.as_deref().map_or(Kind::Any, |shape| self.shape(shape));
            return Kind::Array { item: Box::new(item), rules: own };
        }
        if exact {
            rest.array = ArrayRules { unevaluated_items: None, ..rules.clone() };
            return Kind::Array { item: Box::new(Kind::Any), rules: ArrayRules::default() };
        }
        let items: Vec<Kind> = rules.prefix_items.iter().map(|shape| self.shape(shape)).collect();
        let length = items.len() as u64;
        let least = own.min_items.take().unwrap_or(0);
        let following = match &rules.items {
            _ if own.max_items.is_some_and(|most| most <= length) => None,
            Some(shape) if shape.never => None,
            Some(shape) => Some(Box::new(self.shape(shape))),
            None => Some(Box::new(Kind::Any)),
        };
        rest.array.min_items = (least > length).then_some(least);
        rest.array.max_items = own.max_items.filter(|most| *most != length);
        rest.array.unique_items = own.unique_items;
        let required = usize::try_from(least.min(length)).unwrap_or(items.len());
        let shape = Shape { array: rules.clone(), ..Shape::of(Type::Array) };
        Kind::Tuple { items, required, rest: following, shape: Rc::new(shape) }
    }
}

/// Whether an object has a member that validators of scripts confuse with an inherited one.
fn has_inherited(object: &ObjectRules) -> bool {
    object.properties.keys().chain(&object.required).any(|key| names::is_inherited(key))
}

/// A shape without its annotations.
fn core(shape: &Shape) -> Shape {
    Shape { title: None, description: None, default: None, examples: Vec::new(), ..shape.clone() }
}

/// Whether a kind is only a type without further rules.
fn is_bare(kind: &Kind) -> bool {
    match kind {
        Kind::Boolean => true,
        Kind::String(rules) => *rules == StringRules::default(),
        Kind::Number { rules, .. } => *rules == NumberRules::default(),
        Kind::Array { item, rules } => **item == Kind::Any && *rules == ArrayRules::default(),
        Kind::Map { key: None, value, .. } => **value == Kind::Any,
        Kind::Union { branches, .. } => branches.iter().all(is_bare),
        Kind::Nullable(inner) => is_bare(inner),
        _ => false,
    }
}

/// Whether a shape has rules for values of a type, and no keyword that implies another type.
fn constrains(shape: &Shape, kind: Type) -> bool {
    let is_plain =
        shape.reference.is_none() && shape.enumeration.is_none() && shape.constant.is_none();
    is_plain
        && match kind {
            Type::String => shape.string != StringRules::default(),
            Type::Integer | Type::Number => shape.number != NumberRules::default(),
            Type::Object => !shape.object.properties.is_empty(),
            _ => false,
        }
}
