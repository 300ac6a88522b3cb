//! Shapes as JSON Schema, and JSON Schema as the smaller language of OpenAPI 3.0.

use serde_json::{Map, Value, json};

use crate::skill::data::{Model, Shape};

/// The model's entities as schemas by name.
pub(super) fn schemas(model: &Model) -> Map<String, Value> {
    model.entities.iter().map(|(name, entity)| (name.clone(), schema(&entity.shape))).collect()
}

fn schema(shape: &Shape) -> Value {
    if shape.never {
        return json!({ "not": {} });
    }
    let mut out = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(key.to_owned(), value);
        }
    };
    let text = |text: &Option<String>| text.clone().map(Value::String);
    let number = |number: &Option<serde_json::Number>| number.clone().map(Value::Number);
    let one = |shape: &Option<Box<Shape>>| shape.as_deref().map(schema);
    let many =
        |shapes: &Vec<Shape>| (!shapes.is_empty()).then(|| shapes.iter().map(schema).collect());
    put("$ref", shape.reference.as_ref().map(|name| reference(name)));
    put(
        "type",
        match shape.types.as_slice() {
            [] => None,
            [one] => Some(json!(one)),
            several => Some(json!(several)),
        },
    );
    put("title", text(&shape.title));
    put("description", text(&shape.description));
    put("format", text(&shape.string.format).filter(|format| !format.as_str().is_some_and(is_sql)));
    put("enum", shape.enumeration.clone().map(Value::Array));
    put("const", shape.constant.clone());
    put("minimum", number(&shape.number.minimum));
    put("maximum", number(&shape.number.maximum));
    put("exclusiveMinimum", number(&shape.number.exclusive_minimum));
    put("exclusiveMaximum", number(&shape.number.exclusive_maximum));
    put("multipleOf", number(&shape.number.multiple_of));
    put("minLength", shape.string.min_length.map(Value::from));
    put("maxLength", shape.string.max_length.map(Value::from));
    put("pattern", text(&shape.string.pattern));
    let array = &shape.array;
    put("items", one(&array.items));
    put("prefixItems", many(&array.prefix_items));
    put("contains", one(&array.contains));
    put("minContains", array.min_contains.map(Value::from));
    put("maxContains", array.max_contains.map(Value::from));
    put("minItems", array.min_items.map(Value::from));
    put("maxItems", array.max_items.map(Value::from));
    put("uniqueItems", array.unique_items.then_some(Value::Bool(true)));
    put("unevaluatedItems", one(&array.unevaluated_items));
    let object = &shape.object;
    let map = |shapes: &indexmap::IndexMap<String, Shape>| {
        let inner: Map<_, _> =
            shapes.iter().map(|(name, shape)| (name.clone(), schema(shape))).collect();
        (!inner.is_empty()).then_some(Value::Object(inner))
    };
    put("properties", map(&object.properties));
    put("required", (!object.required.is_empty()).then(|| json!(object.required)));
    put(
        "additionalProperties",
        object.additional.as_deref().map(|own| if own.never { json!(false) } else { schema(own) }),
    );
    put("patternProperties", map(&object.pattern_properties));
    put("propertyNames", one(&object.property_names));
    put(
        "dependentRequired",
        (!object.dependent_required.is_empty()).then(|| json!(object.dependent_required)),
    );
    put("dependentSchemas", map(&object.dependent_schemas));
    put("minProperties", object.min_properties.map(Value::from));
    put("maxProperties", object.max_properties.map(Value::from));
    put("unevaluatedProperties", one(&object.unevaluated_properties));
    put("allOf", many(&shape.all_of));
    put("anyOf", many(&shape.any_of));
    put("oneOf", many(&shape.one_of));
    put("not", one(&shape.not));
    put("if", one(&shape.if_shape));
    put("then", one(&shape.then_shape));
    put("else", one(&shape.else_shape));
    put("default", shape.default.clone());
    put("examples", (!shape.examples.is_empty()).then(|| Value::Array(shape.examples.clone())));
    Value::Object(out)
}

/// Formats that only SQL knows.
fn is_sql(format: &str) -> bool {
    format == "bytes" || format == "int16" || format.starts_with("decimal")
}

