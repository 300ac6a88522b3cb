//! What is given as a source without saying so: SQL, a model, an API document, a schema, samples, or text of one's own.

use serde_json::Value;

use crate::data::{Model, Type, json_schema, openapi, samples, text};
use crate::output::{Fault, Result};

/// Recognises what a source is: an API document, a schema, a sample or several, or text.
pub(super) fn read(value: &Value, name: &str) -> Result<Model> {
    let value = match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(value) => value,
            Err(_) if looks_like_sql(text) => return super::types(text),
            Err(_) => match serde_saphyr::from_str::<Value>(text) {
                Ok(value @ Value::Object(_)) if is_openapi(&value) || is_schema(&value) => value,
                _ => return told(text, "source"),
            },
        },
        other => other.clone(),
    };
    if let Ok(model) = serde_json::from_value::<Model>(value.clone())
        && !model.entities.is_empty()
    {
        return Ok(model);
    }
    match &value {
        value if is_openapi(value) => openapi::read(value, "source"),
        value if is_schema(value) => json_schema::read(value, name, "source"),
        Value::Array(several) if !several.is_empty() && several.iter().all(Value::is_object) => {
            samples::read(several, name, "source")
        }
        one => samples::read(std::slice::from_ref(one), name, "source"),
    }
}

/// How the code begins that skills write, and no text about data.
const CODE: [&str; 7] = [
    "export interface ",
    "export type ",
    "export const ",
    "import ",
    "from __future__ ",
    "from pydantic ",
    "type Check ",
];

/// Reads the one-line form and sentences.
///
/// # Errors
/// When it is something else; code that a skill wrote is told how to come.
pub(super) fn told(own: &str, field: &str) -> Result<Model> {
    refuse_code(own)?;
    text::read(own, field)
}

/// Refuses the code that skills write.
pub(super) fn refuse_code(own: &str) -> Result<()> {
    let first = own.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if CODE.iter().any(|word| first.starts_with(word)) {
        return Err(Fault::Refused(
            "this is code, from which the data is not read back; the skill that wrote it passes on its envelope with --json".into(),
        ));
    }
    Ok(())
}

/// Words that SQL begins with, and no sentence.
const SQL: [&str; 16] = [
    "create table",
    "create unique",
    "create index",
    "create type",
    "create schema",
    "create or",
    "create temp",
    "create view",
    "alter table",
    "drop table",
    "drop index",
    "insert into",
    "select ",
    "begin;",
    "set ",
    "pragma ",
];

/// Whether a text is SQL, by what it begins with or by its tables.
pub(in crate::generator) fn looks_like_sql(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let start = lower.trim_start();
    // In capitals it is SQL with a slip, whatever follows.
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_loud = ["CREATE", "ALTER", "DROP", "INSERT", "SELECT"].contains(&first);
    lower.contains("create table")
        || is_loud
        || start.starts_with("--")
        || start.starts_with("/*")
        || SQL.iter().any(|word| start.starts_with(word))
}

fn is_openapi(value: &Value) -> bool {
    value.get("openapi").is_some_and(Value::is_string)
        || value.pointer("/components/schemas").is_some()
}

/// Whether a value says that it is a schema, by words that no mere sample has in these forms.
fn is_schema(value: &Value) -> bool {
    let Some(map) = value.as_object() else { return false };
    let has = |word: &str, is: fn(&Value) -> bool| map.get(word).is_some_and(is);
    let typed = map.get("type").is_some_and(|kind| {
        serde_json::from_value::<Type>(kind.clone()).is_ok() || kind.is_array()
    });
    has("$schema", Value::is_string)
        || has("$ref", Value::is_string)
        || has("$defs", Value::is_object)
        || has("definitions", Value::is_object)
        || ["allOf", "anyOf", "oneOf"].iter().any(|word| has(word, Value::is_array))
        || (typed
            && (map.len() == 1
                || ["properties", "items", "enum", "format", "pattern", "minimum", "minLength"]
                    .iter()
                    .any(|word| map.contains_key(*word))))
        || (has("properties", Value::is_object) && map.values().any(Value::is_array))
}
