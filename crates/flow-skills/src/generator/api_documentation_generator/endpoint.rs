//! One endpoint: read from an object or from a line, and written as an operation.

use serde_json::{Map, Value, json};

use super::schema::{component, repoint};
use super::{Document, example};
use crate::fields::shown;
use crate::output::{Fault, Result};

pub(super) const METHODS: [&str; 8] =
    ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

/// An endpoint as an object; a line reads `POST /users NewUser -> User : creates a user`.
pub(super) fn read(value: &Value, at: usize) -> Result<Map<String, Value>> {
    let bad = |field: &str, given: String, allowed: &str| Fault::Bad {
        field: format!("endpoints[{at}]{field}"),
        given,
        allowed: allowed.into(),
    };
    let mut map = match value {
        Value::Object(map) => map.clone(),
        Value::String(line) => from_line(line),
        _ => {
            return Err(bad(
                "",
                shown(value),
                "an object, or a line such as \"GET /users/{id} -> User\"",
            ));
        }
    };
    let method = map.get("method").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    if !METHODS.contains(&method.as_str()) {
        let given = map.get("method").map_or("nothing".into(), shown);
        return Err(bad(".method", given, &format!("one of {}", METHODS.join(", "))));
    }
    let path = map.get("path").and_then(Value::as_str).unwrap_or_default();
    if !path.starts_with('/') || path.contains(['?', '#']) {
        return Err(bad(
            ".path",
            Value::from(path).to_string(),
            "a path that begins with / and has no query",
        ));
    }
    // `:id` of other notations is `{id}` here.
    let segment = |part: &str| {
        part.strip_prefix(':').map_or_else(|| part.to_owned(), |name| format!("{{{name}}}"))
    };
    let path: Vec<_> = path.split('/').map(segment).collect();
    map.insert("path".into(), path.join("/").into());
    map.insert("method".into(), method.into());
    Ok(map)
}

fn from_line(line: &str) -> Map<String, Value> {
    let mut map = Map::new();
    let (line, summary) =
        line.split_once(" : ").map_or((line, None), |(line, summary)| (line, Some(summary)));
    let (left, response) =
        line.split_once("->").map_or((line, None), |(left, right)| (left, Some(right)));
    let mut words = left.split_whitespace();
    for (field, word) in
        [("method", words.next()), ("path", words.next()), ("request", words.next())]
    {
        if let Some(word) = word {
            map.insert(field.into(), word.into());
        }
    }
    for (field, text) in [("response", response), ("summary", summary)] {
        if let Some(text) = text {
            map.insert(field.into(), text.trim().into());
        }
    }
    map
}

/// The names of a path's parameters.
fn path_parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// Writes the endpoint as an operation.
pub(super) fn operation(
    map: &Map<String, Value>,
    at: usize,
    document: &mut Document,
) -> Result<Value> {
    let path = map.get("path").and_then(Value::as_str).unwrap_or_default();
    let mut out = named(map, path, document)?;
    let parameters = parameters(map, path, at, document)?;
    let has_parameters = !parameters.is_empty();
    if has_parameters {
        out.insert("parameters".into(), Value::Array(parameters));
    }
    let body = map.get("request").filter(|body| !body.is_null());
    if let Some(body) = body {
        let field = format!("endpoints[{at}].request");
        let content = content(body, map.get("requestExample"), &field, document)?;
        out.insert("requestBody".into(), json!({ "required": true, "content": content }));
    }
    let is_open = map.get("auth") == Some(&Value::Bool(false));
    let is_secured = document.is_secured && !is_open;
    let guesses =
        [(400, body.is_some() || has_parameters), (401, is_secured), (404, path.contains('{'))];
    let errors = guesses.into_iter().filter(|(_, is_so)| *is_so).map(|(code, _)| code).collect();
    let responses = responses(map, at, errors, document)?;
    out.insert("responses".into(), Value::Object(responses));
    if document.is_secured && is_open {
        out.insert("security".into(), json!([]));
    }
    Ok(Value::Object(out))
}

/// What an operation is called, for people and for programs.
fn named(
    map: &Map<String, Value>,
    path: &str,
    document: &mut Document,
) -> Result<Map<String, Value>> {
    let text = |field: &str| map.get(field).and_then(Value::as_str);
    let method = text("method").unwrap_or_default();
    let mut out = Map::new();
    let tag =
        path.split('/').find(|part| !part.is_empty() && !part.starts_with('{')).unwrap_or("root");
    out.insert("tags".into(), map.get("tags").cloned().unwrap_or_else(|| json!([tag])));
    let summary =
        text("summary").map_or_else(|| format!("{} {path}", method.to_uppercase()), str::to_owned);
    out.insert("summary".into(), summary.into());
    if let Some(description) = text("description") {
        out.insert("description".into(), description.into());
    }
    let id = text("operationId").map_or_else(
        || heck::AsLowerCamelCase(format!("{method} {path}")).to_string(),
        str::to_owned,
    );
    if !document.operations.insert(id.clone()) {
        return Err(Fault::Refused(format!(
            "two endpoints have the operationId {id:?}: name them with operationId"
        )));
    }
    out.insert("operationId".into(), id.into());
    Ok(out)
}

