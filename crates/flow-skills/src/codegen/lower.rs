//! Lowers shapes to [`Kind`]s. A keyword that no kind expresses is recorded in [`Unchecked`]: a validator checks less
//! than the schema then, and never more.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use indexmap::IndexMap;
use serde_json::Value;

use super::kind::{Extra, Form, Kind, Member, Size};
use super::kind::{Meeting, admits};
use super::language::quote;
use super::unchecked::Unchecked;
use crate::data::decimal::Decimal;
use crate::data::{ArrayRules, Entity, Model, NumberRules, ObjectRules, Shape, StringRules, Type};

/// Formats that some library has a word for.
const FORMATS: [&str; 8] = ["date-time", "date", "time", "email", "uuid", "uri", "ipv4", "ipv6"];
/// Formats that the type of a number implies.
const NUMERIC: [&str; 4] = ["int32", "int64", "float", "double"];
/// Patterns that every name matches.
const EVERY_NAME: [&str; 7] = ["", "^", ".*", "^.*$", "^.*", ".+", "^.+$"];
/// Largest number of references in an entity that are replaced by the shapes that they lead to, and of those inside of
/// each other.
const MOST_INLINED: usize = 20;
const DEEPEST_INLINED: usize = 2;
const ALL_TYPES: [Type; 6] =
    [Type::Null, Type::Boolean, Type::Number, Type::String, Type::Array, Type::Object];

/// Lowers the shapes of one entity.
struct Lowering<'m> {
    model: &'m Model,
    unchecked: &'m Unchecked,
    /// Whether an entity is an object that others may extend.
    objects: &'m RefCell<HashMap<&'m str, bool>>,
    meeting: Meeting,
    /// The entities whose shapes are being written in the place of a reference, and how many more may be.
    inlined: RefCell<Vec<&'m str>>,
    inlinings: Cell<usize>,
}

/// The entities of a model as kinds.
pub(crate) fn entities<'m>(model: &'m Model, unchecked: &Unchecked) -> IndexMap<&'m str, Kind> {
    let objects = RefCell::default();
    let lower = |(name, entity): (&'m String, &'m Entity)| {
        unchecked.enter(name);
        let lowering = Lowering {
            model,
            unchecked,
            objects: &objects,
            meeting: Meeting::default(),
            inlined: RefCell::new(vec![name]),
            inlinings: Cell::new(MOST_INLINED),
        };
        (name.as_str(), lowering.shape(&entity.shape))
    };
    model.entities.iter().map(lower).collect()
}

impl<'m> Lowering<'m> {
    fn shape(&self, shape: &'m Shape) -> Kind {
        if shape.never {
            return Kind::Never;
        }
        let mut parts = vec![self.of_keywords(shape)];
        parts.extend(shape.all_of.iter().map(|part| self.shape(part)));
        if !shape.any_of.is_empty() {
            parts.push(Kind::one_of(shape.any_of.iter().map(|branch| self.shape(branch))));
        }
        parts.extend(self.exactly_one(&shape.one_of));
        parts.extend(shape.not.as_deref().map(|inner| self.not(inner)));
        parts.extend(self.condition(shape));
        parts.retain(|kind| *kind != Kind::Any);
        if let Some(entity) = &shape.reference {
            parts.push(Kind::Reference(entity.clone()));
        }
        self.all(parts)
    }

    /// All of several kinds: a reference stays one beside others only if it is to an object that can be extended.
    fn all(&self, mut parts: Vec<Kind>) -> Kind {
        if parts.len() > 1 && parts.iter().any(|part| has_references(part) && is_object(part)) {
            // "type": "object" beside a reference to an object is redundant.
            parts.retain(|part| *part != Kind::any_object());
        }
        if parts.len() > 1 {
            parts = parts.into_iter().filter_map(|part| self.extendable(part)).collect();
        }
        match self.meeting.all(parts) {
            Kind::Intersection(mut parts) if !parts.iter().all(is_object) => {
                self.unchecked.add("allOf");
                parts.swap_remove(0)
            }
            whole => whole,
        }
    }

