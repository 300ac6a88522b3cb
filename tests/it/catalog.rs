//! Checks over the whole catalog: every skill is complete, a full validator interprets its schema in the same way,
//! and every kind of invalid input is refused with its name and without writing anything.

use std::fmt::Write as _;
use std::process::Stdio;

use flow::skill::generator::find;
use flow::skill::generator::skill::Needs;
use flow::skill::input::{self, typed};
use flow::skill::runtime::{catalog, manifest};
use serde_json::{Map, Value, json};

use crate::artifacts::golden::golden;
use crate::support::{self, Project, Ran, wait_until};
use crate::transcript::demo;

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
fn every_example_gives_the_output_that_it_comes_with() {
    let project = Project::new();
    let ran = project.flow(&["skill", "check"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
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
            let present = Value::Object(typed::given(&fields));
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
            (unknown.as_bytes(), AS_FIELDS, "surely_not_known"),
            (b"{", &[][..], "not JSON"),
            (b"a\xff", &[], "UTF-8"),
            (&vec![b'a'; 10 << 20], &[], &input::LARGEST.to_string()),
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

fn is_alone(skill: &str) -> bool {
    find(skill).unwrap().needs != Needs::Input
}

/// The arguments that make an object be read as fields: a skill for data may read it as a sample.
const AS_FIELDS: &[&str] = &["--as", "fields"];

/// An agent that runs a command may hold its standard input open and never write.
#[test]
fn a_skill_that_needs_no_input_does_not_wait_for_a_pipe() {
    let project = demo();
    let alone: Vec<&str> = catalog::names().filter(|skill| is_alone(skill)).collect();
    assert!(alone.len() > 1);
    for skill in alone {
        let mut command = project.command();
        command
            .args(["skill", skill])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let held = child.stdin.take();
        wait_until(skill, || child.try_wait().unwrap().is_some());
        // One that reads a repository reports that there is none; the register lists the project's own debt.
        let needs_repository =
            find(skill).unwrap().needs == Needs::Optional && skill != "tech-debt-register";
        assert_eq!(child.wait().unwrap().success(), !needs_repository, "{skill}");
        drop(held);
    }
}

#[test]
fn a_pipe_is_input_where_input_is_optional() {
    let ran = fed(&demo(), "tech-debt-register", b"design: totals are computed twice\n", &[]);
    assert!(ran.err.contains("Totals are computed twice"), "{ran:?}");
}

/// Whether an object without members is data to a skill.
fn takes_object(skill: &str) -> bool {
    find(skill).unwrap().input.takes.iter().any(|takes| takes.kind.name() == "sample")
}

#[test]
fn nothing_is_no_input() {
    let project = Project::new();
    for skill in catalog::names().filter(|skill| !is_alone(skill)) {
        for (bytes, more) in [
            (&b""[..], &[][..]),
            (b" \n\t\n", &[]),
            (b"{}", &["--as", "fields"]),
            (b"---\n{}\n", &["--as", "fields"]),
            (b"\xef\xbb\xbf", &["--as", "text"]),
        ] {
            if bytes.starts_with(b"{") && takes_object(skill) {
                continue; // It is a value, and one of no members.
            }
            let ran = fed(&project, skill, bytes, more);
            assert_eq!(ran.code, 2, "{skill}: {bytes:?}: {ran:?}");
            assert!(ran.err.contains("is missing"), "{skill}: {bytes:?}: {}", ran.err);
        }
    }
    assert!(!project.root.join("made").exists());
}
