//! Distinguishes data models, OpenAPI documents, JSON Schemas and samples by their members.

use serde_json::{Map, Value};

use super::content_kind::ContentKind;

/// The kind of an object.
pub(super) fn kind(map: &Map<String, Value>) -> ContentKind {
    let is_text = |name: &str| map.get(name).is_some_and(Value::is_string);
    if ["skill", "data", "artifacts"].iter().all(|key| map.contains_key(*key)) {
        ContentKind::Envelope
    } else if is_text("openapi") || is_text("swagger") || has_schemas(map) {
        ContentKind::OpenApi
    } else if is_model(map) {
        ContentKind::Model
    } else if is_schema(map) {
        ContentKind::JsonSchema
    } else {
        ContentKind::Sample
    }
}

fn has_schemas(map: &Map<String, Value>) -> bool {
    map.get("components")
        .and_then(|components| components.get("schemas"))
        .is_some_and(Value::is_object)
}

fn is_model(map: &Map<String, Value>) -> bool {
    let entities = map.get("entities").and_then(Value::as_object);
    entities.is_some_and(|all| {
        !all.is_empty()
            && all.values().all(|entity| entity.get("shape").is_some_and(Value::is_object))
    })
}

/// Whether the object has keywords with schemas as values, or keywords that constrain one type, in forms that samples
/// do not have.
fn is_schema(map: &Map<String, Value>) -> bool {
    const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let is_schema = |value: &Value| value.is_object() || value.is_boolean();
    let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let has = |name: &str, is: &dyn Fn(&Value) -> bool| map.get(name).is_some_and(is);
    let schemas = |value: &Value| value.as_object().is_some_and(|all| all.values().all(is_schema));
    let several = |value: &Value| {
        value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_schema))
    };
    if has("$schema", &Value::is_string) || has("$defs", &schemas) || has("definitions", &schemas) {
        return true;
    }
    if has("$ref", &Value::is_string) && map.len() <= 3
        || ["allOf", "anyOf", "oneOf"].iter().any(|name| has(name, &several))
    {
        return true;
    }
    let types = |value: &Value| {
        is_type(value)
            || value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(is_type))
    };
    let properties = has("properties", &schemas);
    if !has("type", &types) {
        return properties && map.get("required").is_some_and(Value::is_array);
    }
    let bounds =
        ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "multipleOf"];
    map.len() == 1
        || properties
        || ["items", "additionalProperties"].iter().any(|name| has(name, &is_schema))
        || has("patternProperties", &schemas)
        || has("enum", &Value::is_array)
        || ["format", "pattern"].iter().any(|name| has(name, &Value::is_string))
        || bounds.iter().any(|name| has(name, &Value::is_number))
}
