//! Combines kinds of which all must hold. What no kind says is recorded as not checked.

use indexmap::IndexMap;
use serde_json::Number;

use super::kind::{Extra, Form, Kind, Member, Size, admits, group};
use super::lower::Lowering;
use crate::data::{NumberRules, StringRules};

/// Largest number of branches of a union that an intersection of unions becomes.
const MOST_BRANCHES: usize = 256;

impl Lowering<'_> {
    /// The values that all of the kinds allow; those of the first, where no kind says which.
    pub(super) fn all(&self, kinds: impl IntoIterator<Item = Kind>) -> Kind {
        let both = |whole: Kind, kind: Kind| {
            self.both(&whole, &kind).unwrap_or_else(|| {
                self.unchecked.add("allOf");
                whole
            })
        };
        kinds.into_iter().reduce(both).unwrap_or(Kind::Any)
    }

    fn both(&self, a: &Kind, b: &Kind) -> Option<Kind> {
        let all = |a: &Kind, b: &Kind| self.all([a.clone(), b.clone()]);
        match (a, b) {
            _ if a == b => Some(a.clone()),
            (Kind::Any, other) | (other, Kind::Any) => Some(other.clone()),
            (Kind::Never, _) | (_, Kind::Never) => Some(Kind::Never),
            (Kind::Reference(name), other) | (other, Kind::Reference(name)) => {
                // Of a member that two objects have: neither may contain the other without end.
                let left = self.copies.get().checked_sub(1)?;
                self.copies.set(left);
                self.copying(name, |kind| self.all([kind, other.clone()]))
            }
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
            _ => match (members(a), members(b)) {
                (Some(a), Some(b)) => Some(self.objects(a, b)),
                _ => (group(a) != group(b)).then_some(Kind::Never),
            },
        }
    }

    /// Two objects at once. A member that only one of them names is one of the further members of the other.
    fn objects(&self, a: (&[Member], Extra), b: (&[Member], Extra)) -> Kind {
        let mut fields: IndexMap<&str, Member> = IndexMap::new();
        for ((members, _), (others, extra)) in [(&a, &b), (&b, &a)] {
            for member in *members {
                let kind = match others.iter().find(|other| other.key == member.key) {
                    Some(other) => {
                        if let Some(known) = fields.get_mut(member.key.as_str()) {
                            known.required |= member.required;
                            continue;
                        }
                        self.all([member.kind.clone(), other.kind.clone()])
                    }
                    None if *extra != Extra::Forbidden => member.kind.clone(),
                    None if member.required => return Kind::Never,
                    None => continue,
                };
                fields.insert(&member.key, Member { kind, ..member.clone() });
            }
        }
        let fields: Vec<Member> = fields.into_values().collect();
        if fields.iter().any(|member| member.required && member.kind == Kind::Never) {
            return Kind::Never;
        }
        Kind::object(
            fields,
            match (a.1, b.1) {
                (Extra::Forbidden, _) | (_, Extra::Forbidden) => Extra::Forbidden,
                (Extra::Allowed, _) | (_, Extra::Allowed) => Extra::Allowed,
                _ => Extra::Unspecified,
            },
        )
    }
}

/// The named members of an object or a map of anything, and what its others are.
fn members(kind: &Kind) -> Option<(&[Member], Extra)> {
    match kind {
        Kind::Object { fields, extra } => Some((fields, *extra)),
        Kind::Map(value) if **value == Kind::Any => Some((&[], Extra::Unspecified)),
        _ => None,
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
