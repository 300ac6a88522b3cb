//! Reads the schemas of an `OpenAPI` document, 3.0 or 3.1, into the model: those of `components.schemas`, in Swagger 2 of
//! `definitions`.

use serde_json::Value;

use super::Model;
use super::json_schema::Reader;
use crate::output::{Result, bad};
use crate::stack;
use crate::text::first;

/// Largest number of inline schemas that a note names.
const NAMED: usize = 5;

pub(crate) fn read(document: &Value, field: &str) -> Result<Model> {
    let mut reader = Reader::new(document, field);
    for path in [&["components", "schemas"][..], &["definitions"]] {
        let pointer = format!("/{}", path.join("/"));
        let named = document.pointer(&pointer).and_then(Value::as_object);
        if named.is_some_and(|all| !all.is_empty()) {
            reader.claim_all(&pointer, path);
            let mut model = stack::run(|| reader.finish())?;
            let inline = inline(document);
            if !inline.is_empty() {
                let named = first(&inline, NAMED, " and ");
                model.notes.push(format!(
                    "left out: inline schemas of {named} (give them a name under {})",
                    path.join(".")
                ));
            }
            return Ok(model);
        }
    }
    Err(bad(field, document, "an OpenAPI document with schemas, under components.schemas"))
}

/// The operations and shared bodies with a schema of an object that has no name, such as `POST /users`.
fn inline(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (path, item) in members(&document["paths"]).chain(members(&document["webhooks"])) {
        let operations = members(item).filter(|(_, operation)| has_object(operation));
        found.extend(operations.map(|(method, _)| format!("{} {path}", method.to_uppercase())));
    }
    for kind in ["requestBodies", "responses"] {
        let shared = members(&document["components"][kind]).filter(|(_, body)| has_object(body));
        found.extend(shared.map(|(name, _)| format!("components.{kind}.{name}")));
    }
    found
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Whether a part of the document has the schema of an object in it.
fn has_object(part: &Value) -> bool {
    match part {
        Value::Object(map) => {
            let is_object = map.contains_key("properties") || part["type"] == "object";
            is_object || map.values().any(has_object)
        }
        Value::Array(list) => list.iter().any(has_object),
        _ => false,
    }
}