    /// A kind beside others: a reference to what cannot be extended is replaced by the shape that it leads to. `None` if
    /// there would be no end.
    fn extendable(&self, part: Kind) -> Option<Kind> {
        let name = match part {
            Kind::Reference(name) => name,
            Kind::Nullable(inner) => {
                return self.extendable(*inner).map(|inner| Kind::one_of([Kind::Null, inner]));
            }
            Kind::Union(all) => {
                let all = all.into_iter().map(|branch| self.extendable(branch));
                return Some(Kind::one_of(all.collect::<Option<Vec<_>>>()?));
            }
            other => return Some(other),
        };
        let Some((name, entity)) = self.model.entities.get_key_value(&name) else {
            return Some(Kind::Any);
        };
        if self.is_extendable(name, &entity.shape) {
            return Some(Kind::Reference(name.clone()));
        }
        let is_open = self.inlined.borrow().contains(&name.as_str())
            || self.inlined.borrow().len() > DEEPEST_INLINED;
        let left = self.inlinings.get().checked_sub(1).filter(|_| !is_open);
        let Some(left) = left else {
            self.unchecked.add("$ref");
            return None;
        };
        self.inlinings.set(left);
        self.inlined.borrow_mut().push(name);
        let kind = self.shape(&entity.shape);
        self.inlined.borrow_mut().pop();
        Some(kind)
    }

    /// Whether an entity is an object with members that others may extend.
    fn is_extendable(&self, name: &'m str, shape: &'m Shape) -> bool {
        if let Some(known) = self.objects.borrow().get(name) {
            return *known;
        }
        let is_extendable = self.is_open_object(shape);
        self.objects.borrow_mut().insert(name, is_extendable);
        is_extendable
    }

    fn is_open_object(&self, shape: &'m Shape) -> bool {
        let is_object = |shape: &Shape| {
            shape.types == [Type::Object]
                || shape.types.is_empty() && !shape.object.properties.is_empty()
        };
        let target =
            shape.reference.as_ref().and_then(|name| self.model.entities.get_key_value(name));
        let is_base =
            |(name, entity): (&'m String, &'m Entity)| self.is_extendable(name, &entity.shape);
        let is_part = |part: &'m Shape| is_object(part) || self.is_open_object(part);
        let is_closed = |part: &Shape| {
            part.object.additional.as_deref().is_some_and(|rest| *rest != Shape::default())
                || !part.any_of.is_empty()
                || !part.one_of.is_empty()
                || part.not.is_some()
                || part.enumeration.is_some()
                || part.constant.is_some()
                || !part.types.is_empty() && part.types != [Type::Object]
                || !part.object.pattern_properties.is_empty()
                || part.object.property_names.is_some()
                || part.object.unevaluated_properties.is_some()
        };
        !is_closed(shape)
            && !shape.all_of.iter().any(is_closed)
            && (is_object(shape)
                || target.is_some_and(is_base)
                || !shape.all_of.is_empty() && shape.all_of.iter().all(is_part))
            && target.is_none_or(is_base)
    }

    /// What the types, the listed values and the rules of a shape itself allow.
    fn of_keywords(&self, shape: &'m Shape) -> Kind {
        let lists_members = !shape.object.properties.is_empty() && shape.reference.is_none();
        let mut types = shape.types.clone();
        if types.is_empty() && lists_members {
            // As authors usually mean the schema.
            types.push(Type::Object);
        }
        if types.contains(&Type::Number) {
            types.retain(|kind| *kind != Type::Integer);
        }
        if types.is_empty() && self.has_rules(shape) {
            types = ALL_TYPES.to_vec();
        }
        let mut parts = Vec::new();
        if !types.is_empty() {
            let all = Kind::one_of(types.into_iter().map(|kind| self.typed(kind, shape)));
            parts.extend(Some(all).filter(|kind| *kind != Kind::one_of(ALL_TYPES.map(bare))));
        }
        let listed = |values: &[Value]| Kind::one_of(values.iter().map(literal));
        parts.extend(shape.enumeration.as_deref().map(listed));
        parts.extend(shape.constant.as_ref().map(literal));
        if parts.len() > 1 && shape.string.pattern.is_some() {
            self.unchecked.add("pattern");
        }
        self.meeting.all(parts)
    }

