//! The typed model that every writer reads: the values of an entity in the terms that type systems and validators
//! share. [`super::lower`] makes it from a [`crate::data::Shape`].

use std::collections::VecDeque;

use indexmap::IndexSet;
use serde_json::{Number, Value};

use crate::data::decimal::Decimal;
use crate::data::{NumberRules, StringRules, Type};

/// A set of values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Any,
    Null,
    Boolean,
    Number {
        form: Form,
        rules: NumberRules,
    },
    String(StringRules),
    /// One of these booleans, numbers and strings.
    Literal(Vec<Value>),
    Array {
        item: Box<Kind>,
        size: Size,
    },
    /// A list of as many items, each of its own kind.
    Tuple(Vec<Kind>),
    /// An object with known members.
    Object {
        fields: Vec<Member>,
        extra: Extra,
    },
    /// An object whose members have values of one kind.
    Map(Box<Kind>),
    /// An entity of the model.
    Reference(String),
    /// Values of the inner kind, or null.
    Nullable(Box<Kind>),
    /// One of several kinds, none of which is null.
    Union(Vec<Kind>),
}

/// The form of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Any,
    Whole,
    /// Decimal numbers, with their digits if they are known.
    Decimal(Option<Decimal>),
}

/// The number of items of an array, and whether they must be distinct.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) least: Option<u64>,
    pub(crate) most: Option<u64>,
    pub(crate) unique: bool,
}

/// The members that an object may have besides its known ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    /// Any: the schema does not restrict them.
    Unspecified,
    /// Any: the schema allows them explicitly.
    Allowed,
    Forbidden,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// What it is if it is left out: a scalar of its kind, or an empty list.
    pub(crate) default: Option<Value>,
    /// Its description in the schema.
    pub(crate) description: Option<String>,
}

impl Kind {
    /// All values of a type.
    pub(super) fn of_type(kind: Type) -> Self {
        match kind {
            Type::Null => Self::Null,
            Type::Boolean => Self::Boolean,
            Type::Integer => Self::Number { form: Form::Whole, rules: NumberRules::default() },
            Type::Number => Self::Number { form: Form::Any, rules: NumberRules::default() },
            Type::String => Self::String(StringRules::default()),
            Type::Array => Self::Array { item: Box::new(Self::Any), size: Size::default() },
            Type::Object => Self::any_object(),
        }
    }

    pub(crate) fn any_object() -> Self {
        Self::Map(Box::new(Self::Any))
    }

    /// An object; a map of anything, if nothing is known of its members.
    pub(crate) fn object(fields: Vec<Member>, extra: Extra) -> Self {
        match extra {
            Extra::Unspecified | Extra::Allowed if fields.is_empty() => Self::any_object(),
            extra => Self::Object { fields, extra },
        }
    }

    pub(crate) fn not_null(&self) -> &Self {
        if let Self::Nullable(inner) = self { inner } else { self }
    }

    /// The kinds that it consists of.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Array { item: inner, .. } | Self::Map(inner) | Self::Nullable(inner) => {
                vec![inner]
            }
            Self::Object { fields, .. } => fields.iter().map(|field| &field.kind).collect(),
            Self::Tuple(parts) | Self::Union(parts) => parts.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The entities that it refers to.
    pub(crate) fn references<'k>(&'k self, names: &mut Vec<&'k str>) {
        if let Self::Reference(entity) = self {
            names.push(entity);
        }
        for child in self.children() {
            child.references(names);
        }
    }

    /// The number of kinds in it.
    pub(crate) fn count(&self) -> usize {
        1 + self.children().into_iter().map(Self::count).sum::<usize>()
    }

    /// One of several kinds: unions among them are opened, lists of values joined, and each occurs once.
    pub(crate) fn one_of(kinds: impl IntoIterator<Item = Self>) -> Self {
        let mut open: VecDeque<Self> = kinds.into_iter().collect();
        let (mut all, mut literals, mut has_null) = (Vec::new(), IndexSet::new(), false);
        while let Some(kind) = open.pop_front() {
            match kind {
                Self::Any => return Self::Any,
                Self::Null => has_null = true,
                Self::Nullable(inner) => {
                    has_null = true;
                    open.push_front(*inner);
                }
                Self::Union(branches) => {
                    branches.into_iter().rev().for_each(|branch| open.push_front(branch));
                }
                Self::Literal(values) => {
                    if literals.is_empty() {
                        all.push(Self::Literal(Vec::new()));
                    }
                    literals.extend(values);
                }
                kind if all.contains(&kind) => {}
                kind => all.push(kind),
            }
        }
        if let Some(listed) = all.iter_mut().find(|kind| matches!(kind, Self::Literal(_))) {
            *listed = Self::Literal(literals.into_iter().collect());
        }
        let inner = match all.len() {
            0 if has_null => return Self::Null,
            0 => return Self::Any,
            1 => all.remove(0),
            _ => Self::Union(all),
        };
        if has_null { Self::Nullable(Box::new(inner)) } else { inner }
    }
}

/// Whether it is known that no value is of both kinds: they are of different types, or a required member has no value of both.
pub(super) fn are_disjoint(a: &Kind, b: &Kind) -> bool {
    let is_open = |kind: &Kind| {
        matches!(kind, Kind::Any | Kind::Reference(_) | Kind::Nullable(_) | Kind::Union(_))
    };
    match (a, b) {
        _ if is_open(a) || is_open(b) => false,
        (Kind::Literal(values), other) | (other, Kind::Literal(values)) => {
            !values.iter().any(|value| admits(other, value))
        }
        (Kind::Object { fields, .. }, Kind::Object { fields: others, .. }) => {
            fields.iter().any(|field| {
                let same = others.iter().find(|other| other.key == field.key);
                same.is_some_and(|other| {
                    (field.required || other.required) && are_disjoint(&field.kind, &other.kind)
                })
            })
        }
        _ => group(a) != group(b),
    }
}

/// The type of the values of a plain kind.
fn group(kind: &Kind) -> u8 {
    match kind {
        Kind::Null => 0,
        Kind::Boolean => 1,
        Kind::Number { .. } => 2,
        Kind::String(_) => 3,
        Kind::Array { .. } | Kind::Tuple(_) => 4,
        _ => 5,
    }
}

/// Whether a kind has a scalar value, as far as is known without its pattern and format.
pub(super) fn admits(kind: &Kind, value: &Value) -> bool {
    match (kind, value) {
        (Kind::Literal(values), _) => values.contains(value),
        (Kind::Boolean, Value::Bool(_)) => true,
        (Kind::String(rules), Value::String(text)) => {
            let count = text.chars().count() as u64;
            rules.min_length.is_none_or(|least| count >= least)
                && rules.max_length.is_none_or(|most| count <= most)
        }
        (Kind::Number { form, rules }, Value::Number(number)) => {
            let Some(number) = number.as_f64() else { return true };
            let holds = |bound: &Option<Number>, holds: fn(f64, f64) -> bool| {
                bound.as_ref().and_then(Number::as_f64).is_none_or(|bound| holds(number, bound))
            };
            (*form != Form::Whole || number.fract() == 0.0)
                && holds(&rules.minimum, |value, bound| value >= bound)
                && holds(&rules.maximum, |value, bound| value <= bound)
                && holds(&rules.exclusive_minimum, |value, bound| value > bound)
                && holds(&rules.exclusive_maximum, |value, bound| value < bound)
        }
        _ => false,
    }
}
