//! Holds a skill's input against its schema, and words what is wrong from the schema's own descriptions.
//!
//! The part of JSON Schema 2020-12 that input schemas are written in: `type`, `properties`, `required`,
//! `additionalProperties: false`, `items`, `enum`, `minimum`, `maximum`, `minLength`, `minItems`. A test compares its
//! verdicts with those of a full validator.

use serde_json::{Map, Value};

use super::fields::{bad, shown};
use super::output::{Fault, Result};

/// The furthest word that is still taken for a slip, in changed letters.
const SLIP: usize = 2;

/// Checks the fields of an input.
///
/// # Errors
/// The first fault, with the path of its field.
pub fn check(schema: &Value, fields: &Map<String, Value>) -> Result<()> {
    object("", schema, fields)
}

fn value(path: &str, schema: &Value, given: &Value) -> Result<()> {
    if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(given)) {
        let words: Vec<String> = allowed.iter().map(shown).collect();
        return Err(bad(path, given, &format!("one of {}", words.join(", "))));
    }
    if !has_type(schema, given) {
        return Err(bad(path, given, &expected(schema)));
    }
    match given {
        Value::Object(fields) => object(path, schema, fields),
        Value::Array(items) => array(path, schema, items),
        Value::Number(number) => numeric(path, schema, number.as_f64().unwrap_or_default(), given),
        Value::String(text) => string(path, schema, text, given),
        _ => Ok(()),
    }
}

fn object(path: &str, schema: &Value, fields: &Map<String, Value>) -> Result<()> {
    let properties = schema["properties"].as_object();
    // A slip in a name first: it is often why a required field seems to be missing.
    let is_known = |name: &&String| properties.is_some_and(|known| known.contains_key(*name));
    if schema["additionalProperties"] == false
        && let Some(name) = fields.keys().find(|name| !is_known(name))
    {
        return Err(unknown(schema, path, name));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if fields.get(name).is_none_or(Value::is_null) {
            return Err(missing(schema, path, name));
        }
    }
    for (name, given) in fields {
        if let Some(schema) = properties.and_then(|known| known.get(name)) {
            value(&below(path, name), schema, given)?;
        }
    }
    Ok(())
}

fn array(path: &str, schema: &Value, items: &[Value]) -> Result<()> {
    let least = schema["minItems"].as_u64().unwrap_or_default();
    if (items.len() as u64) < least {
        return Err(bad(path, &Value::from(items), &format!("a list of at least {least}")));
    }
    let Some(schema) = schema.get("items") else { return Ok(()) };
    items
        .iter()
        .enumerate()
        .try_for_each(|(at, item)| value(&format!("{path}[{at}]"), schema, item))
}

fn numeric(path: &str, schema: &Value, number: f64, given: &Value) -> Result<()> {
    let least = schema["minimum"].as_f64().filter(|least| number < *least);
    let most = schema["maximum"].as_f64().filter(|most| number > *most);
    match (least, most) {
        (Some(least), _) => Err(bad(path, given, &format!("{least} or more"))),
        (_, Some(most)) => Err(bad(path, given, &format!("{most} or less"))),
        _ => Ok(()),
    }
}

fn string(path: &str, schema: &Value, text: &str, given: &Value) -> Result<()> {
    let least = schema["minLength"].as_u64().unwrap_or_default();
    let enough = text.trim().chars().count() as u64 >= least;
    if enough {
        Ok(())
    } else {
        Err(bad(path, given, &format!("text of at least {least} characters")))
    }
}

/// The names of the types that a schema allows; none means all.
fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn has_type(schema: &Value, given: &Value) -> bool {
    let types = types(schema);
    let is = |name: &&str| match (*name, given) {
        ("integer", Value::Number(number)) => {
            number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        _ => false,
    };
    types.is_empty() || types.iter().any(is)
}

/// What a schema wants, in words.
pub fn expected(schema: &Value) -> String {
    if let Some(allowed) = schema["enum"].as_array() {
        let words: Vec<String> = allowed.iter().map(shown).collect();
        return format!("one of {}", words.join(", "));
    }
    let word = |name: &&str| {
        match *name {
            "string" => "text",
            "integer" => "a whole number",
            "number" => "a number",
            "boolean" => "true or false",
            "array" => "a list",
            "object" => "an object",
            other => other,
        }
        .to_owned()
    };
    let words: Vec<String> = types(schema).iter().map(word).collect();
    if words.is_empty() { "any value".to_owned() } else { words.join(" or ") }
}

fn missing(schema: &Value, path: &str, name: &str) -> Fault {
    let property = &schema["properties"][name];
    Fault::Missing {
        field: below(path, name),
        expects: expected(property),
        description: property["description"]
            .as_str()
            .unwrap_or("it is required")
            .trim_end_matches('.')
            .to_owned(),
    }
}

fn unknown(schema: &Value, path: &str, name: &str) -> Fault {
    let known: Vec<&str> = schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    let hint =
        nearest(name, &known).map(|near| format!("did you mean {near:?}? ")).unwrap_or_default();
    Fault::Unknown {
        field: below(path, name),
        known: format!("{hint}known are {}", known.join(", ")),
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The known word that a slip of the finger may have meant.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let far = |candidate: &&'a str| (distance(word, candidate), *candidate);
    known.iter().map(far).filter(|(far, _)| *far <= SLIP).min().map(|(_, candidate)| candidate)
}

/// How many letters differ (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.chars().count()).collect();
    for (above, a) in left.chars().enumerate() {
        let mut corner = above;
        row[0] = above + 1;
        for (at, b) in right.chars().enumerate() {
            let changed = corner + usize::from(a != b);
            corner = row[at + 1];
            row[at + 1] = changed.min(corner + 1).min(row[at] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn says(fields: Value) -> String {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["topic"],
            "properties": {
                "topic": {"type": "string", "minLength": 1, "description": "What it is about."},
                "points": {"type": "integer", "minimum": 1, "maximum": 21},
                "status": {"enum": ["proposed", "accepted"]},
                "options": {"type": "array", "items": {"type": "object", "required": ["name"],
                    "properties": {"name": {"type": "string", "description": "Its name"}}}}
            }
        });
        let Value::Object(fields) = fields else { unreachable!() };
        check(&schema, &fields).map_or_else(|fault| fault.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn each_fault_names_field_and_remedy() {
        assert_eq!(says(json!({"topic": "x", "points": 3.0, "options": [{"name": "a"}]})), "fine");
        assert_eq!(says(json!({})), r#"the field "topic" is missing: What it is about (text)"#);
        assert_eq!(
            says(json!({"topic": " "})),
            r#"the field "topic" is " ", but must be text of at least 1 characters"#
        );
        assert_eq!(says(json!({"topic": 7})), r#"the field "topic" is 7, but must be text"#);
        assert_eq!(
            says(json!({"topic": "x", "points": 0})),
            r#"the field "points" is 0, but must be 1 or more"#
        );
        assert_eq!(
            says(json!({"topic": "x", "status": "done"})),
            r#"the field "status" is "done", but must be one of "proposed", "accepted""#
        );
        assert_eq!(
            says(json!({"topic": "x", "options": [{}]})),
            r#"the field "options[0].name" is missing: Its name (text)"#
        );
        assert_eq!(
            says(json!({"topic": "x", "pionts": 1})),
            r#"the field "pionts" is not known; did you mean "points"? known are topic, points, status, options"#
        );
    }
}
