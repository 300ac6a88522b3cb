//! The kind of an object, by the names of its members.

use serde_json::{Map, Value};

use super::content::ContentKind;

/// The kind of an object.
pub(crate) fn kind_of(map: &Map<String, Value>) -> ContentKind {
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

/// Whether the object has keywords of JSON Schema in forms that samples do not have.
fn is_schema(map: &Map<String, Value>) -> bool {
    const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let is_schema = |value: &Value| value.is_object() || value.is_boolean();
    let is_type = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    let several = |value: &Value, fits: &dyn Fn(&Value) -> bool| {
        value.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(fits))
    };
    let has = |names: &str, fits: &dyn Fn(&Value) -> bool| {
        names.split(' ').any(|name| map.get(name).is_some_and(fits))
    };
    let schemas = |value: &Value| value.as_object().is_some_and(|all| all.values().all(is_schema));
    if has("$schema", &Value::is_string) || has("$defs definitions", &schemas) {
        return true;
    }
    if has("$ref", &Value::is_string) && map.len() <= 3
        || has("allOf anyOf oneOf", &|value| several(value, &is_schema))
    {
        return true;
    }
    let properties = has("properties", &schemas);
    if !has("type", &|value| is_type(value) || several(value, &is_type)) {
        return properties && has("required", &Value::is_array);
    }
    map.len() == 1
        || properties
        || has("items additionalProperties", &is_schema)
        || has("patternProperties", &schemas)
        || has("enum", &Value::is_array)
        || has("format pattern", &Value::is_string)
        || has(
            "minimum maximum minLength maxLength minItems maxItems multipleOf",
            &Value::is_number,
        )
}
