//! `flow explain ID`: its lines are those of the API, and it is bounded. `tests/cases/explain` shows what it prints.

use serde_json::{Value, json};

use crate::support::Project;

const STATUS: &str = "docs/09-agents/status.json";
const LOG: &str = "docs/09-agents/bus/log.jsonl";

#[track_caller]
fn explained(project: &Project, id: &str) -> Value {
    project.flow(&["explain", id, "--json"]).expect(0).json()
}

/// The API determines the line of what it serves without reading the file again: it must be the same.
#[test]
fn the_api_gives_the_lines_that_explain_gives() {
    let project = Project::new();
    project.write(
        STATUS,
        r#"{"stories": {
            "US-1": {"title": "One", "epic": "EP-1"},
            "US-2": {"title": "first"}, "US-3": 7,
            "US-2": {"title": "second"}
        }, "US-4": {"title": "stray", "id": "other"},
            "US-1": {"title": "stray too"}}"#,
    );
    project.write(
        ".agileflow/state/task-dependencies.json",
        "\u{feff}{\"tasks\"\r\n: [\r\n  {\"n\":{\n\"id\":\"US-1\"}}, {\"id\":\"US-1\"}\n, {\n\"id\": 7}]}",
    );
    project.write(
        ".agileflow/sessions/registry.json",
        "{\"sessions\":{\n\"a\\nb\"\n\n:\n{},\"7\":{},\n\"..\":{}}}",
    );
    let server = project.start();
    for id in ["US-1", "US-2", "US-4", "7", "a\nb", ".."] {
        let mut wanted: Vec<(String, Value)> = explained(&project, id)["origins"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["served"] == true)
            .map(|one| (one["file"].as_str().unwrap().to_owned(), one["line"].clone()))
            .collect();
        let encode = |byte: u8| format!("%{byte:02x}");
        let encoded: String = id.bytes().map(encode).collect();
        let answer = server.get(&format!("/api/origins/{encoded}"));
        if id.contains('\n') {
            assert_eq!(answer.status, 400, "a control character is no id of a path");
            continue;
        }
        let answer = answer.json();
        let sources = server.get("/api/health").json();
        let mut told: Vec<(String, Value)> = answer["origins"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let path = &sources["sources"][one["source"].as_str().unwrap()]["path"];
                (path.as_str().unwrap().to_owned(), one["line"].clone())
            })
            .collect();
        wanted.sort_by_key(|(file, _)| file.clone());
        told.sort_by_key(|(file, _)| file.clone());
        assert_eq!(told, wanted, "{id}");
    }
    // An epic that only a story refers to has no line.
    let epic = server.get("/api/origins/EP-1").json();
    assert_eq!(epic["origins"], json!([{"collection": "epics", "source": "status", "line": null}]));
    assert_eq!(server.get("/api/origins/US-3").status, 404);
}

#[test]
fn what_is_shown_of_a_large_file_is_bounded() {
    let project = Project::new();
    let doubled = (0..50_000).map(|n| format!("{{\"id\":\"t1\",\"n\":{n}}}")).collect::<Vec<_>>();
    let tasks = format!("{{\"tasks\":[\n{}]}}", doubled.join(",\n"));
    project.write(".agileflow/state/task-dependencies.json", &tasks);
    project.write(LOG, &"{\"id\":\"t1\",\"story_id\":\"t1\"}\n".repeat(20_000));
    let one = explained(&project, "t1");
    let origins = one["origins"].as_array().unwrap();
    assert_eq!(origins.len(), 201);
    let served: Vec<&Value> =
        origins.iter().filter(|one| one["kind"] == "task" && one["served"] == true).collect();
    assert_eq!((served.len(), &served[0]["line"]), (1, &json!(50_001)));
    assert_eq!(one["messages"]["count"], 20_000);
    assert_eq!(one["messages"]["lines"].as_array().unwrap().len(), 10);
}
