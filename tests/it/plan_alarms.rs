//! What is taken back from the plan, as items of `/api/attention`: raised once for each write, until it is restored.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Project, Server, wait_until};

const STATUS: &str = "docs/09-agents/status.json";
const TASKS: &str = ".flow/state/task-dependencies.json";
const SPEC: &str = "specs/001-search/tasks.md";
const FEATURE: (&str, &str) = ("specs/001-search/spec.md", "# Feature Specification: Search\n");

/// The items of the three kinds, as `LABEL ID reason`.
fn told(server: Server) -> Vec<String> {
    let answer = server.get("/api/attention?kind=plan_weakened,plan_contradiction,reopened").json();
    let line = |item: &Value| {
        let text = |name: &str| item[name].as_str().unwrap_or("-").to_owned();
        format!("{} {} {}", text("label"), text("id"), text("reason"))
    };
    let mut lines: Vec<String> = answer["items"].as_array().unwrap().iter().map(line).collect();
    lines.sort();
    lines
}

/// Replaces a file atomically, and waits until the number of changes has grown.
#[track_caller]
fn put(project: &Project, server: Server, path: &str, text: &str) {
    let seen = || {
        let answer = server.get("/api/activity?limit=0").json();
        answer["total"].as_u64().unwrap()
    };
    let before = seen();
    project.replace(path, text);
    wait_until("the change is told", || seen() > before);
}

fn stories(stories: &Value) -> String {
    json!({ "stories": stories }).to_string()
}

/// A story with these members besides its title and status.
fn story(status: &str, members: Value) -> Value {
    let mut story = json!({"title": "Answer a webhook", "status": status, "owner": "api"});
    let Value::Object(members) = members else { panic!("{members}") };
    story.as_object_mut().unwrap().extend(members);
    story
}

#[test]
fn each_way_to_take_something_back_is_told_until_it_is_restored() {
    let whole = json!({"ac": ["A bad signature answers 400", "It retries 3 times"], "depends_on": ["US-2"], "description": "It must never block the queue"});
    let open = json!({"title": "Other", "status": "ready"});
    let before = stories(&json!({"US-1": story("doing", whole.clone()), "US-2": open}));
    let with = |name: &str, value: Value| {
        let mut members = whole.clone();
        members[name] = value;
        stories(&json!({"US-1": story("doing", members), "US-2": open}))
    };
    let done = stories(&json!({"US-1": story("done", whole.clone()), "US-2": open}));
    let project = Project::new();
    project.write(STATUS, &before);
    let server = project.start();
    assert_eq!(told(server), Vec::<String>::new());
    for (after, expected) in [
        (
            with("ac", json!(["It retries 3 times"])),
            "weakened US-1 criterion removed: \"A bad signature answers 400\"",
        ),
        (
            with("ac", json!(["A bad signature is refused", "It retries 3 times"])),
            "weakened US-1 criterion reworded without \"400\": \"A bad signature answers 400\" → \"A bad signature is refused\"",
        ),
        (with("depends_on", json!([])), "weakened US-1 no longer depends on US-2"),
        (
            with("description", json!("It may block the queue")),
            "weakened US-1 description reworded without \"never\": \"It must never block the queue\" → \"It may block the queue\"",
        ),
        (stories(&json!({"US-2": open})), "weakened US-1 removed while it was \"doing\""),
    ] {
        put(&project, server, STATUS, &after);
        assert_eq!(told(server), [expected]);
        put(&project, server, STATUS, &before);
        assert_eq!(told(server), Vec::<String>::new(), "restored after {expected}");
    }
    put(&project, server, STATUS, &done);
    assert_eq!(told(server), Vec::<String>::new());
    put(&project, server, STATUS, &before);
    assert_eq!(told(server), ["reopened US-1 done → doing (api)"]);
    put(&project, server, STATUS, &done);
    assert_eq!(told(server), Vec::<String>::new(), "it is completed again");
}

#[test]
fn a_completed_story_with_open_tasks_is_told_as_long_as_it_is_so() {
    let project = Project::new();
    let task =
        |state: &str| json!({"tasks": [{"id": "t1", "state": state, "story": "US-1"}]}).to_string();
    project.write(STATUS, &stories(&json!({"US-1": story("doing", json!({}))})));
    project.write(TASKS, &task("running"));
    let server = project.start();
    put(&project, server, STATUS, &stories(&json!({"US-1": story("done", json!({}))})));
    assert_eq!(told(server), ["contradiction US-1 done, but open: t1"]);
    put(&project, server, TASKS, &task("completed"));
    assert_eq!(told(server), Vec::<String>::new());
}

#[test]
fn what_one_write_does_to_many_records_is_one_item() {
    let project = Project::new();
    let boxes = |open: usize, mark: char| -> String {
        let line = |n: usize| format!("- [{mark}] T{n:03} Write part {n}\n");
        let lines: String = (1..=open).map(line).collect();
        format!("# Tasks\n\n## Phase 1\n\n{lines}")
    };
    project.write(FEATURE.0, FEATURE.1);
    project.write(SPEC, &boxes(40, 'x'));
    let server = project.start();
    put(&project, server, SPEC, &boxes(40, ' '));
    assert_eq!(told(server), ["reopened 001-search/T001 40 tasks: completed → queued"]);
    put(&project, server, SPEC, &boxes(20, ' '));
    assert_eq!(told(server).len(), 2, "{:?}", told(server));
    let answer = server.get("/api/attention?kind=plan_weakened").json();
    let item = &answer["items"][0];
    let ids = ["001-search/T021", "001-search/T022", "001-search/T023"];
    assert_eq!(
        (&item["reason"], &item["count"], &item["ids"], &item["file"], &item["line"]),
        (&json!("20 open tasks removed"), &json!(20), &json!(ids), &json!(SPEC), &json!(25)),
        "{item}"
    );
    // Half of them come back under other numbers.
    let mut back = String::new();
    for n in 31..=40 {
        writeln!(back, "- [ ] T{:03} Write part {n}", n - 10).unwrap();
    }
    put(&project, server, SPEC, &format!("{}{back}", boxes(20, ' ')));
    let answer = server.get("/api/attention?kind=plan_weakened").json();
    assert_eq!(answer["items"][0]["count"], 10, "{answer}");
    assert_eq!(answer["items"][0]["key"], item["key"]);
}

#[test]
fn what_takes_nothing_back_is_not_told() {
    let project = Project::new();
    let text = "# Tasks\n\n## Phase 1\n\n- [ ] T001 Write the index of titles\n- [ ] T002 Answer within 200 ms\n- [x] T003 Read the plan\n";
    project.write(FEATURE.0, FEATURE.1);
    project.write(SPEC, text);
    let server = project.start();
    for honest in [
        // A tick, another order, other numbers, marks, a done box that goes, a new box.
        text.replace("- [ ] T001", "- [x] T001"),
        "# Tasks\n\n## Phase 1\n\n- [ ] T002 Answer within 200 ms\n- [x] T001 Write the index of titles\n- [x] T003 Read the plan\n- [ ] T004 Ship it\n".to_owned(),
        "# Tasks\n\n## Phase 1\n\n- [ ] T001 Answer within **200 ms**\n- [x] T002 Write the index of titles\n- [ ] T003 Ship it\n".to_owned(),
        "# Tasks\n\n## Phase 1\n\n- [x] T001 Answer within 200 ms, also under load\n- [x] T002 Write the index of titles\n- [x] T003 Ship it\n".to_owned(),
    ] {
        put(&project, server, SPEC, &honest);
        assert_eq!(told(server), Vec::<String>::new(), "{honest}");
    }
}
