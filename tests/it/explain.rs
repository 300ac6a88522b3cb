//! `flow explain ID`: file and line are right, also for a record that is misplaced, duplicate or on a line with
//! several.

use serde_json::{Value, json};

use crate::support::Project;

const STATUS: &str = "docs/09-agents/status.json";
const LOG: &str = "docs/09-agents/bus/log.jsonl";

/// Line by line, so that the line numbers are visible here.
fn project() -> Project {
    let project = Project::new();
    let status = [
        "{",
        r#" "stories": {"#,
        r#"  "US-1": {"title": "One","#,
        r#"    "epic": "EP-1", "owner": "ui"},"#,
        r#"  "US-2": {"title": "first"},"#,
        r#"  "US-3": 7,"#,
        r#"  "US-2": {"title": "second"}"#,
        " },",
        r#" "US-4": {"title": "stray", "id": "other"},"#,
        r#" "US-1": {"title": "stray too"}"#,
        "}",
    ];
    project.write(STATUS, &status.join("\n"));
    let log = [
        r#"{"id":"m1","story":"US-1","agent":"ui","ts":"2026-03-10"}"#,
        r#"{"type":"a"}{"id":"m2","from":"api"} nonsense"#,
        "nothing",
        r#"{"story_id":"US-1"}"#,
    ];
    project.write(LOG, &(log.join("\n") + "\n"));
    project
}

#[track_caller]
fn explained(project: &Project, id: &str) -> Value {
    project.flow(&["explain", id, "--json"]).expect(0).json()
}

fn places(explained: &Value) -> Vec<Value> {
    let origins = explained["origins"].as_array().unwrap();
    origins
        .iter()
        .map(|one| json!([one["file"], one["line"], one["place"], one["served"]]))
        .collect()
}

#[test]
fn an_alias_is_named_with_its_line() {
    let project = project();
    let one = explained(&project, "US-1");
    assert_eq!(
        places(&one),
        [
            json!([STATUS, 3, "stories.US-1", true]),
            json!([STATUS, 10, "US-1 at the top level", false])
        ]
    );
    let field = &one["origins"][0]["fields"][0];
    assert_eq!(*field, json!({"name": "epic_id", "from": "epic", "value": "\"EP-1\"", "line": 4}));
    let problem = &one["problems"][0];
    assert_eq!(problem["line"], 3, "{one:#}");
    assert!(problem["reason"].as_str().unwrap().contains("the nested one is served"), "{one:#}");
    assert_eq!(one["messages"], json!({"file": LOG, "count": 2, "lines": [1, 4]}));
}

#[test]
fn of_a_doubled_record_the_last_is_served() {
    let two = explained(&project(), "US-2");
    assert_eq!(
        places(&two),
        [json!([STATUS, 5, "stories.US-2", false]), json!([STATUS, 7, "stories.US-2", true])]
    );
    assert!(two["problems"][0]["reason"].as_str().unwrap().contains("the last one is served"));
    let nearby: Vec<&Value> = two["nearby"].as_array().unwrap().iter().collect();
    let skipped = nearby.iter().find(|one| one["place"] == "US-3").unwrap();
    assert_eq!((&skipped["line"], &skipped["effect"]), (&json!(6), &json!("skipped")));
}

#[test]
fn a_stray_record_and_what_was_repaired_in_it() {
    let four = explained(&project(), "US-4");
    assert_eq!(places(&four), [json!([STATUS, 9, "US-4 at the top level", true])]);
    assert_eq!(four["problems"][0]["effect"], "repaired");
}

#[test]
fn a_record_that_is_not_served_at_all() {
    let three = explained(&project(), "US-3");
    assert_eq!(places(&three), [json!([STATUS, 6, "stories.US-3", false])]);
    assert!(
        three["problems"][0]["reason"].as_str().unwrap().contains("not an object"),
        "{three:#}"
    );
}

