//! Draws random types and values of them. A reference to any type occurs only where a value can do without it: in
//! optional members, lists that may be empty, maps, and beside null. Elsewhere only earlier definitions are referred to.

#![allow(clippy::too_many_lines, reason = "one arm for each type is read best in one piece")]

use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Map, Value, json};

use super::types::{DEFINITIONS, Document, Extra, FORMATS, Member, Object, PATTERNS, Rest, Type};

/// Deepest nesting of types below a definition, and of values before only what is required is drawn.
const DEPTH: usize = 3;
/// Names of members: ordinary ones, and such that are words or methods of a target language.
const NAMES: [&str; 18] = [
    "id",
    "name",
    "count",
    "tags",
    "owner",
    "type",
    "items",
    "class",
    "from",
    "date",
    "copy",
    "first-name",
    "2nd",
    "model_x",
    "_id",
    "default",
    "str",
    "größe",
];
/// Names of the keys of maps.
const KEYS: [&str; 4] = ["x", "y", "left", "right"];
const WORDS: [&str; 6] = ["red", "green", "blue", "a b", "", "None"];

/// A source of random types and values.
pub(super) struct Draw {
    rng: TestRng,
    definitions: Vec<Type>,
}

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        Self { rng: TestRng::from_seed(RngAlgorithm::ChaCha, &bytes), definitions: Vec::new() }
    }

    /// A number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.rng.random_range(0..end)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn some<T>(&mut self, percent: usize, value: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.chance(percent).then(|| value(self))
    }

    /// `count` different ones of a list, at most as many as it has.
    fn several<T: Clone>(&mut self, all: &[T], count: usize) -> Vec<T> {
        let mut left = all.to_vec();
        (0..count.min(all.len())).map(|_| left.remove(self.below(left.len()))).collect()
    }

    pub(super) fn document(&mut self) -> Document {
        self.definitions.clear();
        for at in 0..DEFINITIONS.len() {
            let kind = if self.chance(70) { self.open_object(at) } else { self.kind(at, 1) };
            self.definitions.push(kind);
        }
        let root = if self.chance(60) {
            self.open_object(DEFINITIONS.len())
        } else {
            self.kind(DEFINITIONS.len(), 0)
        };
        Document { root, definitions: self.definitions.clone() }
    }

    fn open_object(&mut self, at: usize) -> Type {
        Type::Object(Object { extra: Extra::Unspecified, ..self.object(at, 1) })
    }

    /// A type in the definition `at`, in which only earlier ones are referred to.
    fn kind(&mut self, at: usize, depth: usize) -> Type {
        if depth >= DEPTH || self.chance(40) {
            return self.simple();
        }
        let deeper = depth + 1;
        match self.below(12) {
            0 if at > 0 => Type::Reference(self.below(at)),
            0 | 1 => Type::Nullable {
                inner: Box::new(self.not_null(at, deeper)),
                is_short: self.chance(50),
            },
            2 | 3 => self.list(at, deeper),
            4 => Type::Tuple {
                items: (0..=self.below(3)).map(|_| self.kind(at, deeper)).collect(),
                rest: if self.chance(50) {
                    Rest::Forbidden
                } else {
                    Rest::Typed(Box::new(self.any(at, deeper)))
                },
            },
            5 => Type::Map {
                names: if self.chance(30) { self.several(&KEYS, 2) } else { Vec::new() },
                value: Box::new(self.any(at, deeper)),
            },
            6 => self.union(at, deeper),
            7 => self.tagged(at, deeper),
            8 => self.all(at, deeper),
            9 => {
                let base = Object { extra: Extra::Unspecified, ..self.object(at, deeper) };
                let taken: Vec<&str> = base.members.iter().map(|member| member.name).collect();
                let names: Vec<&str> =
                    KEYS.into_iter().filter(|name| !taken.contains(name)).collect();
                let branch = |name| Object {
                    members: vec![Member { name, kind: self.simple(), is_required: true }],
                    extra: Extra::Unspecified,
                };
                Type::Extended { base, branches: names.into_iter().take(2).map(branch).collect() }
            }
            _ => Type::Object(self.object(at, deeper)),
        }
    }

    /// A type that does not say that null is allowed.
    fn not_null(&mut self, at: usize, depth: usize) -> Type {
        loop {
            let kind = self.kind(at, depth);
            if !matches!(kind, Type::Nullable { .. } | Type::Anything) {
                return kind;
            }
        }
    }

    /// A type where a value may do without it, so that any definition may be referred to.
    fn any(&mut self, at: usize, depth: usize) -> Type {
        match self.below(10) {
            0 | 1 => Type::Reference(self.below(DEFINITIONS.len() + 1)),
            2 => Type::Nullable {
                inner: Box::new(Type::Reference(self.below(DEFINITIONS.len() + 1))),
                is_short: false,
            },
            _ => self.kind(at, depth),
        }
    }

    fn simple(&mut self) -> Type {
        match self.below(16) {
            0 => Type::Boolean,
            1..=3 => {
                let least = self.some(40, |draw| [-5, 0, 1, 10][draw.below(4)]);
                Type::Integer {
                    least,
                    most: self.some(40, |draw| [11, 100, 5_000_000_000][draw.below(3)]),
                    format: self.some(30, |draw| ["int32", "int64"][draw.below(2)]),
                }
            }
            4 | 5 => Type::Number {
                above: self.some(30, |draw| [-2, 0][draw.below(2)]),
                most: self.some(30, |draw| [10, 1000][draw.below(2)]),
                step: self.some(20, |draw| [0.5, 2.0][draw.below(2)]),
            },
            6 | 7 => {
                let least = self.some(40, |draw| draw.below(4));
                Type::Text { least, most: self.some(30, |draw| 4 + draw.below(8)) }
            }
            8 => Type::Pattern(self.below(PATTERNS.len())),
            9 | 10 => Type::Format(self.below(FORMATS.len())),
            11 | 12 => {
                let count = 1 + self.below(4);
                Type::Listed(self.several(&WORDS.map(Value::from), count))
            }
            13 => {
                let all = [json!("one"), json!(2), json!(3.5), json!(true), json!(-4), json!("2")];
                let count = 2 + self.below(3);
                Type::Listed(self.several(&all, count))
            }
            14 => Type::Constant(
                [json!("x"), json!(7), json!(false), json!(1.5)][self.below(4)].clone(),
            ),
            _ => Type::Anything,
        }
    }

    fn list(&mut self, at: usize, depth: usize) -> Type {
        let least = self.some(30, |draw| draw.below(3));
        let item = if least.unwrap_or(0) > 0 { self.kind(at, depth) } else { self.any(at, depth) };
        let most = self.some(30, |draw| 3 + draw.below(3));
        Type::List { item: Box::new(item), least, most, is_distinct: self.chance(20) }
    }

    fn object(&mut self, at: usize, depth: usize) -> Object {
        let count = 1 + self.below(4);
        let names = self.several(&NAMES, count);
        let member = |name: &'static str| {
            let is_required = self.chance(55);
            let kind = if is_required { self.kind(at, depth) } else { self.any(at, depth) };
            Member { name, kind, is_required }
        };
        let members = names.into_iter().map(member).collect();
        let extra = match self.below(10) {
            0 | 1 => Extra::Forbidden,
            2 => Extra::Allowed,
            3 => Extra::Typed(Box::new(self.any(at, depth))),
            _ => Extra::Unspecified,
        };
        Object { members, extra }
    }

    fn union(&mut self, at: usize, depth: usize) -> Type {
        let mut branches: Vec<Type> =
            (0..2 + self.below(2)).map(|_| self.not_null(at, depth)).collect();
        if self.chance(30) && at > 0 {
            branches.push(Type::Reference(self.below(at)));
        }
        Type::Union { word: ["anyOf", "oneOf"][self.below(2)], branches }
    }

    /// A union whose objects have different words in a member.
    fn tagged(&mut self, at: usize, depth: usize) -> Type {
        let tag = ["kind", "type"][self.below(2)];
        let branch = |word: &str| {
            let mut object = self.object(at, depth);
            object.members.retain(|member| member.name != tag);
            let kind = Type::Constant(json!(word));
            object.members.push(Member { name: tag, kind, is_required: true });
            Type::Object(object)
        };
        let branches = ["cat", "dog", "fish"].map(branch).into();
        Type::Union { word: ["anyOf", "oneOf"][self.below(2)], branches }
    }

    /// An intersection of objects, as it expresses inheritance. Where two have a member in common, it has one type.
    fn all(&mut self, at: usize, depth: usize) -> Type {
        let is_open = |at: &usize| matches!(&self.definitions[*at], Type::Object(_));
        let bases: Vec<usize> = (0..at).filter(is_open).collect();
        let mut parts = Vec::new();
        let mut known: Vec<Member> = Vec::new();
        if let Some(base) = self.several(&bases, 1).pop().filter(|_| self.chance(80)) {
            parts.push(Type::Reference(base));
            if let Type::Object(object) = &self.definitions[base] {
                known.extend(object.members.iter().cloned());
            }
        }
        while parts.len() < 2 {
            let mut object = Object { extra: Extra::Unspecified, ..self.object(at, depth) };
            for member in &mut object.members {
                if let Some(same) = known.iter().find(|own| own.name == member.name) {
                    // A required member that refers to its own object would have no finite value.
                    let is_finite = !same.kind.schema().to_string().contains("$ref");
                    *member = Member { is_required: same.is_required || is_finite, ..same.clone() };
                }
            }
            known.extend(object.members.iter().cloned());
            parts.push(Type::Object(object));
        }
        Type::All(parts)
    }

    /// A value of a type; nearly always a valid one.
    pub(super) fn value(&mut self, document: &Document, kind: &Type, depth: usize) -> Value {
        let is_deep = depth > 2 * DEPTH;
        match kind {
            Type::Boolean => json!(self.chance(50)),
            Type::Integer { least, most, .. } => {
                let (least, most) = (least.unwrap_or(-3), most.unwrap_or(2_000));
                json!(self.rng.random_range(least..=most.max(least)))
            }
            Type::Number { above, most, .. } => {
                let (above, most) = (above.unwrap_or(-8), most.unwrap_or(20));
                json!(f64::from(self.rng.random_range(above..most)) + [0.5, 1.0][self.below(2)])
            }
            Type::Text { least, most } => {
                let least = least.unwrap_or(0);
                let count = least + self.below(most.unwrap_or(least + 5) - least + 1);
                json!(
                    (0..count)
                        .map(|_| ['a', 'Z', '7', ' ', 'é'][self.below(5)])
                        .collect::<String>()
                )
            }
            Type::Pattern(at) => json!(PATTERNS[*at].1[self.below(2)]),
            Type::Format(at) => json!(FORMATS[*at].1),
            Type::Listed(values) => values[self.below(values.len())].clone(),
            Type::Constant(value) => value.clone(),
            Type::List { item, least, .. } => {
                let more = if is_deep { 0 } else { self.below(3) };
                let count = least.unwrap_or(0) + more;
                (0..count).map(|_| self.value(document, item, depth + 1)).collect()
            }
            Type::Tuple { items, rest } => {
                let mut values: Vec<Value> =
                    items.iter().map(|item| self.value(document, item, depth + 1)).collect();
                if let (Rest::Typed(item), false) = (rest, is_deep) {
                    values
                        .extend((0..self.below(3)).map(|_| self.value(document, item, depth + 1)));
                }
                Value::Array(values)
            }
            Type::Map { names, value } => {
                let names = if names.is_empty() { &KEYS[..] } else { names };
                let count = if is_deep { 0 } else { self.below(3) };
                let names = self.several(names, count);
                let member = |name: &str| (name.to_owned(), self.value(document, value, depth + 1));
                names.into_iter().map(member).collect()
            }
            Type::Object(object) => self.members(document, object, depth).into(),
            Type::Union { branches, .. } => {
                let branch = &branches[self.below(branches.len())];
                self.value(document, branch, depth + 1)
            }
            Type::All(parts) => {
                let mut all = Map::new();
                for part in parts {
                    if let Value::Object(own) = self.value(document, part, depth) {
                        all.extend(own);
                    }
                }
                all.into()
            }
            Type::Extended { base, branches } => {
                let mut all = self.members(document, base, depth);
                let branch = &branches[self.below(branches.len())];
                all.extend(self.members(document, branch, depth));
                all.into()
            }
            Type::Nullable { .. } if is_deep || self.chance(30) => Value::Null,
            Type::Nullable { inner, .. } => self.value(document, inner, depth + 1),
            Type::Reference(at) => self.value(document, document.target(*at), depth + 1),
            Type::Anything => [json!(null), json!("any"), json!([1, "a"]), json!({ "k": 1 })]
                [self.below(4)]
            .clone(),
        }
    }

    fn members(
        &mut self,
        document: &Document,
        object: &Object,
        depth: usize,
    ) -> Map<String, Value> {
        let is_deep = depth > 2 * DEPTH;
        let mut all = Map::new();
        for member in &object.members {
            if member.is_required || !is_deep && self.chance(60) {
                all.insert(member.name.to_owned(), self.value(document, &member.kind, depth + 1));
            }
        }
        match &object.extra {
            Extra::Typed(kind) if !is_deep && self.chance(40) => {
                all.insert("more".to_owned(), self.value(document, kind, depth + 1));
            }
            Extra::Unspecified | Extra::Allowed if self.chance(20) => {
                all.insert("more".to_owned(), json!(["anything"]));
            }
            _ => {}
        }
        all
    }
}