fn parameters(
    map: &Map<String, Value>,
    path: &str,
    at: usize,
    document: &mut Document,
) -> Result<Vec<Value>> {
    let mut out: Vec<Value> = Vec::new();
    let stated = map.get("parameters").and_then(Value::as_array).into_iter().flatten();
    for (number, own) in stated.enumerate() {
        let field = format!("endpoints[{at}].parameters[{number}]");
        out.push(parameter(own, path, &field, document)?);
    }
    for name in path_parameters(path) {
        let is_it = |own: &Value| own["name"] == name && own["in"] == "path";
        if !out.iter().any(is_it) {
            out.push(json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
        }
    }
    Ok(out)
}

fn parameter(stated: &Value, path: &str, field: &str, document: &mut Document) -> Result<Value> {
    let mut own = match stated {
        Value::Object(own) => own.clone(),
        Value::String(name) => Map::from_iter([("name".to_owned(), Value::from(name.as_str()))]),
        _ => Map::new(),
    };
    let name = own.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_path = path_parameters(path).any(|part| part == name);
    let place =
        own.entry("in").or_insert_with(|| if is_path { "path" } else { "query" }.into()).clone();
    let is_known = ["path", "query", "header", "cookie"].iter().any(|known| place == *known);
    if name.is_empty() || !is_known || (place == "path") != is_path {
        return Err(Fault::Bad {
            field: field.into(),
            given: shown(stated),
            allowed: "a name, and in: path (where the path has it), query, header or cookie".into(),
        });
    }
    if is_path {
        own.insert("required".into(), Value::Bool(true));
    }
    let kind = own.shift_remove("type");
    own.entry("schema")
        .or_insert_with(|| json!({ "type": kind.unwrap_or_else(|| "string".into()) }));
    if let Some(schema) = own.get_mut("schema") {
        *schema = document.shaped(schema.take());
    }
    Ok(Value::Object(own))
}

fn responses(
    map: &Map<String, Value>,
    at: usize,
    guessed: Vec<u16>,
    document: &mut Document,
) -> Result<Map<String, Value>> {
    let mut out = Map::new();
    let field = format!("endpoints[{at}].response");
    let response = map.get("response").filter(|own| !own.is_null());
    let default = match map.get("method").and_then(Value::as_str) {
        Some("post") => 201,
        _ if response.is_none() => 204,
        _ => 200,
    };
    let status = map.get("status").and_then(Value::as_u64).unwrap_or(default);
    let mut success = json!({ "description": reason(status) });
    if let Some(response) = response {
        success["content"] = content(response, map.get("responseExample"), &field, document)?;
    }
    out.insert(status.to_string(), success);
    let errors = match map.get("errors") {
        Some(Value::Array(errors)) => errors.clone(),
        _ => guessed.into_iter().map(Value::from).collect(),
    };
    for error in &errors {
        let code = error
            .as_u64()
            .or_else(|| error.get("status")?.as_u64())
            .filter(|code| (400..600).contains(code));
        let Some(code) = code else {
            return Err(Fault::Bad {
                field: format!("endpoints[{at}].errors"),
                given: shown(error),
                allowed: "a status of 400 to 599, or an object with status and description".into(),
            });
        };
        let description = error.get("description").and_then(Value::as_str);
        out.insert(code.to_string(), document.error(code, description));
    }
    Ok(out)
}

/// A body: the name of a schema, `Name[]` for a list of them, or a schema.
fn content(
    body: &Value,
    own: Option<&Value>,
    field: &str,
    document: &mut Document,
) -> Result<Value> {
    let mut schema = match body {
        Value::String(name) => {
            let item = name.strip_suffix("[]").unwrap_or(name);
            if !document.schemas.contains_key(&component(item)) {
                let known: Vec<_> = document.schemas.keys().take(20).cloned().collect();
                let allowed = format!("a schema, or the name of one ({})", known.join(", "));
                return Err(Fault::Bad { field: field.into(), given: shown(body), allowed });
            }
            let item_schema = json!({ "$ref": super::schema::reference(item) });
            if item.len() < name.len() {
                json!({ "type": "array", "items": item_schema })
            } else {
                item_schema
            }
        }
        Value::Object(_) => body.clone(),
        _ => {
            let allowed = "a schema, or the name of one".into();
            return Err(Fault::Bad { field: field.into(), given: shown(body), allowed });
        }
    };
    repoint(&mut schema);
    let example = own.cloned().or_else(|| example::of(&schema, &document.schemas));
    let mut media = json!({ "schema": document.shaped(schema) });
    match example {
        Some(example) => media["example"] = example,
        None => document
            .open
            .push(format!("Which example fits {field}? None could be computed from its schema.")),
    }
    Ok(json!({ "application/json": media }))
}

/// The reason phrase of a status.
pub(super) fn reason(status: u64) -> String {
    let code = u16::try_from(status).ok().and_then(|code| http::StatusCode::from_u16(code).ok());
    code.and_then(|code| code.canonical_reason())
        .map_or_else(|| format!("Status {status}"), str::to_owned)
}
