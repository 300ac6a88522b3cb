//! Infers the model from JSON samples, which are unified. A member that some samples lack is optional, values of
//! several types are a union, objects keyed by ids are maps, and a nested object
//! becomes an entity named after its key. Texts that are dates stay texts with that format.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
use serde_json::Value;

use super::recognise::{format_of, is_id, singular};
use super::{ArrayRules, Entity, Model, ObjectRules, Shape, Type};
use crate::output::{Result, bad};
use crate::text::{first, line, unused};

/// Most members that a note names.
const NAMED: usize = 5;

/// Infers the entity `name` from the samples in the input field `field`.
pub(crate) fn read(samples: &[Value], name: &str, field: &str) -> Result<Model> {
    if samples.is_empty() {
        return Err(bad(field, &Value::Array(Vec::new()), "a list of at least one JSON value"));
    }
    let mut seen = Seen::default();
    for sample in samples {
        seen.add(sample);
    }
    let mut model = Model { root: Some(name.to_owned()), ..Model::default() };
    // The root comes first, whatever it refers to.
    model.entities.insert(name.to_owned(), Entity::default());
    let mut writer = Writer { model: &mut model, untyped: IndexSet::new() };
    let shape = match seen.only_objects() {
        Some(objects) if !objects.is_map() => writer.object(objects),
        _ => writer.shape(&seen, name),
    };
    let untyped = first(writer.untyped.iter().map(|name| line(name)), NAMED, " and ");
    if !untyped.is_empty() {
        model.notes.push(format!(
            "only null is known of {untyped}; give a sample with a value for its type"
        ));
    }
    model.entities.insert(name.to_owned(), Entity { shape, table: None });
    Ok(model)
}

/// All values seen at one position.
#[derive(Debug, Default)]
struct Seen {
    types: BTreeSet<Type>,
    texts: BTreeSet<String>,
    items: Option<Box<Seen>>,
    objects: Objects,
}

/// All objects seen at one position.
#[derive(Debug, Default)]
struct Objects {
    count: usize,
    members: IndexMap<String, (usize, Seen)>,
}

impl Seen {
    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) => _ = self.texts.insert(text.clone()),
            Value::Array(items) => {
                let seen = self.items.get_or_insert_with(Box::default);
                for item in items {
                    seen.add(item);
                }
            }
            Value::Object(map) => {
                self.objects.count += 1;
                for (key, value) in map {
                    let (count, seen) = self.objects.members.entry(key.clone()).or_default();
                    *count += 1;
                    seen.add(value);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        self.types.insert(Type::of(value));
    }

    /// The objects, if nothing else was seen.
    fn only_objects(&self) -> Option<&Objects> {
        (self.types.len() == 1 && self.types.contains(&Type::Object)).then_some(&self.objects)
    }

    fn merge(&mut self, other: &Seen) {
        self.types.extend(other.types.iter().copied());
        self.texts.extend(other.texts.iter().cloned());
        if let Some(items) = &other.items {
            self.items.get_or_insert_with(Box::default).merge(items);
        }
        self.objects.count += other.objects.count;
        for (key, (count, seen)) in &other.objects.members {
            let (total, member) = self.objects.members.entry(key.clone()).or_default();
            *total += count;
            member.merge(seen);
        }
    }
}

impl Objects {
    /// Whether the keys are data rather than names: they are ids, and the members are similar.
    fn is_map(&self) -> bool {
        let kinds = self.members.values().flat_map(|(_, seen)| &seen.types);
        let mut kinds = kinds.filter(|kind| **kind != Type::Null);
        let first = kinds.next();
        let alike = first.is_some() && kinds.all(|kind| Some(kind) == first);
        alike && self.members.len() >= 2 && self.members.keys().all(|key| is_id(key))
    }
}

struct Writer<'m> {
    model: &'m mut Model,
    /// The members that are null in each sample.
    untyped: IndexSet<String>,
}

impl Writer<'_> {
    /// The shape of the values seen under a key.
    fn shape(&mut self, seen: &Seen, key: &str) -> Shape {
        let mut types: Vec<Type> = seen.types.iter().copied().collect();
        if types.contains(&Type::Number) {
            types.retain(|kind| *kind != Type::Integer);
        }
        let object = types.contains(&Type::Object);
        types.retain(|kind| *kind != Type::Object);
        let mut shape = Shape { types, ..Shape::default() };
        if shape.types.contains(&Type::String) {
            shape.string.format = common_format(&seen.texts);
        }
        if let Some(items) = seen.items.as_ref().filter(|items| !items.types.is_empty()) {
            let item = self.shape(items, &singular(key));
            shape.array = ArrayRules { items: Some(Box::new(item)), ..ArrayRules::default() };
        }
        if !object {
            return shape;
        }
        let inner = self.members(&seen.objects, key);
        if shape.types.is_empty() {
            return inner;
        }
        Shape { any_of: vec![inner, shape], ..Shape::default() }
    }

    /// A map, or an entity.
    fn members(&mut self, objects: &Objects, key: &str) -> Shape {
        if !objects.is_map() {
            return self.entity(objects, key);
        }
        let mut all = Seen::default();
        for (_, seen) in objects.members.values() {
            all.merge(seen);
        }
        let value = self.shape(&all, &singular(key));
        let object = ObjectRules { additional: Some(Box::new(value)), ..ObjectRules::default() };
        Shape { object, ..Shape::of(Type::Object) }
    }

    fn entity(&mut self, objects: &Objects, key: &str) -> Shape {
        let key = if key.is_empty() { "Value" } else { key };
        let name = unused(key, |name| !self.model.entities.contains_key(name));
        self.model.entities.insert(name.clone(), Entity::default());
        let shape = self.object(objects);
        let entities = &mut self.model.entities;
        let same = entities.iter().find(|(_, entity)| entity.shape == shape);
        let is_last = entities.last().is_some_and(|(last, _)| *last == name);
        if let Some(same) = same.map(|(same, _)| Shape::reference(same)).filter(|_| is_last) {
            entities.pop();
            return same;
        }
        entities.insert(name.clone(), Entity { shape, table: None });
        Shape::reference(&name)
    }

    fn object(&mut self, objects: &Objects) -> Shape {
        let mut rules = ObjectRules::default();
        for (key, (count, seen)) in &objects.members {
            if *count == objects.count {
                rules.required.push(key.clone());
            }
            if seen.types.iter().eq([&Type::Null]) {
                self.untyped.insert(key.clone());
            }
            rules.properties.insert(key.clone(), self.shape(seen, key));
        }
        Shape { object: rules, ..Shape::of(Type::Object) }
    }
}

/// The format that all texts have.
fn common_format(texts: &BTreeSet<String>) -> Option<String> {
    let format = format_of(texts.first()?)?;
    texts.iter().all(|text| format_of(text) == Some(format)).then(|| format.to_owned())
}
