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
/// The members of a path that are operations.
const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];

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

/// The requests and responses whose schema is not one with a name, such as `POST /users (request)`.
fn inline(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (path, item) in members(&document["paths"]).chain(members(&document["webhooks"])) {
        for (method, operation) in METHODS.iter().filter_map(|key| Some((key, item.get(key)?))) {
            let title = format!("{} {path}", method.to_uppercase());
            // In Swagger 2 the body is a parameter.
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let mut bodies = parameters.filter(|parameter| parameter["in"] == "body");
            if is_inline(&operation["requestBody"]) || bodies.any(is_inline) {
                found.push(format!("{title} (request)"));
            }
            let responses = members(&operation["responses"]);
            let responses = responses.filter(|(_, response)| is_inline(response));
            found.extend(responses.map(|(status, _)| format!("{title} (response {status})")));
        }
    }
    for kind in ["requestBodies", "responses"] {
        let shared = members(&document["components"][kind]).filter(|(_, body)| is_inline(body));
        found.extend(shared.map(|(name, _)| format!("components.{kind}.{name}")));
    }
    found
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Whether a request or a response has a schema that is neither a reference nor a list of one.
fn is_inline(body: &Value) -> bool {
    let media = members(&body["content"]).map(|(_, media)| media);
    media.chain([body]).filter_map(|media| media.get("schema")).any(|mut schema| {
        while let Some(items) = schema.get("items") {
            schema = items;
        }
        schema.get("$ref").is_none() && schema.as_object().is_some_and(|all| !all.is_empty())
    })
}
