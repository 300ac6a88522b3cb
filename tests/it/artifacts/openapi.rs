//! API documents go to two validators; their examples are checked against their schemas.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::golden::{example, example_output};
use super::judge;
use super::making::make;

const SKILL: &str = "api-documentation-generator";

/// Checks every example of the documents given as arguments; prints `file place` of those that do not fit.
const CHECK: &str = r##"
const fs = require('fs'), yaml = require('js-yaml'), Ajv = require('ajv/dist/2020').default, formats = require('ajv-formats').default;
let count = 0;
for (const file of process.argv.slice(2)) {
  const text = fs.readFileSync(file, 'utf8');
  const document = file.endsWith('.json') ? JSON.parse(text) : yaml.load(text);
  const ajv = new Ajv({ strict: false, validateFormats: true });
  formats(ajv);
  ajv.addSchema({ $id: 'doc:/all', components: document.components }, 'doc:/all');
  const point = (value) => JSON.parse(JSON.stringify(value).replaceAll('"#/components', '"doc:/all#/components'));
  const walk = (value, place) => {
    if (!value || typeof value !== 'object') return;
    if (value.schema && 'example' in value) {
      count++;
      const check = ajv.compile(point(value.schema));
      if (!check(value.example)) console.log(file, place, JSON.stringify(check.errors));
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, place + '/' + key);
  };
  walk(document.paths, ''); walk(document.components.responses, '');
}
console.log('examples', count);
"##;

