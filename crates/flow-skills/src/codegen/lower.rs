//! Lowers shapes to [`Kind`]s. A keyword that no kind expresses is recorded in [`Unchecked`]: a validator checks less
//! than the schema then, and never more.

use std::cell::{Cell, RefCell};

use indexmap::IndexMap;
use serde_json::Value;

use super::kind::{Extra, Form, Kind, Member, Size, admits, are_disjoint};
use super::language::quote;
use super::unchecked::{DEFAULT, Unchecked};
use crate::data::decimal::Decimal;
use crate::data::in_place::DEEPEST;
use crate::data::{ArrayRules, Entity, Model, NumberRules, ObjectRules, Shape, StringRules, Type};

/// Formats that some library has a word for.
const FORMATS: [&str; 8] = ["date-time", "date", "time", "email", "uuid", "uri", "ipv4", "ipv6"];
/// Formats that the type of a number implies.
const NUMERIC: [&str; 4] = ["int32", "int64", "float", "double"];
/// Largest number of parts of an entity that is copied into another one.
const MOST_COPIED: usize = 1_000;
/// Largest number of copies in the members of an entity.
const MOST_COPIES: usize = 20;
const ALL_TYPES: [Type; 6] =
    [Type::Null, Type::Boolean, Type::Number, Type::String, Type::Array, Type::Object];

/// Lowers the shapes of a model.
pub(super) struct Lowering<'m> {
    model: &'m Model,
    pub(super) unchecked: &'m Unchecked,
    /// The entities that are lowered; without a kind as long as that is being made.
    kinds: RefCell<IndexMap<&'m str, Option<Kind>>>,
    /// The number of those whose kind is being made.
    open: Cell<usize>,
    /// The entities that are copied into the one of now, and how many members of it may still be such copies.
    copied: RefCell<Vec<String>>,
    pub(super) copies: Cell<usize>,
}

/// The entities of a model as kinds.
pub(crate) fn entities<'m>(model: &'m Model, unchecked: &'m Unchecked) -> IndexMap<&'m str, Kind> {
    let lowering = Lowering {
        model,
        unchecked,
        kinds: RefCell::default(),
        open: Cell::default(),
        copied: RefCell::default(),
        copies: Cell::default(),
    };
    model.entities.iter().for_each(|(name, entity)| lowering.entity(name, entity));
    let mut kinds = lowering.kinds.into_inner();
    let kind = |name: &'m String| Some((name.as_str(), kinds.get_mut(name.as_str())?.take()?));
    model.entities.keys().filter_map(kind).collect()
}

impl<'m> Lowering<'m> {
    fn entity(&self, name: &'m str, entity: &'m Entity) {
        if self.open.get() > DEEPEST || self.kinds.borrow().contains_key(name) {
            return;
        }
        self.kinds.borrow_mut().insert(name, None);
        self.open.set(self.open.get() + 1);
        let (before, left) = (self.copied.take(), self.copies.replace(MOST_COPIES));
        let kind = self.unchecked.inside(name, || self.shape(&entity.shape));
        self.open.set(self.open.get() - 1);
        self.copied.replace(before);
        self.copies.set(left);
        self.kinds.borrow_mut().insert(name, Some(kind));
    }

    fn shape(&self, shape: &'m Shape) -> Kind {
        if shape.never {
            return Kind::Never;
        }
        shape.unchecked.iter().for_each(|keyword| self.unchecked.add(keyword));
        let mut parts = vec![self.of_keywords(shape)];
        parts.extend(shape.reference.iter().map(|entity| Kind::Reference(entity.clone())));
        parts.extend(shape.all_of.iter().map(|part| self.shape(part)));
        if !shape.any_of.is_empty() {
            parts.push(Kind::one_of(shape.any_of.iter().map(|branch| self.shape(branch))));
        }
        if !shape.one_of.is_empty() {
            parts.push(self.exactly_one(&shape.one_of));
        }
        parts.retain(|kind| *kind != Kind::Any);
        if shape.types == [Type::Object]
            && parts.iter().any(|part| matches!(part, Kind::Reference(_)))
        {
            // "type": "object" beside a reference is nearly always redundant.
            parts.retain(|part| *part != Kind::any_object());
        }
        if parts.len() > 1 {
            parts = parts.into_iter().map(|part| self.opened(part)).collect();
        }
        self.all(parts)
    }

    /// A kind beside others, in which references are replaced by the kinds of their entities.
    fn opened(&self, part: Kind) -> Kind {
        match part {
            Kind::Reference(name) => {
                self.copying(&name, |kind| kind).unwrap_or(Kind::Reference(name))
            }
            Kind::Nullable(inner) => Kind::one_of([Kind::Null, self.opened(*inner)]),
            Kind::Union(all) => Kind::one_of(all.into_iter().map(|branch| self.opened(branch))),
            other => other,
        }
    }

