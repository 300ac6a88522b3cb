//! The part of a shape that validators have words of their own for. All else stays a shape, and becomes a predicate.

use indexmap::{IndexMap, IndexSet};
use serde_json::{Number, Value};

use super::names;
use crate::data::{ArrayRules, Model, NumberRules, ObjectRules, Shape, StringRules, Type};

/// What values are, in the words that all validators have.
#[derive(Debug, Clone, PartialEq)]
pub enum Plain {
    /// Any value.
    Any,
    /// Only null.
    Null,
    /// True or false.
    Boolean,
    /// A number; whole when it says so.
    Number {
        /// Whether it must be whole.
        whole: bool,
        /// Its bounds.
        rules: NumberRules,
    },
    /// A text.
    String(StringRules),
    /// One of these texts.
    Words(Vec<String>),
    /// A list.
    Array {
        /// What its items are.
        item: Box<Plain>,
        /// Fewest and most items, and whether they differ.
        rules: ArrayRules,
    },
    /// An object with known members.
    Object {
        /// The members: name, what it is, whether it must be there.
        fields: Vec<Member>,
        /// Whether other members may be there.
        open: bool,
    },
    /// An object whose members are all alike.
    Map(Box<Plain>),
    /// An entity.
    Reference(String),
    /// What a plain is, or null.
    Nullable(Box<Plain>),
    /// One of several.
    Union(Vec<Plain>),
    /// What a plain is, and a predicate holds of it as well.
    Refined(Box<Plain>, Box<Shape>),
    /// A predicate.
    Check(Box<Shape>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name.
    pub key: String,
    /// What it is.
    pub plain: Plain,
    /// Whether it must be there.
    pub required: bool,
    /// What it is for.
    pub description: Option<String>,
}

/// What a shape is in plain words.
pub fn of(shape: &Shape) -> Plain {
    let bare = core(shape);
    let found = if bare == Shape::default() {
        Some(Plain::Any)
    } else if let Some(entity) = &bare.reference {
        (bare == Shape::reference(entity)).then(|| Plain::Reference(entity.clone()))
    } else if let Some(values) = &bare.enumeration {
        words(&bare, values)
    } else if let Some(value) = &bare.constant {
        words(&bare, std::slice::from_ref(value))
    } else if bare.any_of.is_empty() {
        typed(&bare)
    } else {
        let rest = Shape { any_of: Vec::new(), ..bare.clone() };
        if rest == Shape::default() { union(&bare.any_of) } else { None }
    };
    found.or_else(|| refined(&bare)).unwrap_or_else(|| Plain::Check(Box::new(shape.clone())))
}

/// A shape of one type that has words, beside constraints that stand for themselves and have none.
fn refined(whole: &Shape) -> Option<Plain> {
    let mut rest = Shape {
        all_of: whole.all_of.clone(),
        any_of: whole.any_of.clone(),
        one_of: whole.one_of.clone(),
        not: whole.not.clone(),
        if_shape: whole.if_shape.clone(),
        then_shape: whole.then_shape.clone(),
        else_shape: whole.else_shape.clone(),
        ..Shape::default()
    };
    let mut base =
        Shape { types: whole.types.clone(), number: whole.number.clone(), ..Shape::default() };
    base.string = whole.string.clone();
    base.array = ArrayRules {
        contains: None,
        min_contains: None,
        max_contains: None,
        ..whole.array.clone()
    };
    rest.array = ArrayRules {
        contains: whole.array.contains.clone(),
        min_contains: whole.array.min_contains,
        max_contains: whole.array.max_contains,
        ..ArrayRules::default()
    };
    let object = &whole.object;
    base.object = ObjectRules {
        properties: object.properties.clone(),
        required: object.required.clone(),
        additional: object.additional.clone(),
        ..ObjectRules::default()
    };
    rest.object = ObjectRules {
        properties: IndexMap::new(),
        required: Vec::new(),
        additional: None,
        ..object.clone()
    };
    // What additional and unevaluated members are depends on all that is said of the others.
    let apart = (object.additional.is_none() || object.pattern_properties.is_empty())
        && object.unevaluated_properties.is_none()
        && whole.array.unevaluated_items.is_none();
    let is_untold =
        whole.reference.is_none() && whole.enumeration.is_none() && whole.constant.is_none();
    let plain = (apart && is_untold && whole.types.len() == 1).then(|| typed(&base)).flatten()?;
    Some(Plain::Refined(Box::new(plain), Box::new(rest)))
}

/// A shape without what only describes it.
fn core(shape: &Shape) -> Shape {
    Shape { title: None, description: None, default: None, examples: Vec::new(), ..shape.clone() }
}

fn union(shapes: &[Shape]) -> Option<Plain> {
    let (nulls, others): (Vec<&Shape>, Vec<&Shape>) =
        shapes.iter().partition(|shape| core(shape) == Shape::of(Type::Null));
    let mut plains: Vec<Plain> = others.into_iter().map(of).collect();
    let inner = if plains.len() == 1 { plains.remove(0) } else { Plain::Union(plains) };
    match (&inner, nulls.is_empty()) {
        (Plain::Union(none), _) if none.is_empty() => Some(Plain::Null),
        (_, true) => Some(inner),
        // A predicate says by itself what it says of null.
        (Plain::Check(_) | Plain::Refined(..) | Plain::Any | Plain::Null, false) => None,
        (_, false) => Some(Plain::Nullable(Box::new(inner))),
    }
}

/// Texts, and perhaps null, where the types allow them and nothing else is asked.
fn words(bare: &Shape, values: &[Value]) -> Option<Plain> {
    let rest = Shape { enumeration: None, constant: None, types: Vec::new(), ..bare.clone() };
    let both = bare.enumeration.is_some() && bare.constant.is_some();
    let allows = |kind| bare.types.is_empty() || bare.types.contains(&kind);
    if both || rest != Shape::default() || !allows(Type::String) {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    for value in values.iter().filter(|value| !value.is_null()) {
        let word = value.as_str()?.to_owned();
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let null = values.contains(&Value::Null) && allows(Type::Null);
    let plain = (!words.is_empty()).then_some(Plain::Words(words))?;
    Some(if null { Plain::Nullable(Box::new(plain)) } else { plain })
}

/// A shape of one type, or of one and null, whose constraints are all of that type.
fn typed(bare: &Shape) -> Option<Plain> {
    let mut types: Vec<Type> = bare.types.clone();
    let null = types.first() == Some(&Type::Null);
    types.retain(|kind| *kind != Type::Null);
    let rest = Shape { types: Vec::new(), ..bare.clone() };
    let plain = match types.as_slice() {
        [] if null && rest == Shape::default() => return Some(Plain::Null),
        [one] => of_type(*one, &rest)?,
        [Type::Integer, Type::Number] => of_type(Type::Number, &rest)?,
        many if !many.is_empty() && rest == Shape::default() => {
            Plain::Union(many.iter().filter_map(|kind| of_type(*kind, &rest)).collect())
        }
        _ => return None,
    };
    Some(if null { Plain::Nullable(Box::new(plain)) } else { plain })
}

fn of_type(kind: Type, rest: &Shape) -> Option<Plain> {
    let allowed = match kind {
        Type::Integer | Type::Number => Shape { number: rest.number.clone(), ..Shape::default() },
        Type::String => Shape { string: rest.string.clone(), ..Shape::default() },
        Type::Array => Shape { array: rest.array.clone(), ..Shape::default() },
        Type::Object => Shape { object: rest.object.clone(), ..Shape::default() },
        Type::Null | Type::Boolean => Shape::default(),
    };
    if allowed != *rest {
        return None;
    }
    match kind {
        Type::Null => Some(Plain::Null),
        Type::Boolean => Some(Plain::Boolean),
        Type::Integer | Type::Number => exact(&rest.number)
            .then(|| Plain::Number { whole: kind == Type::Integer, rules: rest.number.clone() }),
        Type::String => Some(Plain::String(rest.string.clone())),
        Type::Array => array(&rest.array),
        Type::Object => object(&rest.object),
    }
}

/// Whether each bound is a number that scripts hold exactly.
fn exact(rules: &NumberRules) -> bool {
    let bounds =
        [&rules.minimum, &rules.maximum, &rules.exclusive_minimum, &rules.exclusive_maximum];
    let is_exact = |number: &Number| {
        number.as_f64().is_some_and(|float| float.abs() <= 9_007_199_254_740_991.0)
    };
    bounds.into_iter().flatten().all(is_exact)
}

fn array(rules: &ArrayRules) -> Option<Plain> {
    let own = ArrayRules {
        items: None,
        min_items: rules.min_items,
        max_items: rules.max_items,
        unique_items: rules.unique_items,
        ..ArrayRules::default()
    };
    let rest = ArrayRules { items: None, ..rules.clone() };
    let item = rules.items.as_deref().map_or(Plain::Any, of);
    (rest == own).then(|| Plain::Array { item: Box::new(item), rules: own })
}

fn object(rules: &ObjectRules) -> Option<Plain> {
    let rest = ObjectRules {
        properties: IndexMap::new(),
        required: Vec::new(),
        additional: None,
        ..rules.clone()
    };
    let mut keys: Vec<&String> = rules.properties.keys().collect();
    keys.extend(rules.required.iter().filter(|key| !rules.properties.contains_key(*key)));
    if rest != ObjectRules::default() || keys.iter().any(|key| names::is_inborn(key)) {
        return None;
    }
    let closed = rules.additional.as_deref().map(core);
    let open = match &closed {
        None => true,
        Some(shape) if *shape == Shape::default() => true,
        Some(shape) if shape.never => false,
        Some(shape) if keys.is_empty() => return Some(Plain::Map(Box::new(of(shape)))),
        Some(_) => return None,
    };
    let member = |key: &String| {
        let shape = rules.properties.get(key);
        // A required member that nothing is said of may hold a `false` shape of additional members.
        (open || shape.is_some()).then(|| Member {
            key: key.clone(),
            plain: shape.map_or(Plain::Any, of),
            required: rules.required.contains(key),
            description: shape.and_then(|shape| shape.description.clone()),
        })
    };
    let fields = keys.into_iter().map(member).collect::<Option<Vec<_>>>()?;
    Some(Plain::Object { fields, open })
}

impl Plain {
    /// What has words, and the predicate that holds as well.
    pub fn parts(&self) -> (&Self, Option<&Shape>) {
        match self {
            Self::Refined(base, rest) => (base, Some(rest)),
            plain => (plain, None),
        }
    }

    /// Whether a value that is not there is refused by itself, so that a required member needs no more words.
    pub fn is_solid(&self) -> bool {
        match self {
            Self::Any | Self::Check(_) | Self::Reference(_) => false,
            Self::Nullable(inner) | Self::Refined(inner, _) => inner.is_solid(),
            Self::Union(all) => all.iter().all(Self::is_solid),
            _ => true,
        }
    }

    /// The entities that are named anywhere in it, predicates left out.
    pub fn references<'p>(&'p self, found: &mut Vec<&'p str>) {
        match self {
            Self::Reference(entity) => found.push(entity),
            Self::Array { item, .. } => item.references(found),
            Self::Map(inner) | Self::Nullable(inner) | Self::Refined(inner, _) => {
                inner.references(found);
            }
            Self::Union(all) => {
                for plain in all {
                    plain.references(found);
                }
            }
            Self::Object { fields, .. } => {
                for field in fields {
                    field.plain.references(found);
                }
            }
            _ => {}
        }
    }
}

/// The entities in an order in which each comes after those that it names; and those that name one which comes later,
/// because it names them on a way round.
pub fn order(model: &Model) -> (Vec<&str>, Vec<&str>) {
    let mut needs: IndexMap<&str, Vec<String>> = IndexMap::new();
    for (name, entity) in &model.entities {
        let plain = of(&entity.shape);
        let mut found = Vec::new();
        plain.references(&mut found);
        needs.insert(name, found.into_iter().map(str::to_owned).collect());
    }
    let mut sorted: IndexSet<&str> = IndexSet::new();
    let mut looping: IndexSet<&str> = IndexSet::new();
    for start in needs.keys() {
        // A stack of our own: a chain of entities may be longer than the program's is deep.
        let mut path: IndexMap<&str, usize> = IndexMap::from([(*start, 0)]);
        while let Some((name, at)) = path.last().map(|(name, at)| (*name, *at)) {
            let next = needs.get(name).and_then(|list| list.get(at));
            let Some(next) = next.filter(|_| !sorted.contains(name)) else {
                sorted.insert(name);
                path.pop();
                continue;
            };
            path.insert(name, at + 1);
            match needs.get_key_value(next.as_str()) {
                Some((next, _)) if path.contains_key(next) => {
                    looping.insert(name);
                }
                Some((next, _)) if !sorted.contains(next) => {
                    path.insert(next, 0);
                }
                _ => {}
            }
        }
    }
    (sorted.into_iter().collect(), looping.into_iter().collect())
}
