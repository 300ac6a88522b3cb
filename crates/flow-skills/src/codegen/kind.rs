//! The typed model that every writer reads: the values of an entity in the terms that type systems and validators
//! share. [`super::lower`] makes it from a [`crate::data::Shape`].

use std::cell::Cell;
use std::collections::VecDeque;

use indexmap::IndexMap;
use serde_json::{Number, Value};

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

/// Largest number of branches of a union that an intersection of unions becomes.
const MOST_BRANCHES: usize = 256;
/// Largest number of pairs of kinds that are compared for one entity: combinations of combinations are many.
const MOST_PAIRS: usize = 20_000;

/// Computes intersections, up to a number of pairs. A reference within an intersection is always to an object.
#[derive(Debug)]
pub(crate) struct Meeting {
    left: Cell<usize>,
}

impl Default for Meeting {
    fn default() -> Self {
        Self { left: Cell::new(MOST_PAIRS) }
    }
}

impl Meeting {
    /// The values that all of the kinds allow.
    pub(crate) fn all(&self, kinds: impl IntoIterator<Item = Kind>) -> Kind {
        let mut parts: Vec<Kind> = Vec::new();
        let mut waiting: VecDeque<Kind> = VecDeque::new();
        let open = |kind: Kind, waiting: &mut VecDeque<Kind>| match kind {
            Kind::Intersection(parts) => waiting.extend(parts),
            one => waiting.push_back(one),
        };
        kinds.into_iter().for_each(|kind| open(kind, &mut waiting));
        while let Some(kind) = waiting.pop_front() {
            let both = |(at, part)| Some((at, self.both(part, &kind)?));
            match parts.iter().enumerate().find_map(both) {
                // What two became may now be combined with the other parts.
                Some((at, both)) => {
                    parts.remove(at);
                    open(both, &mut waiting);
                }
                None => parts.push(kind),
            }
        }
        if parts.contains(&Kind::Never) {
            return Kind::Never;
        }
        parts.sort_by_key(|part| !matches!(part, Kind::Reference(_)));
        match parts.len() {
            0 => Kind::Any,
            1 => parts.remove(0),
            _ => Kind::Intersection(parts),
        }
    }

