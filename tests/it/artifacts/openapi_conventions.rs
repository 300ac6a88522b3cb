//! Operations that are added to an OpenAPI document follow its conventions.

use serde_json::{Value, json};

use super::making::make;
use crate::support::{self, Project};

const SKILL: &str = "api-documentation-generator";

/// A document whose operation has the given responses, and whose components have the given members too.
fn document(responses: &Value, more: &Value) -> Value {
    let problem = json!({ "type": "object", "required": ["title"], "properties": { "title": { "type": "string" } } });
    let mut components = json!({ "schemas": { "Problem": problem } });
    components.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({
        "openapi": "3.1.0", "info": { "title": "Shop", "version": "1" },
        "paths": { "/orders": { "get": { "responses": responses } } }, "components": components,
    })
}

fn problem(description: &str) -> Value {
    let schema = json!({ "$ref": "#/components/schemas/Problem" });
    json!({ "description": description, "content": { "application/problem+json": { "schema": schema } } })
}

fn added(merge: &Value, fields: &Value, path: &str) -> (Value, Value) {
    let mut fields = fields.clone();
    fields["merge"] = merge.clone();
    let data = make(SKILL, fields).unwrap().data;
    (data["paths"][path].clone(), data["components"].clone())
}

#[test]
fn errors_are_the_responses_of_the_document_that_have_their_names() {
    let own =
        document(&json!({}), &json!({ "responses": { "NotFound": problem("No such thing") } }));
    let (item, components) =
        added(&own, &json!({ "endpoints": "GET /users/{id} 404 409" }), "/users/{id}");
    let reference = |name: &str| json!({ "$ref": format!("#/components/responses/{name}") });
    assert_eq!(item["get"]["responses"]["404"], reference("NotFound"));
    assert_eq!(item["get"]["responses"]["409"], reference("Conflict"));
    assert_eq!(components["responses"]["NotFound"], problem("No such thing"));
}

