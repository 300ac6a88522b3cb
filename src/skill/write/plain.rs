//! The part of a shape that validators have words of their own for. All else stays a shape, and becomes a predicate.

use serde_json::{Number, Value};

use super::names;
use crate::skill::data::{ArrayRules, Model, NumberRules, ObjectRules, Shape, StringRules, Type};

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
    found.unwrap_or_else(|| Plain::Check(Box::new(shape.clone())))
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
        (Plain::Check(_) | Plain::Any | Plain::Null, false) => None,
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
        properties: indexmap::IndexMap::new(),
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
    /// Whether a value that is not there is refused by itself, so that a required member needs no more words.
    pub fn is_solid(&self) -> bool {
        match self {
            Self::Any | Self::Check(_) | Self::Reference(_) => false,
            Self::Nullable(inner) => inner.is_solid(),
            Self::Union(all) => all.iter().all(Self::is_solid),
            _ => true,
        }
    }

    /// The entities that are named anywhere in it, predicates left out.
    pub fn references<'p>(&'p self, found: &mut Vec<&'p str>) {
        match self {
            Self::Reference(entity) => found.push(entity),
            Self::Array { item, .. } => item.references(found),
            Self::Map(inner) | Self::Nullable(inner) => inner.references(found),
            Self::Union(all) => all.iter().for_each(|plain| plain.references(found)),
            Self::Object { fields, .. } => {
                fields.iter().for_each(|field| field.plain.references(found))
            }
            _ => {}
        }
    }
}

/// The entities in an order in which each comes after those that it names, and those that name themselves on a way round.
pub fn order(model: &Model) -> (Vec<&str>, Vec<&str>) {
    let plains: indexmap::IndexMap<&str, Plain> =
        model.entities.iter().map(|(name, entity)| (name.as_str(), of(&entity.shape))).collect();
    let mut sorted: Vec<&str> = Vec::new();
    let mut looping: Vec<&str> = Vec::new();
    loop {
        let before = sorted.len();
        for (name, plain) in &plains {
            let mut needed = Vec::new();
            plain.references(&mut needed);
            let ready =
                needed.iter().all(|other| sorted.contains(other) || !plains.contains_key(other));
            if ready && !sorted.contains(name) {
                sorted.push(name);
            }
        }
        if sorted.len() == plains.len() {
            return (sorted, looping);
        }
        if sorted.len() == before {
            // What is left waits for itself: the first is written although it does, and is reached lazily.
            let first = plains.keys().find(|name| !sorted.contains(name));
            looping.extend(first);
            sorted.extend(first);
        }
    }
}