#[test]
fn a_message_of_a_glued_line_by_id_and_by_line() {
    let project = project();
    let by_id = explained(&project, "m2");
    assert_eq!(places(&by_id), [json!([LOG, 2, "message 2 of 2 on its line", true])]);
    assert_eq!(by_id["problems"][0]["line"], 2, "{by_id:#}");
    assert!(by_id["nearby"].as_array().unwrap().iter().any(|one| one["line"] == 3), "{by_id:#}");
    let by_line = explained(&project, "bus:2");
    assert_eq!(by_line["origins"].as_array().unwrap().len(), 2);
    let aliases = explained(&project, "m1");
    let from: Vec<&Value> = aliases["origins"][0]["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["from"])
        .collect();
    assert_eq!(json!(from), json!(["story", "agent", "ts", null, null]));
    let bad = explained(&project, "bus:3");
    assert_eq!(bad["problems"][0]["line"], 3, "{bad:#}");
    assert_eq!(places(&bad), [Value::Null; 0]);
}

/// Lines are counted as an editor counts them, whatever they end with and whatever is empty.
#[test]
fn lines_are_right_behind_blank_ones_and_with_carriage_returns() {
    let project = Project::new();
    project.write(
        LOG,
        "\u{feff}\r\n\r\n{\"id\":\"m1\"}\r\n\r\n{\"id\":\"m2\"}{\"id\":\"m3\",\"story\":\"US-7\"}",
    );
    assert_eq!(
        places(&explained(&project, "m1")),
        [json!([LOG, 3, "the only message of its line", true])]
    );
    assert_eq!(
        places(&explained(&project, "m3")),
        [json!([LOG, 5, "message 2 of 2 on its line", true])]
    );
    project.write(STATUS, "{\r\n\r\n\"US-7\":\r\n{\"title\":\"stray\",\r\n\"epicId\":\"EP-1\"}}");
    let stray = explained(&project, "US-7");
    assert_eq!(places(&stray), [json!([STATUS, 3, "US-7 at the top level", true])]);
    assert_eq!(
        stray["origins"][0]["fields"][0],
        json!({"name": "epic_id", "from": "epicId", "value": "\"EP-1\"", "line": 5})
    );
    assert_eq!(stray["messages"], json!({"file": LOG, "count": 1, "lines": [5]}));
}

#[test]
fn a_message_of_a_glued_line_as_text() {
    let text = project().flow(&["explain", "m2"]).expect(0).out;
    let expected = "\
message m2
  docs/09-agents/bus/log.jsonl:2  message 2 of 2 on its line, served
";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("skipped docs/09-agents/bus/log.jsonl:2  the rest of line 2"), "{text}");
}

#[test]
fn lines_of_a_log_over_its_limit_are_those_of_the_file() {
    let project = Project::new();
    let mut lines: Vec<String> = (0..30).map(|n| format!("{{\"id\":\"m{n}\"}}")).collect();
    lines[28] = "broken".to_owned();
    project.write(LOG, &(lines.join("\n") + "\n"));
    project.write(".flow/config.json", r#"{"limits":{"bus_bytes":100}}"#);
    let last = explained(&project, "m29");
    assert_eq!(places(&last), [json!([LOG, 30, "the only message of its line", true])]);
    assert_eq!(last["nearby"][0]["line"], 29, "{last:#}");
    project.flow(&["explain", "m0"]).expect(1);
}

#[test]
fn an_array_and_a_task_and_a_session() {
    let project = Project::new();
    project.write(
        ".agileflow/state/task-dependencies.json",
        "{\"tasks\":[\n{},\n{\"id\":\"t1\",\"status\":\"running\"}]}",
    );
    project.write(".agileflow/sessions/registry.json", "\u{feff}{\"sessions\":{\n\"1\":{}}}");
    let task = explained(&project, "t1");
    assert_eq!(
        places(&task),
        [json!([".agileflow/state/task-dependencies.json", 3, "tasks[1]", true])]
    );
    assert_eq!(task["nearby"][0]["line"], 2, "{task:#}");
    assert_eq!(explained(&project, "1")["origins"][0]["line"], 2);
}

/// The API determines the line of what it serves without reading the file again: it must be the same.
#[test]
fn the_api_gives_the_lines_that_explain_gives() {
    let project = project();
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

#[test]
fn an_id_that_is_nowhere_names_the_nearest() {
    let project = project();
    let ran = project.flow(&["explain", "US-44"]).expect(1);
    assert!(ran.err.contains("US-44") && ran.err.contains("did you mean US-4?"), "{ran:?}");
    assert!(project.flow(&["explain", ""]).expect(2).err.contains("requires an id"));
    assert!(project.flow(&["explain", "bus:99"]).expect(1).err.contains("no line 99"));
    project.write(STATUS, "{");
    let broken = project.flow(&["explain", "US-1"]).expect(1);
    assert!(broken.err.contains("status.json is not served"), "{broken:?}");
}

#[test]
fn the_text_says_file_and_line() {
    let text = project().flow(&["explain", "US-1"]).expect(0).out;
    let expected = "\
story US-1  One
  docs/09-agents/status.json:3  stories.US-1, served
  epic_id       \"EP-1\", from the alias \"epic\", line 4
  status        none
  owner         \"ui\", line 4
  title         \"One\", line 3
story US-1  stray too
  docs/09-agents/status.json:10  US-1 at the top level, not served
  epic_id       none
  status        none
  owner         none
  title         \"stray too\", line 10
messages about it: 2 in docs/09-agents/bus/log.jsonl, line 1, 4
problems
  skipped docs/09-agents/status.json:3  US-1: a second story of this id, at the top level; the nested one is served
problems nearby
  skipped docs/09-agents/status.json:5  US-2: an earlier story of this id; the last one is served
  skipped docs/09-agents/status.json:6  US-3: a story that is not an object
  repaired docs/09-agents/status.json:9  US-4: its own id \"\\\"other\\\"\" is replaced by its key
";
    assert_eq!(text, expected);
}