    /// Whether a shape restricts the values of some type.
    fn has_rules(&self, shape: &Shape) -> bool {
        let string = StringRules { format: self.format(&shape.string), ..shape.string.clone() };
        shape.number != NumberRules::default()
            || string != StringRules::default()
            || shape.array != ArrayRules::default()
            || shape.object != ObjectRules::default()
    }

    /// The format that is to be checked.
    fn format(&self, rules: &StringRules) -> Option<String> {
        let format = rules.format.as_ref()?;
        if FORMATS.contains(&format.as_str()) {
            return Some(format.clone());
        }
        if !NUMERIC.contains(&format.as_str()) {
            self.unchecked.add(&format!("format {}", quote(format)));
        }
        None
    }

    /// The kind of one type, with its rules.
    fn typed(&self, kind: Type, shape: &'m Shape) -> Kind {
        match kind {
            Type::Null => Kind::Null,
            Type::Boolean => Kind::Boolean,
            Type::Integer | Type::Number => {
                let format = shape.string.format.as_deref().unwrap_or_default();
                let form = if kind == Type::Number && format.starts_with("decimal") {
                    Form::Decimal(Decimal::of_format(format))
                } else {
                    let _ = self.format(&shape.string);
                    if kind == Type::Integer { Form::Whole } else { Form::Any }
                };
                Kind::Number { form, rules: shape.number.clone() }
            }
            Type::String => {
                let format = self.format(&shape.string);
                Kind::String(StringRules { format, ..shape.string.clone() })
            }
            Type::Array => self.array(&shape.array),
            Type::Object => {
                // Nothing but its own members have been evaluated in a shape that is alone.
                let is_alone = shape.reference.is_none() && shape.in_place().next().is_none();
                self.object(&shape.object, is_alone)
            }
        }
    }

    fn array(&self, rules: &'m ArrayRules) -> Kind {
        let ArrayRules { items, prefix_items, min_items, max_items, unique_items, .. } = rules;
        let items = items.as_deref();
        self.lose([
            ("contains", rules.contains.is_some()),
            ("unevaluatedItems", rules.unevaluated_items.is_some()),
        ]);
        if prefix_items.is_empty() {
            let item = items.map_or(Kind::Any, |shape| self.shape(shape));
            let size = Size { least: *min_items, most: *max_items, unique: *unique_items };
            return Kind::Array { item: Box::new(item), size };
        }
        let length = prefix_items.len();
        let least = min_items.unwrap_or(0);
        let rest = match items {
            _ if max_items.is_some_and(|most| most <= length as u64) => None,
            Some(shape) if shape.never => None,
            Some(shape) => Some(Box::new(self.shape(shape))),
            None => Some(Box::new(Kind::Any)),
        };
        self.lose([
            ("minItems", least > length as u64),
            ("maxItems", max_items.is_some_and(|most| most != length as u64)),
        ]);
        Kind::Tuple {
            items: prefix_items.iter().map(|shape| self.shape(shape)).collect(),
            required: usize::try_from(least).unwrap_or(length).min(length),
            rest,
            unique: *unique_items,
        }
    }

    /// Records the keywords that are there and that no kind expresses.
    fn lose<const COUNT: usize>(&self, keywords: [(&str, bool); COUNT]) {
        let lost = keywords.into_iter().filter(|(_, is_there)| *is_there);
        lost.for_each(|(keyword, _)| self.unchecked.add(keyword));
    }

