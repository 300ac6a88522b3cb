//! `/api/openapi.json`: the API as an OpenAPI 3.1 document, generated from the route table, the table of names and the schemas
//! of the answers.

use std::sync::LazyLock;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::model::{record, schema as members, span};
use crate::routes::{
    Kind, MOST_FIELDS, MOST_SEARCH_WORDS, MOST_SORT_KEYS, Parameter, ROUTES, Resource, Route,
};

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
    let mut schemas: Value = serde_json::from_str(SCHEMAS).unwrap_or_default();
    for kind in record::Kind::ALL {
        add_members(&mut schemas, kind);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "flow",
            "version": VERSION,
            "summary": "The state of a project's coding agents, read-only",
            "description": "GET and HEAD. Different parameters mean AND; one that is a list takes commas, which mean OR, \
                            and may be given several times; an empty value is not a filter. A request whose head is malformed, \
                            over 32 KiB or over 64 headers gets a bare 400 or 431 without JSON. A value that its schema allows \
                            is refused with 400 where no record has it (names in fields and sort, states of tasks), or where it \
                            does not go together with another parameter.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "this server, on this machine only"}],
        "security": [],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": shared_responses(),
        },
    })
}

/// Adds the documented members of a record to its schema, behind its id and before those that are computed.
fn add_members(schemas: &mut Value, kind: record::Kind) {
    let name = format!("{kind:?}");
    let Value::Object(computed) = schemas[&name]["properties"].take() else { return };
    let (id, computed): (Map<_, _>, Map<_, _>) =
        computed.into_iter().partition(|(name, _)| name == "id");
    let members = members::members_of_answer(kind);
    schemas[&name]["properties"] = id.into_iter().chain(members).chain(computed).collect();
}

/// The answers that are errors: status, name among the components, description.
const ERRORS: [(&str, &str, &str); 7] = [
    ("400", "BadRequest", "Invalid parameter, value or id, or a missing or repeated Host header"),
    ("403", "Forbidden", "Host, Origin or fetch metadata of another machine or site"),
    ("404", "NotFound", "No such record or file"),
    ("410", "Gone", "The cursor is no longer valid"),
    ("414", "UriTooLong", "Request URI over 8 KiB"),
    ("500", "Internal", "Internal error; the server's log has the details"),
    (
        "503",
        "Unavailable",
        "The server is overloaded, or no valid version of the file has been read",
    ),
];

fn shared_responses() -> Value {
    let error = |(_, name, description): &(&str, &str, &str)| {
        let content = json!({"application/json": {"schema": schema("Error")}});
        ((*name).to_owned(), json!({"description": description, "content": content}))
    };
    let mut responses: Map<String, Value> = ERRORS.iter().map(error).collect();
    let not_modified = json!({"description": "Not modified"});
    responses.insert("NotModified".to_owned(), not_modified);
    Value::Object(responses)
}

/// Whether an error can be the answer of a route; those that any request may get are of every route.
fn can_be(status: &str, route: &Route) -> bool {
    match status {
        "404" => route.path.contains(":id") || route.resource == Resource::Status,
        "410" => route.parameters.iter().any(|parameter| parameter.name == "cursor"),
        _ => true,
    }
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
    if route.path.contains(":id") {
        let description = "The id of the record, percent-encoded";
        parameters.push(json!({
            "name": "id", "in": "path", "required": true, "description": description,
            "schema": {"type": "string", "pattern": ID},
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
    let (media, body) = content(route.resource);
    let mut given = json!({
        "description": route.gives,
        "content": {media: {"schema": body}},
    });
    let reference = |name: &str| json!({"$ref": format!("#/components/responses/{name}")});
    let errors = ERRORS.iter().filter(|(status, ..)| can_be(status, route));
    let mut responses: Map<String, Value> =
        errors.map(|(status, name, _)| ((*status).to_owned(), reference(name))).collect();
    if has_validator(route.resource) {
        let text = json!({"schema": {"type": "string"}});
        given["headers"] = json!({"ETag": text});
        responses.insert("304".to_owned(), reference("NotModified"));
        if route.parameters.iter().any(|parameter| parameter.name == "offset") {
            given["headers"]["Link"] = text;
        }
    }
    if route.resource == Resource::Health {
        responses.insert(
            "503".to_owned(),
            json!({
                "description": "A condition of require is not met, or the server is overloaded",
                "content": {"application/json": {
                    "schema": {"anyOf": [schema("Health"), schema("Error")]},
                }},
            }),
        );
    }
    responses.insert("200".to_owned(), given);
    Value::Object(responses)
}

/// Whether answers of a resource have an `ETag`.
pub(super) const fn has_validator(resource: Resource) -> bool {
    !matches!(
        resource,
        Resource::Health
            | Resource::Attention
            | Resource::Activity
            | Resource::History
            | Resource::TaskHistory
            | Resource::EpicHistory
            | Resource::StoryHistory
            | Resource::Events
            | Resource::Changes
            | Resource::Projects
            | Resource::Worktrees
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
        Resource::TaskHistory | Resource::EpicHistory | Resource::StoryHistory => {
            json("RecordHistory")
        }
        other => json(&format!("{other:?}")),
    }
}

fn describe(parameter: &Parameter, name: &str, gives: &str) -> Value {
    let mut described = json!({
        "name": name, "in": "query", "description": gives, "schema": values(parameter.kind),
    });
    // An empty value is not a filter. Where any text is a value, its schema allows that already.
    if matches!(
        parameter.kind,
        Kind::Number { .. } | Kind::Time | Kind::Span | Kind::Word(_) | Kind::Text(Some(_))
    ) {
        described["allowEmptyValue"] = true.into();
    }
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
    // Empty items are ignored.
    let or_empty = |words: &[&str]| list(&[words, &[""]].concat());
    match kind {
        Kind::Terms => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Known(words) => {
            json!({"type": "array", "items": {"type": "string", "examples": words}})
        }
        Kind::Words(words) => or_empty(words),
        Kind::Conditions(words) => {
            let mut some = list(words);
            some["minItems"] = 1.into();
            some
        }
        Kind::Text(None) => json!({"type": "string"}),
        Kind::Text(Some(pattern)) => json!({"type": "string", "pattern": pattern}),
        Kind::Search => {
            let most = format!("at most {MOST_SEARCH_WORDS} words");
            json!({"type": "string", "description": most})
        }
        Kind::Fields => names(MOST_FIELDS),
        Kind::Sort => names(MOST_SORT_KEYS),
        Kind::Word(words) => json!({"type": "string", "enum": words}),
        Kind::Number { most } => json!({"type": "integer", "minimum": 0, "maximum": most}),
        Kind::Time => json!({
            "type": "string",
            "description": "RFC 3339, also without a zone (UTC) or with a space for the T; or a date",
            "anyOf": [{"format": "date-time"}, {"format": "date"}],
            "examples": ["2026-01-31T09:30:00Z", "2026-01-31"],
        }),
        Kind::Span => json!({
            "type": "string",
            "description": "seconds, or a number with the unit s, m, h or d",
            "pattern": span::PATTERN,
            "examples": ["90", "30m", "1.5h"],
        }),
    }
}

/// An id: no control character.
const ID: &str = r"^[^\u0000-\u001f\u007f-\u009f]+$";

/// Names of fields. Empty ones are passed over and do not count, which `maxItems` could not say.
fn names(most: usize) -> Value {
    let description = format!("at most {most}, each of a field that a record has");
    json!({"type": "array", "items": {"type": "string"}, "description": description})
}
