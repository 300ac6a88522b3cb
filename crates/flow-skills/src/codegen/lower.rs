//! Lowers shapes to [`Kind`]s. A keyword that no kind expresses is recorded in [`Unchecked`]: a validator checks less
//! than the schema then. It checks more in one case: `properties` without a type mean an object.

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::kind::{Extra, Form, Kind, Member, Size, admits, are_disjoint};
use super::language::quote;
use super::meet;
use super::unchecked::{DEFAULT, Unchecked};
use crate::data::decimal::Decimal;
use crate::data::in_place::names_of;
use crate::data::{
    ArrayRules, Entity, Model, NumberRules, ObjectRules, Relation, Shape, StringRules, Type,
};
use crate::reach::finishing_order;

/// Formats that some library has a word for.
const FORMATS: [&str; 8] = ["date-time", "date", "time", "email", "uuid", "uri", "ipv4", "ipv6"];
/// Formats that the type of a number implies.
const NUMERIC: [&str; 4] = ["int32", "int64", "float", "double"];
/// Largest number of parts of an entity that is copied into another one.
const MOST_COPIED: usize = 1_000;
const ALL_TYPES: [Type; 6] =
    [Type::Null, Type::Boolean, Type::Number, Type::String, Type::Array, Type::Object];

/// Lowers the shapes of a model.
struct Lowering<'m> {
    unchecked: &'m Unchecked,
    /// The entities that are lowered already.
    done: IndexMap<&'m str, Kind>,
}

/// The entities of a model as kinds.
pub(crate) fn entities<'m>(model: &'m Model, unchecked: &'m Unchecked) -> IndexMap<&'m str, Kind> {
    let mut lowering = Lowering { unchecked, done: IndexMap::new() };
    // Each comes after those that are parts of it, as far as possible.
    for at in finishing_order(&combined_references(model)) {
        let Some((name, entity)) = model.entities.get_index(at) else { continue };
        unchecked.enter(name);
        let mut kind = lowering.shape(&entity.shape);
        if let (Kind::Object { fields, .. }, Some(table)) = (&mut kind, &entity.table) {
            for member in fields {
                refer(member, &table.relations);
            }
        }
        lowering.done.insert(name, kind);
    }
    lowering.done.sort_by_key(|name, _| model.entities.get_index_of(*name));
    lowering.done
}

/// Says which entity a member refers to, if neither its name nor its description does.
fn refer(member: &mut Member, relations: &[Relation]) {
    let is_own = |relation: &&Relation| relation.columns == [member.key.as_str()];
    let Some(Relation { to, to_columns, .. }) = relations.iter().find(is_own) else { return };
    let [column] = to_columns.as_slice() else { return };
    let key = member.key.to_lowercase();
    if member.description.is_none() && !key.ends_with(&column.to_lowercase()) {
        member.description = Some(format!("Refers to {to}.{column}"));
    }
}

/// For each entity those that it combines with something else.
fn combined_references(model: &Model) -> Vec<Vec<usize>> {
    let is_combined = |shape: &&Shape| {
        let is_ruled = !shape.types.is_empty() || has_rules(shape);
        let others = [is_ruled, !shape.any_of.is_empty(), !shape.one_of.is_empty()];
        let others = others.into_iter().filter(|is_there| *is_there).count();
        others + shape.all_of.len() + usize::from(shape.reference.is_some()) > 1
    };
    let parts = |entity: &Entity| {
        let combined = entity.shape.all().filter(is_combined);
        let mut names = Vec::new();
        combined.for_each(|shape| names_of(shape, &mut names));
        names.into_iter().filter_map(|name| model.entities.get_index_of(name)).collect()
    };
    model.entities.values().map(parts).collect()
}

