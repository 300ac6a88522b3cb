//! The Rust type of a skill's input: its schema, reading it from fields, and errors worded from the schema.

use std::collections::HashSet;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::keywords::{LABELS, UNKNOWN};
use crate::output::{self, Fault, Result, shown};
use crate::text::first;

/// Largest number of unknown fields that an error names.
const NAMED: usize = 10;

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
pub fn without_blanks(fields: &Map<String, Value>) -> Map<String, Value> {
    let given = fields.iter().filter(|(_, value)| is_given(value));
    given.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Whether a value is neither null nor blank.
pub(crate) fn is_given(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        _ => true,
    }
}

/// Deserialises fields as the input type.
///
/// # Errors
/// The first fault: its path, the value found, the expected type, and the purpose of the field.
pub fn read<T: DeserializeOwned + JsonSchema>(fields: &Map<String, Value>) -> Result<T> {
    let schema = schema_of::<T>();
    let fields = named(&without_blanks(fields), &schema);
    members("", &fields, &schema)?;
    let fields = Value::Object(fields);
    // What a schema cannot say is refused by the types of the values, with what they want.
    attempt::<T>(&fields).map_err(|(mut path, wanted)| {
        if path.is_empty() {
            path = field_at_fault::<T>(&fields, &wanted);
        }
        let (value, part) = value_and_schema(&path, &fields, &schema);
        bad(&path, value, part, Some(&wanted))
    })
}

/// Checks the members of the object at `path` against its schema. Unknown names come first: they are often why a required
/// field seems to be missing.
pub(crate) fn members(path: &str, fields: &Map<String, Value>, schema: &Value) -> Result<()> {
    let is_closed = schema["additionalProperties"] == false;
    let mut members: Vec<Member<'_>> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for (name, value) in fields {
        match property(schema, name) {
            Some((field, schema)) if !value.is_null() => {
                members.push(Member { path: below(path, name), field, value, schema });
            }
            None if is_closed => others.push(name),
            Some(_) | None => {}
        }
    }
    if !others.is_empty() {
        return Err(unknown(path, &others, schema));
    }
    let mut set: HashSet<&str> = HashSet::new();
    for Member { path, field, value, schema } in &members {
        if !set.insert(field) {
            return Err(bad(path, value, schema, Some("given once")));
        }
    }
    let required = schema["required"].as_array().into_iter().flatten();
    if let Some(name) = required.filter_map(Value::as_str).find(|name| !set.contains(name)) {
        return Err(missing(path, name, schema));
    }
    members.iter().try_for_each(|member| check(&member.path, member.value, member.schema))
}

/// A member of an object, with the field that it sets.
struct Member<'a> {
    path: String,
    field: &'a str,
    value: &'a Value,
    schema: &'a Value,
}

/// An object with the names of its fields in place of the labels by which its members, and those of objects in it, name them.
/// A member that names a field a second time keeps its name, by which it is refused.
pub(crate) fn named(object: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let mut fields = Map::new();
    for (key, value) in object {
        let (field, schema) = property(schema, key).unwrap_or((key, &Value::Null));
        let is_taken = field != key && (object.contains_key(field) || fields.contains_key(field));
        let object_of = |value: &Value, schema: &Value| match value {
            Value::Object(members) => named(members, schema).into(),
            other => other.clone(),
        };
        let value = match value {
            Value::Array(items) => {
                items.iter().map(|item| object_of(item, &schema["items"])).collect()
            }
            other => object_of(other, schema),
        };
        fields.insert(if is_taken { key } else { field }.to_owned(), value);
    }
    fields
}

/// The first fault that a schema finds in a value.
fn check(path: &str, value: &Value, schema: &Value) -> Result<()> {
    let is_allowed = match words(schema) {
        // A blank word may be the name of a default.
        Some(words) => *value == "" || words.contains(value),
        None => has_type(schema, value) && is_in_range(schema, value),
    };
    if !is_allowed {
        return Err(bad(path, value, schema, None));
    }
    match value {
        Value::Array(items) if schema["items"].is_object() => items
            .iter()
            .enumerate()
            .try_for_each(|(at, item)| check(&format!("{path}[{at}]"), item, &schema["items"])),
        Value::Object(fields) => members(path, fields, schema),
        _ => Ok(()),
    }
}

/// Whether a number is within the bounds of a schema.
fn is_in_range(schema: &Value, value: &Value) -> bool {
    let Some(number) = value.as_f64() else { return true };
    schema["minimum"].as_f64().is_none_or(|least| number >= least)
        && schema["maximum"].as_f64().is_none_or(|most| number <= most)
}

/// Deserialises fields; an error is its path, which is empty if serde does not know it, and its message.
fn attempt<T: DeserializeOwned>(fields: &Value) -> std::result::Result<T, (String, String)> {
    serde_path_to_error::deserialize(fields).map_err(|error| {
        let path = error.path().to_string();
        (if path == "." { String::new() } else { path }, error.inner().to_string())
    })
}

