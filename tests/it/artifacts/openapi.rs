//! Two validators check API documents; examples are checked against their schemas.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::golden::example;
use super::judge;
use super::making::make;

const SKILL: &str = "api-documentation-generator";

/// Checks every example of the documents given as arguments; prints `file place` of those that do not match.
const CHECK: &str = include_str!("../../judges/check_examples.cjs");

fn hostile() -> Value {
    let evil = "it's: \"odd\" # {yaml}\n- &a *b !c | > % @ ` \u{2028}\u{7f} 日本 \u{1F600}";
    json!({
        "title": evil, "description": evil.replace('\u{7f}', ""), "version": "1e3", "security": ["bearer", "basic", "apiKey"], "servers": ["https://example.com/v1"],
        "as": "json-schema", "source": { "$defs": {
            "yes": { "type": "string", "enum": ["no", "1", "~", "", " a", "a: b", "2026-01-31", "0x1f", evil] },
            "Größe / Maß": { "type": ["number", "null"], "exclusiveMinimum": 0, "description": evil },
            "Tree": { "type": "object", "required": ["size"], "properties": { "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } }, "size": { "$ref": "#/$defs/Größe ~1 Maß" }, "on": { "const": 5 }, "any": {}, "either": { "type": ["string", "integer"] } } },
            "Tight": { "type": "object", "additionalProperties": false, "required": ["code", "n"], "properties": { "code": { "type": "string", "pattern": "^[A-Z]{3}$" }, "n": { "type": "integer", "minimum": 7, "multipleOf": 5, "maximum": 12 } } }
        } },
        "endpoints": [
            "PUT /trees/{id}/größe?page=int <- Tree -> Tree 400 418: it's: \"odd\" # {yaml} &a *b !c | > % @ ` 日本",
            "PATCH /trees/{id} <- Tight 202 public",
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
    .chain(TEXTS.iter().map(|text| json!({ "endpoints": text, "security": "bearer" })))
    .collect()
}

/// Endpoints and entities in the notation.
const TEXTS: [&str; 2] = [
    "GET /users/{id} returns User; POST /users takes User\nUser: id uuid pk, email string unique",
    "GET /users/{id} -> User, GET /users?limit=int&q -> User[] 403 429 : Lists users, all of them, POST /orders <- Order -> Order 409\n\
     - DELETE /users/:id; Order: id uuid, total decimal, user User; User: id uuid\n# no more\nPOST /hooks <- NewHook 202",
];

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