    /// Works on a copy of the kind of an entity, of which nothing more is checked than there; `None` if there would be no
    /// end of copies.
    pub(super) fn copying(&self, name: &str, work: impl FnOnce(Kind) -> Kind) -> Option<Kind> {
        if self.copied.borrow().iter().any(|open| open == name) {
            return None;
        }
        let (name, entity) = self.model.entities.get_key_value(name)?;
        self.entity(name, entity);
        let kind = self.kinds.borrow().get(name.as_str())?.clone()?;
        if kind.count() > MOST_COPIED {
            return None;
        }
        self.copied.borrow_mut().push(name.clone());
        let done = work(self.opened(kind));
        self.copied.borrow_mut().pop();
        Some(done)
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
        let constant = shape.constant.as_ref().map(std::slice::from_ref);
        for (word, values) in [("enum", shape.enumeration.as_deref()), ("const", constant)] {
            let Some(values) = values else { continue };
            match values.iter().map(literal).collect::<Option<Vec<Kind>>>() {
                Some(kinds) => parts.push(Kind::one_of(kinds)),
                None => self.unchecked.add(word),
            }
        }
        if parts.len() > 1 && shape.string.pattern.is_some() {
            self.unchecked.add("pattern");
        }
        self.all(parts)
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
            Type::Object => self.object(&shape.object),
        }
    }

    fn array(&self, rules: &'m ArrayRules) -> Kind {
        let ArrayRules { items, prefix_items, min_items, max_items, unique_items } = rules;
        let item = match items {
            // Items that differ by position have no kind.
            _ if !prefix_items.is_empty() => {
                self.unchecked.add("prefixItems");
                Kind::Any
            }
            Some(shape) => self.shape(shape),
            None => Kind::Any,
        };
        let size = Size { least: *min_items, most: *max_items, unique: *unique_items };
        Kind::Array { item: Box::new(item), size }
    }

    fn object(&self, rules: &'m ObjectRules) -> Kind {
        let mut keys: Vec<&String> = rules.properties.keys().collect();
        keys.extend(rules.required.iter().filter(|key| !rules.properties.contains_key(*key)));
        keys.dedup();
        let additional = rules.additional.as_deref();
        if rules.property_names.is_some() {
            self.unchecked.add("propertyNames");
        }
        let extra = match additional {
            None => Extra::Unspecified,
            Some(shape) if shape.never => Extra::Forbidden,
            Some(shape) => match self.shape(shape) {
                Kind::Any => Extra::Allowed,
                kind if keys.is_empty() => return Kind::Map(Box::new(kind)),
                _ => {
                    self.unchecked.add("additionalProperties");
                    Extra::Allowed
                }
            },
        };
        let fields = keys.into_iter().map(|key| self.member(key, rules)).collect();
        Kind::object(fields, extra)
    }

    fn member(&self, key: &str, rules: &'m ObjectRules) -> Member {
        let shape = rules.properties.get(key);
        let kind =
            self.unchecked.within(key, || shape.map_or(Kind::Any, |shape| self.shape(shape)));
        let description = shape.and_then(|shape| shape.description.clone());
        let required = rules.required.iter().any(|name| name == key);
        let default = shape.and_then(|shape| shape.default.clone());
        let is_written = |value: &Value| is_default(&kind, value);
        if default.as_ref().is_some_and(|value| !is_written(value)) {
            self.unchecked.within(key, || self.unchecked.add(DEFAULT));
        }
        let default = default.filter(is_written);
        Member { key: key.to_owned(), kind, required, default, description }
    }

    /// `oneOf` as a union: a value that is of several of its branches is accepted, which a note says where there can be one.
    fn exactly_one(&self, branches: &'m [Shape]) -> Kind {
        const MOST: usize = 100;
        let kinds: Vec<Kind> = branches.iter().map(|branch| self.shape(branch)).collect();
        let known = |kind: &Kind| match kind {
            Kind::Reference(name) => {
                self.kinds.borrow().get(name.as_str()).cloned().flatten().unwrap_or(Kind::Any)
            }
            other => other.clone(),
        };
        let all: Vec<Kind> = kinds.iter().map(known).collect();
        let meets =
            |(at, one): (usize, &Kind)| all[at + 1..].iter().any(|other| !are_disjoint(one, other));
        if all.len() > MOST || all.iter().enumerate().any(meets) {
            self.unchecked.add("oneOf");
        }
        Kind::one_of(kinds)
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
        (Kind::Nullable(inner), value) => value.is_null() || is_default(inner, value),
        (Kind::Array { size, .. }, Value::Array(items)) => {
            items.is_empty() && size.least.unwrap_or_default() == 0
        }
        (Kind::Number { form: Form::Whole, .. }, value) if value.is_f64() => false,
        (kind, value) => admits(kind, value),
    }
}

/// A scalar as a kind of its own; `None` for a list or an object.
fn literal(value: &Value) -> Option<Kind> {
    match value {
        Value::Null => Some(Kind::Null),
        Value::Array(_) | Value::Object(_) => None,
        scalar => Some(Kind::Literal(vec![scalar.clone()])),
    }
}
