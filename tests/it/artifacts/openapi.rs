//! Two validators check API documents; examples are checked against their schemas.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::golden::{example, example_output};
use super::judge;
use super::making::make;
use crate::support::{self, Project};

const SKILL: &str = "api-documentation-generator";

/// Checks every example of the documents given as arguments; prints `file place` of those that do not match.
const CHECK: &str = r##"
const fs = require('fs'), yaml = require('js-yaml'), Ajv = require('ajv/dist/2020').default, formats = require('ajv-formats').default;
let count = 0;
for (const file of process.argv.slice(2)) {
  const text = fs.readFileSync(file, 'utf8');
  const document = file.endsWith('.json') ? JSON.parse(text) : yaml.load(text);
  const taking = (components) =>
    formats(new Ajv({ strict: false, validateFormats: true })).addSchema({ $id: 'doc:/all', components }, 'doc:/all');
  const all = document.components ?? {};
  // A request contains nothing that is `readOnly`.
  const writable = (own) => ({
    ...own,
    properties: Object.fromEntries(Object.entries(own.properties ?? {}).map(([name, value]) => [name, !value.readOnly && value])),
    required: (own.required ?? []).filter((name) => !own.properties?.[name]?.readOnly),
  });
  const schemas = Object.fromEntries(Object.entries(all.schemas ?? {}).map(([name, own]) => [name, writable(own)]));
  const [answers, requests] = [taking(all), taking({ ...all, schemas })];
  const point = (value) => JSON.parse(JSON.stringify(value).replaceAll('"#/components', '"doc:/all#/components'));
  const walk = (value, place) => {
    if (!value || typeof value !== 'object') return;
    if (value.schema && 'example' in value) {
      count++;
      const check = (place.includes('/requestBody/') ? requests : answers).compile(point(value.schema));
      if (!check(value.example)) console.log(file, place, JSON.stringify(check.errors));
    }
    for (const [key, inner] of Object.entries(value)) walk(inner, place + '/' + key);
  };
  walk(document.paths, ''); walk(document.components?.responses, '');
}
console.log('examples', count);
"##;

