//! The typed model that every renderer reads: the values of an entity in the terms that type systems and validators
//! share. [`super::lower`] makes it from a [`Shape`].

use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::Value;

use crate::data::{ArrayRules, NumberRules, Shape, StringRules};

/// A set of values.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Any value.
    Any,
    /// No value.
    Never,
    /// Only null.
    Null,
    /// True or false.
    Boolean,
    /// A number.
    Number {
        /// Whether only integers are allowed.
        whole: bool,
        /// Its bounds.
        rules: NumberRules,
    },
    /// A string.
    String(StringRules),
    /// One of these booleans, numbers and strings.
    Literal(Vec<Value>),
    /// A list.
    Array {
        /// The kind of its items.
        item: Box<Kind>,
        /// Smallest and largest number of items, and whether they must be distinct; the other rules are not set.
        rules: ArrayRules,
    },
    /// A list whose items differ by position.
    Tuple {
        /// The items by position.
        items: Vec<Kind>,
        /// Number of items that are required.
        required: usize,
        /// The kind of further items; if absent, there must be none.
        rest: Option<Box<Kind>>,
        /// The same as a shape, for a target without such tuples.
        shape: Rc<Shape>,
    },
    /// An object with known members.
    Object {
        /// The members.
        fields: Vec<Member>,
        /// Whether other members are allowed.
        extra: Extra,
    },
    /// An object whose members have values of one kind.
    Map {
        /// The kind of the names, if not every string is allowed.
        key: Option<Box<Kind>>,
        /// The kind of the values.
        value: Box<Kind>,
        /// The same as a shape, for a target that cannot check names.
        shape: Rc<Shape>,
    },
    /// An entity of the model.
    Reference(String),
    /// Values of the inner kind, or null.
    Nullable(Box<Kind>),
    /// One of several kinds.
    Union {
        /// The kinds.
        branches: Vec<Kind>,
        /// The member whose value distinguishes the kinds, if all are objects with such a member.
        tag: Option<String>,
    },
    /// All of several kinds of objects at once.
    Intersection {
        /// The kinds.
        parts: Vec<Kind>,
        /// The same as a shape, for a target without intersections.
        shape: Rc<Shape>,
    },
    /// A kind with an additional predicate.
    Refined {
        /// The kind that the target checks without a predicate.
        base: Box<Kind>,
        /// The predicate.
        rest: Rc<Shape>,
        /// The static type, if it is narrower than that of the base.
        narrowed: Option<Box<Kind>>,
    },
}

/// The members that an object may have besides its known ones.
#[derive(Debug, Clone, PartialEq)]
pub enum Extra {
    /// Any: the schema does not restrict them.
    Unspecified,
    /// Any: the schema allows them explicitly.
    Allowed,
    /// None.
    Forbidden,
    /// Values of one kind. The shape is that of the whole object, for a target that cannot express it.
    Typed(Box<Kind>, Rc<Shape>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub key: String,
    /// The kind of its value.
    pub kind: Kind,
    /// Whether it is required.
    pub required: bool,
    /// Its description in the schema.
    pub description: Option<String>,
}

/// Largest number of combinations of alternatives that are written out.
const MOST_COMBINATIONS: usize = 32;

/// The union of intersections that equals an intersection of unions, which has this shape; `None` if there are no
/// unions, or too many combinations.
pub fn products(parts: &[Kind], shape: &Rc<Shape>) -> Option<Vec<Kind>> {
    let mut products: Vec<Vec<Kind>> = vec![Vec::new()];
    for part in parts {
        let branches = match part {
            Kind::Union { branches, .. } => branches.as_slice(),
            one => std::slice::from_ref(one),
        };
        if products.len() * branches.len() > MOST_COMBINATIONS {
            return None;
        }
        let extended = products.iter().flat_map(|product| {
            branches
                .iter()
                .map(|branch| [product.as_slice(), std::slice::from_ref(branch)].concat())
        });
        products = extended.collect();
    }
    let intersection = |parts| Kind::Intersection { parts, shape: Rc::clone(shape) };
    (products.len() > 1).then(|| products.into_iter().map(intersection).collect())
}

/// The members of several objects of which all must hold, each name once; `None` if there is no kind for a member
/// that several of them have.
pub fn all_members<'k>(parts: impl IntoIterator<Item = &'k Member>) -> Option<Vec<Member>> {
    let mut all: IndexMap<&str, Member> = IndexMap::new();
    for member in parts {
        if let Some(known) = all.get_mut(member.key.as_str()) {
            known.kind = both(&known.kind, &member.kind)?;
            known.required |= member.required;
        } else {
            all.insert(&member.key, member.clone());
        }
    }
    Some(all.into_values().collect())
}

