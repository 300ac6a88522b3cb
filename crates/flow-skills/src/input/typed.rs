//! The Rust type of a skill's input: its schema, reading it from fields, and errors worded from the schema.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::output::{Fault, Result, shown};

/// The schema keyword with a field's other labels.
pub const LABELS: &str = "x-labels";

/// A skill's input type, with the Rust type erased.
#[derive(Debug, Clone, Copy)]
pub struct InputType {
    /// Its JSON Schema.
    pub schema: fn() -> Value,
    /// Checks fields against it.
    pub check: fn(&Map<String, Value>) -> Result<()>,
}

impl InputType {
    /// The input type `T`.
    pub const fn of<T: DeserializeOwned + JsonSchema>() -> Self {
        Self { schema: schema_of::<T>, check: |fields| read::<T>(fields).map(drop) }
    }
}

/// The schema of an input type: references resolved, and without `null`, since a null field counts as absent.
pub fn schema_of<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    without_null(&mut schema);
    // A flattened struct cannot declare this; [`read`] enforces it.
    schema["additionalProperties"] = false.into();
    schema
}

/// Removes artefacts of the Rust types: the `null` of an option, and the line breaks of comments.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|kind| kind != "null");
                if types.len() == 1 {
                    map["type"] = types.remove(0);
                }
            }
            if let Some(Value::Array(any)) = map.get_mut("anyOf")
                && any.len() == 2
                && any[1] == serde_json::json!({"type": "null"})
                && let Value::Object(mut only) = any.remove(0)
            {
                map.shift_remove("anyOf");
                only.extend(std::mem::take(map));
                *map = only;
            }
            if let Some(Value::Array(words)) = map.get_mut("enum") {
                words.retain(|word| !word.is_null());
            }
            if map.get("default").is_some_and(Value::is_null) {
                map.shift_remove("default");
            }
            if let Some(Value::String(text)) = map.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            map.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Fields without those that are null or blank, which count as absent.
pub fn given(fields: &Map<String, Value>) -> Map<String, Value> {
    let is_given = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    };
    let given = fields.iter().filter(|(_, value)| is_given(value));
    given.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Deserialises fields as the input type.
///
/// # Errors
/// The first fault: its path, the value found, the expected type, and the purpose of the field.
pub fn read<T: DeserializeOwned + JsonSchema>(fields: &Map<String, Value>) -> Result<T> {
    let fields = Value::Object(given(fields));
    let schema = schema_of::<T>();
    // Unknown names first: they are often why a required field seems to be missing.
    if let (Value::Object(fields), Some(known)) = (&fields, schema["properties"].as_object())
        && let Some(name) = fields.keys().find(|name| !known.contains_key(*name))
    {
        return Err(unknown("", name, &schema));
    }
    // A type with its own deserialiser may report a missing field like an invalid one.
    let mut required =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    if let Some(name) = required.find(|name| fields.get(*name).is_none()) {
        return Err(fault("", &format!("missing field `{name}`"), &fields, &schema));
    }
    attempt::<T>(&fields).map_err(|(mut path, message)| {
        if path.is_empty() && !message.starts_with("missing field") {
            path = culprit::<T>(&fields, &message);
        }
        fault(&path, &message, &fields, &schema)
    })
}

/// Deserialises fields; an error is its path, which is empty if serde does not know it, and its message.
fn attempt<T: DeserializeOwned>(fields: &Value) -> std::result::Result<T, (String, String)> {
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let path = error.path().to_string();
        (if path == "." { String::new() } else { path }, error.inner().to_string())
    })
}

/// The field whose removal changes the error: serde loses the path inside of a flattened struct.
fn culprit<T: DeserializeOwned>(fields: &Value, message: &str) -> String {
    let Value::Object(map) = fields else { return String::new() };
    let is_it = |name: &&String| {
        let mut without = map.clone();
        without.shift_remove(*name);
        attempt::<T>(&Value::Object(without)).err().is_none_or(|(_, other)| other != message)
    };
    map.keys().find(is_it).cloned().unwrap_or_default()
}