    fn object(&self, rules: &'m ObjectRules, is_alone: bool) -> Kind {
        self.lose([
            ("minProperties", rules.min_properties.is_some()),
            ("maxProperties", rules.max_properties.is_some()),
            ("dependentRequired", !rules.dependent_required.is_empty()),
            ("dependentSchemas", !rules.dependent_schemas.is_empty()),
            ("unevaluatedProperties", rules.unevaluated_properties.is_some() && !is_alone),
        ]);
        let unevaluated = rules.unevaluated_properties.as_deref().filter(|_| is_alone);
        let additional = rules.additional.as_deref().or(unevaluated);
        let mut keys: Vec<&String> = rules.properties.keys().collect();
        keys.extend(rules.required.iter().filter(|key| !rules.properties.contains_key(*key)));
        keys.dedup();
        if keys.is_empty()
            && let Some(map) = self.map(rules, additional)
        {
            return map;
        }
        if rules.property_names.as_deref().is_some_and(|names| *names != Shape::default()) {
            self.unchecked.add("propertyNames");
        }
        let extra = match additional {
            _ if !rules.pattern_properties.is_empty() => {
                self.unchecked.add("patternProperties");
                if additional.is_some() {
                    self.unchecked.add("additionalProperties");
                }
                Extra::Allowed
            }
            None => Extra::Unspecified,
            Some(shape) if shape.never => Extra::Forbidden,
            Some(shape) => match self.shape(shape) {
                Kind::Any => Extra::Allowed,
                kind => Extra::Typed(Box::new(kind)),
            },
        };
        let fields: Vec<Member> =
            keys.into_iter().map(|key| self.member(key, rules, &extra)).collect();
        match extra {
            Extra::Typed(value) if fields.is_empty() => Kind::Map { key: None, value },
            Extra::Unspecified | Extra::Allowed if fields.is_empty() => Kind::any_object(),
            extra => Kind::Object { fields, extra },
        }
    }

    fn member(&self, key: &str, rules: &'m ObjectRules, extra: &Extra) -> Member {
        let shape = rules.properties.get(key);
        let kind = self.unchecked.within(key, || match (shape, extra) {
            (Some(shape), _) => self.shape(shape),
            // A required member without a schema is an additional one.
            (None, Extra::Forbidden) => Kind::Never,
            (None, Extra::Typed(kind)) => (**kind).clone(),
            (None, _) => Kind::Any,
        });
        let description = shape.and_then(|shape| shape.description.clone());
        let required = rules.required.iter().any(|name| name == key);
        let default = shape.and_then(|shape| shape.default.clone());
        let default = default.filter(|value| is_default(kind.not_null(), value));
        Member { key: key.to_owned(), kind, required, default, description }
    }

    /// An object without named members whose names match one pattern or list.
    fn map(&self, rules: &'m ObjectRules, additional: Option<&'m Shape>) -> Option<Kind> {
        let is_closed = additional.is_some_and(|shape| shape.never);
        let map = |key: Option<Kind>, value| {
            Some(Kind::Map { key: key.map(Box::new), value: Box::new(value) })
        };
        if let Some((pattern, value)) = rules.pattern_properties.first() {
            let is_every = EVERY_NAME.contains(&pattern.as_str());
            if rules.pattern_properties.len() > 1 || !(is_closed || is_every) {
                return None;
            }
            let names = StringRules { pattern: Some(pattern.clone()), ..StringRules::default() };
            return map((!is_every).then_some(Kind::String(names)), self.shape(value));
        }
        let names = rules.property_names.as_deref().filter(|_| !is_closed)?;
        let key = self.meeting.all([Kind::String(StringRules::default()), self.shape(names)]);
        let value = || additional.map_or(Kind::Any, |shape| self.shape(shape));
        match key {
            Kind::Never => Some(Kind::Object { fields: Vec::new(), extra: Extra::Forbidden }),
            Kind::Literal(_) | Kind::String(_) => map(Some(key), value()),
            _ => None,
        }
    }

    /// `oneOf` as a union: a value that is of several of its branches is accepted, which a note says where there can be one.
    fn exactly_one(&self, branches: &'m [Shape]) -> Option<Kind> {
        let before = self.unchecked.count();
        let kinds: Vec<Kind> = branches.iter().map(|branch| self.shape(branch)).collect();
        let is_whole = self.unchecked.count() == before;
        let (any, others): (Vec<Kind>, Vec<Kind>) =
            kinds.into_iter().partition(|kind| *kind == Kind::Any);
        match any.len() {
            0 if branches.is_empty() => None,
            0 => {
                if !self.are_disjoint(&others) {
                    self.unchecked.add("oneOf");
                }
                Some(Kind::one_of(others))
            }
            1 => Some(self.complement(Kind::one_of(others), is_whole, "oneOf")),
            _ if is_whole => Some(Kind::Never),
            _ => None,
        }
    }