fn hostile() -> Value {
    let evil = "it's: \"odd\" # {yaml}\n- &a *b !c | > % @ ` \u{2028}\u{7f} 日本 \u{1F600}";
    json!({
        "title": evil, "description": evil, "apiVersion": "1e3", "security": ["bearer", "basic", "apiKey"], "servers": ["https://example.com/v1"],
        "schemas": {
            "yes": { "type": "string", "enum": ["no", "1", "~", "", " a", "a: b", "2026-01-31", "0x1f", evil] },
            "Größe / Maß": { "type": ["number", "null"], "exclusiveMinimum": 0, "description": evil },
            "Tree": { "type": "object", "required": ["size"], "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } }, "size": { "$ref": "#/$defs/Größe ~1 Maß" }, "on": { "const": 5 }, "any": {}, "either": { "type": ["string", "integer"] } } },
            "Tight": { "type": "object", "additionalProperties": false, "required": ["code", "n"], "properties": { "code": { "type": "string", "pattern": "^[A-Z]{3}$" }, "n": { "type": "integer", "minimum": 7, "multipleOf": 5, "maximum": 12 } } }
        },
        "endpoints": [
            { "method": "put", "path": "/trees/{id}/größe", "request": "Tree", "response": "Größe / Maß", "summary": evil, "tags": ["yes", evil], "errors": [400, { "status": 418, "description": evil }] },
            { "method": "PATCH", "path": "/trees/{id}", "request": "Tight", "response": { "type": "array", "items": { "$ref": "#/components/schemas/yes" }, "minItems": 2 }, "status": 202 },
            "GET /yes -> yes"
        ]
    })
}

fn cases() -> Vec<Value> {
    let ddl = "CREATE TABLE users (id bigserial PRIMARY KEY, mail varchar(80) NOT NULL, price numeric(8,2) CHECK (price > 0), mood text CHECK (mood IN ('a','b')), extra jsonb NOT NULL, at timestamptz DEFAULT now());";
    [
        example(SKILL),
        hostile(),
        json!({ "endpoints": "GET /users -> users[] : Lists\nPOST /users users -> users", "ddl": ddl, "title": "From tables" }),
        json!({ "endpoints": ["GET /"], "title": "Small" }),
    ]
    .into_iter()
    .chain(TEXTS.iter().map(|(text, ..)| json!({ "endpoints": text, "security": "bearer" })))
    .collect()
}

/// Plain text: what it says, its operations, the fields of its schemas, and its open questions.
type Text = (&'static str, &'static [&'static str], &'static [(&'static str, usize)], usize);

const TEXTS: &[Text] = &[
    (
        "GET /users/{id} returns User; POST /users takes User: id uuid pk, email string unique",
        &["get /users/{id} -> User 200", "post /users User 201"],
        &[("User", 2)],
        1,
    ),
    (
        "GET /users?limit=int&q: list users -> User[] ; 404, 410\nPOST /orders takes an Order returns Order or 409\n\
         DELETE /users/:id\nOrder: id, total decimal, user User\nwhat is this; POST /hooks NewHook -> 202",
        &[
            "get /users -> User[] 200 404 410",
            "post /orders Order -> Order 201 409",
            "delete /users/{id} 204",
            "post /hooks NewHook 202",
        ],
        &[("Order", 3), ("User", 0), ("NewHook", 0)],
        6,
    ),
    (
        "An API to list users, to create and delete orders and to update a category.",
        &[
            "get /users -> User[] 200",
            "post /orders Order -> Order 201",
            "delete /orders/{id} 204",
            "put /categories/{id} Category -> Category 200",
        ],
        &[("User", 0), ("Order", 0), ("Category", 0)],
        5,
    ),
    (
        "CRUD for books",
        &[
            "get /books -> Book[] 200",
            "get /books/{id} -> Book 200",
            "post /books Book -> Book 201",
            "put /books/{id} Book -> Book 200",
            "delete /books/{id} 204",
        ],
        &[("Book", 0)],
        3,
    ),
    (
        "- GET /a returns the list of it's odd \"things\"\n- GET /b returns users",
        &["get /a 204", "get /b -> User[] 200"],
        &[("User", 0)],
        3,
    ),
];

#[test]
fn plain_text_says_operations_and_schemas_and_the_rest_is_asked() {
    for (text, operations, schemas, open) in TEXTS {
        let output = make(SKILL, json!({ "endpoints": text })).unwrap();
        let mut found = Vec::new();
        for (path, item) in output.data["paths"].as_object().unwrap() {
            for (method, own) in item.as_object().unwrap() {
                found.push(spelled(method, path, own));
            }
        }
        let mut wanted: Vec<_> = operations.iter().map(|line| (*line).to_owned()).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{text}");
        for (name, fields) in *schemas {
            let own = &output.data["components"]["schemas"][*name];
            assert_eq!(own["type"], "object", "{name} of {text}");
            assert_eq!(
                own["properties"].as_object().map_or(0, serde_json::Map::len),
                *fields,
                "{name}"
            );
        }
        assert_eq!(output.open.len(), *open, "{text}: {:?}", output.open);
    }
}

/// An operation on one line, without what is guessed of errors by path and body.
fn spelled(method: &str, path: &str, own: &Value) -> String {
    let name = |content: &Value| {
        let schema = &content["application/json"]["schema"];
        let last = |value: &Value| value["$ref"].as_str()?.rsplit('/').next().map(str::to_owned);
        last(schema).or_else(|| last(&schema["items"]).map(|item| format!("{item}[]")))
    };
    let responses = own["responses"].as_object().unwrap();
    let (first, success) = responses.iter().next().unwrap();
    let guessed = |code: &str| code == "400" || (code == "404" && path.contains('{'));
    let body = name(&own["requestBody"]["content"]);
    let answer = name(&success["content"]).map(|answer| format!("-> {answer}"));
    let codes = responses.keys().skip(1).filter(|code| !guessed(code)).cloned();
    let words = [method.to_owned(), path.to_owned()].into_iter().chain(body).chain(answer);
    words.chain([first.clone()]).chain(codes).collect::<Vec<_>>().join(" ")
}

#[test]
fn validators_take_the_documents() {
    let needed = [
        "venv/bin/openapi-spec-validator",
        "node_modules/.bin/redocly",
        "node_modules/js-yaml/package.json",
    ];
    if !judge::are_there(&needed) {
        return;
    }
    let folder = judge::bench();
    let (mut all, mut newer) = (Vec::new(), Vec::new());
    for (at, case) in cases().into_iter().enumerate() {
        for (version, format) in
            [("3.0", "yaml"), ("3.1", "yaml"), ("3.0", "json"), ("3.1", "json")]
        {
            let mut fields = case.clone();
            (fields["version"], fields["format"]) = (version.into(), format.into());
            let output = make(SKILL, &fields).unwrap();
            let name = format!("{at}-{version}.{format}");
            fs::write(folder.path().join(&name), &output.artifacts[0].text).unwrap();
            if version == "3.1" {
                newer.push(name.clone());
            }
            all.push(name);
        }
    }
    let run = |command: &mut Command| {
        judge::said(
            command.current_dir(folder.path()).env("REDOCLY_TELEMETRY", "off").env("CI", "1"),
        )
    };
    run(Command::new(judge::folder().join("venv/bin/openapi-spec-validator")).args(&all));
    run(Command::new(judge::folder().join("node_modules/.bin/redocly"))
        .args(["lint", "--extends=minimal"])
        .args(&all));
    fs::write(folder.path().join("check.cjs"), CHECK).unwrap();
    let said = run(Command::new("node").arg("check.cjs").args(&newer));
    assert!(said.trim().starts_with("examples ") && said.lines().count() == 1, "{said}");
    let count: usize = said.trim().trim_start_matches("examples ").parse().unwrap();
    assert!(count >= 30, "only {count} examples");
}

#[test]
fn merging_twice_equals_once() {
    for case in cases() {
        let mut first = case.clone();
        first["merge"] = json!({ "openapi": "3.1.0", "info": { "title": "Mine", "version": "9" }, "paths": { "/mine": { "get": { "responses": { "200": { "description": "ok" } } } } }, "x-own": [1] });
        let once = make(SKILL, &first).unwrap();
        let mut second = case;
        second["merge"] = once.artifacts[0].text.clone().into();
        let twice = make(SKILL, &second).unwrap();
        assert_eq!(once.artifacts[0].text, twice.artifacts[0].text);
        assert_eq!(
            (&once.data["info"]["title"], &once.data["x-own"]),
            (&json!("Mine"), &json!([1]))
        );
        assert!(once.data["paths"].as_object().unwrap().len() > 1);
    }
}

#[test]
fn the_example_is_as_documented() {
    example_output(SKILL);
}

#[test]
fn bad_endpoints_are_named() {
    let refused = |fields: Value, part: &str| {
        let fault = make(SKILL, &fields).unwrap_err().to_string();
        assert!(fault.contains(part), "{fault}");
    };
    refused(json!({}), "\"endpoints\" is missing");
    refused(json!({ "endpoints": ["FETCH /x"] }), "endpoints[0].method");
    refused(json!({ "endpoints": ["GET x"] }), "endpoints[0].path");
    refused(json!({ "endpoints": ["GET /x -> Gone"] }), "endpoints[0].response");
    refused(json!({ "endpoints": ["GET /x", "GET /x"] }), "operationId");
    refused(json!({ "endpoints": "FETCH /x" }), "endpoints[0].method");
    refused(json!({ "endpoints": "GET x" }), "endpoints[0].path");
    refused(json!({ "endpoints": "hello there" }), "\"hello there\"");
    refused(json!({ "endpoints": "GET /x -> X; X: a strin" }), "endpoints.X.a");
    refused(json!({ "endpoints": ["GET /x"], "security": "magic" }), "bearer, basic");
    refused(json!({ "endpoints": ["GET /x"], "merge": { "swagger": "2.0" } }), "version 3");
}
