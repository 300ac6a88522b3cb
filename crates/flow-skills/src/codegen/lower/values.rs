//! Lowers types, `enum` and `const`, and unions of kinds.

use std::rc::Rc;

use serde_json::Value;

use super::{Lowering, Parts, Purpose, outline};
use crate::codegen::kind::{self, Extra, Kind, Member};
use crate::data::{Shape, Type};

impl Lowering<'_> {
    /// Adds the kinds that the types and the lists of values allow.
    pub(super) fn values(self, whole: &Shape, parts: &mut Parts) {
        let rules = Shape {
            types: whole.types.clone(),
            number: whole.number.clone(),
            string: whole.string.clone(),
            array: whole.array.clone(),
            object: whole.object.clone(),
            ..Shape::default()
        };
        if let Some(kind) = self.listed(whole, &mut parts.rest) {
            parts.kinds.push((kind, rules.clone()));
            parts.rest = Shape { types: Vec::new(), ..rules };
            return;
        }
        let mut types = whole.types.clone();
        let lists_members = !whole.object.properties.is_empty() && whole.reference.is_none();
        if types.is_empty() && self.purpose.implies_types() && lists_members {
            types.push(Type::Object);
        }
        if types.contains(&Type::Number) {
            types.retain(|kind| *kind != Type::Integer);
        }
        if types.is_empty() {
            let (enumeration, constant) =
                (parts.rest.enumeration.take(), parts.rest.constant.take());
            parts.rest = Shape { enumeration, constant, ..rules };
            return;
        }
        let kinds: Vec<Kind> =
            types.into_iter().map(|kind| self.typed(kind, &rules, &mut parts.rest)).collect();
        parts.kinds.push((self.one_of(kinds), rules));
    }

    /// The values of `enum` and `const`; `rest` keeps those that need a predicate.
    fn listed(self, whole: &Shape, rest: &mut Shape) -> Option<Kind> {
        let constant = whole.constant.as_ref();
        let values = match (&whole.enumeration, constant) {
            (Some(values), _) => values.as_slice(),
            (None, Some(one)) => std::slice::from_ref(one),
            (None, None) => return None,
        };
        let is_fitting = |value: &&Value| {
            fits(value, &whole.types) && constant.is_none_or(|one| equal(value, one))
        };
        let fitting: Vec<&Value> = values.iter().filter(is_fitting).collect();
        let is_text = |value: &&Value| value.is_string() || value.is_null();
        let is_native = !fitting.is_empty() && fitting.iter().all(is_text);
        if self.purpose == Purpose::Exact && !is_native {
            rest.enumeration.clone_from(&whole.enumeration);
            rest.constant.clone_from(&whole.constant);
            return None;
        }
        Some(self.one_of(fitting.into_iter().map(literal).collect()))
    }

    pub(super) fn one_of(self, kinds: Vec<Kind>) -> Kind {
        let mut union = Branches::default();
        for kind in kinds {
            union.add(kind);
        }
        let Branches { mut kinds, null } = union;
        if kinds.contains(&Kind::Any) {
            return Kind::Any;
        }
        let inner = match kinds.len() {
            0 if null => return Kind::Null,
            0 => return Kind::Never,
            1 => kinds.remove(0),
            _ => {
                let exact = self.purpose == Purpose::Exact;
                let tag = if exact { None } else { self.tag(&kinds) };
                Kind::Union { branches: kinds, tag }
            }
        };
        if null { Kind::Nullable(Box::new(inner)) } else { inner }
    }

    /// The member that distinguishes the branches of a union: required in each, with disjoint strings.
    fn tag(self, branches: &[Kind]) -> Option<String> {
        let fields: Vec<Vec<Member>> =
            branches.iter().map(|branch| self.fields(branch)).collect::<Option<_>>()?;
        let words = |fields: &[Member], key: &str| {
            let field = fields.iter().find(|field| field.key == key && field.required)?;
            let Kind::Literal(words) = &field.kind else { return None };
            words.iter().all(Value::is_string).then(|| words.clone())
        };
        let is_tag = |key: &str| {
            let mut seen: Vec<Value> = Vec::new();
            fields.iter().all(|fields| {
                let Some(words) = words(fields, key) else { return false };
                let is_new = words.iter().all(|word| !seen.contains(word));
                seen.extend(words);
                is_new
            })
        };
        let first = fields.first()?;
        first.iter().map(|field| &field.key).find(|key| is_tag(key)).cloned()
    }

    /// The members of an object, through references.
    fn fields(self, kind: &Kind) -> Option<Vec<Member>> {
        match kind {
            Kind::Object { fields, .. } => Some(fields.clone()),
            Kind::Intersection { parts, .. } => {
                let parts = parts.iter().map(|part| self.fields(part));
                kind::all_members(&parts.collect::<Option<Vec<_>>>()?.concat())
            }
            Kind::Reference(entity) => self.fields_of(entity),
            _ => None,
        }
    }

    fn fields_of(self, entity: &str) -> Option<Vec<Member>> {
        let (shape, inner) = self.follow(entity)?;
        if let Some(known) = self.known.members.borrow().get(entity) {
            return known.clone();
        }
        // Only the types of the members are needed, not their contents.
        let shallow = Self { purpose: Purpose::Types, ..inner };
        let fields = shallow.fields(&shallow.shape(&outline::members(shape)));
        self.known.members.borrow_mut().insert(entity.to_owned(), fields.clone());
        fields
    }
}

#[derive(Default)]
struct Branches {
    kinds: Vec<Kind>,
    null: bool,
}

impl Branches {
    fn add(&mut self, kind: Kind) {
        match kind {
            Kind::Null => self.null = true,
            Kind::Never => {}
            Kind::Nullable(inner) => {
                self.null = true;
                self.add(*inner);
            }
            Kind::Union { branches, .. } => branches.into_iter().for_each(|kind| self.add(kind)),
            Kind::Literal(values) => {
                let is_literal = |kind: &Kind| matches!(kind, Kind::Literal(_));
                let at = self.kinds.iter().position(is_literal);
                match at.map(|at| &mut self.kinds[at]) {
                    Some(Kind::Literal(own)) => {
                        let fresh = values.into_iter().filter(|value| !own.contains(value));
                        own.extend(fresh.collect::<Vec<_>>());
                    }
                    _ => self.kinds.push(Kind::Literal(values)),
                }
            }
            kind if self.kinds.contains(&kind) => {}
            kind => self.kinds.push(kind),
        }
    }
}

fn literal(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Array(items) => Kind::Tuple {
            items: items.iter().map(literal).collect(),
            required: items.len(),
            rest: None,
            shape: Rc::new(Shape { constant: Some(value.clone()), ..Shape::default() }),
        },
        Value::Object(map) => {
            let member = |(key, value): (&String, &Value)| Member {
                key: key.clone(),
                kind: literal(value),
                required: true,
                description: None,
            };
            Kind::Object { fields: map.iter().map(member).collect(), extra: Extra::Forbidden }
        }
        scalar => Kind::Literal(vec![scalar.clone()]),
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

/// Whether a value is of one of the types; all are allowed if there are none.
fn fits(value: &Value, types: &[Type]) -> bool {
    types.is_empty()
        || types.iter().any(|kind| match kind {
            Type::Null => value.is_null(),
            Type::Boolean => value.is_boolean(),
            Type::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Type::Number => value.is_number(),
            Type::String => value.is_string(),
            Type::Array => value.is_array(),
            Type::Object => value.is_object(),
        })
}
