//! Reads the schemas of an `OpenAPI` document, 3.0 or 3.1, into the model: those of `components.schemas`, in Swagger 2 of
//! `definitions`; of a document without these, the schemas of its bodies, named after their operations; without these too, the examples of its bodies.

use heck::ToUpperCamelCase;
use serde_json::{Map, Value};

use super::json_schema::{Dialect, Reader};
use super::resolve::escape;
use super::{Model, samples};
use crate::output::{Result, bad};
use crate::stack;

/// Largest number of bodies that are read.
const BODIES: usize = 5_000;
/// What holds the examples of all bodies while they are read; no body is called so.
const ALL: &str = "*";

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
    let (bodies, examples): (Vec<Body>, Vec<Body>) =
        bodies(document).into_iter().take(BODIES).partition(|body| body.is_schema);
    if bodies.is_empty() {
        return of_examples(document, &examples, field);
    }
    for Body { pointer, name, .. } in bodies {
        reader.claim(pointer, &name);
    }
    stack::run(|| reader.finish())
}

/// The entities of the examples of bodies, where no body has a schema: each is a sample, named after its body.
fn of_examples(document: &Value, bodies: &[Body], field: &str) -> Result<Model> {
    let mut all: Vec<Map<String, Value>> = Vec::new();
    for body in bodies {
        let medium = document.pointer(&body.pointer);
        let single = medium.and_then(|own| own.get("example"));
        let several = members(medium.and_then(|own| own.get("examples")));
        let several = several.filter_map(|(_, own)| own.get("value"));
        for (at, value) in single.into_iter().chain(several).enumerate() {
            if all.len() <= at {
                all.push(Map::new());
            }
            all[at].insert(body.name.clone(), value.clone());
        }
    }
    let all: Vec<Value> = all.into_iter().map(Value::Object).collect();
    let mut model =
        if all.is_empty() { Model::default() } else { samples::read(&all, ALL, field)? };
    // It holds the bodies together and is none.
    model.entities.shift_remove(ALL);
    model.root = None;
    if model.entities.is_empty() {
        let allowed = "an OpenAPI document with schemas, under components.schemas or of a request or an answer, or with examples of these";
        return Err(bad(field, document, allowed));
    }
    model.notes.push("no schemas in the document: computed from the examples of its bodies".into());
    Ok(model)
}

/// The schema of a body, or the medium with its examples.
struct Body {
    is_schema: bool,
    pointer: String,
    /// A name derived from its operation and from whether it is a request or a response.
    name: String,
}

/// The schemas of the bodies of all operations.
fn bodies(document: &Value) -> Vec<Body> {
    let mut found = Vec::new();
    for (path, item) in members(document.get("paths")) {
        for (method, operation) in members(Some(item)).filter(|(_, own)| own.is_object()) {
            let place = format!("/paths/{}/{method}", escape(path));
            let id = operation.get("operationId").and_then(Value::as_str);
            let name = id.map_or_else(|| format!("{method} {path}"), str::to_owned);
            let name = name.to_upper_camel_case();
            if let Some(own) = operation.get("requestBody") {
                found.extend(body(own, &format!("{place}/requestBody"), format!("{name}Request")));
            }
            for (status, own) in members(operation.get("responses")) {
                let name = if status.starts_with('2') {
                    format!("{name}Response")
                } else {
                    format!("{name}{}Response", status.to_upper_camel_case())
                };
                found.extend(body(own, &format!("{place}/responses/{}", escape(status)), name));
            }
        }
    }
    found
}

/// The schema of the first medium that has one, else the first medium that has an example.
fn body(own: &Value, place: &str, name: String) -> Option<Body> {
    let has = |key: &'static str| {
        move |(_, own): &(&String, &Value)| {
            own.get(key).is_some_and(|own| key != "schema" || own.is_object())
        }
    };
    let media = || members(own.get("content"));
    let schema = media().find(has("schema"));
    let medium = schema
        .or_else(|| media().find(has("example")))
        .or_else(|| media().find(has("examples")))?;
    let is_schema = schema.is_some();
    let end = if is_schema { "/schema" } else { "" };
    Some(Body { is_schema, pointer: format!("{place}/content/{}{end}", escape(medium.0)), name })
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_document_without_named_schemas_has_those_of_its_bodies() {
        let schema = json!({"type": "object", "properties": {"id": {"type": "integer"}}});
        let content = json!({"text/plain": {}, "application/json": {"schema": schema}});
        let document = json!({"openapi": "3.0.3", "paths": {
            "/users/{id}": {
                "parameters": [],
                "get": {"responses": {"200": {"content": content}, "404": {"content": content}, "500": {"description": "x"}}},
                "put": {"operationId": "saveUser", "requestBody": {"content": content}, "responses": {}},
            },
        }});
        let model = read(&document, "openapi").unwrap();
        let names: Vec<&str> = model.entities.keys().map(String::as_str).collect();
        assert_eq!(names, ["GetUsersIdResponse", "GetUsersId404Response", "SaveUserRequest"]);
        let none = json!({"openapi": "3.0.3", "paths": {"/a": {"get": {"responses": {}}}}});
        assert!(
            read(&none, "openapi")
                .unwrap_err()
                .to_string()
                .contains("with schemas, under components.schemas")
        );
    }

    #[test]
    fn schemas_of_swagger_2_are_its_definitions() {
        let pet = json!({"type": "object", "properties": {
            "tag": {"$ref": "#/definitions/Tag"}, "at": {"type": "string", "x-nullable": true},
        }});
        let document = json!({"swagger": "2.0", "paths": {}, "definitions": {"Pet": pet, "Tag": {"type": "string"}}});
        let model = read(&document, "openapi").unwrap();
        assert_eq!(model.entities.keys().collect::<Vec<_>>(), ["Pet", "Tag"]);
        let members = &model.entities["Pet"].shape.object.properties;
        assert_eq!(members["tag"].reference.as_deref(), Some("Tag"));
        assert_eq!(members["at"].types.len(), 2);
    }

    #[test]
    fn a_document_without_schemas_has_those_of_its_examples() {
        let versions =
            json!({"versions": [{"id": "v2", "links": [{"href": "https://a.example/"}]}]});
        let content = json!({"application/json": {"examples": {"one": {"value": versions}, "two": {"value": {"versions": []}}}}});
        let document = json!({"openapi": "3.0.0", "paths": {"/versions": {
            "get": {"responses": {"200": {"content": content}, "404": {"content": {"text/plain": {"example": "none"}}}}},
            "post": {"requestBody": {"content": {"application/json": {"example": {"id": 1}}}}, "responses": {}},
        }}});
        let model = read(&document, "openapi").unwrap();
        let names: Vec<&str> = model.entities.keys().map(String::as_str).collect();
        assert_eq!(names, ["GetVersionsResponse", "version", "link", "PostVersionsRequest"]);
        assert_eq!(model.notes.len(), 1);
    }
}