    /// The values that both kinds allow; `None` if only an intersection says it.
    fn both(&self, a: &Kind, b: &Kind) -> Option<Kind> {
        self.left.set(self.left.get().checked_sub(1)?);
        let all = |a: &Kind, b: &Kind| self.all([a.clone(), b.clone()]);
        match (a, b) {
            _ if a == b => Some(a.clone()),
            (Kind::Any, other) | (other, Kind::Any) => Some(other.clone()),
            (Kind::Never, _) | (_, Kind::Never) => Some(Kind::Never),
            (Kind::Nullable(a), Kind::Nullable(b)) => Some(Kind::one_of([Kind::Null, all(a, b)])),
            (Kind::Null, Kind::Nullable(_)) | (Kind::Nullable(_), Kind::Null) => Some(Kind::Null),
            (Kind::Nullable(inner), other) | (other, Kind::Nullable(inner)) => {
                Some(all(inner, other))
            }
            (Kind::Union(branches), other) | (other, Kind::Union(branches)) => {
                let others = if let Kind::Union(others) = other { others.len() } else { 1 };
                let is_few = branches.len() * others <= MOST_BRANCHES;
                is_few.then(|| Kind::one_of(branches.iter().map(|branch| all(branch, other))))
            }
            (Kind::Literal(values), other) | (other, Kind::Literal(values)) => {
                let fitting = values.iter().filter(|value| admits(other, value)).cloned();
                Some(Kind::one_of(fitting.map(|value| Kind::Literal(vec![value]))))
            }
            (Kind::Number { form: a, rules }, Kind::Number { form: b, rules: more }) => {
                let form = match (a, b) {
                    (Form::Whole, _) | (_, Form::Whole) => Form::Whole,
                    (Form::Any, other) | (other, _) => *other,
                };
                Some(Kind::Number { form, rules: numbers(rules, more)? })
            }
            (Kind::String(rules), Kind::String(more)) => Some(Kind::String(strings(rules, more)?)),
            (Kind::Array { item: a, size }, Kind::Array { item: b, size: more }) => {
                Some(Kind::Array { item: Box::new(all(a, b)), size: sizes(size, more) })
            }
            (tuple @ Kind::Tuple { .. }, list @ Kind::Array { .. })
            | (list @ Kind::Array { .. }, tuple @ Kind::Tuple { .. }) => self.tuple(tuple, list),
            (Kind::Object { fields, extra }, Kind::Object { fields: others, extra: more }) => {
                Some(self.objects((fields, extra), (others, more)))
            }
            (
                Kind::Map { key: None, value },
                object @ (Kind::Object { .. } | Kind::Map { .. } | Kind::Reference(_)),
            )
            | (
                object @ (Kind::Object { .. } | Kind::Map { .. } | Kind::Reference(_)),
                Kind::Map { key: None, value },
            ) if **value == Kind::Any => Some(object.clone()),
            (Kind::Map { key: None, value }, Kind::Object { fields, extra })
            | (Kind::Object { fields, extra }, Kind::Map { key: None, value }) => {
                let extra_of_map = Extra::Typed(value.clone());
                Some(self.objects((fields, extra), (&[], &extra_of_map)))
            }
            (Kind::Map { key: a, value }, Kind::Map { key: b, value: more }) => {
                let key = match (a, b) {
                    (Some(a), Some(b)) => Some(Box::new(all(a, b))),
                    (key, None) | (None, key) => key.clone(),
                };
                Some(Kind::Map { key, value: Box::new(all(value, more)) })
            }
            _ => (group(a) != group(b)).then_some(Kind::Never),
        }
    }

    fn tuple(&self, tuple: &Kind, list: &Kind) -> Option<Kind> {
        let Kind::Tuple { items, required, rest, unique } = tuple else { return None };
        let Kind::Array { item, size } = list else { return None };
        if size.least.is_some_and(|least| least > *required as u64) || size.most.is_some() {
            return None;
        }
        let all = |place: &Kind| self.all([place.clone(), (**item).clone()]);
        Some(Kind::Tuple {
            items: items.iter().map(all).collect(),
            required: *required,
            rest: rest.as_deref().map(|rest| Box::new(all(rest))),
            unique: *unique || size.unique,
        })
    }

    /// Two objects at once. A member that only one of them names is one of the further members of the other.
    fn objects(&self, a: (&[Member], &Extra), b: (&[Member], &Extra)) -> Kind {
        let mut fields: IndexMap<String, Member> = IndexMap::new();
        for ((members, _), (others, extra)) in [(a, b), (b, a)] {
            for member in members {
                let kind = match others.iter().find(|other| other.key == member.key) {
                    Some(other) => {
                        if let Some(known) = fields.get_mut(&member.key) {
                            known.required |= member.required;
                            continue;
                        }
                        self.all([member.kind.clone(), other.kind.clone()])
                    }
                    None => match extra {
                        Extra::Unspecified | Extra::Allowed => member.kind.clone(),
                        Extra::Typed(kind) => self.all([member.kind.clone(), (**kind).clone()]),
                        Extra::Forbidden if member.required => return Kind::Never,
                        Extra::Forbidden => continue,
                    },
                };
                fields.insert(member.key.clone(), Member { kind, ..member.clone() });
            }
        }
        let extra = match (a.1, b.1) {
            (Extra::Forbidden, _) | (_, Extra::Forbidden) => Extra::Forbidden,
            (Extra::Typed(a), Extra::Typed(b)) => {
                Extra::Typed(Box::new(self.all([(**a).clone(), (**b).clone()])))
            }
            (typed @ Extra::Typed(_), _) | (_, typed @ Extra::Typed(_)) => typed.clone(),
            (Extra::Allowed, _) | (_, Extra::Allowed) => Extra::Allowed,
            _ => Extra::Unspecified,
        };
        let never = |member: &Member| member.required && member.kind == Kind::Never;
        let fields: Vec<Member> = fields.into_values().collect();
        if fields.iter().any(never) { Kind::Never } else { Kind::Object { fields, extra } }
    }

