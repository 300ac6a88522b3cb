//! Reads the schemas of an `OpenAPI` document, 3.0 or 3.1, into the model: those of `components.schemas`, in Swagger 2 of
//! `definitions`; of a document without these, the schemas of its bodies, named after their operations.

use heck::ToUpperCamelCase;
use serde_json::{Map, Value};

use super::Model;
use super::json_schema::{Dialect, Reader, escape};
use crate::output::{Result, bad};
use crate::stack;

/// Largest number of bodies that are read.
const BODIES: usize = 5_000;

pub(crate) fn read(document: &Value, field: &str) -> Result<Model> {
    let mut reader = Reader::new(document, field, Dialect::OpenApi);
    for path in [&["components", "schemas"][..], &["definitions"]] {
        let pointer = format!("/{}", path.join("/"));
        let named = document.pointer(&pointer).and_then(Value::as_object);
        if named.is_some_and(|all| !all.is_empty()) {
            reader.claim_all(&pointer, path);
            return stack::run(|| reader.finish());
        }
    }
    let bodies: Vec<(String, String)> = bodies(document).into_iter().take(BODIES).collect();
    if bodies.is_empty() {
        let allowed = "an OpenAPI document with schemas, under components.schemas or of a request or an answer";
        return Err(bad(field, document, allowed));
    }
    for (pointer, name) in bodies {
        reader.claim(pointer, &name);
    }
    stack::run(|| reader.finish())
}

/// The pointers to the schemas of the bodies of all operations, each with a name derived from its operation and from
/// whether it is a request or a response.
fn bodies(document: &Value) -> Vec<(String, String)> {
    let mut bodies = Vec::new();
    for (path, item) in members(document.get("paths")) {
        for (method, operation) in
            members(Some(item)).filter(|(_, operation)| operation.is_object())
        {
            let place = format!("/paths/{}/{method}", escape(path));
            let id = operation.get("operationId").and_then(Value::as_str);
            let name = id.map_or_else(|| format!("{method} {path}"), str::to_owned);
            let name = name.to_upper_camel_case();
            if let Some(request) = operation.get("requestBody") {
                bodies.extend(body(
                    request,
                    &format!("{place}/requestBody"),
                    format!("{name}Request"),
                ));
            }
            for (status, response) in members(operation.get("responses")) {
                let name = if status.starts_with('2') {
                    format!("{name}Response")
                } else {
                    format!("{name}{}Response", status.to_upper_camel_case())
                };
                bodies.extend(body(
                    response,
                    &format!("{place}/responses/{}", escape(status)),
                    name,
                ));
            }
        }
    }
    bodies
}

/// The schema of the first medium that has one.
fn body(holder: &Value, place: &str, name: String) -> Option<(String, String)> {
    let has_schema =
        |(_, media): &(&String, &Value)| media.get("schema").is_some_and(Value::is_object);
    let (medium, _) = members(holder.get("content")).find(has_schema)?;
    Some((format!("{place}/content/{}/schema", escape(medium)), name))
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}
