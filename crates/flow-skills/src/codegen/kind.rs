//! The typed model that every renderer reads: what values are, in the terms that type systems and validators share.
//! [`super::lower`] makes it from a [`Shape`].

use std::rc::Rc;

use serde_json::Value;

use crate::data::{ArrayRules, NumberRules, Shape, StringRules};

/// What values are.
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
        /// Whether it must be an integer.
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
        /// What its items are.
        item: Box<Kind>,
        /// Fewest and most items, and whether they differ; the other rules are not set.
        rules: ArrayRules,
    },
    /// A list whose items differ by position.
    Tuple {
        /// The items by position.
        items: Vec<Kind>,
        /// How many of them must be there.
        required: usize,
        /// What the items after these are; none may follow where it is absent.
        rest: Option<Box<Kind>>,
        /// The same as a shape, for a target that has no such tuple.
        shape: Rc<Shape>,
    },
    /// An object with known members.
    Object {
        /// The members.
        fields: Vec<Member>,
        /// What other members may be there.
        extra: Extra,
    },
    /// An object whose members are all alike.
    Map {
        /// What the names are, where not every string is allowed.
        key: Option<Box<Kind>>,
        /// What the values are.
        value: Box<Kind>,
        /// The same as a shape, for a target that cannot check names.
        shape: Rc<Shape>,
    },
    /// An entity of the model.
    Reference(String),
    /// What the inner kind is, or null.
    Nullable(Box<Kind>),
    /// One of several kinds.
    Union {
        /// The kinds.
        branches: Vec<Kind>,
        /// The member whose value tells which of them it is, where all are objects that have it.
        tag: Option<String>,
    },
    /// All of several kinds of objects at once.
    Intersection {
        /// The kinds.
        parts: Vec<Kind>,
        /// The same as a shape, for a target that has no intersections.
        shape: Rc<Shape>,
    },
    /// A kind that a predicate must hold for as well.
    Refined {
        /// The kind that the target checks by itself.
        base: Box<Kind>,
        /// The predicate.
        rest: Rc<Shape>,
        /// The static type, where it is narrower than that of the base.
        narrowed: Option<Box<Kind>>,
    },
}

/// What an object may have beside its known members.
#[derive(Debug, Clone, PartialEq)]
pub enum Extra {
    /// Anything: the schema says nothing of them.
    Unspecified,
    /// Anything: the schema says so.
    Allowed,
    /// Nothing.
    Forbidden,
    /// Values of one kind. The shape is that of all members, for a target that has no word for it.
    Typed(Box<Kind>, Rc<Shape>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub key: String,
    /// What it is.
    pub kind: Kind,
    /// Whether it must be there.
    pub required: bool,
    /// What it is for.
    pub description: Option<String>,
}

/// At most so many combinations of alternatives are written out.
const MOST_COMBINATIONS: usize = 32;

/// The intersections that an intersection with unions among its parts is a union of; nothing where there are no unions, or
/// too many.
pub fn products(parts: &[Kind]) -> Option<Vec<Kind>> {
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
    let shape = Rc::new(Shape::default());
    let intersection = |parts| Kind::Intersection { parts, shape: Rc::clone(&shape) };
    (products.len() > 1).then(|| products.into_iter().map(intersection).collect())
}

impl Kind {
    /// An object with any members.
    pub fn any_object() -> Self {
        let shape = Rc::new(Shape::of(crate::data::Type::Object));
        Self::Map { key: None, value: Box::new(Self::Any), shape }
    }

    /// The kind without the predicate that holds as well.
    pub fn base(&self) -> &Self {
        match self {
            Self::Refined { base, .. } => base.base(),
            other => other,
        }
    }

    /// What its values are for a type system.
    pub fn narrowed(&self) -> &Self {
        match self {
            Self::Refined { narrowed: Some(kind), .. } => kind,
            Self::Refined { base, .. } => base.narrowed(),
            other => other,
        }
    }

    /// Whether nothing is known of its values.
    pub fn is_any(&self) -> bool {
        matches!(self.narrowed(), Self::Any)
    }

    /// Whether equal values are equal by `===` in scripts, and have a hash in Python.
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

    /// The kinds that it is made of.
    fn children(&self) -> Vec<&Self> {
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

    /// The entities that it names; predicates are left out.
    pub fn references<'k>(&'k self, found: &mut Vec<&'k str>) {
        if let Self::Reference(entity) = self {
            found.push(entity);
        }
        for child in self.children() {
            child.references(found);
        }
    }
}
