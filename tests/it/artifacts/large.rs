//! Large inputs take time in proportion to their size: a limit on the time of the processor ends one that takes its square.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::support::{FLOW, Project, Ran};
use crate::tools::scaled;

/// A run of a skill, and the time of the processor that it may take, in seconds: several times what it takes.
struct Limited<'a> {
    skill: &'a str,
    file: &'a str,
    seconds: u32,
}

#[track_caller]
fn run(own: &Limited<'_>, text: &str, more: &[&str]) -> Ran {
    let Limited { skill, file, seconds } = own;
    let project = Project::new();
    project.write(file, text);
    let script = format!("ulimit -t {seconds}; exec \"$0\" skill {skill} --input {file} \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, *FLOW]).args(more).current_dir(&project.root);
    Ran::from(shell.output().unwrap()).expect(0)
}

#[test]
fn tables_that_refer_to_the_next_and_changes_of_missing_ones_are_linear() {
    let mut dump = String::new();
    let (tables, missing, seconds) = scaled((2_500, 30_000, 20), (5_000, 60_000, 40));
    for at in 0..tables {
        writeln!(dump, "CREATE TABLE t{at} (id bigint PRIMARY KEY, a text);").unwrap();
    }
    for at in 0..tables - 1 {
        let next = at + 1;
        writeln!(dump, "ALTER TABLE t{at} ADD FOREIGN KEY (id) REFERENCES t{next} (id);").unwrap();
    }
    for at in 0..missing {
        writeln!(dump, "ALTER TABLE gone{at} ADD COLUMN a int;").unwrap();
    }
    let made =
        run(&Limited { skill: "sql-schema-generator", file: "dump.sql", seconds }, &dump, &[]);
    assert_eq!(made.out.matches("CREATE TABLE").count(), tables);
    // Each table comes after the one that it refers to, so that no key is added later.
    assert!(!made.out.contains("ALTER TABLE"), "{:.2000}", made.out);
    assert!(made.err.contains(&format!("({missing})")), "{:.2000}", made.err);
}

#[test]
fn a_large_document_gets_endpoints_in_linear_time() {
    let operation = json!({ "tags": ["a"], "responses": { "200": { "description": "OK" } } });
    let item = json!({ "get": operation, "delete": operation });
    let paths: Map<String, Value> =
        (0..14_000).map(|at| (format!("/a{at}"), item.clone())).collect();
    let document = json!({ "openapi": "3.1.0", "info": { "title": "A", "version": "1" }, "tags": [{ "name": "a" }], "paths": paths });
    let endpoints: Vec<String> = (0..1_200).map(|at| format!("PUT /a{at} 403")).collect();
    let endpoints = format!("endpoints={}", endpoints.join("\n"));
    let own = Limited { skill: "api-documentation-generator", file: "api.json", seconds: 10 };
    let made = run(&own, &document.to_string(), &[&endpoints]);
    let made: Value = serde_json::from_str(&made.out).unwrap();
    assert_eq!(made["paths"].as_object().unwrap().len(), 1_200);
    assert!(made["paths"]["/a1199"]["put"].is_object());
}
