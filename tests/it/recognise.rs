//! Recognising content by its form: a table of cases; and the kinds of content that skills accept.

use std::collections::BTreeMap;

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

/// Contents of each kind.
const CASES: &str = include_str!("recognise.json");

#[test]
fn content_is_recognised_by_its_form() {
    let cases: BTreeMap<String, Vec<String>> = serde_json::from_str(CASES).unwrap();
    let cases = cases.iter().flat_map(|(kind, texts)| texts.iter().map(move |text| (text, kind)));
    let wrong: Vec<String> = cases
        .filter_map(|(text, kind)| {
            // `name: Ada` may be an item of a list as well as YAML, so only skills for lists accept it as such.
            let list = [ContentKind::Notation(Notation::List)];
            let notations = if kind == "list" { &list[..] } else { &ALL };
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
