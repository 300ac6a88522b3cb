//! Converts shapes to the schemas of OpenAPI: JSON Schema, and the subset of it that 3.0 has.

use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value, json};

use super::input::Version;
use crate::data::{Model, Shape};
use crate::text::first;

/// Writes schemas in the vocabulary of a version.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    pub(super) version: Version,
    /// The keywords that the version lacks.
    pub(super) lost: IndexSet<&'static str>,
}

/// The keywords that no schema of a model says, each with the entities that have it.
pub(super) fn left_out(model: &Model) -> Vec<String> {
    const NAMED: usize = 5;
    let mut places: IndexMap<&str, IndexSet<&String>> = IndexMap::new();
    for (name, entity) in &model.entities {
        for word in entity.shape.all().flat_map(|shape| &shape.unchecked) {
            places.entry(word).or_default().insert(name);
        }
    }
    let note = |(word, names)| {
        format!("{word} is left out of the schema of {}", first(names, NAMED, " and "))
    };
    places.into_iter().map(note).collect()
}

impl Schemas {
    /// The schemas of a model by component name.
    pub(super) fn of(&mut self, model: &Model) -> Map<String, Value> {
        let all = model.entities.iter();
        all.map(|(name, entity)| (component(name), self.schema(entity.shape.clone()))).collect()
    }

    fn inner(&mut self, shape: Option<Box<Shape>>) -> Option<Value> {
        shape.map(|shape| self.schema(*shape))
    }

    fn list(&mut self, shapes: Vec<Shape>) -> Option<Value> {
        let is_there = !shapes.is_empty();
        is_there.then(|| shapes.into_iter().map(|shape| self.schema(shape)).collect())
    }

    fn schema(&mut self, shape: Shape) -> Value {
        if shape.never {
            return json!({ "not": {} });
        }
        let Shape { number, string, array, object, .. } = shape;
        let properties = object.properties.into_iter();
        let properties: Map<String, Value> =
            properties.map(|(name, shape)| (name, self.schema(shape))).collect();
        let parts = [
            ("$ref", shape.reference.map(|name| reference(&name))),
            (
                "type",
                match shape.types.as_slice() {
                    [] => None,
                    [one] => Some(json!(one)),
                    several => Some(json!(several)),
                },
            ),
            ("title", shape.title.map(Value::from)),
            ("description", shape.description.map(Value::from)),
            ("format", string.format.filter(|format| !is_sql(format)).map(Value::from)),
            ("enum", shape.enumeration.map(Value::from)),
            ("const", shape.constant),
            ("minimum", number.minimum.map(Value::from)),
            ("maximum", number.maximum.map(Value::from)),
            ("exclusiveMinimum", number.exclusive_minimum.map(Value::from)),
            ("exclusiveMaximum", number.exclusive_maximum.map(Value::from)),
            ("multipleOf", number.multiple_of.map(Value::from)),
            ("minLength", string.min_length.map(Value::from)),
            ("maxLength", string.max_length.map(Value::from)),
            ("pattern", string.pattern.map(Value::from)),
            ("items", self.inner(array.items)),
            ("prefixItems", self.list(array.prefix_items)),
            ("minItems", array.min_items.map(Value::from)),
            ("maxItems", array.max_items.map(Value::from)),
            ("uniqueItems", array.unique_items.then_some(Value::Bool(true))),
            ("properties", (!properties.is_empty()).then_some(Value::Object(properties))),
            ("required", (!object.required.is_empty()).then(|| json!(object.required))),
            (
                "additionalProperties",
                match object.additional {
                    Some(rest) if rest.never => Some(json!(false)),
                    rest => self.inner(rest),
                },
            ),
            ("propertyNames", self.inner(object.property_names)),
            ("allOf", self.list(shape.all_of)),
            ("anyOf", self.list(shape.any_of)),
            ("oneOf", self.list(shape.one_of)),
            ("default", shape.default),
            ("examples", (!shape.examples.is_empty()).then(|| json!(shape.examples))),
        ];
        let parts = parts.into_iter();
        let mut map = parts.filter_map(|(word, value)| Some((word.to_owned(), value?))).collect();
        if self.version == Version::V30 {
            self.lower(&mut map);
        }
        Value::Object(map)
    }

    /// The keywords of a schema, whose inner ones are of OpenAPI 3.0 already.
    fn lower(&mut self, map: &mut Map<String, Value>) {
        for word in ["prefixItems", "propertyNames"] {
            if map.shift_remove(word).is_some() {
                self.lost.insert(word);
            }
        }
        if let Some(value) = map.shift_remove("const") {
            map.insert("enum".into(), json!([value]));
        }
        if let Some(Value::Array(examples)) = map.shift_remove("examples") {
            map.extend(examples.into_iter().next().map(|first| ("example".into(), first)));
        }
        for (word, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if let Some(limit) =
                map.get_mut(word).map(|limit| std::mem::replace(limit, true.into()))
            {
                map.insert(bound.into(), limit);
            }
        }
        match map.get("type").cloned() {
            Some(Value::Array(types)) => kinds(&types, map),
            Some(one) if one == "null" => kinds(&[one], map),
            _ => {}
        }
        if map.get("type").is_some_and(|kind| kind == "array") {
            map.entry("items").or_insert_with(|| json!({}));
        }
        alone(map);
    }
}

fn is_sql(format: &str) -> bool {
    format == "bytes" || format == "int16" || format.starts_with("decimal")
}

/// The pointer to a schema of the document.
pub(super) fn reference(name: &str) -> Value {
    Value::String(format!("#/components/schemas/{}", component(name)))
}

pub(super) fn component(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !name.is_empty() && name.chars().all(allowed) {
        return name.to_owned();
    }
    // Names that differ only in invalid characters must stay distinct.
    let plain: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    format!("{plain}_{:08x}", xxhash_rust::xxh3::xxh3_64(name.as_bytes()) & 0xFFFF_FFFF)
}

/// `OpenAPI` 3.0 ignores siblings of a `$ref`, so that it becomes a part of an `allOf`.
fn alone(out: &mut Map<String, Value>) {
    if out.len() > 1
        && let Some(reference) = out.shift_remove("$ref")
    {
        let mut parts = vec![json!({ "$ref": reference })];
        if let Some(Value::Array(others)) = out.shift_remove("allOf") {
            parts.extend(others);
        }
        out.insert("allOf".into(), Value::Array(parts));
    }
}

/// Several types: null becomes `nullable`, and the others become alternatives.
fn kinds(types: &[Value], out: &mut Map<String, Value>) {
    let others: Vec<_> = types.iter().filter(|kind| **kind != json!("null")).collect();
    match others.as_slice() {
        [one] => _ = out.insert("type".into(), (*one).clone()),
        several => {
            let part = |kind: &&Value| match kind.as_str() {
                Some("array") => json!({ "type": "array", "items": {} }),
                _ => json!({ "type": kind }),
            };
            out.shift_remove("type");
            match several {
                [] => _ = out.insert("enum".into(), json!([null])),
                _ => _ = out.insert("anyOf".into(), several.iter().map(part).collect()),
            }
        }
    }
    if others.len() < types.len() {
        out.insert("nullable".into(), Value::Bool(true));
    }
}
