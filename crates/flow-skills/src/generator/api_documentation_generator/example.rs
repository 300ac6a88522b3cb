//! Generates an example that is valid for a schema, if one can be computed.

use std::cell::Cell;

use serde_json::{Map, Value, json};

use crate::text::lists;

/// Largest number of schemas that are looked at for an example: each may refer to many that refer to it.
const MOST: usize = 2_000;
/// How deep an example goes; what is optional ends before.
const DEEPEST: usize = 8;

/// Words whose fit is not computed.
const HARD: &str = "not if patternProperties propertyNames dependentRequired dependentSchemas contains \
    prefixItems oneOf allOf minProperties maxProperties";

/// Finds a schema by component name.
type Find<'f, 's> = &'f dyn Fn(&str) -> Option<&'s Value>;

/// An example for a schema; `all` resolves its references.
pub(super) fn make(schema: &Value, all: Find<'_, '_>) -> Option<Value> {
    Maker { all, left: Cell::new(MOST) }.make(schema, 0)
}

struct Maker<'f, 's> {
    all: Find<'f, 's>,
    /// Number of further schemas that are looked at.
    left: Cell<usize>,
}

impl Maker<'_, '_> {
    /// An example for a schema `depth` levels below the first.
    fn make(&self, schema: &Value, depth: usize) -> Option<Value> {
        self.left.set(self.left.get().checked_sub(1)?);
        let Some(map) = schema.as_object() else {
            return (schema == &Value::Bool(true)).then(|| json!({}));
        };
        if depth > DEEPEST {
            return None;
        }
        let first = |key: &str| map.get(key)?.as_array()?.first().cloned();
        let given = first("examples").or_else(|| map.get("example").or(map.get("const")).cloned());
        if let Some(given) = given.or_else(|| first("enum")) {
            return Some(given);
        }
        if map.keys().any(|word| lists(HARD, word)) {
            return None;
        }
        if let Some(pointer) = map.get("$ref").and_then(Value::as_str) {
            let name = pointer.strip_prefix("#/components/schemas/")?;
            return if map.len() == 1 { self.make((self.all)(name)?, depth + 1) } else { None };
        }
        if let Some(part) = first("anyOf") {
            return if map.contains_key("properties") { None } else { self.make(&part, depth + 1) };
        }
        if let Some(default) = map.get("default") {
            return Some(default.clone());
        }
        self.of_kind(map, depth)
    }

    /// An example for the schema's type, or for the type that its keywords imply.
    fn of_kind(&self, map: &Map<String, Value>, depth: usize) -> Option<Value> {
        let kind = match map.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            Some(Value::Array(kinds)) => kinds
                .iter()
                .filter_map(Value::as_str)
                .find(|kind| *kind != "null")
                .unwrap_or("null"),
            _ if map.contains_key("properties") => "object",
            _ if map.is_empty() => return Some(json!({})),
            _ => return None,
        };
        match kind {
            "null" => Some(Value::Null),
            "boolean" => Some(json!(true)),
            "integer" | "number" => number(map),
            "string" => text(map),
            "array" => self.array(map, depth),
            "object" => self.object(map, depth),
            _ => None,
        }
    }

    fn array(&self, map: &Map<String, Value>, depth: usize) -> Option<Value> {
        let bound = |key: &str| map.get(key).and_then(Value::as_u64);
        if bound("minItems") > Some(1) || bound("maxItems") == Some(0) {
            return None;
        }
        let item = self.make(map.get("items").unwrap_or(&json!({})), depth + 1);
        match item {
            Some(item) => Some(json!([item])),
            None => bound("minItems").is_none_or(|least| least == 0).then(|| json!([])),
        }
    }

    fn object(&self, map: &Map<String, Value>, depth: usize) -> Option<Value> {
        let empty = Map::new();
        let properties = map.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required = map.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let mut out = Map::new();
        for (name, schema) in properties {
            let is_required = required.contains(&name.as_str());
            match self.make(schema, depth + 1) {
                Some(value) => _ = out.insert(name.clone(), value),
                None if is_required => return None,
                None => {}
            }
        }
        if required.into_iter().any(|name| !properties.contains_key(name)) {
            return None;
        }
        Some(Value::Object(out))
    }
}

/// A small number, the least one where that is given; none that other bounds exclude.
fn number(map: &Map<String, Value>) -> Option<Value> {
    let value = map.get("minimum").or(map.get("multipleOf")).cloned().unwrap_or(json!(1));
    let bound = |key: &str| map.get(key).and_then(Value::as_f64);
    let number = value.as_f64()?;
    let fits = bound("maximum").is_none_or(|most| number <= most)
        && bound("exclusiveMinimum").is_none_or(|above| number > above)
        && bound("exclusiveMaximum").is_none_or(|below| number < below)
        && bound("multipleOf").is_none_or(|step| number % step == 0.0)
        // In OpenAPI 3.0 it is a word, beside the bound itself.
        && !["exclusiveMinimum", "exclusiveMaximum"].iter().any(|key| map.get(*key) == Some(&true.into()));
    fits.then_some(value)
}

fn text(map: &Map<String, Value>) -> Option<Value> {
    let length = |key: &str| usize::try_from(map.get(key)?.as_u64()?).ok();
    let least = length("minLength").unwrap_or(0);
    let most = length("maxLength").unwrap_or(usize::MAX);
    let plain: String = "text".chars().cycle().take(least.clamp(4, 10_000).min(most)).collect();
    let text = match map.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-31T09:30:00Z",
        Some("date") => "2026-01-31",
        Some("time") => "09:30:00Z",
        Some("duration") => "P1D",
        Some("email") => "ada@example.com",
        Some("uuid") => "3f2b8c1e-9d4a-4c6b-8e7f-1a2b3c4d5e6f",
        Some("uri") => "https://example.com/",
        Some("ipv4") => "192.0.2.1",
        Some("ipv6") => "2001:db8::1",
        Some("password" | "binary") | None => &plain,
        Some(_) => return None,
    };
    let fits = !map.contains_key("pattern") && (least..=most).contains(&text.len());
    fits.then(|| json!(text))
}
