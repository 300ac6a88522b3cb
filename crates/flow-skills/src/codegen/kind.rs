//! The typed model that every renderer reads: the values of an entity in the terms that type systems and validators
//! share. [`super::lower`] makes it from a [`Shape`].

use std::rc::Rc;

use indexmap::IndexMap;
use serde_json::Value;

use crate::data::{ArrayRules, NumberRules, Shape, StringRules};

/// A set of values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Any,
    Never,
    Null,
    Boolean,
    /// A number; an integer if it must be whole.
    Number {
        whole: bool,
        rules: NumberRules,
    },
    String(StringRules),
    /// One of these booleans, numbers and strings.
    Literal(Vec<Value>),
    /// Of the rules only the number of items and whether they must be distinct are set.
    Array {
        item: Box<Kind>,
        rules: ArrayRules,
    },
    /// A list whose items differ by position. `required` is the number of items that must be there, `rest` the kind of
    /// further ones, if there may be any; `shape` is the same for a target without such tuples.
    Tuple {
        items: Vec<Kind>,
        required: usize,
        rest: Option<Box<Kind>>,
        shape: Rc<Shape>,
    },
    /// An object with known members.
    Object {
        fields: Vec<Member>,
        extra: Extra,
    },
    /// An object whose members have values of one kind, and names of one kind if not every string is allowed. `shape` is
    /// the same for a target that cannot check names.
    Map {
        key: Option<Box<Kind>>,
        value: Box<Kind>,
        shape: Rc<Shape>,
    },
    /// An entity of the model.
    Reference(String),
    /// Values of the inner kind, or null.
    Nullable(Box<Kind>),
    /// One of several kinds. `tag` is the member whose value distinguishes them, if all are objects with such a member.
    Union {
        branches: Vec<Kind>,
        tag: Option<String>,
    },
    /// All of several kinds of objects at once; `shape` is the same for a target without intersections.
    Intersection {
        parts: Vec<Kind>,
        shape: Rc<Shape>,
    },
    /// A kind that the target checks without a predicate, with a predicate. `narrowed` is the static type, if it is
    /// narrower than that of the base.
    Refined {
        base: Box<Kind>,
        rest: Rc<Shape>,
        narrowed: Option<Box<Kind>>,
    },
}

/// The members that an object may have besides its known ones.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Extra {
    /// Any: the schema does not restrict them.
    Unspecified,
    /// Any: the schema allows them explicitly.
    Allowed,
    Forbidden,
    /// Values of one kind. The shape is that of the whole object, for a target that cannot express it.
    Typed(Box<Kind>, Rc<Shape>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) key: String,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    /// Its description in the schema.
    pub(crate) description: Option<String>,
}

/// Largest number of combinations of alternatives that are written out.
const MOST_COMBINATIONS: usize = 32;

/// The union of intersections that equals an intersection of unions, which has this shape; `None` if there are no
/// unions, or too many combinations.
pub(crate) fn products(parts: &[Kind], shape: &Rc<Shape>) -> Option<Vec<Kind>> {
    let mut products: Vec<Vec<Kind>> = vec![Vec::new()];
    for part in parts {
        let branches = match part {
            Kind::Union { branches, .. } => branches.as_slice(),
            one => std::slice::from_ref(one),
        };
        if products.len() * branches.len() > MOST_COMBINATIONS {
            return None;
        }
        let with = |product: &Vec<Kind>, branch: &Kind| {
            [product.as_slice(), std::slice::from_ref(branch)].concat()
        };
        products = products
            .iter()
            .flat_map(|product| branches.iter().map(move |branch| with(product, branch)))
            .collect();
    }
    let intersection = |parts| Kind::Intersection { parts, shape: Rc::clone(shape) };
    (products.len() > 1).then(|| products.into_iter().map(intersection).collect())
}

/// The members of several objects of which all must hold, each name once; `None` if there is no kind for a member
/// that several of them have.
pub(crate) fn all_members<'k>(parts: impl IntoIterator<Item = &'k Member>) -> Option<Vec<Member>> {
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
pub(crate) fn both(a: &Kind, b: &Kind) -> Option<Kind> {
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
    pub(crate) fn any_object() -> Self {
        let shape = Rc::new(Shape::of(crate::data::Type::Object));
        Self::Map { key: None, value: Box::new(Self::Any), shape }
    }

    /// The kind without its additional predicate.
    pub(crate) fn base(&self) -> &Self {
        match self {
            Self::Refined { base, .. } => base.base(),
            other => other,
        }
    }

    pub(crate) fn not_null(&self) -> &Self {
        if let Self::Nullable(inner) = self { inner } else { self }
    }

    /// Its static type.
    pub(crate) fn narrowed(&self) -> &Self {
        match self {
            Self::Refined { narrowed: Some(kind), .. } => kind,
            Self::Refined { base, .. } => base.narrowed(),
            other => other,
        }
    }

    /// Whether its values are comparable by `===` in scripts, and hashable in Python.
    pub(crate) fn is_scalar(&self) -> bool {
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
    pub(crate) fn children(&self) -> Vec<&Self> {
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
    pub(crate) fn references<'k>(&'k self, found: &mut Vec<&'k str>) {
        if let Self::Reference(entity) = self {
            found.push(entity);
        }
        for child in self.children() {
            child.references(found);
        }
    }
}
