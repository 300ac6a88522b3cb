//! `/api/openapi.json`: the API as an OpenAPI 3.1 document, generated from the route table and the schemas of the
//! answers.

use std::sync::LazyLock;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::routes::{Kind, MOST_FIELDS, MOST_SORT_KEYS, Parameter, ROUTES, Resource, Route};

use super::etag::VERSION;

/// The schemas of the answers.
const SCHEMAS: &str = include_str!("openapi/schemas.json");

/// The document, generated once.
pub(super) fn document() -> Bytes {
    static DOCUMENT: LazyLock<Bytes> = LazyLock::new(|| made().to_string().into());
    DOCUMENT.clone()
}

fn made() -> Value {
    let paths: Map<String, Value> =
        ROUTES.iter().map(|route| (template(route), json!({"get": operation(route)}))).collect();
    // A test parses the schemas, so they are valid JSON.
    let schemas: Value = serde_json::from_str(SCHEMAS).unwrap_or_default();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "flow",
            "version": VERSION,
            "summary": "The state of a project's coding agents, read-only",
            "description": "GET and HEAD. Different parameters mean AND; one that is a list takes commas, which mean OR, \
                            and may be given several times. Every answer that is no error may also come as 304.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "this server, on this machine only"}],
        "security": [],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {
                "Error": {
                    "description": "What is wrong with the request, or with what it asks for",
                    "content": {"application/json": {"schema": schema("Error")}},
                },
                "NotModified": {"description": "The client has this answer already"},
            },
        },
    })
}

/// The path with its id in OpenAPI's syntax.
fn template(route: &Route) -> String {
    route.path.replace(":id", "{id}")
}

fn schema(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn operation(route: &Route) -> Value {
    let mut parameters: Vec<Value> = Vec::new();
    if route.path.ends_with(":id") {
        let description = "The id of the record, percent-encoded";
        parameters.push(json!({
            "name": "id", "in": "path", "required": true, "description": description,
            "schema": {"type": "string", "minLength": 1},
        }));
    }
    for parameter in route.parameters {
        parameters.push(describe(parameter, parameter.name, parameter.gives));
        if parameter.kind.can_be_negated() {
            let gives = format!("not: {}", parameter.gives);
            parameters.push(describe(parameter, &format!("{}!", parameter.name), &gives));
        }
    }
    json!({
        "operationId": format!("get{:?}", route.resource),
        "summary": route.gives,
        "parameters": parameters,
        "responses": responses(route),
    })
}

fn responses(route: &Route) -> Value {
    let (media, schema) = content(route.resource);
    let mut given = json!({
        "description": route.gives,
        "content": {media: {"schema": schema}},
    });
    let mut responses = json!({
        "400": {"$ref": "#/components/responses/Error"},
        "default": {"$ref": "#/components/responses/Error"},
    });
    if has_validator(route.resource) {
        let text = json!({"schema": {"type": "string"}});
        given["headers"] = json!({"ETag": text});
        responses["304"] = json!({"$ref": "#/components/responses/NotModified"});
        if route.parameters.iter().any(|parameter| parameter.name == "offset") {
            given["headers"]["Link"] = text;
        }
    }
    if route.resource == Resource::Health {
        let mut failed = given.clone();
        failed["description"] = "a condition in require does not hold".into();
        responses["503"] = failed;
    }
    responses["200"] = given;
    responses
}

/// Whether answers of a resource have an `ETag`.
pub(super) const fn has_validator(resource: Resource) -> bool {
    !matches!(
        resource,
        Resource::Health
            | Resource::Attention
            | Resource::Activity
            | Resource::Events
            | Resource::Changes
            | Resource::Scrape
    )
}

/// The media type of a resource and the schema of its body.
fn content(resource: Resource) -> (&'static str, Value) {
    let json = |name: &str| ("application/json", schema(name));
    match resource {
        Resource::Scrape => ("text/plain", json!({"type": "string"})),
        Resource::Events => ("text/event-stream", json!({"type": "string"})),
        Resource::Changes => json("Event"),
        Resource::OpenApi => ("application/json", json!({"type": "object"})),
        other => json(&format!("{other:?}")),
    }
}

fn describe(parameter: &Parameter, name: &str, gives: &str) -> Value {
    let mut described = json!({
        "name": name, "in": "query", "description": gives, "schema": values(parameter.kind),
    });
    if described["schema"]["type"] == "array" {
        described["style"] = "form".into();
        described["explode"] = false.into();
    }
    described
}

/// The schema of a parameter's value.
fn values(kind: Kind) -> Value {
    let list =
        |words: &[&str]| json!({"type": "array", "items": {"type": "string", "enum": words}});
    match kind {
        Kind::Terms => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Known(words) => {
            json!({"type": "array", "items": {"type": "string", "examples": words}})
        }
        Kind::Words(words) | Kind::Conditions(words) => list(words),
        Kind::Text | Kind::Search => json!({"type": "string"}),
        Kind::Fields => {
            json!({"type": "array", "items": {"type": "string"}, "maxItems": MOST_FIELDS})
        }
        Kind::Sort => {
            json!({"type": "array", "items": {"type": "string"}, "maxItems": MOST_SORT_KEYS})
        }
        Kind::Word(words) => json!({"type": "string", "enum": words}),
        Kind::Number { most } => json!({"type": "integer", "minimum": 0, "maximum": most}),
        Kind::Time => json!({
            "type": "string",
            "description": "RFC 3339, or a date",
            "examples": ["2026-01-31T09:30:00Z", "2026-01-31"],
        }),
    }
}