/// The kind of the values that two kinds allow, if there is one.
pub fn both(a: &Kind, b: &Kind) -> Option<Kind> {
    let is_text = |kind: &Kind| match kind {
        Kind::String(_) => true,
        Kind::Literal(values) => values.iter().all(Value::is_string),
        _ => false,
    };
    match (a, b) {
        _ if a == b => Some(a.clone()),
        (Kind::Any, other) | (other, Kind::Any) => Some(other.clone()),
        (Kind::String(rules), other) | (other, Kind::String(rules))
            if *rules == StringRules::default() && is_text(other) =>
        {
            Some(other.clone())
        }
        (Kind::Literal(own), Kind::Literal(other)) => {
            let shared = own.iter().filter(|value| other.contains(value));
            let shared: Vec<Value> = shared.cloned().collect();
            (!shared.is_empty()).then_some(Kind::Literal(shared))
        }
        _ => None,
    }
}

impl Kind {
    /// An object with any members.
    pub fn any_object() -> Self {
        let shape = Rc::new(Shape::of(crate::data::Type::Object));
        Self::Map { key: None, value: Box::new(Self::Any), shape }
    }

    /// The kind without its additional predicate.
    pub fn base(&self) -> &Self {
        match self {
            Self::Refined { base, .. } => base.base(),
            other => other,
        }
    }

    /// Its static type.
    pub fn narrowed(&self) -> &Self {
        match self {
            Self::Refined { narrowed: Some(kind), .. } => kind,
            Self::Refined { base, .. } => base.narrowed(),
            other => other,
        }
    }

    /// Whether its values are comparable by `===` in scripts, and hashable in Python.
    pub fn is_scalar(&self) -> bool {
        match self.base() {
            Self::Null
            | Self::Boolean
            | Self::Number { .. }
            | Self::String(_)
            | Self::Literal(_) => true,
            Self::Nullable(inner) => inner.is_scalar(),
            _ => false,
        }
    }

    /// The kinds that it consists of.
    pub fn children(&self) -> Vec<&Self> {
        match self {
            Self::Array { item: inner, .. } | Self::Nullable(inner) => vec![inner],
            Self::Refined { base, narrowed, .. } => {
                [&**base].into_iter().chain(narrowed.as_deref()).collect()
            }
            Self::Tuple { items, rest, .. } => items.iter().chain(rest.as_deref()).collect(),
            Self::Object { fields, extra } => {
                let extra = if let Extra::Typed(kind, _) = extra { Some(&**kind) } else { None };
                fields.iter().map(|field| &field.kind).chain(extra).collect()
            }
            Self::Map { key, value, .. } => key.as_deref().into_iter().chain([&**value]).collect(),
            Self::Union { branches, .. } => branches.iter().collect(),
            Self::Intersection { parts, .. } => parts.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The entities that it refers to, without those in predicates.
    pub fn references<'k>(&'k self, found: &mut Vec<&'k str>) {
        if let Self::Reference(entity) = self {
            found.push(entity);
        }
        for child in self.children() {
            child.references(found);
        }
    }
}