/// The pointer to a schema of the document.
pub(super) fn reference(name: &str) -> Value {
    Value::String(format!("#/components/schemas/{}", component(name)))
}

/// A name as a component may have it.
pub(super) fn component(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if !name.is_empty() && name.chars().all(allowed) {
        return name.to_owned();
    }
    // Two names that differ only in what is not allowed must stay apart.
    let plain: String = name.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    format!("{plain}_{:08x}", xxhash_rust::xxh3::xxh3_64(name.as_bytes()) & 0xFFFF_FFFF)
}

/// Turns pointers to a schema's own definitions into pointers to the document's components.
pub(super) fn repoint(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if let Some(Value::String(pointer)) = map.get_mut("$ref") {
                let name = ["#/$defs/", "#/definitions/", "#/components/schemas/"]
                    .iter()
                    .find_map(|start| pointer.strip_prefix(start))
                    .map(|name| name.replace("~1", "/").replace("~0", "~"));
                if let Some(name) = name {
                    *pointer = format!("#/components/schemas/{}", component(&name));
                }
            }
            map.values_mut().for_each(repoint);
        }
        Value::Array(list) => list.iter_mut().for_each(repoint),
        _ => {}
    }
}

/// What OpenAPI 3.0 has no word for.
const LOST: [&str; 19] = [
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "then",
    "else",
    "$defs",
    "$schema",
    "$id",
    "$comment",
    "$anchor",
    "definitions",
];

/// A schema in the words of OpenAPI 3.0; `lost` gets the keywords that it has none for.
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
                let inner: Map<_, _> =
                    inner.iter().map(|(name, own)| (name.clone(), lower(own, lost))).collect();
                out.insert(key.clone(), Value::Object(inner));
            }
            ("items" | "not", own) => _ = out.insert(key.clone(), lower(own, lost)),
            ("additionalProperties", own @ Value::Object(_)) => {
                _ = out.insert(key.clone(), lower(own, lost));
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                let parts = parts.iter().map(|own| lower(own, lost)).collect();
                out.insert(key.clone(), Value::Array(parts));
            }
            ("const", own) => _ = out.insert("enum".into(), json!([own])),
            ("examples", Value::Array(list)) => {
                _ = list.first().map(|first| out.insert("example".into(), first.clone()));
            }
            ("exclusiveMinimum" | "exclusiveMaximum", own @ Value::Number(_)) => {
                out.insert(key.replace("exclusiveM", "m"), own.clone());
                out.insert(key.clone(), Value::Bool(true));
            }
            (word, _) if LOST.contains(&word) => lost.push(word.to_owned()),
            ("type", Value::Array(types)) => kinds(types, &mut out),
            ("type", Value::String(kind)) if kind == "null" => kinds(&[json!("null")], &mut out),
            _ => _ = out.insert(key.clone(), value.clone()),
        }
    }
    if out.get("type") == Some(&json!("array")) && !out.contains_key("items") {
        out.insert("items".into(), json!({}));
    }
    if out.len() > 1
        && let Some(own) = out.shift_remove("$ref")
    {
        let mut parts = vec![json!({ "$ref": own })];
        if let Some(Value::Array(others)) = out.shift_remove("allOf") {
            parts.extend(others);
        }
        out.insert("allOf".into(), Value::Array(parts));
    }
    Value::Object(out)
}

/// Several types: null is a word of its own there, and others are alternatives.
fn kinds(types: &[Value], out: &mut Map<String, Value>) {
    let others: Vec<_> = types.iter().filter(|kind| **kind != json!("null")).collect();
    match others.as_slice() {
        [] => _ = out.insert("enum".into(), json!([null])),
        [one] => _ = out.insert("type".into(), (*one).clone()),
        several => {
            let part = |kind: &&Value| {
                if **kind == json!("array") {
                    json!({ "type": "array", "items": {} })
                } else {
                    json!({ "type": kind })
                }
            };
            let parts: Vec<_> = several.iter().map(|kind| part(kind)).collect();
            out.insert("anyOf".into(), Value::Array(parts));
        }
    }
    if others.len() < types.len() {
        out.insert("nullable".into(), Value::Bool(true));
    }
}
