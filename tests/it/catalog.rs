//! Checks over the whole catalog: every skill is complete, a full validator interprets its schema in the same way,
//! and every kind of invalid input is refused with its name and without writing anything. `tests/cases/catalog` shows where no
//! input is needed.

use std::fmt::Write as _;

use flow::skill::generator::{SKILLS, find};
use flow::skill::input::content::ContentKind;
use flow::skill::input::{self, typed};
use flow::skill::runtime::{catalog, manifest};
use serde_json::{Map, Value, json};

use crate::artifacts::golden::golden;
use crate::support::{self, Project, Ran};

fn schema(skill: &str) -> Value {
    find(skill).unwrap_or_else(|| panic!("{skill} has no row")).schema()
}

fn example(skill: &str) -> Map<String, Value> {
    let text = catalog::file(skill, "assets/example.json");
    serde_json::from_str(text.unwrap_or_else(|| panic!("{skill} has no example"))).unwrap()
}

/// A server that runs in the demo project keeps a socket there, which no build may try to read.
#[test]
fn the_demo_is_its_four_files_whatever_runs_in_it() {
    let paths: Vec<&str> = catalog::DEMO.iter().map(|(path, _)| *path).collect();
    let four = [
        ".agileflow/sessions/registry.json",
        ".agileflow/state/task-dependencies.json",
        "docs/09-agents/bus/log.jsonl",
        "docs/09-agents/status.json",
    ];
    assert_eq!(paths, four);
}

#[test]
fn every_skill_is_whole() {
    for skill in catalog::names() {
        let manifest = manifest::read(catalog::file(skill, "SKILL.md").unwrap()).unwrap();
        assert_eq!(manifest.name, skill);
        assert!(
            (20..=1024).contains(&manifest.description.chars().count()),
            "{skill}: its description"
        );
        let row = find(skill).unwrap();
        let schema = schema(skill);
        let content = row.input.takes.iter().map(|takes| takes.field);
        for field in content.chain(row.input.instead.iter().copied()) {
            assert!(schema["properties"].get(field).is_some(), "{skill}: {field} is no field");
        }
        golden(skill, "input.schema.json", &row.schema_text());
        assert_eq!(
            schema["additionalProperties"], false,
            "{skill}: unknown fields must be refused"
        );
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{skill}: {name} is not described");
        }
        if let Some(template) = manifest.metadata.get("flow-template") {
            assert!(catalog::file(skill, template).is_some(), "{skill}: there is no {template}");
        }
    }
}

#[test]
fn a_refused_description_of_data_names_every_skill_that_reads_it() {
    for (kind, name) in ContentKind::NAMED {
        let Some(text) = kind.readers() else { continue };
        for skill in SKILLS {
            let takes = skill.input.takes.iter().any(|takes| takes.kind == kind);
            assert_eq!(text.contains(skill.name), takes, "{name}: {}", skill.name);
        }
    }
}

/// Inputs similar to an example: a field missing, of another type, empty, or unknown.
fn mutations(skill: &str) -> Vec<Map<String, Value>> {
    let example = example(skill);
    let others = json!([null, 7, -1, "x", "", [], {}, [7], true]);
    let mut found = vec![example.clone(), Map::new()];
    for name in schema(skill)["properties"].as_object().unwrap().keys() {
        let mut without = example.clone();
        without.remove(name);
        found.push(without);
        for other in others.as_array().unwrap() {
            let mut with = example.clone();
            with.insert(name.clone(), other.clone());
            found.push(with);
        }
    }
    let mut unknown = example;
    unknown.insert("surely_not_known".into(), json!(1));
    found.push(unknown);
    found
}

#[test]
fn the_check_agrees_with_a_full_validator() {
    let mut tried = 0;
    for skill in catalog::names() {
        let schema = schema(skill);
        let judge = jsonschema::validator_for(&schema).unwrap();
        for fields in mutations(skill) {
            let given = Value::Object(fields.clone());
            // A field that is null or blank counts as missing.
            let row = find(skill).unwrap();
            let present = Value::Object(typed::without_blanks(&fields));
            let (ours, theirs) = ((row.input.check)(&fields), judge.is_valid(&present));
            let stricter = ours.is_err() && theirs;
            assert!(
                ours.is_ok() == theirs || stricter,
                "{skill}: {given}: {ours:?}, the judge says {theirs}"
            );
            tried += 1;
        }
    }
    assert!(tried == 0 || tried > 500, "only {tried} inputs were tried");
}

fn fed(project: &Project, skill: &str, bytes: &[u8], more: &[&str]) -> Ran {
    let mut command = project.command();
    command.args(["skill", skill, "--input", "-", "--out", "made/"]).args(more);
    support::fed(&mut command, bytes).into()
}

/// Skills that get the YAML alias bomb: for a document, for data, and for the state of a project.
const BOMBED: [&str; 3] = ["adr-template", "type-definitions", "sprint-planner"];

#[test]
fn bad_input_is_refused_by_name_and_nothing_is_written() {
    let project = Project::new();
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..10 {
        let below = vec![format!("*a{}", level - 1); 10].join(",");
        let _ = writeln!(bomb, "a{level}: &a{level} [{below}]");
    }
    for skill in catalog::names() {
        let mut unknown = example(skill);
        unknown.insert("surely_not_known".into(), json!(1));
        let unknown = Value::Object(unknown).to_string();
        for (bytes, more, hint) in [
            (unknown.as_bytes(), &["--as", "fields"][..], "surely_not_known"),
            (b"{", &[], "not JSON"),
            (b"a\xff", &[], "UTF-8"),
            (&vec![b'a'; input::LARGEST + 1], &[], &input::LARGEST.to_string()),
            ("[".repeat(100_000).as_bytes(), &["--as", "fields"], "YAML"),
            (bomb.as_bytes(), &["--as", "fields"], "YAML"),
        ] {
            // It is refused by one reader for all skills, after half a second.
            if bytes == bomb.as_bytes() && !BOMBED.contains(&skill) {
                continue;
            }
            let ran = fed(&project, skill, bytes, more);
            assert_eq!(ran.code, 2, "{skill}: {hint}: {ran:?}");
            assert!(
                ran.err.contains(hint) && ran.err.lines().count() <= 3,
                "{skill}: {hint}: {}",
                ran.err
            );
        }
    }
    assert!(!project.root.join("made").exists());
}
