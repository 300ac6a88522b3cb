//! The typed model that every writer reads: the values of an entity in the terms that type systems and validators
//! share. [`super::lower`] makes it from a [`crate::data::Shape`].

use serde_json::Value;

use crate::data::decimal::Decimal;
use crate::data::{NumberRules, StringRules};

/// A set of values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Any,
    Never,
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
    /// A list whose items differ by position. `required` is the number of items that must be there, `rest` the kind of
    /// further ones, if there may be any.
    Tuple {
        items: Vec<Kind>,
        required: usize,
        rest: Option<Box<Kind>>,
        unique: bool,
    },
    /// An object with known members.
    Object {
        fields: Vec<Member>,
        extra: Extra,
    },
    /// An object whose members have values of one kind, and names of one kind if not every string is allowed.
    Map {
        key: Option<Box<Kind>>,
        value: Box<Kind>,
    },
    /// An entity of the model.
    Reference(String),
    /// Values of the inner kind, or null.
    Nullable(Box<Kind>),
    /// One of several kinds, none of which is null.
    Union(Vec<Kind>),
    /// All of several kinds of objects, references first.
    Intersection(Vec<Kind>),
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
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Extra {
    /// Any: the schema does not restrict them.
    Unspecified,
    /// Any: the schema allows them explicitly.
    Allowed,
    Forbidden,
    /// Values of one kind.
    Typed(Box<Kind>),
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
    pub(crate) fn any_object() -> Self {
        Self::Map { key: None, value: Box::new(Self::Any) }
    }

    pub(crate) fn not_null(&self) -> &Self {
        if let Self::Nullable(inner) = self { inner } else { self }
    }

    /// Whether its values are comparable by `===` in scripts.
    pub(crate) fn is_scalar(&self) -> bool {
        match self {
            Self::Null
            | Self::Boolean
            | Self::Number { .. }
            | Self::String(_)
            | Self::Literal(_) => true,
            Self::Nullable(inner) => inner.is_scalar(),
            Self::Union(branches) => branches.iter().all(Self::is_scalar),
            _ => false,
        }
    }

    /// The kinds that it consists of.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Array { item: inner, .. } | Self::Nullable(inner) => vec![inner],
            Self::Tuple { items, rest, .. } => items.iter().chain(rest.as_deref()).collect(),
            Self::Object { fields, extra } => {
                let extra = if let Extra::Typed(kind) = extra { Some(&**kind) } else { None };
                fields.iter().map(|field| &field.kind).chain(extra).collect()
            }
            Self::Map { key, value } => key.as_deref().into_iter().chain([&**value]).collect(),
            Self::Union(parts) | Self::Intersection(parts) => parts.iter().collect(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn children_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Array { item: inner, .. } | Self::Nullable(inner) => vec![inner],
            Self::Tuple { items, rest, .. } => {
                items.iter_mut().chain(rest.as_deref_mut()).collect()
            }
            Self::Object { fields, extra } => {
                let extra = if let Extra::Typed(kind) = extra { Some(&mut **kind) } else { None };
                fields.iter_mut().map(|field| &mut field.kind).chain(extra).collect()
            }
            Self::Map { key, value } => {
                key.as_deref_mut().into_iter().chain([&mut **value]).collect()
            }
            Self::Union(parts) | Self::Intersection(parts) => parts.iter_mut().collect(),
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

    /// One of several kinds: unions among them are opened, lists of values joined, and each occurs once.
    pub(crate) fn one_of(kinds: impl IntoIterator<Item = Self>) -> Self {
        let (mut branches, mut has_null) = (Vec::new(), false);
        for kind in kinds {
            add_branch(kind, &mut branches, &mut has_null);
        }
        if branches.contains(&Self::Any) {
            return Self::Any;
        }
        let inner = match branches.len() {
            0 if has_null => return Self::Null,
            0 => return Self::Never,
            1 => branches.remove(0),
            _ => Self::Union(branches),
        };
        if has_null { Self::Nullable(Box::new(inner)) } else { inner }
    }
}

fn add_branch(kind: Kind, branches: &mut Vec<Kind>, has_null: &mut bool) {
    match kind {
        Kind::Null => *has_null = true,
        Kind::Never => {}
        Kind::Nullable(inner) => {
            *has_null = true;
            add_branch(*inner, branches, has_null);
        }
        Kind::Union(all) => {
            for branch in all {
                add_branch(branch, branches, has_null);
            }
        }
        Kind::Literal(values) => {
            let listed = branches.iter_mut().find_map(|branch| match branch {
                Kind::Literal(listed) => Some(listed),
                _ => None,
            });
            match listed {
                Some(listed) => {
                    let fresh = values.into_iter().filter(|value| !listed.contains(value));
                    listed.extend(fresh.collect::<Vec<_>>());
                }
                None => branches.push(Kind::Literal(values)),
            }
        }
        kind if branches.contains(&kind) => {}
        kind => branches.push(kind),
    }
}