    /// The members of several objects of which all must hold, each name once.
    pub(crate) fn members(&self, parts: impl IntoIterator<Item = Member>) -> Vec<Member> {
        let mut all: IndexMap<String, Member> = IndexMap::new();
        for member in parts {
            if let Some(known) = all.get_mut(&member.key) {
                known.kind = self.all([known.kind.clone(), member.kind]);
                known.required |= member.required;
            } else {
                all.insert(member.key.clone(), member);
            }
        }
        all.into_values().collect()
    }
}

/// The type of the values of a kind: kinds of different groups have no value in common.
fn group(kind: &Kind) -> u8 {
    match kind {
        Kind::Null => 0,
        Kind::Boolean => 1,
        Kind::Number { .. } => 2,
        Kind::String(_) => 3,
        Kind::Array { .. } | Kind::Tuple { .. } => 4,
        _ => 5,
    }
}

/// Whether a kind has a scalar value, as far as is known without its pattern and format.
pub(super) fn admits(kind: &Kind, value: &Value) -> bool {
    match (kind, value) {
        (Kind::Boolean, Value::Bool(_)) => true,
        (Kind::Literal(values), _) => values.iter().any(|other| equal(other, value)),
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

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

/// One of two rules, or that which `choose` selects of two.
fn either<T: Clone>(a: Option<&T>, b: Option<&T>, choose: fn(&T, &T) -> bool) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if choose(a, b) { a.clone() } else { b.clone() }),
        (one, None) | (None, one) => one.cloned(),
    }
}

fn numbers(a: &NumberRules, b: &NumberRules) -> Option<NumberRules> {
    let larger: fn(&Number, &Number) -> bool = |a, b| a.as_f64() >= b.as_f64();
    let smaller: fn(&Number, &Number) -> bool = |a, b| a.as_f64() <= b.as_f64();
    Some(NumberRules {
        minimum: either(a.minimum.as_ref(), b.minimum.as_ref(), larger),
        maximum: either(a.maximum.as_ref(), b.maximum.as_ref(), smaller),
        exclusive_minimum: either(
            a.exclusive_minimum.as_ref(),
            b.exclusive_minimum.as_ref(),
            larger,
        ),
        exclusive_maximum: either(
            a.exclusive_maximum.as_ref(),
            b.exclusive_maximum.as_ref(),
            smaller,
        ),
        multiple_of: match (&a.multiple_of, &b.multiple_of) {
            (Some(a), Some(b)) if a != b => Some(common_multiple(a, b)?.into()),
            (None, one) | (one, _) => one.clone(),
        },
    })
}

/// The least number that is a multiple of both.
fn common_multiple(a: &Number, b: &Number) -> Option<u64> {
    let (a, b) = (a.as_u64()?, b.as_u64()?);
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    a.checked_div(divisor)?.checked_mul(b)
}

fn strings(a: &StringRules, b: &StringRules) -> Option<StringRules> {
    let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
        (Some(a), Some(b)) if a != b => None,
        (None, one) | (one, _) => Some(one.clone()),
    };
    Some(StringRules {
        min_length: either(a.min_length.as_ref(), b.min_length.as_ref(), |a, b| a >= b),
        max_length: either(a.max_length.as_ref(), b.max_length.as_ref(), |a, b| a <= b),
        pattern: same(&a.pattern, &b.pattern)?,
        format: same(&a.format, &b.format)?,
    })
}

fn sizes(a: &Size, b: &Size) -> Size {
    Size {
        least: either(a.least.as_ref(), b.least.as_ref(), |a, b| a >= b),
        most: either(a.most.as_ref(), b.most.as_ref(), |a, b| a <= b),
        unique: a.unique || b.unique,
    }
}