/// A fault of serde's, worded from the schema.
fn fault(path: &str, message: &str, fields: &Value, schema: &Value) -> Fault {
    let (value, part) = at(path, fields, schema);
    let quoted = |message: &str| message.split('`').nth(1).unwrap_or_default().to_owned();
    if message.starts_with("unknown field") {
        let name = quoted(message);
        let parent = path.strip_suffix(&name).map_or(path, |parent| parent.trim_end_matches('.'));
        return unknown(parent, &name, at(parent, fields, schema).1);
    }
    if message.starts_with("missing field") {
        return missing(path, &quoted(message), part);
    }
    let is_serde = ["invalid ", "unknown variant", "did not match", "duplicate field"];
    let wanted = (!is_serde.iter().any(|start| message.starts_with(start))).then_some(message);
    bad(path, value, part, wanted)
}

/// A required field that is not given; `schema` is that of the object at `path`.
pub fn missing(path: &str, name: &str, schema: &Value) -> Fault {
    let property = &schema["properties"][name];
    Fault::Missing {
        field: below(path, name),
        expects: expected(property),
        description: description(property).unwrap_or("it is required").to_owned(),
    }
}

/// A value that a field cannot take; `wanted` overrides what the schema expects.
pub fn bad(path: &str, value: &Value, schema: &Value, wanted: Option<&str>) -> Fault {
    let wanted = wanted.map_or_else(|| expected(schema), str::to_owned);
    let purpose = description(schema).map(|text| format!(" ({text})")).unwrap_or_default();
    Fault::Bad { field: path.to_owned(), given: shown(value), allowed: wanted + &purpose }
}

/// A name that is not a field.
pub fn unknown(path: &str, name: &str, schema: &Value) -> Fault {
    let known: Vec<&str> = schema["properties"]
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    let known = match (nearest(name, &known), schema["x-unknown"].as_str()) {
        (Some(near), _) => format!("did you mean {near:?}? known are {}", known.join(", ")),
        (None, Some(more)) if path.is_empty() => format!("known are {}; {more}", known.join(", ")),
        (None, _) => format!("known are {}", known.join(", ")),
    };
    Fault::Unknown { field: below(path, name), known }
}

/// The first sentence of a field's description.
fn description(schema: &Value) -> Option<&str> {
    let text = schema["description"].as_str()?;
    Some(text.split(". ").next().unwrap_or(text).trim_end_matches('.'))
}