impl Lowering<'_> {
    fn shape(&self, shape: &Shape) -> Kind {
        if shape.never {
            self.unchecked.add("false");
        }
        let words = shape.unchecked.iter().chain(&shape.annotations);
        words.for_each(|keyword| self.unchecked.add(keyword));
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
            parts = parts.iter().map(|part| self.opened(part)).collect();
        }
        meet::all(parts, self.unchecked)
    }

    /// A kind beside others: references are replaced by the kinds of their entities.
    fn opened(&self, part: &Kind) -> Kind {
        match self.target(part) {
            Kind::Nullable(inner) => Kind::one_of([Kind::Null, self.opened(inner)]),
            Kind::Union(all) => Kind::one_of(all.iter().map(|branch| self.target(branch).clone())),
            other => other.clone(),
        }
    }

    /// The kind of the entity that a kind refers to, unless it is not lowered yet or too large to be copied.
    fn target<'k>(&'k self, mut kind: &'k Kind) -> &'k Kind {
        while let Kind::Reference(name) = kind
            && let Some(next) = self.done.get(name.as_str())
            && next.count() <= MOST_COPIED
        {
            kind = next;
        }
        kind
    }

    /// What the types, the listed values and the rules of a shape itself allow.
    fn of_keywords(&self, shape: &Shape) -> Kind {
        let lists_members = !shape.object.properties.is_empty() && shape.reference.is_none();
        let mut types = shape.types.clone();
        if types.is_empty() && lists_members {
            // As authors usually mean the schema.
            types.push(Type::Object);
        }
        if types.contains(&Type::Number) {
            types.retain(|kind| *kind != Type::Integer);
        }
        if types.is_empty() {
            self.note_format(&shape.string);
            if has_rules(shape) {
                types = ALL_TYPES.to_vec();
            }
        }
        let mut parts = Vec::new();
        if !types.is_empty() {
            let all = Kind::one_of(types.into_iter().map(|kind| self.typed(kind, shape)));
            parts.extend(
                Some(all).filter(|kind| *kind != Kind::one_of(ALL_TYPES.map(Kind::of_type))),
            );
        }
        let constant = shape.constant.as_ref().map(std::slice::from_ref);
        for (word, values) in [("enum", shape.enumeration.as_deref()), ("const", constant)] {
            let Some(values) = values else { continue };
            match values.iter().map(literal).collect::<Option<Vec<Kind>>>() {
                Some(kinds) if !kinds.is_empty() => parts.push(Kind::one_of(kinds)),
                _ => self.unchecked.add(word),
            }
        }
        if parts.len() > 1 && shape.string.pattern.is_some() {
            self.unchecked.add("pattern");
        }
        meet::all(parts, self.unchecked)
    }

    /// Records a format that nothing checks.
    fn note_format(&self, rules: &StringRules) {
        let format = rules.format.as_deref().filter(|_| known_format(rules).is_none());
        if let Some(format) = format.filter(|format| !NUMERIC.contains(format)) {
            self.unchecked.add(&format!("format {}", quote(format)));
        }
    }

    /// The kind of one type, with its rules.
    fn typed(&self, kind: Type, shape: &Shape) -> Kind {
        match kind {
            Type::Null => Kind::Null,
            Type::Boolean => Kind::Boolean,
            Type::Integer | Type::Number => {
                let format = shape.string.format.as_deref().unwrap_or_default();
                let form = if kind == Type::Number && format.starts_with("decimal") {
                    Form::Decimal(Decimal::of_format(format))
                } else {
                    self.note_format(&shape.string);
                    if kind == Type::Integer { Form::Whole } else { Form::Any }
                };
                Kind::Number { form, rules: shape.number.clone() }
            }
            Type::String => {
                self.note_format(&shape.string);
                Kind::String(checked(&shape.string))
            }
            Type::Array => self.array(&shape.array),
            Type::Object => self.object(&shape.object),
        }
    }

    fn array(&self, rules: &ArrayRules) -> Kind {
        let ArrayRules { items, prefix_items, min_items, max_items, unique_items } = rules;
        let count = Some(prefix_items.len() as u64);
        let is_closed = items.as_ref().is_some_and(|rest| rest.never);
        let most = max_items.or(count.filter(|_| is_closed));
        let item = match items {
            _ if !prefix_items.is_empty() && *min_items == count && most == count => {
                if *unique_items {
                    self.unchecked.add("uniqueItems");
                }
                return Kind::Tuple(prefix_items.iter().map(|shape| self.shape(shape)).collect());
            }
            // Items that differ by position have no kind where their number is not fixed.
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

    fn object(&self, rules: &ObjectRules) -> Kind {
        let keys: IndexSet<&String> = rules.properties.keys().chain(&rules.required).collect();
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

    fn member(&self, key: &str, rules: &ObjectRules) -> Member {
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
    fn exactly_one(&self, branches: &[Shape]) -> Kind {
        const MOST: usize = 100;
        let kinds: Vec<Kind> = branches.iter().map(|branch| self.shape(branch)).collect();
        let all: Vec<&Kind> = kinds.iter().map(|kind| self.target(kind)).collect();
        let meets = |(at, one): (usize, &&Kind)| {
            all[at + 1..].iter().any(|other| !are_disjoint(one, other))
        };
        if all.len() > MOST || all.iter().enumerate().any(meets) {
            self.unchecked.add("oneOf");
        }
        Kind::one_of(kinds)
    }
}

/// Whether a shape restricts the values of some type.
fn has_rules(shape: &Shape) -> bool {
    shape.number != NumberRules::default()
        || checked(&shape.string) != StringRules::default()
        || shape.array != ArrayRules::default()
        || shape.object != ObjectRules::default()
}

/// The rules of strings without a format that no library has a word for.
fn checked(rules: &StringRules) -> StringRules {
    StringRules { format: known_format(rules), ..rules.clone() }
}

fn known_format(rules: &StringRules) -> Option<String> {
    rules.format.clone().filter(|format| FORMATS.contains(&format.as_str()))
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
