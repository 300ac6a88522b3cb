//! Chains of skills whose last artifact is judged by its consumer.

use std::process::Command;

use serde_json::{Value, json};

use crate::artifacts::execute::{Module, execute};
use crate::artifacts::judge;
use crate::support::Project;

const STORY: [&str; 5] = [
    "story-skeleton",
    "acceptance-criteria-generator",
    "test-case-generator",
    "type-definitions",
    "validation-schema-generator",
];
const SENTENCE: &str = "As a shopper I want to reset my password so that I can get back in";

fn chain(project: &Project, skills: &[&str], input: &str) -> Value {
    let mut words = vec!["skill", "chain"];
    words.extend(skills);
    words.extend([input, "--json", "--now", "2026-03-11"]);
    project.flow(&words).expect(0).json()["chain"].take()
}

fn artifact(chain: &Value, at: usize) -> String {
    chain[at]["artifacts"][0]["text"].as_str().unwrap().to_owned()
}

/// The verdicts of a Zod schema on values.
fn verdicts(schemas: &str, entity: &str, values: &[Value]) -> Vec<Value> {
    execute(&[Module {
        library: "zod",
        text: schemas.to_owned(),
        name: entity.to_owned(),
        values: values.iter().map(Value::to_string).collect(),
    }])
    .remove(0)
}

#[test]
fn a_story_with_data_becomes_a_schema_that_takes_that_data() {
    if !judge::are_there(&["node_modules/zod"]) {
        return;
    }
    let project = Project::new();
    let told = format!("{SENTENCE}\nData: Reset: email email, minutes int min 1 max 30");
    let line = chain(&project, &STORY, &told);
    let good = json!({"email": "a@b.example", "minutes": 30});
    let bad = [json!({"email": "a@b.example", "minutes": 31}), json!({"email": "a", "minutes": 3})];
    let judged = verdicts(&artifact(&line, 4), "Reset", &[&[good][..], &bad].concat());
    assert_eq!(judged, [true, false, false]);
}

#[test]
fn types_become_validators_and_an_api_document() {
    let project = Project::new();
    let skills = ["type-definitions", "validation-schema-generator", "api-documentation-generator"];
    let made = chain(&project, &skills, "User: id uuid pk, email email, role enum(admin|user)");
    let schema = &made[2]["data"]["components"]["schemas"]["User"];
    assert_eq!(schema["required"], json!(["id", "email", "role"]));
    assert_eq!(schema["properties"]["role"]["enum"], json!(["admin", "user"]));
    assert!(made[2]["open"][0].as_str().unwrap().starts_with("endpoints: not given"));
    let validator = judge::folder().join("venv/bin/openapi-spec-validator");
    if judge::are_there(&["venv/bin/openapi-spec-validator"]) {
        project.write("openapi.yaml", &artifact(&made, 2));
        judge::said(Command::new(validator).arg(project.root.join("openapi.yaml")));
    }
}
