//! Where skills over the data model find it: a field (the model itself, a schema, samples, an API document, DDL, text),
//! or what the skill before made. What stands in such a field is read by [`crate::data`].

mod kind;

use serde_json::Value;

use crate::data::{Model, ddl, json_schema, openapi, samples};
use crate::fields::{bad, missing};
use crate::input::Input;
use crate::input::kind::Upstream;
use crate::output::{Fault, Result};
use crate::story::data as story_data;

pub(super) use kind::looks_like_sql;

/// The fields that hold a model, in the order in which they are looked at.
const FIELDS: [&str; 5] = ["schema", "openapi", "samples", "ddl", "source"];

/// Where the skills over stories carry the data of their story.
const STORIES: [&str; 2] = ["/story/data", "/data"];

/// The data model of an input, and notes of its reader: the field `model`, else
/// `ddl`, else a schema, samples or text, else the upstream skill's.
///
/// # Errors
/// When there is none, or it is not a model.
pub(super) fn model(input: &Input) -> Result<(Model, Vec<String>)> {
    if let Some(value) = input.fields.get("model") {
        return from_value("model", value);
    }
    if let Some(text) = input.text("ddl") {
        return tables("ddl", text);
    }
    if FIELDS.iter().any(|field| *field != "ddl" && input.fields.contains_key(*field)) {
        return shapes(input).map(|model| (model, Vec::new()));
    }
    if input.upstream.is_some() {
        return upstream(input).map(|model| (model, Vec::new()));
    }
    Err(missing(
        "model",
        "an object, or DDL in the field ddl",
        "the data model: entities with their fields, constraints and relations",
    ))
}

/// A model in a field: the model's own form, or DDL as text.
pub(super) fn from_value(field: &str, value: &Value) -> Result<(Model, Vec<String>)> {
    if let Some(text) = value.as_str() {
        return tables(field, text);
    }
    serde_json::from_value(value.clone())
        .map(|model| (model, Vec::new()))
        .map_err(|error| bad(field, value, &format!("a data model ({error})")))
}

/// DDL, or the one-line form and sentences.
fn tables(field: &str, own: &str) -> Result<(Model, Vec<String>)> {
    if looks_like_sql(own) {
        return ddl::read(own);
    }
    kind::told(own, field).map(|model| (model, Vec::new()))
}

/// The model of an input whose types alone count: of one field, else of the upstream skill.
///
/// # Errors
/// When there is none, more than one, or what is there cannot be read.
pub(super) fn shapes(input: &Input) -> Result<Model> {
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
        "ddl" => value.as_str().map_or_else(|| Err(bad(field, value, "SQL text")), types),
        _ => kind::read(value, name),
    }
}

/// The notes of the reader are the SQL skill's to show: types know no keys and indexes.
fn types(text: &str) -> Result<Model> {
    ddl::read(text).map(|(model, _)| model)
}

/// A value given as JSON, or as a text that holds JSON or YAML.
pub(super) fn parsed(value: &Value, field: &str) -> Result<Value> {
    let Value::String(text) = value else { return Ok(value.clone()) };
    serde_json::from_str(text).or_else(|_| serde_saphyr::from_str(text)).map_err(|error| {
        Fault::Unreadable(format!("the field {field:?} is neither JSON nor YAML: {error}"))
    })
}

/// The model that the skill before made.
fn upstream(input: &Input) -> Result<Model> {
    let Some((skill, data)) = &input.upstream else {
        let expects = "text, JSON or YAML; or one of schema, openapi, samples, ddl";
        return Err(missing("source", expects, "what describes the data"));
    };
    if let Some(lines) = STORIES.iter().find_map(|place| data.pointer(place)?.as_array()) {
        return of_story(skill, data, lines);
    }
    let model = data.get("model").unwrap_or(data);
    serde_json::from_value(model.clone()).map_err(|error| {
        Fault::Refused(format!("the output of {skill:?} holds no data model: {error}"))
    })
}

/// The model that another skill gave.
///
/// # Errors
/// When its data hold none.
pub(super) fn of_skill(before: &Upstream) -> Result<Model> {
    if let Some(model) = before.read::<Model>()? {
        return Ok(model);
    }
    upstream(&Input {
        upstream: Some((before.skill.clone(), before.data.clone())),
        ..Input::default()
    })
}

/// Refuses the code that skills write.
///
/// # Errors
/// When it is such code: the envelope passes the model on.
pub(super) fn refuse_code(text: &str) -> Result<()> {
    kind::refuse_code(text)
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
pub(super) fn check_references(model: &Model) -> Result<()> {
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
