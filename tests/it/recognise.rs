//! Recognising content by its form: a table of cases; and the kinds of content that skills accept.

use std::collections::BTreeMap;

use flow::skill::generator::find;
use flow::skill::input::content::ContentKind;
use flow::skill::input::definition::Request;
use flow::skill::input::parse::yaml_value;
use flow::skill::input::recognise::recognise;
use serde::Deserialize;
use serde_json::{Value, json};

/// The notations in the order in which they are tried here: those that prose resembles least come first.
const ALL: [ContentKind; 5] = [
    ContentKind::Endpoints,
    ContentKind::Arrows,
    ContentKind::Errors,
    ContentKind::Entities,
    ContentKind::JsonSchema,
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
            let list = [ContentKind::List];
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
    assert!(yaml_value("a: [").is_err());
}

/// Content and `key=value` words for a skill, and what they give: the fields of its input, or the error; and the notes.
#[derive(Deserialize)]
struct Placed {
    skill: String,
    content: String,
    pairs: BTreeMap<String, String>,
    gives: Value,
}

fn placed(skill: &str, content: &str, pairs: BTreeMap<String, String>) -> Value {
    let contents = vec![content.as_bytes().to_vec()];
    let request = Request { contents, pairs: pairs.into_iter().collect(), ..Request::default() };
    match find(skill).unwrap().place(&request) {
        Ok(given) if given.notes.is_empty() => json!(given.fields),
        Ok(given) => json!([given.fields, given.notes]),
        Err(fault) => json!(fault.to_string()),
    }
}

#[test]
fn content_labels_and_objects_set_fields() {
    let all: Vec<Placed> = serde_json::from_str(include_str!("placed.json")).unwrap();
    for Placed { skill, content, pairs, gives } in all {
        assert_eq!(placed(&skill, &content, pairs), gives, "{skill}: {content}");
    }
}