    /// Whether no value is of two of these kinds, as far as few of them are compared.
    fn are_disjoint(&self, kinds: &[Kind]) -> bool {
        const MOST: usize = 16;
        let later = |at: usize| kinds.iter().skip(at + 1);
        let meets = |one: &Kind, other: &Kind| {
            self.meeting.all([one.clone(), other.clone()]) != Kind::Never
        };
        kinds.len() <= MOST
            && !kinds.iter().enumerate().any(|(at, one)| later(at).any(|other| meets(one, other)))
    }

    fn not(&self, shape: &'m Shape) -> Kind {
        if let Some(inner) = shape.not.as_deref()
            && (Shape { not: None, ..shape.clone() }) == Shape::default()
        {
            return self.shape(inner);
        }
        let before = self.unchecked.count();
        let kind = self.shape(shape);
        self.complement(kind, self.unchecked.count() == before, "not")
    }

    /// The values that are not of a kind, if that is known by their types alone; `is_whole` if the kind says all that
    /// its shape does.
    fn complement(&self, kind: Kind, is_whole: bool, word: &str) -> Kind {
        let branches = match kind {
            Kind::Any if is_whole => return Kind::Never,
            Kind::Never => return Kind::Any,
            Kind::Nullable(inner) => match *inner {
                Kind::Union(branches) => [branches, vec![Kind::Null]].concat(),
                one => vec![one, Kind::Null],
            },
            Kind::Union(branches) => branches,
            one => vec![one],
        };
        let all = ALL_TYPES.map(bare);
        if !is_whole || !branches.iter().all(|branch| all.contains(branch)) {
            self.unchecked.add(word);
            return Kind::Any;
        }
        Kind::one_of(all.into_iter().filter(|kind| !branches.contains(kind)))
    }

    /// A condition, where it is always or never met.
    fn condition(&self, shape: &'m Shape) -> Option<Kind> {
        let condition = shape.if_shape.as_deref()?;
        let branch = if condition.never {
            &shape.else_shape
        } else if *condition == Shape::default() {
            &shape.then_shape
        } else if shape.then_shape.is_some() || shape.else_shape.is_some() {
            self.unchecked.add("if");
            return None;
        } else {
            &None
        };
        branch.as_deref().map(|shape| self.shape(shape))
    }
}

/// All values of a type.
fn bare(kind: Type) -> Kind {
    match kind {
        Type::Null => Kind::Null,
        Type::Boolean => Kind::Boolean,
        Type::Integer | Type::Number => {
            let form = if kind == Type::Integer { Form::Whole } else { Form::Any };
            Kind::Number { form, rules: NumberRules::default() }
        }
        Type::String => Kind::String(StringRules::default()),
        Type::Array => Kind::Array { item: Box::new(Kind::Any), size: Size::default() },
        Type::Object => Kind::any_object(),
    }
}

/// Whether a value can be written as the default of a member of a kind.
fn is_default(kind: &Kind, value: &Value) -> bool {
    match (kind, value) {
        (Kind::Array { size, .. }, Value::Array(items)) => {
            items.is_empty() && size.least.unwrap_or_default() == 0
        }
        (Kind::Number { form: Form::Whole, .. }, value) if value.is_f64() => false,
        (kind, value) => admits(kind, value),
    }
}

/// A value as a kind of its own.
fn literal(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Array(items) => Kind::Tuple {
            items: items.iter().map(literal).collect(),
            required: items.len(),
            rest: None,
            unique: false,
        },
        Value::Object(map) => {
            let member = |(key, value): (&String, &Value)| Member {
                key: key.clone(),
                kind: literal(value),
                required: true,
                default: None,
                description: None,
            };
            Kind::Object { fields: map.iter().map(member).collect(), extra: Extra::Forbidden }
        }
        scalar => Kind::Literal(vec![scalar.clone()]),
    }
}

fn has_references(kind: &Kind) -> bool {
    match kind {
        Kind::Reference(_) => true,
        Kind::Union(parts) | Kind::Intersection(parts) => parts.iter().any(has_references),
        _ => false,
    }
}

/// Whether all values of a kind are objects; a reference counts as one.
fn is_object(kind: &Kind) -> bool {
    match kind {
        Kind::Reference(_) | Kind::Object { .. } | Kind::Map { .. } => true,
        Kind::Union(parts) | Kind::Intersection(parts) => parts.iter().all(is_object),
        _ => false,
    }
}
