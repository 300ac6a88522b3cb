//! Converts shapes to JSON Schema, and JSON Schema to the subset of OpenAPI 3.0.

use indexmap::{IndexMap, IndexSet};
use serde_json::{Map, Value, json};

use crate::data::{Model, Shape};
use crate::text::{first, lists};

/// The schemas of a model by component name.
pub(super) fn schemas(model: &Model) -> Map<String, Value> {
    let all = model.entities.iter();
    all.map(|(name, entity)| (component(name), schema(entity.shape.clone()))).collect()
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

fn schema(shape: Shape) -> Value {
    if shape.never {
        return json!({ "not": {} });
    }
    let Shape { number, string, array, object, .. } = shape;
    let inner = |shape: Option<Box<Shape>>| shape.map(|shape| schema(*shape));
    let list = |shapes: Vec<Shape>| {
        (!shapes.is_empty()).then(|| shapes.into_iter().map(schema).collect::<Value>())
    };
    let properties: Map<String, Value> =
        object.properties.into_iter().map(|(name, shape)| (name, schema(shape))).collect();
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
        ("items", inner(array.items)),
        ("prefixItems", list(array.prefix_items)),
        ("minItems", array.min_items.map(Value::from)),
        ("maxItems", array.max_items.map(Value::from)),
        ("uniqueItems", array.unique_items.then_some(Value::Bool(true))),
        ("properties", (!properties.is_empty()).then_some(Value::Object(properties))),
        ("required", (!object.required.is_empty()).then(|| json!(object.required))),
        (
            "additionalProperties",
            match object.additional {
                Some(rest) if rest.never => Some(json!(false)),
                rest => inner(rest),
            },
        ),
        ("propertyNames", inner(object.property_names)),
        ("allOf", list(shape.all_of)),
        ("anyOf", list(shape.any_of)),
        ("oneOf", list(shape.one_of)),
        ("default", shape.default),
        ("examples", (!shape.examples.is_empty()).then(|| json!(shape.examples))),
    ];
    parts.into_iter().filter_map(|(word, value)| Some((word.to_owned(), value?))).collect()
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

/// A reference in a body that is to no component.
pub(super) fn foreign(body: &Value) -> Option<&str> {
    let is_foreign = |to: &&str| {
        let name = to.strip_prefix("#/components/schemas/");
        name.is_none_or(|name| component(name) != name)
    };
    match body {
        Value::Object(map) => {
            let to = map.get("$ref").and_then(Value::as_str).filter(is_foreign);
            to.or_else(|| map.values().find_map(foreign))
        }
        Value::Array(list) => list.iter().find_map(foreign),
        _ => None,
    }
}

/// What OpenAPI 3.0 has no word for.
const LOST: &str = "prefixItems contains minContains maxContains unevaluatedItems unevaluatedProperties patternProperties \
    propertyNames dependentRequired dependentSchemas if then else $defs $schema $id $comment $anchor definitions";

/// A schema in the vocabulary of OpenAPI 3.0; `lost` collects the keywords that it lacks.
pub(super) fn lower(value: &Value, lost: &mut Vec<String>) -> Value {
    let map = match value {
        Value::Object(map) => map,
        Value::Bool(false) => return json!({ "not": {} }),
        _ => return json!({}),
    };
    let mut out = Map::new();
    for (key, value) in map {
        match (key.as_str(), value) {
            ("properties", Value::Object(inner)) => {
                let inner: Map<_, _> = inner
                    .iter()
                    .map(|(name, member)| (name.clone(), lower(member, lost)))
                    .collect();
                out.insert(key.clone(), Value::Object(inner));
            }
            ("items" | "not", part) => _ = out.insert(key.clone(), lower(part, lost)),
            ("additionalProperties", part @ Value::Object(_)) => {
                _ = out.insert(key.clone(), lower(part, lost));
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                let parts = parts.iter().map(|part| lower(part, lost)).collect();
                out.insert(key.clone(), Value::Array(parts));
            }
            ("const", value) => _ = out.insert("enum".into(), json!([value])),
            ("examples", Value::Array(examples)) => {
                _ = examples.first().map(|first| out.insert("example".into(), first.clone()));
            }
            ("exclusiveMinimum" | "exclusiveMaximum", bound @ Value::Number(_)) => {
                out.insert(key.replace("exclusiveM", "m"), bound.clone());
                out.insert(key.clone(), Value::Bool(true));
            }
            (word, _) if lists(LOST, word) => lost.push(word.to_owned()),
            ("type", Value::Array(types)) => kinds(types, &mut out),
            ("type", Value::String(kind)) if kind == "null" => kinds(&[json!("null")], &mut out),
            _ => _ = out.insert(key.clone(), value.clone()),
        }
    }
    if out.get("type") == Some(&json!("array")) && !out.contains_key("items") {
        out.insert("items".into(), json!({}));
    }
    alone(&mut out);
    Value::Object(out)
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
        [] => _ = out.insert("enum".into(), json!([null])),
        [one] => _ = out.insert("type".into(), (*one).clone()),
        several => {
            let part = |kind: &&Value| match kind.as_str() {
                Some("array") => json!({ "type": "array", "items": {} }),
                _ => json!({ "type": kind }),
            };
            out.insert("anyOf".into(), several.iter().map(part).collect());
        }
    }
    if others.len() < types.len() {
        out.insert("nullable".into(), Value::Bool(true));
    }
}
