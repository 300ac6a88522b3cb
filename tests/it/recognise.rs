//! Recognising content by its form: a table of cases; and the kinds of content that skills accept.

use flow::skill::generator::find;
use flow::skill::input::notation::Notation;
use flow::skill::input::place::Request;
use flow::skill::input::recognise::{ContentKind, recognise, yaml};
use serde_json::{Value, json};

/// The notations in the order in which they are tried here: those that prose resembles least come first.
const ALL: [ContentKind; 4] = [
    ContentKind::Notation(Notation::Endpoints),
    ContentKind::Notation(Notation::Arrows),
    ContentKind::Notation(Notation::Errors),
    ContentKind::Notation(Notation::Entities),
];

/// Content and its kind.
const CASES: &[(&str, &str)] = &[
    ("{\"id\":1,\"name\":\"Ada\"}", "sample"),
    ("[{\"id\":1},{\"id\":2}]", "sample"),
    ("[1,2,3]", "sample"),
    ("{}", "sample"),
    ("[]", "sample"),
    ("[\"a\",\"b\"]", "sample"),
    (
        "{\"name\":\"flow\",\"version\":\"1.0.0\",\"type\":\"module\",\"dependencies\":{\"zod\":\"^4.0.0\"},\"scripts\":{\"test\":\"node --test\"}}",
        "sample",
    ),
    (
        "{\"login\":\"octocat\",\"id\":583231,\"type\":\"User\",\"site_admin\":false,\"html_url\":\"https://github.com/octocat\",\"followers\":9}",
        "sample",
    ),
    ("{\"type\":\"array\",\"items\":[{\"id\":1},{\"id\":2}],\"total\":3}", "sample"),
    ("{\"type\":\"object\",\"properties\":{\"a\":1}}", "sample"),
    ("{\"type\":\"string theory\",\"format\":7}", "sample"),
    ("{\"properties\":{\"a\":{\"type\":\"string\"}}}", "sample"),
    ("{\"definitions\":[\"a\",\"b\"]}", "sample"),
    ("{\"entities\":{\"a\":1}}", "sample"),
    ("{\"entities\":[]}", "sample"),
    ("{\"skill\":\"x\",\"data\":{}}", "sample"),
    ("{\"openapi\":3}", "sample"),
    ("{\"items\":[{\"a\":1}],\"next\":null}", "sample"),
    ("{\"$ref\":\"x\",\"a\":1,\"b\":2,\"c\":3}", "sample"),
    ("{\"anyOf\":[1,2]}", "sample"),
    ("{\"allOf\":[]}", "sample"),
    ("{\"type\":\"number\",\"value\":3}", "sample"),
    ("{\"type\":[\"a\",\"b\"]}", "sample"),
    ("{\"enum\":[\"a\"]}", "sample"),
    ("{\"required\":[\"a\"],\"properties\":{\"a\":\"b\"}}", "sample"),
    ("{\"id\":1}\n{\"id\":2}\n", "sample"),
    ("\n\n  {\"id\": 1}\n", "sample"),
    ("[{\"a\":[1]}]", "sample"),
    ("{\"a\":{\"b\":{\"c\":null}}}", "sample"),
    ("{\"topic\":\"Use X\",\"status\":\"accepted\"}", "sample"),
    ("[\n  {\"id\": 1}\n]", "sample"),
    ("{\"error\":{\"code\":404,\"message\":\"no\"}}", "sample"),
    ("{\"type\":\"FeatureCollection\",\"features\":[]}", "sample"),
    (
        "{\"skill\":\"type-definitions\",\"kind\":\"model\",\"data\":{},\"artifacts\":[]}",
        "envelope",
    ),
    ("{\"root\":\"A\",\"entities\":{\"A\":{\"shape\":{\"types\":[\"object\"]}}}}", "model"),
    (
        "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"A\",\"version\":\"1\"},\"paths\":{}}",
        "openapi",
    ),
    ("{\"swagger\":\"2.0\",\"info\":{},\"paths\":{}}", "openapi"),
    ("{\"components\":{\"schemas\":{\"A\":{\"type\":\"object\"}}}}", "openapi"),
    ("openapi: 3.0.3\ninfo:\n  title: A\n  version: \"1\"\npaths: {}\n", "openapi"),
    ("swagger: \"2.0\"\ninfo:\n  title: A\npaths: {}\n", "openapi"),
    (
        "# Our API\nopenapi: \"3.1.0\"\ninfo: {title: A, version: \"1\"}\npaths:\n  /users:\n    get:\n      responses: {}\n",
        "openapi",
    ),
    ("---\nopenapi: 3.0.0\ninfo: {title: A, version: \"1\"}\npaths: {}\n", "openapi"),
    ("components:\n  schemas:\n    A:\n      type: object\n", "openapi"),
    ("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}", "json-schema"),
    ("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}", "json-schema"),
    ("{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", "json-schema"),
    ("{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}", "json-schema"),
    ("{\"type\":\"object\",\"patternProperties\":{\"^x\":{\"type\":\"string\"}}}", "json-schema"),
    ("{\"type\":\"string\",\"format\":\"email\"}", "json-schema"),
    ("{\"type\":\"string\"}", "json-schema"),
    ("{\"type\":[\"string\",\"null\"],\"maxLength\":5}", "json-schema"),
    ("{\"$ref\":\"#/$defs/A\",\"$defs\":{\"A\":{\"type\":\"string\"}}}", "json-schema"),
    ("{\"definitions\":{\"A\":{\"type\":\"string\"}}}", "json-schema"),
    ("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "json-schema"),
    ("{\"oneOf\":[{\"$ref\":\"#/a\"}]}", "json-schema"),
    ("{\"required\":[\"a\"],\"properties\":{\"a\":{\"type\":\"string\"}}}", "json-schema"),
    ("{\"type\":\"integer\",\"minimum\":1}", "json-schema"),
    ("{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{}}", "json-schema"),
    ("{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}", "json-schema"),
    ("{\"$ref\":\"other.json\"}", "json-schema"),
    ("type: object\nproperties:\n  a:\n    type: string\n", "json-schema"),
    ("$schema: https://json-schema.org/draft/2020-12/schema\ntype: object\n", "json-schema"),
    ("CREATE TABLE a (id int);", "ddl"),
    ("create table a (\n  id int\n)", "ddl"),
    ("CREATE TABEL a (id int)", "ddl"),
    ("alter table a add b int;", "ddl"),
    ("-- dump\n\nCREATE TABLE a (id int);", "ddl"),
    ("/* MySQL dump */\nCREATE TABLE `a` (`id` int);", "ddl"),
    (
        "--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\nSET lock_timeout = 0;\nSELECT pg_catalog.set_config('search_path', '', false);\n\nCREATE TABLE public.a (id integer NOT NULL);\n",
        "ddl",
    ),
    (
        "/*!40101 SET NAMES utf8 */;\n\nDROP TABLE IF EXISTS `a`;\nCREATE TABLE `a` (`id` int);\n",
        "ddl",
    ),
    (
        "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE a (id INTEGER PRIMARY KEY);\nCOMMIT;",
        "ddl",
    ),
    ("USE shop;\nCREATE TABLE a (id int);", "ddl"),
    ("CREATE TYPE mood AS ENUM ('a');", "ddl"),
    ("INSERT INTO a VALUES (1);", "ddl"),
    ("DROP TABLE a;", "ddl"),
    ("\\restrict abc\n\nCREATE TABLE a (id int);", "ddl"),
    ("begin;\ncreate table a (id int);\ncommit;", "ddl"),
    ("create unique index i on a (b);", "ddl"),
    ("set names utf8;\ninsert into a values (1);", "ddl"),
    ("# MySQL dump 10\n\nCREATE TABLE a (id int);", "ddl"),
    ("Feature: Reset\n\n  Scenario: one\n    Given a\n    When b\n    Then c\n", "gherkin"),
    ("# language: en\n@slow\nFeature: Reset\n", "gherkin"),
    ("Scenario: one\n  Given a\n  Then b\n", "gherkin"),
    ("Scenario Outline: one\n  Given <a>\n\n  Examples:\n    | a |\n    | 1 |\n", "gherkin"),
    ("Background:\n  Given a\n", "gherkin"),
    (
        "# Use PostgreSQL\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\ny\n",
        "markdown",
    ),
    (
        "---\nstatus: accepted\n---\n\n# Use X\n\n## Context and Problem Statement\n\n## Considered Options\n\n* A\n",
        "markdown",
    ),
    ("# Use X\n\n## Decision Outcome\n\nChosen option: \"A\"\n", "markdown"),
    ("# US-0001: Basket\n\n**As a** shopper\n**I want** x\n", "markdown"),
    ("# Basket\n\n## Acceptance criteria\n\n- a\n", "markdown"),
    ("# Changelog\n\n## [Unreleased]\n", "markdown"),
    ("## [1.2.3] - 2026-01-31\n\n### Added\n\n- a\n", "markdown"),
    ("# CHANGELOG\n\nAll notable changes\n", "markdown"),
    ("v1.0.0..HEAD", "range"),
    ("1.0.0...1.1.0", "range"),
    ("main..", "range"),
    ("1..5", "text"),
    ("../x", "text"),
    ("wait... what", "text"),
    ("# Title\n\nSome text.\n", "markdown"),
    ("## Why\n\nBecause.\n", "markdown"),
    ("# Title\n\n```sql\nCREATE TABLE a (id int);\n```\n", "markdown"),
    ("Intro\n\n# Heading\n\ntext\n", "markdown"),
    ("id: 1\nname: Ada\n", "sample"),
    ("name: Ada\nemail: ada@example.com\n", "sample"),
    ("- id: 1\n  name: Ada\n- id: 2\n  name: Bob\n", "sample"),
    ("user:\n  id: 1\n  tags:\n    - a\n", "sample"),
    ("---\nId: 1\nName: Ada\n", "sample"),
    ("server:\n  port: 8080\n", "sample"),
    ("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n", "sample"),
    ("version: \"3\"\nservices:\n  web:\n    image: nginx\n", "sample"),
    ("User: id uuid pk, email string unique", "entities"),
    ("User: id uuid pk; Order: id int, user -> User", "entities"),
    ("User: id\nOrder: id int, user -> User", "entities"),
    ("user: id uuid pk, email email", "entities"),
    ("- User: id int\n- Order: id int", "entities"),
    ("User: name string min 1 max 80, role enum(a|b)", "entities"),
    ("GET /users/{id} -> User", "endpoints"),
    ("GET /users, POST /users", "endpoints"),
    ("get /a; delete /a/{id} 204", "endpoints"),
    ("GET /users\nPOST /users <- User 201 : Adds one", "endpoints"),
    ("web -> api -> db", "arrows"),
    ("web [frontend] -> api: REST; api -> db: SQL", "arrows"),
    ("a --> b", "arrows"),
    ("user not found 404, payment declined 402", "errors"),
    ("404 user not found", "errors"),
    ("- user not found 404\n- card expired 402", "errors"),
    ("fix: a crash on an empty list", "list"),
    ("Added: search by author; Fixed: a crash on an empty list", "list"),
    ("- one thing\n- another thing", "list"),
    ("feat(search)!: by author\nfix: a crash", "list"),
    ("As a reader I want to search so that I find books", "text"),
    ("As an admin, I want to delete users.", "text"),
    ("Use PostgreSQL for orders", "text"),
    ("Create table for the users", "text"),
    ("Set the table, then eat.", "text"),
    ("We will drop table reservations soon", "text"),
    ("Hello, world\nThis is, fine", "text"),
    ("A user has an email and an age.", "text"),
    ("[a link](x) and text", "text"),
    ("{name} is a placeholder", "text"),
    ("42", "text"),
    ("\"quoted\"", "text"),
    ("Decide: now, or never! Really", "text"),
    ("select the best option", "text"),
    ("", "text"),
    ("http://example.org/a", "text"),
    ("It is 10:30, and nobody came.", "text"),
    ("Note that a,b\nand c", "text"),
    ("日本語のテキスト", "text"),
    ("[WIP] do it", "text"),
    ("Use it (really); do not wait", "text"),
];

#[test]
fn content_is_recognised_by_its_form() {
    assert!(CASES.len() >= 120);
    let wrong: Vec<String> = CASES
        .iter()
        .filter_map(|(text, kind)| {
            // `name: Ada` may be an item of a list as well as YAML, so only skills for lists accept it as such.
            let list = [ContentKind::Notation(Notation::List)];
            let notations = if *kind == "list" { &list[..] } else { &ALL };
            let found = recognise(text, notations).map(|content| content.kind.name());
            (found != Ok(kind)).then(|| format!("{text:?} is {found:?}, not {kind}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_claims_to_be_json_or_yaml_is_held_to_it() {
    for text in ["{\"a\": }", "[{\"a\":1},"] {
        let fault = recognise(text, &[]).unwrap_err().to_string();
        assert!(fault.starts_with("the input is not JSON"), "{text}: {fault}");
    }
    assert!(yaml("a: [").is_err());
}

/// The fields of a skill's input, or the error; and the notes.
fn placed(skill: &str, text: &str, pairs: &[(&str, &str)]) -> Value {
    let pairs = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let request = Request { contents: vec![text.as_bytes().to_vec()], pairs, ..Request::default() };
    match find(skill).unwrap().place(&request) {
        Ok(given) if given.notes.is_empty() => json!(given.fields),
        Ok(given) => json!([given.fields, given.notes]),
        Err(fault) => json!(fault.to_string()),
    }
}

#[test]
fn content_goes_to_the_field_of_its_kind() {
    let user = r#"{"id":1,"nick":"Ada"}"#;
    for (skill, text, pairs, wanted) in [
        ("type-definitions", user, &[][..], json!({"samples": [{"id": 1, "nick": "Ada"}]})),
        (
            "type-definitions",
            user,
            &[("name", "User")],
            json!({"samples": [{"id": 1, "nick": "Ada"}], "name": "User"}),
        ),
        (
            "type-definitions",
            r#"{"id":1,"name":"Ada"}"#,
            &[],
            json!({"samples": [{"id": 1, "name": "Ada"}]}),
        ),
        ("type-definitions", "[1,2]", &[], json!({"samples": [[1, 2]]})),
        ("type-definitions", "7", &[], json!({"samples": [7]})),
        (
            "type-definitions",
            r#"{"source":"A: x int","name":"B"}"#,
            &[],
            json!({"source": "A: x int", "name": "B"}),
        ),
        (
            "type-definitions",
            "CREATE TABLE a (id int);",
            &[("name", "B")],
            json!({"ddl": "CREATE TABLE a (id int);", "name": "B"}),
        ),
        (
            "type-definitions",
            "A: x int",
            &[("nam", "B")],
            json!(
                "the field \"nam\" is not known; did you mean \"name\"? known are source, samples, schema, openapi, ddl, model, name"
            ),
        ),
    ] {
        assert_eq!(placed(skill, text, pairs), wanted, "{skill}: {text}");
    }
}

#[test]
fn labels_and_objects_set_fields() {
    let user = r#"{"id":1,"nick":"Ada"}"#;
    for (skill, text, pairs, wanted) in [
        (
            "adr-template",
            user,
            &[][..],
            json!(
                "the field \"id\" is not known; known are topic, context, decision, chosen, reason, consequences, options, status, date, deciders, supersedes, folder"
            ),
        ),
        // One line whose first word resembles no field is text.
        ("story-skeleton", "checkout: pay by card", &[], json!({"topic": "checkout: pay by card"})),
        ("error-handler-template", "python: not found", &[], json!({"cases": "python: not found"})),
        (
            "error-handler-template",
            "- code: GONE\n  status: 410",
            &[],
            json!({"cases": [{"code": "GONE", "status": 410}]}),
        ),
        (
            "adr-template",
            "Use X\nOptions: A, B",
            &[("status", "accepted")],
            json!({"options": "A, B", "topic": "Use X", "status": "accepted"}),
        ),
        (
            "adr-template",
            "topic: Use X\nstatus: accepted\n",
            &[],
            json!({"topic": "Use X", "status": "accepted"}),
        ),
        (
            "adr-template",
            "# Use X\n\nIt is slow.",
            &[],
            json!({"topic": "Use X", "context": "It is slow."}),
        ),
    ] {
        assert_eq!(placed(skill, text, pairs), wanted, "{skill}: {text}");
    }
}
