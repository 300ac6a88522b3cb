//! Combines kinds of which all must hold: objects, null beside something, branches, listed values. Where others meet, the first
//! one holds, and `allOf` is recorded as not checked.

use indexmap::IndexMap;

use super::kind::{Extra, Kind, Member, admits, are_disjoint};
use super::unchecked::Unchecked;
use crate::data::Type;

/// Largest product of the numbers of kinds in two kinds of which one has branches.
const MOST_COMBINED: usize = 10_000;

/// The values that all of the kinds allow; those of the first, where no kind says which.
pub(super) fn all(kinds: impl IntoIterator<Item = Kind>, unchecked: &Unchecked) -> Kind {
    let kinds = kinds.into_iter();
    kinds.reduce(|whole, kind| both(&whole, &kind, unchecked)).unwrap_or(Kind::Any)
}

fn both(a: &Kind, b: &Kind, unchecked: &Unchecked) -> Kind {
    known(a, b, unchecked).unwrap_or_else(|| {
        unchecked.add("allOf");
        a.clone()
    })
}

/// The kind of what both allow, if there is one.
fn known(a: &Kind, b: &Kind, unchecked: &Unchecked) -> Option<Kind> {
    let both = |a: &Kind, b: &Kind| both(a, b, unchecked);
    match (a, b) {
        _ if a == b => Some(a.clone()),
        (Kind::Any, other) | (other, Kind::Any) => Some(other.clone()),
        (Kind::Nullable(a), Kind::Nullable(b)) if are_disjoint(a, b) => Some(Kind::Null),
        (Kind::Nullable(a), Kind::Nullable(b)) => Some(Kind::one_of([Kind::Null, both(a, b)])),
        (Kind::Null, Kind::Nullable(_)) | (Kind::Nullable(_), Kind::Null) => Some(Kind::Null),
        (Kind::Nullable(inner), other) | (other, Kind::Nullable(inner)) => Some(both(inner, other)),
        (Kind::Union(branches), other) | (other, Kind::Union(branches)) => {
            let is_few = a.count() * b.count() <= MOST_COMBINED;
            let fitting = branches.iter().filter(|branch| !are_disjoint(branch, other));
            let fitting: Vec<&Kind> = fitting.take_while(|_| is_few).collect();
            let each = || Kind::one_of(fitting.iter().map(|branch| both(branch, other)));
            (!fitting.is_empty()).then(each)
        }
        (Kind::Literal(values), other) | (other, Kind::Literal(values)) => {
            let fitting = values.iter().filter(|value| admits(other, value)).cloned();
            Some(Kind::Literal(fitting.collect())).filter(|kind| *kind != Kind::Literal(vec![]))
        }
        _ if is_plain(b) && !are_disjoint(a, b) => Some(a.clone()),
        _ if is_plain(a) && !are_disjoint(a, b) => Some(b.clone()),
        _ => objects(members(a)?, members(b)?, unchecked),
    }
}

/// Two objects at once. A member that only one of them names is one of the further members of the other.
fn objects(a: (&[Member], Extra), b: (&[Member], Extra), unchecked: &Unchecked) -> Option<Kind> {
    let mut fields: IndexMap<&str, Member> = IndexMap::new();
    for ((members, _), (others, extra)) in [(a, b), (b, a)] {
        for member in members {
            if let Some(known) = fields.get_mut(member.key.as_str()) {
                known.required |= member.required;
                continue;
            }
            let kind = match others.iter().find(|other| other.key == member.key) {
                Some(other) => both(&member.kind, &other.kind, unchecked),
                None if extra != Extra::Forbidden => member.kind.clone(),
                None if member.required => return None,
                None => continue,
            };
            fields.insert(&member.key, Member { kind, ..member.clone() });
        }
    }
    let extra = match (a.1, b.1) {
        (Extra::Forbidden, _) | (_, Extra::Forbidden) => Extra::Forbidden,
        (Extra::Allowed, _) | (_, Extra::Allowed) => Extra::Allowed,
        _ => Extra::Unspecified,
    };
    Some(Kind::object(fields.into_values().collect(), extra))
}

/// The named members of an object or a map of anything, and what its others are.
fn members(kind: &Kind) -> Option<(&[Member], Extra)> {
    match kind {
        Kind::Object { fields, extra } => Some((fields, *extra)),
        Kind::Map(value) if **value == Kind::Any => Some((&[], Extra::Unspecified)),
        _ => None,
    }
}

/// Whether a kind is all numbers, strings or lists.
fn is_plain(kind: &Kind) -> bool {
    [Type::Number, Type::String, Type::Array].into_iter().any(|all| *kind == Kind::of_type(all))
}