fn hostile() -> Value {
    let evil = "it's: \"odd\" # {yaml}\n- &a *b !c | > % @ ` \u{2028}\u{7f} 日本 \u{1F600}";
    json!({
        "title": evil, "description": evil.replace('\u{7f}', ""), "apiVersion": "1e3", "security": ["bearer", "basic", "apiKey"], "servers": ["https://example.com/v1"],
        "schemas": {
            "yes": { "type": "string", "enum": ["no", "1", "~", "", " a", "a: b", "2026-01-31", "0x1f", evil] },
            "Größe / Maß": { "type": ["number", "null"], "exclusiveMinimum": 0, "description": evil },
            "Tree": { "type": "object", "required": ["size"], "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } }, "size": { "$ref": "#/$defs/Größe ~1 Maß" }, "on": { "const": 5 }, "any": {}, "either": { "type": ["string", "integer"] } } },
            "Tight": { "type": "object", "additionalProperties": false, "required": ["code", "n"], "properties": { "code": { "type": "string", "pattern": "^[A-Z]{3}$" }, "n": { "type": "integer", "minimum": 7, "multipleOf": 5, "maximum": 12 } } }
        },
        "endpoints": [
            { "method": "put", "path": "/trees/{id}/größe", "parameters": ["page", { "name": "X-Trace", "in": "header", "type": "uuid", "required": true }], "request": "Tree", "response": "Größe / Maß", "summary": evil, "tags": ["yes", evil], "errors": [400, { "status": 418, "description": evil }] },
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
        json!({ "endpoints": "GET /users -> users[] : Lists\nPOST /users <- users -> users", "ddl": ddl, "title": "From tables" }),
        json!({ "endpoints": ["GET /"], "title": "Small" }),
    ]
    .into_iter()
    .chain(TEXTS.iter().map(|(text, ..)| json!({ "endpoints": text, "security": "bearer" })))
    .collect()
}

/// A text in the notation: its operations, the fields of its schemas, and its open questions.
type Text = (&'static str, &'static [&'static str], &'static [(&'static str, usize)], usize);

const TEXTS: &[Text] = &[
    (
        "GET /users/{id} returns User; POST /users takes User\nUser: id uuid pk, email string unique",
        &["get /users/{id} -> User 200", "post /users User 201"],
        &[("User", 2)],
        1,
    ),
    (
        "GET /users/{id} -> User, GET /users?limit=int&q -> User[] 403 429 : Lists users, all of them, POST /orders <- Order -> Order 409\n\
         - DELETE /users/:id; Order: id uuid, total decimal, user User; User: id uuid\n# no more\nPOST /hooks <- NewHook 202",
        &[
            "get /users/{id} -> User 200",
            "get /users -> User[] 200 403 429",
            "post /orders Order -> Order 201 409",
            "delete /users/{id} 204",
            "post /hooks NewHook 202",
        ],
        &[("Order", 3), ("User", 1), ("NewHook", 0)],
        2,
    ),
];

#[test]
fn text_says_operations_and_schemas_and_what_is_only_named_is_asked() {
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

/// An operation on one line, without the default errors for path and body.
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
        let mut once = make(SKILL, &first).unwrap();
        once.force();
        let mut second = case;
        second["merge"] = once.artifacts[0].text.clone().into();
        let twice = make(SKILL, &second).unwrap();
        assert_eq!(once.artifacts[0].text, twice.artifacts[0].text);
        assert!(twice.notes.iter().any(|note| note.starts_with("nothing to add")));
        assert_eq!(
            (&once.data["info"]["title"], &once.data["x-own"]),
            (&json!("Mine"), &json!([1]))
        );
        assert!(once.data["paths"].as_object().unwrap().len() > 1);
    }
}

/// A handwritten document, with an operation and a schema that the endpoints also name.
const OWN: &str = "# Our API\nopenapi: 3.0.3 # not 3.1 yet\ninfo:\n  version: '2'\n  title: Shop\npaths:\n  /users/{id}: # one\n    \
    get: {responses: {'200': {description: Mine}}, parameters: [{name: id, in: path, required: true, schema: {type: string}}]}\n\
    components:\n  schemas:\n    User:\n      type: object\n      properties:\n        name: {type: string, example: Ada}\n";

#[test]
fn a_document_is_answered_with_the_fragment_that_it_lacks() {
    let project = Project::new();
    project.write("api.yaml", OWN);
    let call = "GET /users/{id} -> User, PATCH /users/{id} <- User -> User 404; GET /health";
    let run = |words: &[&str]| project.flow(&[&["skill", SKILL], words].concat());
    let made = run(&["--input", "api.yaml", call]).expect(0);
    assert!(
        made.out.starts_with("paths:\n  /users/{id}:\n    patch:\n      tags:\n"),
        "{}",
        made.out
    );
    for part in [
        "\n  /health:\n    get:\n",
        "\ncomponents:\n  schemas:\n    Error:\n",
        "\n  responses:\n    NotFound:\n",
    ] {
        assert!(made.out.contains(part), "{part}: {}", made.out);
    }
    assert!(!made.out.contains("Mine") && !made.out.contains("    User:"), "{}", made.out);
    for note in
        ["GET /users/{id} stays as the document has it", "add each part under the same keys"]
    {
        assert!(made.err.contains(note), "{}", made.err);
    }
    // The same from a pipe with a field.
    let mut piped = project.command();
    piped.args(["skill", SKILL, "--input", "-", &format!("endpoints={call}")]);
    assert_eq!(
        String::from_utf8(support::fed(&mut piped, OWN.as_bytes()).stdout).unwrap(),
        made.out
    );
    // Without force the document is not touched; by force it is written anew, with the same values.
    let refused = run(&["--input", "api.yaml", call, "--out", "api.yaml"]).expect(1);
    assert!(refused.err.contains("to replace it, add --force"), "{}", refused.err);
    assert_eq!(fs::read_to_string(project.root.join("api.yaml")).unwrap(), OWN);
    let forced = run(&["--input", "api.yaml", call, "--out", "api.yaml", "--force"]).expect(0);
    assert!(forced.err.contains("its comments and layout are lost"), "{}", forced.err);
    let whole = fs::read_to_string(project.root.join("api.yaml")).unwrap();
    assert!(whole.starts_with("openapi: 3.0.3\ninfo:\n  version: \"2\"\n"), "{whole}");
    for part in ["description: Mine", "\n    patch:\n", "\n  /health:\n", "    User:\n"] {
        assert!(whole.contains(part), "{part}: {whole}");
    }
    let twice = run(&["--input", "api.yaml", "GET /health"]).expect(0);
    assert_eq!(twice.out, whole);
    assert!(twice.err.contains("nothing to add"), "{}", twice.err);
}

#[test]
fn a_fragment_has_the_format_of_the_document() {
    let project = Project::new();
    let json = "{\n    \"openapi\": \"3.1.0\",\n    \"info\": { \"title\": \"A\", \"version\": \"1\" },\n    \"paths\": {}\n}\n";
    project.write("a.json", json);
    let made = project.flow(&["skill", SKILL, "--input", "a.json", "GET /health"]).expect(0);
    assert!(made.out.starts_with("{\n  \"paths\": {\n    \"/health\": {\n"), "{}", made.out);
    let out = ["--out", "docs/", "--input", "a.json", "GET /health"];
    project.flow(&[&["skill", SKILL], &out[..]].concat()).expect(0);
    assert_eq!(
        fs::read_to_string(project.root.join("docs/openapi.additions.json")).unwrap(),
        made.out
    );
}

#[test]
fn data_of_any_kind_gives_schemas() {
    let project = Project::new();
    project.write(
        "user.json",
        r#"[{"id": 1, "email": "a@b.example"}, {"id": 2, "email": "c@d.example", "age": 7}]"#,
    );
    project.write(
        "shop.sql",
        "CREATE TABLE orders (id bigint PRIMARY KEY, total numeric(8,2) NOT NULL);",
    );
    let run = |words: &[&str]| project.flow(&[&["skill", SKILL], words].concat()).expect(0);
    let samples = run(&[
        "--input",
        "user.json",
        "name=User",
        "title=Users",
        "endpoints=GET /users -> User[]",
    ])
    .out;
    assert!(samples.contains("    User:\n      type: object\n      properties:\n        id:\n          type: integer\n"), "{samples}");
    assert!(
        samples.contains("items:\n                  $ref: \"#/components/schemas/User\""),
        "{samples}"
    );
    let tables = run(&["--input", "shop.sql"]);
    assert!(
        tables.out.contains("paths: {}\n") && tables.out.contains("    orders:\n"),
        "{tables:?}"
    );
    assert!(tables.err.contains("endpoints: not given (add endpoints="), "{}", tables.err);
}

/// Labels set fields next to endpoints, in a file and in a pipe.
#[test]
fn labels_are_fields() {
    let project = Project::new();
    project.write("api.md", "Title: Books\nApi version: 2.1.0\nSecurity: bearer\n\nGET /books/{id} -> Book\nBook: id int pk, title string\n");
    let made = project.flow(&["skill", SKILL, "--input", "api.md"]).expect(0);
    assert!(
        made.out.starts_with("openapi: 3.1.0\ninfo:\n  title: Books\n  version: 2.1.0\n"),
        "{}",
        made.out
    );
    assert!(
        made.out.ends_with("security:\n  - bearer: []\n") && !made.err.contains("not given"),
        "{made:?}"
    );
}

#[test]
fn a_sentence_is_refused_with_the_form() {
    let project = Project::new();
    for (text, part) in [
        (
            "An API to list users, to create and delete orders",
            "does not begin with a method (GET, POST",
        ),
        ("Users can register, log in, and update their profile", "does not begin with a method"),
        ("GET /users returns the list of users", "has \"list\"; the path is followed by"),
        (
            "GET /users -> User\nwhat is this",
            "line 2: \"what is this\" does not begin with a method",
        ),
    ] {
        let said = project.flow(&["skill", SKILL, text]).expect(2).err;
        assert!(said.contains(part) && said.contains("the form is `GET /users"), "{said}");
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
        assert!(fault.contains(part), "{fields}: {fault}");
    };
    refused(json!({}), "\"endpoints\" is missing");
    refused(json!({ "endpoints": [] }), "\"endpoints\" is missing");
    refused(
        json!({ "endpoints": ["FETCH /x"] }),
        "\"endpoints[0]\", line 1: \"FETCH /x\" does not begin with a method",
    );
    refused(json!({ "endpoints": ["GET x"] }), "\"endpoints[0]\", line 1: \"GET x\" has no path");
    refused(
        json!({ "endpoints": [{ "method": "FETCH", "path": "/x" }] }),
        "\"endpoints[0].method\" is \"FETCH\"",
    );
    refused(
        json!({ "endpoints": [{ "method": "GET", "path": "x" }] }),
        "\"endpoints[0].path\" is \"x\"",
    );
    refused(
        json!({ "endpoints": [{ "method": "GET", "path": "/x", "errors": [200] }] }),
        "\"endpoints[0].errors[0]\" is 200, but must be a status of 400 to 599",
    );
    refused(
        json!({ "endpoints": [{ "method": "GET", "path": "/x", "sumary": "x" }] }),
        "did you mean \"summary\"",
    );
    refused(
        json!({ "endpoints": [{ "method": "GET", "path": "/x", "parameters": [{ "name": "id", "in": "path" }] }] }),
        "\"endpoints[0].parameters[0].in\"",
    );
    refused(json!({ "endpoints": "GET /x?a=fish" }), "a type for a, such as int");
    refused(json!({ "endpoints": ["GET /x", "GET /x"] }), "operationId");
    refused(json!({ "endpoints": "FETCH /x" }), "\"FETCH /x\" does not begin with a method");
    refused(json!({ "endpoints": "GET /x -> X; X: a strin" }), "endpoints.X.a");
    refused(json!({ "endpoints": ["GET /x"], "security": "magic" }), "bearer, jwt, basic");
    refused(json!({ "endpoints": ["GET /x"], "merge": { "swagger": "2.0" } }), "Swagger 2.0");
    refused(
        json!({ "endpoints": ["GET /x"], "version": "3.0", "merge": { "openapi": "3.1.0" } }),
        "\"version\" differs",
    );
}
