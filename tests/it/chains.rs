//! Chains of skills: each named one runs from a user's text to the last artifact, and an error names the skill and
//! the input that it could not read.

use std::process::Command;

use serde_json::{Value, json};

use crate::artifacts::commits::repository;
use crate::artifacts::execute::{Module, execute};
use crate::artifacts::judge;
use crate::support::{Project, Ran};
use crate::transcript::demo;

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
fn a_story_without_data_gives_the_form_of_an_entity() {
    let line = chain(&Project::new(), &STORY, SENTENCE);
    assert_eq!(line.as_array().unwrap().len(), STORY.len());
    for (at, name) in [(3, "ResetMyPassword"), (4, "ResetMyPassword")] {
        let text = artifact(&line, at);
        let blank = "<which fields it has, such as email: email>";
        assert!(text.contains(name) && text.contains(blank), "{text}");
        let asked = line[at]["open"][0].as_str().unwrap();
        assert!(asked.starts_with("fields of ResetMyPassword: the story has no data"), "{asked}");
    }
}

#[test]
fn data_that_cannot_be_read_is_named_by_the_first_skill() {
    let project = Project::new();
    let mut words = vec!["skill", "chain"];
    words.extend(STORY);
    words.extend([SENTENCE, "data={\"email\": }"]);
    let broken = project.flow(&words).expect(2);
    assert!(
        broken.err.contains("stops at story-skeleton") && broken.err.contains("\"data\""),
        "{broken:?}"
    );
    assert!(broken.out.is_empty());
}

const TABLES: &str = "ddl=CREATE TABLE author (id integer PRIMARY KEY, name text NOT NULL); \
    CREATE TABLE book (id integer PRIMARY KEY, author integer NOT NULL REFERENCES author (id));";

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

#[test]
fn sql_becomes_a_checklist_and_a_guide_with_its_steps() {
    let project = Project::new();
    let skills = ["sql-schema-generator", "migration-checklist", "deployment-guide-generator"];
    let made = chain(&project, &skills, TABLES);
    let steps = made[1]["data"]["steps"].as_array().unwrap();
    let guide = artifact(&made, 2);
    assert_eq!(steps.len(), 2);
    for step in steps {
        for part in ["command", "verify", "rollback"] {
            let first = step[part].as_str().unwrap().lines().next().unwrap();
            assert!(
                first == "true" || guide.contains(first),
                "{part} {first:?} stands in\n{guide}"
            );
        }
    }
}

#[test]
fn sql_becomes_a_diagram_of_its_tables() {
    let made = chain(&Project::new(), &["sql-schema-generator", "diagram-generator"], TABLES);
    let diagram = artifact(&made, 1);
    assert_eq!(
        diagram,
        "erDiagram\n  author {\n    int32 id PK\n    string name\n  }\n  book {\n    int32 id PK\n    \
         int32 author FK\n  }\n  book }o--|| author : \"author\"\n"
    );
}

#[test]
fn commits_become_a_changelog_and_a_pull_request() {
    let project = Project::new();
    let git = repository(&project.root);
    let messages =
        ["chore: start", "feat(search): find by author", "fix: an empty list", "docs: say how"];
    for message in messages {
        git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    let made = chain(&project, &["changelog-entry", "pr-description"], "range=HEAD~3..HEAD");
    let (log, request) = (artifact(&made, 0), artifact(&made, 1));
    for what in ["**search:** Find by author", "An empty list"] {
        let line = format!("- {what}\n");
        assert_eq!(log.matches(&line).count(), 1, "{log}");
        assert_eq!(request.matches(&line).count(), 1, "{request}");
    }
}

#[test]
fn a_word_may_be_meant_for_a_later_skill() {
    let project = Project::new();
    let mut words =
        vec!["skill", "chain", "story-skeleton", "acceptance-criteria-generator", SENTENCE];
    words.push("acceptance-criteria-generator.format=feature");
    let made = project.flow(&words).expect(0);
    assert!(made.out.contains(".feature <==\n"), "{made:?}");
    *words.last_mut().unwrap() = "acceptance-criteria-generator.fromat=feature";
    let wrong = project.flow(&words).expect(2);
    assert!(wrong.err.contains("\"fromat\" is not known"), "{wrong:?}");
}

#[test]
fn code_passes_on_by_its_envelope_alone_and_says_so() {
    let project = Project::new();
    let code = project.flow(&["skill", "type-definitions", "User: id uuid"]).expect(0).out;
    project.write("types.ts", &code);
    for skill in ["validation-schema-generator", "sql-schema-generator", "type-definitions"] {
        let refused = project.flow(&["skill", skill, "--input", "types.ts"]).expect(2);
        assert!(refused.err.contains("--json"), "{refused:?}");
    }
}

#[test]
fn a_pipe_that_is_not_read_is_noted() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut writer, b"## Decision\n\nx\n").unwrap();
    drop(writer);
    let project = demo();
    let mut command = project.command();
    let ran: Ran = command
        .args(["skill", "adr-template", "topic=Tabs"])
        .stdin(reader)
        .output()
        .unwrap()
        .into();
    let note = "note: standard input was not read (add --input - to read it)\n";
    assert!(ran.err.contains(note), "{ran:?}");
    let ran = project.flow(&["skill", "adr-template", "topic=Tabs"]).expect(0);
    assert!(!ran.err.contains("standard input"), "{ran:?}");
}
