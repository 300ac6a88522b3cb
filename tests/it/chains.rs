//! Chains of skills: each named one runs from a user's words to the last artifact, and a break says which skill could not
//! read what.

use std::fs;

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

/// A schema as Zod has it judges values.
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

    let table = format!(
        "{SENTENCE}\n\nExamples:\n\n| email | minutes | note |\n|---|--:|---|\n| a@b.example | 3 | |\n| c@d.example | 30 | twice |\n"
    );
    let table = chain(&project, &STORY, &table);
    let rows = [
        json!({"email": "a@b.example", "minutes": 3}),
        json!({"email": "c@d.example", "minutes": 30, "note": "twice"}),
        json!({"email": "c@d.example", "minutes": "30"}),
        json!({"email": "c@d.example"}),
    ];
    let judged = verdicts(&artifact(&table, 4), "ResetMyPassword", &rows);
    assert_eq!(judged, [true, true, false, false]);
}

#[test]
fn the_markdown_and_the_envelope_of_a_story_with_data_give_the_same() {
    let project = Project::new();
    let told = format!("{SENTENCE}\n| a | b |\n|---|---|\n| 1 | x \\| y |\nData: User: id uuid");
    let by_envelope = chain(&project, &STORY, &told);
    for format in ["markdown", "feature"] {
        let mut text = artifact(&by_envelope, 0);
        for (at, skill) in STORY[1..3].iter().enumerate() {
            let name = format!("{at}.md");
            project.write(&name, &text);
            let form = format!("format={format}");
            let mut words = vec!["skill", skill, "--input", &name];
            words.extend((at == 0).then_some(form.as_str()));
            text = project.flow(&words).expect(0).out;
        }
        assert_eq!(text, artifact(&by_envelope, 2), "by {format}");
    }
}

#[test]
fn a_story_without_data_stops_at_the_types_and_says_what_to_add() {
    let project = Project::new();
    let mut words = vec!["skill", "chain"];
    words.extend(STORY);
    words.push(SENTENCE);
    let broken = project.flow(&words).expect(2);
    let says = "breaks at type-definitions, which cannot read what test-case-generator made";
    assert!(
        broken.err.contains(says) && broken.err.contains("add a line such as `data:"),
        "{broken:?}"
    );
    assert_eq!(broken.out.matches("==> ").count(), 3, "what was made is not lost");
    words.extend(["--out", "made"]);
    project.flow(&words).expect(2);
    assert_eq!(fs::read_dir(project.root.join("made")).unwrap().count(), 3);
}

#[test]
fn data_that_cannot_be_read_is_named_by_the_first_skill() {
    let project = Project::new();
    let mut words = vec!["skill", "chain"];
    words.extend(STORY);
    words.extend([SENTENCE, "data={\"email\": }"]);
    let broken = project.flow(&words).expect(2);
    assert!(
        broken.err.contains("breaks at story-skeleton") && broken.err.contains("\"data\""),
        "{broken:?}"
    );
    assert!(broken.out.is_empty());
}