/// The value and the schema at a path such as `options[0].name`.
fn at<'a>(path: &str, fields: &'a Value, schema: &'a Value) -> (&'a Value, &'a Value) {
    let steps = path.split(['.', '[', ']']).filter(|step| !step.is_empty());
    steps.fold((fields, schema), |(value, schema), step| match step.parse::<usize>() {
        Ok(at) if value.is_array() => (&value[at], &schema["items"]),
        _ => (&value[step], &schema["properties"][step]),
    })
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The types that a schema allows; empty if it allows all.
pub fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value is of one of the types that a schema allows.
pub fn has_type(schema: &Value, given: &Value) -> bool {
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

/// The words of an enumeration: `enum`, or for variants with descriptions `oneOf`.
pub fn words(schema: &Value) -> Option<Vec<&Value>> {
    if let Some(words) = schema["enum"].as_array() {
        return Some(words.iter().collect());
    }
    schema["oneOf"].as_array()?.iter().map(|variant| variant.get("const")).collect()
}

/// The expected type or values of a schema, in words.
pub fn expected(schema: &Value) -> String {
    if let Some(allowed) = words(schema) {
        let words: Vec<String> = allowed.into_iter().map(shown).collect();
        return format!("one of {}", words.join(", "));
    }
    let range = match (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        _ => String::new(),
    };
    let word = |name: &&str| match *name {
        "string" if schema["format"] == "date" => "a date such as 2026-01-31".to_owned(),
        "string" => "text".to_owned(),
        "integer" => format!("a whole number{range}"),
        "number" => "a number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "array" if types(&schema["items"]) == ["string"] => "a list of texts".to_owned(),
        "array" => "a list".to_owned(),
        "object" => "an object".to_owned(),
        other => other.to_owned(),
    };
    let words: Vec<String> = types(schema).iter().map(word).collect();
    if words.is_empty() { "any value".to_owned() } else { words.join(" or ") }
}

/// The known word nearest to a possibly mistyped one: at most two edits away, or one third of its letters.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let most = (word.chars().count() / 3).clamp(1, 2);
    let far = |candidate: &&'a str| (strsim::osa_distance(word, candidate), *candidate);
    known.iter().map(far).filter(|(far, _)| *far <= most).min().map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::super::values::{Date, Int, Line, TextOr};
    use super::*;

    /// A record.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only its reading is tested")]
    struct Record {
        /// What it is about.
        topic: Line,
        /// Its size.
        points: Option<Int<1, 21>>,
        /// Its state. More is not repeated.
        status: Option<Status>,
        /// The options.
        #[serde(default)]
        options: Vec<TextOr<Choice>>,
        /// Its sort.
        kind: Option<Described>,
        /// The day.
        day: Option<Date>,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Status {
        Proposed,
        Accepted,
    }

    /// Variants with comments become `oneOf`.
    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Described {
        /// Data are moved.
        Data,
        /// A service is moved.
        Service,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Choice {
        /// Its name.
        #[allow(dead_code, reason = "only its reading is tested")]
        name: Line,
    }

    impl TryFrom<Line> for Choice {
        type Error = &'static str;

        fn try_from(name: Line) -> std::result::Result<Self, &'static str> {
            Ok(Self { name })
        }
    }

    fn says(fields: Value) -> String {
        let Value::Object(fields) = fields else { unreachable!() };
        read::<Record>(&fields).map_or_else(|fault| fault.to_string(), |_| "fine".to_owned())
    }

    #[test]
    fn an_error_names_path_value_type_and_purpose() {
        for (fields, expected) in [
            (
                json!({"topic": "x", "points": 3.0, "options": ["a", {"name": "b"}], "day": null}),
                "fine",
            ),
            (json!({}), r#"the field "topic" is missing: What it is about (text)"#),
            (json!({"topic": " "}), r#"the field "topic" is missing: What it is about (text)"#),
            (json!({"topic": 7}), r#"the field "topic" is 7, but must be text (What it is about)"#),
            (
                json!({"topic": "x", "points": 0}),
                r#"the field "points" is 0, but must be a whole number from 1 to 21 (Its size)"#,
            ),
            (
                json!({"topic": "x", "points": "many"}),
                r#"the field "points" is "many", but must be a whole number from 1 to 21 (Its size)"#,
            ),
            (
                json!({"topic": "x", "status": "done"}),
                r#"the field "status" is "done", but must be one of "proposed", "accepted" (Its state)"#,
            ),
            (
                json!({"topic": "x", "kind": "disk"}),
                r#"the field "kind" is "disk", but must be one of "data", "service" (Its sort)"#,
            ),
            (
                json!({"topic": "x", "options": ["a", {}]}),
                r#"the field "options[1].name" is missing: Its name (text)"#,
            ),
            (
                json!({"topic": "x", "options": [{"name": "a", "nmae": "b"}]}),
                r#"the field "options[0].nmae" is not known; did you mean "name"? known are name"#,
            ),
            (
                json!({"topic": "x", "options": [""]}),
                r#"the field "options[0]" is "", but must be text that is not empty"#,
            ),
            (
                json!({"topic": "x", "day": "soon"}),
                r#"the field "day" is "soon", but must be a date such as 2026-01-31 (The day)"#,
            ),
            (
                json!({"topic": "x", "pionts": 1}),
                r#"the field "pionts" is not known; did you mean "points"? known are topic, points, status, options, kind, day"#,
            ),
        ] {
            assert_eq!(says(fields.clone()), expected, "{fields}");
        }
    }

    #[test]
    fn the_schema_is_plain() {
        let schema = schema_of::<Record>();
        assert_eq!(schema["required"], json!(["topic"]));
        assert_eq!(schema["additionalProperties"], false);
        let points =
            json!({"type": "integer", "minimum": 1, "maximum": 21, "description": "Its size."});
        assert_eq!(schema["properties"]["points"], points);
        assert_eq!(schema["properties"]["status"]["enum"], json!(["proposed", "accepted"]));
        assert_eq!(schema["properties"]["options"]["items"]["type"], json!(["string", "object"]));
    }
}