/// The field whose removal changes the error: serde loses the path inside of a flattened struct.
fn field_at_fault<T: DeserializeOwned>(fields: &Value, message: &str) -> String {
    let Value::Object(map) = fields else { return String::new() };
    let is_it = |name: &&String| {
        let mut without = map.clone();
        without.shift_remove(*name);
        attempt::<T>(&Value::Object(without)).err().is_none_or(|(_, other)| other != message)
    };
    map.keys().find(is_it).cloned().unwrap_or_default()
}

/// A required field that is not given; `schema` is that of the object at `path`.
fn missing(path: &str, name: &str, schema: &Value) -> Fault {
    let property = &schema["properties"][name];
    let purpose = description(property).unwrap_or("it is required");
    output::missing(&below(path, name), &expected(property), purpose)
}

/// A value that a field cannot take; `wanted` overrides what the schema expects.
pub(crate) fn bad(path: &str, value: &Value, schema: &Value, wanted: Option<&str>) -> Fault {
    let wanted = wanted.map_or_else(|| expected(schema), str::to_owned);
    let purpose = description(schema).map(|text| format!(" ({text})")).unwrap_or_default();
    output::bad(path, value, &(wanted + &purpose))
}

/// Names that are not fields.
pub(crate) fn unknown(path: &str, names: &[&str], schema: &Value) -> Fault {
    let properties = || schema["properties"].as_object().into_iter().flatten();
    let known: Vec<&str> = properties().map(|(field, _)| field.as_str()).collect();
    let labels = properties().filter_map(|(_, property)| property[LABELS].as_array()).flatten();
    let all: Vec<&str> = known.iter().copied().chain(labels.filter_map(Value::as_str)).collect();
    let near = names.iter().find_map(|name| nearest(name, &all));
    let near = near.map(|near| format!("did you mean {near:?}? "));
    let more = schema[UNKNOWN].as_str().filter(|_| path.is_empty() && near.is_none());
    let names: Vec<String> = names.iter().map(|name| format!("{:?}", below(path, name))).collect();
    let what = if names.len() == 1 { ["field", "is"] } else { ["fields", "are"] };
    Fault::Refused(format!(
        "the {} {} {} not known; {}known are {}{}",
        what[0],
        first(names.into_iter(), NAMED, " and "),
        what[1],
        near.unwrap_or_default(),
        known.join(", "),
        more.map(|more| format!("; {more}")).unwrap_or_default()
    ))
}

/// The first sentence of a field's description.
fn description(schema: &Value) -> Option<&str> {
    let text = schema["description"].as_str()?;
    Some(text.split(". ").next().unwrap_or(text).trim_end_matches('.'))
}

/// The value and the schema at a path such as `options[0].name`.
fn value_and_schema<'a>(
    path: &str,
    fields: &'a Value,
    schema: &'a Value,
) -> (&'a Value, &'a Value) {
    let steps = path.split(['.', '[', ']']).filter(|step| !step.is_empty());
    steps.fold((fields, schema), |(value, schema), step| match step.parse::<usize>() {
        Ok(at) if value.is_array() => (&value[at], &schema["items"]),
        _ => (&value[step], &schema["properties"][step]),
    })
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The field with this name or label, ignoring case and with spaces or hyphens for underscores, and its schema. The same
/// names are those of `key=value` words, of labels, of headings and of members.
pub fn property<'a>(schema: &'a Value, name: &str) -> Option<(&'a str, &'a Value)> {
    let all: &Map<String, Value> = schema["properties"].as_object()?;
    let has_label = |property: &Value| {
        let labels = property[LABELS].as_array().into_iter().flatten();
        labels.filter_map(Value::as_str).any(|label| is_same_word(label, name))
    };
    all.iter()
        .find(|(known, _)| *known == name)
        .or_else(|| all.iter().find(|(known, _)| is_same_word(known, name)))
        .or_else(|| all.iter().find(|(_, property)| has_label(property)))
        .map(|(known, schema)| (known.as_str(), schema))
}

/// Whether two spellings are the same choice: `In progress` is `in-progress`.
pub(crate) fn is_same_word(word: &str, given: &str) -> bool {
    let plain = |text: &str| words_of(text).to_lowercase().replace(['_', ' '], "-");
    plain(word) == plain(given)
}

/// A name with a space before each capital that follows a small letter: `acceptanceCriteria` is `acceptance Criteria`.
fn words_of(name: &str) -> String {
    let mut words = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_uppercase() && words.ends_with(|before: char| before.is_ascii_lowercase()) {
            words.push(' ');
        }
        words.push(c);
    }
    words
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

/// The words of an enumeration.
pub fn words(schema: &Value) -> Option<&[Value]> {
    schema["enum"].as_array().map(Vec::as_slice)
}

/// The expected type or values of a schema, in words.
pub fn expected(schema: &Value) -> String {
    if let Some(allowed) = words(schema) {
        let words: Vec<String> = allowed.iter().map(shown).collect();
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
