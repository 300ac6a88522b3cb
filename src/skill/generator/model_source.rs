//! The data model that a skill was given, whatever it was given as: a schema, samples, an API document, text, or the
//! envelope of the skill before.

use serde_json::Value;

use crate::skill::data::json_schema::{self, bad};
use crate::skill::data::{Model, openapi, samples, text};
use crate::skill::input::Input;
use crate::skill::output::{Fault, Result};
use crate::skill::story::data as story_data;

/// The fields that hold a model, in the order in which they are looked at.
const FIELDS: [&str; 5] = ["schema", "openapi", "samples", "ddl", "source"];

/// Where the skills over stories carry the data of their story.
const STORIES: [&str; 2] = ["/story/data", "/data"];

/// Reads the model of an input.
///
/// # Errors
/// When there is none, more than one, or what is there cannot be read.
pub(super) fn read(input: &Input) -> Result<Model> {
    let name = input.text("name").filter(|name| !name.is_empty()).unwrap_or("Root");
    let given: Vec<&str> = FIELDS
        .into_iter()
        .filter(|field| input.fields.get(*field).is_some_and(|value| !value.is_null()))
        .collect();
    let model = match given.as_slice() {
        [] => upstream(input)?,
        [field] => one(input, field, name)?,
        [first, second, ..] => {
            return Err(Fault::Refused(format!(
                "the fields {first:?} and {second:?} both hold a model, but only one can be read at a time"
            )));
        }
    };
    if model.entities.is_empty() {
        return Err(Fault::Refused(
            "the input describes no entity: give at least one, with its fields".into(),
        ));
    }
    check_references(&model)?;
    Ok(model)
}

fn one(input: &Input, field: &str, name: &str) -> Result<Model> {
    let value = input.fields.get(field).unwrap_or(&Value::Null);
    match field {
        "schema" => json_schema::read(&parsed(value, field)?, name, field),
        "openapi" => openapi::read(&parsed(value, field)?, field),
        "samples" => match value {
            Value::Array(samples) => samples::read(samples, name, field),
            other => Err(bad(field, other, "a list of JSON values")),
        },
        "ddl" => value.as_str().map_or_else(|| Err(bad(field, value, "SQL text")), ddl),
        _ => source(value, name),
    }
}

/// The notes of the reader are the SQL skill's to show: types know no keys and indexes.
fn ddl(text: &str) -> Result<Model> {
    crate::skill::data::ddl::read(text).map(|(model, _)| model)
}

/// A value given as JSON, or as a text that holds JSON or YAML.
fn parsed(value: &Value, field: &str) -> Result<Value> {
    let Value::String(text) = value else { return Ok(value.clone()) };
    serde_json::from_str(text).or_else(|_| serde_saphyr::from_str(text)).map_err(|error| {
        Fault::Unreadable(format!("the field {field:?} is neither JSON nor YAML: {error}"))
    })
}

/// Recognises what a source is: an API document, a schema, a sample or several, or text.
fn source(value: &Value, name: &str) -> Result<Model> {
    let value = match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(value) => value,
            Err(_) if looks_like_sql(text) => return ddl(text),
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
    let first = own.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if CODE.iter().any(|word| first.starts_with(word)) {
        return Err(Fault::Refused(
            "this is code, from which the data is not read back; the skill that wrote it passes on its envelope with --json".into(),
        ));
    }
    text::read(own, field)
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
pub(super) fn looks_like_sql(text: &str) -> bool {
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
        serde_json::from_value::<crate::skill::data::Type>(kind.clone()).is_ok() || kind.is_array()
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

/// The model that the skill before made.
pub(super) fn upstream(input: &Input) -> Result<Model> {
    let Some((skill, data)) = &input.upstream else {
        return Err(Fault::Missing {
            field: "source".into(),
            expects: "text, JSON or YAML; or one of schema, openapi, samples, ddl".into(),
            description: "what describes the data".into(),
        });
    };
    if let Some(lines) = STORIES.iter().find_map(|place| data.pointer(place)?.as_array()) {
        return of_story(skill, data, lines);
    }
    let model = data.get("model").unwrap_or(data);
    serde_json::from_value(model.clone()).map_err(|error| {
        Fault::Refused(format!("the output of {skill:?} holds no data model: {error}"))
    })
}

/// The model of the data that a story's skills carry.
fn of_story(skill: &str, data: &Value, lines: &[Value]) -> Result<Model> {
    let lines: Vec<String> = lines.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    if lines.is_empty() {
        return Err(Fault::Refused(format!(
            "what {skill} made holds no data to make types of; add a line such as `data: email email, minutes int` to the story, or a table of examples"
        )));
    }
    let title = data.pointer("/story/title").or_else(|| data.get("title"));
    story_data::model(&lines, title.and_then(Value::as_str).unwrap_or("Story"))
}

/// Each reference of a model must name one of its entities.
fn check_references(model: &Model) -> Result<()> {
    for (name, entity) in &model.entities {
        let shape = serde_json::to_value(&entity.shape).unwrap_or_default();
        let mut open = vec![&shape];
        while let Some(value) = open.pop() {
            let target = value.get("reference").and_then(Value::as_str);
            let is_shape = value.get("never").is_some_and(Value::is_boolean);
            if let Some(target) =
                target.filter(|target| is_shape && !model.entities.contains_key(*target))
            {
                let known: Vec<&str> = model.entities.keys().map(String::as_str).take(20).collect();
                return Err(Fault::Bad {
                    field: name.clone(),
                    given: format!("a reference to {target:?}"),
                    allowed: format!("a reference to one of: {}", known.join(", ")),
                });
            }
            match value {
                Value::Array(items) => open.extend(items),
                Value::Object(map) => open.extend(
                    map.iter()
                        .filter(|(key, _)| {
                            !matches!(
                                key.as_str(),
                                "default" | "examples" | "enumeration" | "constant"
                            )
                        })
                        .map(|(_, value)| value),
                ),
                _ => {}
            }
        }
    }
    Ok(())
}