#[test]
fn security_is_that_of_the_document_and_of_the_added_operations_only() {
    let schemes =
        json!({ "bearerAuth": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" } });
    let named = document(&json!({}), &json!({ "securitySchemes": schemes }));
    let fields = json!({ "endpoints": ["GET /users 403", { "method": "GET", "path": "/health", "auth": false }], "security": "bearer" });
    let (item, components) = added(&named, &fields, "/users");
    assert_eq!(components["securitySchemes"], schemes);
    assert_eq!(item["get"]["security"], json!([{ "bearerAuth": [] }]));
    // Stated errors are not all: 401 follows from the security.
    let keys: Vec<_> = item["get"]["responses"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["200", "401", "403"]);
    let (item, _) = added(&named, &fields, "/health");
    assert_eq!(item["get"]["security"], json!([]));
    assert_eq!(item["get"]["responses"].get("401"), None);
    // The other operations stay as they are.
    let mut with_all = fields.clone();
    with_all["merge"] = named.clone();
    let data = make(SKILL, with_all).unwrap().data;
    assert_eq!(
        (data.get("security"), &data["paths"]["/orders"]),
        (None, &named["paths"]["/orders"])
    );
    // Where all operations require it already, none states it again.
    let mut secured = named;
    secured["security"] = json!([{ "bearerAuth": [] }]);
    let (item, _) = added(&secured, &fields, "/users");
    assert_eq!(
        (item["get"].get("security"), item["get"]["responses"].get("401").is_some()),
        (None, true)
    );
}

#[test]
fn a_sample_is_the_example() {
    let sample = json!({ "id": 7, "email": "grace@navy.example" });
    let output = make(
        SKILL,
        json!({ "samples": [sample], "name": "User", "endpoints": "GET /users/{id} -> User" }),
    )
    .unwrap();
    let media = output.data["paths"]["/users/{id}"]["get"]["responses"]["200"]
        .pointer("/content/application~1json/example");
    assert_eq!(media, Some(&sample));
}

#[test]
fn a_path_with_a_parameter_twice_is_refused() {
    for endpoints in
        [json!("GET /a/{id}/b/{id}"), json!([{ "method": "get", "path": "/a/:id/b/{id}" }])]
    {
        let fault = make(SKILL, json!({ "endpoints": endpoints })).unwrap_err().to_string();
        assert_eq!(fault, "GET /a/{id}/b/{id}: the path has the parameter {id} twice; rename one");
    }
}

#[test]
fn entities_follow_an_endpoint_that_only_takes_a_body() {
    let output = make(SKILL, json!({ "endpoints": "POST /users <- User; User: id uuid" })).unwrap();
    assert!(output.data.pointer("/components/schemas/User/properties/id").is_some());
    assert!(output.data.pointer("/paths/~1users/post/requestBody").is_some());
}

#[test]
fn a_mistyped_field_in_place_of_data_is_noted() {
    let project = Project::new();
    let run = |text: &str| {
        let mut command = project.command();
        command.args(["skill", SKILL]);
        String::from_utf8(support::fed(&mut command, text.as_bytes()).stderr).unwrap()
    };
    let said = run(r#"{"endpoint": ["GET /users"]}"#);
    assert!(
        said.contains("although \"endpoints\" is a field: the field \"endpoint\" is not known"),
        "{said}"
    );
    let said = run(r#"{"id": 1, "endpoint": "/users"}"#);
    assert!(!said.contains("although"), "{said}");
}

#[test]
fn what_the_server_sets_is_read_only_and_a_reference_says_to_what() {
    let text = "POST /orders <- Order -> Order; PUT /orders <- Order[]; POST /lines <- Line; Customer: id uuid pk; \
                Order: id uuid pk, customer -> Customer, status new|paid, createdAt datetime default now; \
                Line: order -> Order pk, sku string pk";
    for version in ["3.0", "3.1"] {
        let output = make(SKILL, json!({ "endpoints": text, "version": version })).unwrap();
        let at = |pointer: &str| output.data.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(
            at("/components/schemas/Order/properties"),
            json!({
                "id": { "type": "string", "format": "uuid", "readOnly": true },
                "customer": { "type": "string", "format": "uuid", "description": "Refers to Customer.id." },
                "status": { "type": "string", "enum": ["new", "paid"] },
                "createdAt": { "type": "string", "format": "date-time", "readOnly": true },
            })
        );
        let key = &at("/components/schemas/Line/properties/order");
        assert_eq!(
            (key["description"].clone(), key.get("readOnly")),
            ("Refers to Order.id.".into(), None)
        );
        let body = "requestBody/content/application~1json/example";
        let sent = json!({ "customer": "3f2b8c1e-9d4a-4c6b-8e7f-1a2b3c4d5e6f", "status": "new" });
        assert_eq!(at(&format!("/paths/~1orders/post/{body}")), sent);
        assert_eq!(at(&format!("/paths/~1orders/put/{body}")), json!([sent]));
        let answer = at("/paths/~1orders/post/responses/201/content/application~1json/example");
        assert_eq!(answer["id"], sent["customer"]);
        assert_eq!(answer["createdAt"], "2026-01-31T09:30:00Z");
    }
}

#[test]
fn an_example_without_members_is_left_out_and_a_bare_write_is_asked() {
    let text = "GET /users/{id} -> User, GET /users -> User[], POST /users, POST /logout 204";
    let output = make(SKILL, json!({ "endpoints": text })).unwrap();
    assert!(!output.artifacts[0].text.contains("{}"), "{}", output.artifacts[0].text);
    let asked: Vec<&String> = output.open.iter().filter(|own| own.contains("POST")).collect();
    let wanted = "POST /users: neither body nor response given (add endpoints=\"POST /users <- Type -> Type\")";
    assert_eq!(asked, [wanted], "{:?}", output.open);
}
