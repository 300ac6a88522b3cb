//! Attention and activity of a running server: changes that it has seen, lost records, sessions that are gone.
//! `agree` compares what follows from the files alone with the plain model.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Project, Server, wait_until};

const STATUS: &str = "docs/09-agents/status.json";
const TASKS: &str = ".flow/state/task-dependencies.json";
const SESSIONS: &str = ".flow/sessions/registry.json";

/// The changes, newest first, as short lines; their times are checked and left out.
fn activity(server: Server, query: &str) -> Vec<String> {
    let answer = server.get(&format!("/api/activity?{query}")).json();
    let rows = answer["activity"].as_array().unwrap();
    assert_eq!(answer["count"], rows.len());
    let started = answer["started_at"].as_str().unwrap();
    let line = |row: &Value| {
        let at = row["at"].as_str().unwrap();
        assert!(at >= started && at.len() == 24, "{row}");
        let names: Vec<&String> = row.as_object().unwrap().keys().collect();
        let always = ["at", "collection", "id", "title", "change", "field", "from", "to"];
        assert_eq!(
            (&names[..8], names[names.len() - 1].as_str()),
            (&always.map(str::to_owned).each_ref()[..], "how")
        );
        assert_eq!(row["how"], "watched");
        let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
        ["collection", "id", "change", "field", "from", "to", "title"].map(text).join(" ")
    };
    rows.iter().map(line).collect()
}

/// The items of a kind.
fn items(server: Server, kind: &str) -> Vec<Value> {
    let answer = server.get(&format!("/api/attention?kind={kind}")).json();
    assert_eq!(answer["counts"][kind], answer["items"].as_array().unwrap().len(), "{answer}");
    answer["items"].as_array().unwrap().clone()
}

fn ids(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["id"].as_str().unwrap()).collect()
}

/// Replaces a file atomically, and waits until it is served.
#[track_caller]
fn put(project: &Project, server: Server, path: &str, value: &Value) {
    let generation = || server.get("/api/health").json()["generation"].as_u64().unwrap();
    let before = generation();
    project.replace(path, value.to_string());
    wait_until("it is served", || generation() > before);
}

#[test]
fn what_is_there_at_the_start_has_not_changed() {
    let project = Project::new();
    project.write(STATUS, r#"{"stories":{"US-1":{}},"epics":{"EP-1":{}}}"#);
    project.write(TASKS, r#"{"tasks":[{"id":"t1"}]}"#);
    let server = project.start();
    assert_eq!(activity(server, ""), Vec::<String>::new());
    // No file existed, so these were added.
    put(&project, server, SESSIONS, &json!({"sessions": {"1": {}}}));
    assert_eq!(activity(server, ""), ["sessions 1 added active - true -"]);
}

#[test]
fn every_change_is_told_once_newest_first() {
    let project = Project::new();
    let server = project.start();
    let stories = |stories: Value| json!({"stories": stories, "epics": {"E": {"title": "Epic"}}});
    put(
        &project,
        server,
        STATUS,
        &stories(json!({"US-1": {"title": "One", "status": "ready"}, "US-2": {}})),
    );
    put(
        &project,
        server,
        STATUS,
        &stories(json!({
            "US-1": {"title": "One more", "status": "In Progress", "owner": "api", "epic": "E", "points": 3},
            "US-2": {"status": "", "points": 5},
        })),
    );
    put(
        &project,
        server,
        STATUS,
        &stories(json!({
            "US-3": {"status": "ready"}, "US-1": {"title": "One more", "status": "in_progress", "owner": "ui", "epic_id": "E"},
        })),
    );
    assert_eq!(
        activity(server, ""),
        [
            "stories US-2 removed status - - -",
            "stories US-1 changed estimate 3 - One more",
            "stories US-1 changed owner api ui One more",
            "stories US-3 added status - ready -",
            "stories US-2 changed estimate - 5 -",
            "stories US-1 changed estimate - 3 One more",
            "stories US-1 reworded title One One more One more",
            "stories US-1 changed owner - api One more",
            "stories US-1 changed status ready In Progress One more",
            "stories US-1 changed epic_id - E One more",
            "stories US-2 added status - - -",
            "stories US-1 added status - ready One",
            "epics E added status - - Epic",
        ]
    );
}

/// Whether a time is the beginning of a Monday; 1 January 2024 was one.
fn is_monday(time: &str) -> bool {
    let parse =
        |text: &str| flow::model::time::parse(text, flow::model::time::Edge::Start).unwrap();
    let days = (parse(time) - parse("2024-01-01")) / 86_400_000_000_000;
    days % 7 == 0 && time.ends_with("T00:00:00.000Z")
}

#[test]
fn tasks_and_sessions_change_too_and_filters_find_them() {
    let project = Project::new();
    let server = project.start();
    put(
        &project,
        server,
        TASKS,
        &json!({"tasks": {"t": {"state": "queued", "agent": "api", "story": "US-1"}}}),
    );
    put(
        &project,
        server,
        TASKS,
        &json!({"tasks": {"t": {"state": "running", "agent": "ui", "story": "US-3"}}}),
    );
    put(&project, server, SESSIONS, &json!({"sessions": {"1": {"nickname": "api"}}}));
    put(
        &project,
        server,
        SESSIONS,
        &json!({"sessions": {"1": {"nickname": "api", "ended_at": "x"}}}),
    );
    assert_eq!(
        activity(server, "limit=6"),
        [
            "sessions 1 changed active true false api",
            "sessions 1 added active - true api",
            "tasks t changed state queued running -",
            "tasks t changed subagent_type api ui -",
            "tasks t changed story_id US-1 US-3 -",
            "tasks t added state - queued -",
        ]
    );
    let answer = server.get("/api/activity?buckets=1w&limit=0&collection=tasks").json();
    let buckets = answer["buckets"].as_array().unwrap();
    let sum = |name: &str| buckets.iter().map(|bucket| bucket[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(
        (sum("total"), sum("added"), sum("changed"), sum("weakened")),
        (4, 1, 3, 0),
        "{answer}"
    );
    assert!(buckets.iter().all(|bucket| is_monday(bucket["from"].as_str().unwrap())), "{answer}");
    assert_eq!(activity(server, "since=2999-01-01"), Vec::<String>::new());
    assert_eq!(activity(server, "since=2000-01-01").len(), 6);
    assert_eq!(activity(server, "collection=tasks&id=t,x&change=added,removed").len(), 1);
}

#[test]
fn pages_follow_each_other_while_changes_come() {
    let project = Project::new();
    let server = project.start();
    let tasks = |count: u32| {
        let tasks: Vec<Value> = (0..count).map(|n| json!({"id": format!("t{n}")})).collect();
        json!({ "tasks": tasks })
    };
    put(&project, server, TASKS, &tasks(700));
    let mut told = Vec::new();
    let mut cursor = String::new();
    for page in 0..7_u32 {
        let answer = server.get(&format!("/api/activity?limit=100{cursor}")).json();
        assert_eq!(answer["total"], 700 + page);
        let rows = answer["activity"].as_array().unwrap();
        told.extend(rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        match answer["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => assert_eq!(page, 6),
        }
        put(&project, server, TASKS, &tasks(701 + page));
    }
    let expected: Vec<String> = (0..700).rev().map(|n| format!("t{n}")).collect();
    assert_eq!(told, expected);
    for (wrong, status, code) in [
        ("x", 400, "invalid_parameter"),
        ("-1", 400, "invalid_parameter"),
        ("1-", 400, "invalid_parameter"),
        ("0000000000000000-+5", 400, "invalid_parameter"),
        ("0000000000000000-5", 410, "cursor_expired"),
        ("0000000000000000-99999999999999999999", 410, "cursor_expired"),
    ] {
        let answer = server.get(&format!("/api/activity?cursor={wrong}"));
        assert_eq!((answer.status, &answer.json()["code"]), (status, &json!(code)), "{wrong}");
    }
    follows(server, 707);
    let last = server.get("/api/activity?after=now").json()["next_cursor"].clone();
    // The newest are kept, up to a limit of memory.
    put(&project, server, TASKS, &tasks(60_000));
    let answer = server.get("/api/activity?limit=10000").json();
    let rows = answer["activity"].as_array().unwrap();
    assert_eq!((&rows[0]["id"], &rows[9_999]["id"]), (&json!("t59999"), &json!("t50000")));
    let (total, forgotten) =
        (answer["total"].as_u64().unwrap(), answer["forgotten"].as_u64().unwrap());
    assert_eq!(total + forgotten, 60_000);
    assert!((20_000..60_000).contains(&total), "{total}");
    assert_eq!(
        server.get(&format!("/api/activity?{}", &cursor[1..])).status,
        410,
        "it is no longer kept"
    );
    let last = last.as_str().unwrap();
    assert_eq!(server.get(&format!("/api/activity?after={last}")).status, 410);
    assert_eq!(server.get(&format!("/api/activity?after={last}&cursor={last}")).status, 400);
}

/// Reads on from the first change: each is told once, oldest first, with a filter too.
fn follows(server: Server, count: u32) {
    let activity = |query: &str| server.get(&format!("/api/activity?{query}")).json();
    let next = |answer: &Value| answer["next_cursor"].as_str().unwrap().to_owned();
    let end = activity("after=now");
    let to_second = || next(&activity(&format!("limit={}", count - 1)));
    assert_eq!((&end["count"], &end["total"]), (&json!(0), &json!(0)));
    let oldest = activity(&format!("limit=1&cursor={}", to_second()));
    assert_eq!(
        (&oldest["activity"][0]["id"], &oldest["next_cursor"]),
        (&json!("t0"), &Value::Null)
    );
    let mut cursor = to_second();
    for number in 2..count {
        let answer = activity(&format!("limit=1&after={cursor}"));
        assert_eq!(answer["activity"][0]["id"], format!("t{number}"), "{answer}");
        assert_eq!(answer["total"], count - number);
        cursor = next(&answer);
    }
    assert_eq!(cursor, next(&end));
    let none = activity(&format!("after={cursor}"));
    assert_eq!((&none["count"], next(&none)), (&json!(0), cursor.clone()));
    let first = to_second();
    let filtered = activity(&format!("after={first}&id=t5"));
    assert_eq!((&filtered["count"], next(&filtered)), (&json!(1), cursor));
    let nothing = activity(&format!("after={first}&limit=0"));
    assert_eq!(next(&nothing), first);
}

#[test]
fn content_that_is_broken_for_a_while_loses_nothing() {
    let project = Project::new();
    project.write(TASKS, r#"{"tasks":[{"id":"a"}]}"#);
    let server = project.start();
    project.write(TASKS, r#"{"tasks":[{"id":"#);
    wait_until("it is degraded", || !items(server, "source_degraded").is_empty());
    let degraded = items(server, "source_degraded").remove(0);
    assert_eq!((&degraded["id"], &degraded["state"]), (&json!("tasks"), &json!("invalid")));
    assert!(
        degraded["since"].is_string() && degraded["reason"].as_str().unwrap().contains("JSON"),
        "{degraded}"
    );
    assert_eq!(items(server, "plan_weakened"), Vec::<Value>::new());
    put(&project, server, TASKS, &json!({"tasks": [{"id": "a"}]}));
    wait_until("it is well", || items(server, "source_degraded").is_empty());
    assert_eq!(activity(server, ""), Vec::<String>::new());
}

#[test]
fn a_session_whose_process_has_ended_is_gone() {
    let project = Project::new();
    let mut ended = Command::new("true").stdout(Stdio::null()).spawn().unwrap();
    let pid = ended.id();
    ended.wait().unwrap();
    let sessions = json!({"sessions": {
        "1": {"nickname": "api", "story": "US-1", "last_active": "2026-03-10T16:44:10Z"},
        "2": {}, "3": {"ended_at": "2026-03-10"}, "4": {}, "../5": {}, "6": {}, "7": {"last_active": "2999-01-01"},
    }});
    project.write(SESSIONS, &sessions.to_string());
    let lock = |id: &str, text: &str| project.write(&format!(".flow/sessions/{id}.lock"), text);
    let dead = format!("pid={pid}\nstarted=1706825600\n");
    for id in ["1", "3", "../5", "7"] {
        lock(id, &dead);
    }
    lock("2", &format!("pid={}\n", std::process::id()));
    lock("4", "no process");
    let secret = project.root.join("secret");
    fs::write(&secret, &dead).unwrap();
    std::os::unix::fs::symlink(secret, project.root.join(".flow/sessions/6.lock")).unwrap();
    let server = project.start();
    let gone = items(server, "session_gone");
    assert_eq!(ids(&gone), ["1", "7"]);
    assert_eq!(
        gone[0],
        json!({
            "kind": "session_gone", "label": "gone", "key": "session_gone:sessions:1", "id": "1", "title": "api",
            "reason": format!("recorded as active, but its process {pid} has ended"),
            "since": "2026-03-10T16:44:10.000Z", "source": "sessions", "agent": "api", "story_id": "US-1", "pid": pid,
        })
    );
    // A session that is gone is not also silent; one without a time is not silent.
    assert_eq!(items(server, "session_silent"), Vec::<Value>::new());
    fs::remove_file(project.root.join(".flow/sessions/1.lock")).unwrap();
    wait_until("the lock files are read again", || ids(&items(server, "session_gone")) == ["7"]);
    assert_eq!(ids(&items(server, "session_silent")), ["1"]);
}

#[test]
fn a_session_is_alive_as_long_as_it_says_something() {
    let project = Project::new();
    project.write(SESSIONS, r#"{"sessions":{"1":{"nickname":"api","created":"2026-03-10"},"2":{"created":"2026-03-10"}}}"#);
    let log = "docs/09-agents/bus/log.jsonl";
    project.write(
        log,
        "{\"from\":\"api\",\"at\":\"2999-01-01\"}\n{\"from\":\"2\",\"at\":\"2026-03-11\"}\n",
    );
    let server = project.start();
    let silent = items(server, "session_silent");
    assert_eq!(ids(&silent), ["2"]);
    assert_eq!(silent[0]["since"], "2026-03-11T00:00:00.000Z");
    for (asked, silent) in [("0", 1), ("0.5", 1), ("90s", 1), ("1.5h", 1), ("99999d", 0)] {
        let answer = server.get(&format!("/api/attention?silent_after={asked}")).json();
        assert_eq!(answer["counts"]["session_silent"], silent, "{asked}");
    }
    for wrong in ["silent_after=-1", "silent_after=1w", "kind=silent", "silence=1"] {
        assert_eq!(server.get(&format!("/api/attention?{wrong}")).status, 400, "{wrong}");
    }
    assert!(server.get("/api/attention").header("etag").is_none());
    assert!(server.get("/api/agents").header("etag").is_some());
}

/// Many writers make a file and fill it in a second step. What it holds then is new, whether or not the server saw it empty.
#[test]
fn a_file_that_is_made_empty_and_then_filled_has_added_its_records() {
    let project = Project::new();
    let server = project.start();
    let state = || server.get("/api/health").json()["checks"]["tasks_file"].clone();
    project.write(TASKS, "");
    wait_until("the empty file is seen", || state() != "missing");
    project.write(TASKS, r#"{"tasks":{"t1":{},"t2":{}}}"#);
    wait_until("it is served", || server.get("/api/tasks").json()["count"] == 2);
    assert_eq!(server.get("/api/activity").json()["total"], 2);
}

#[test]
fn what_a_file_holds_that_was_broken_at_the_start_has_not_changed() {
    let project = Project::new();
    project.write(TASKS, "{");
    let server = project.start();
    project.write(TASKS, r#"{"tasks":{"t1":{}}}"#);
    wait_until("it is served", || server.get("/api/tasks").json()["count"] == 1);
    assert_eq!(server.get("/api/activity").json()["total"], 0);
    project.write(TASKS, r#"{"tasks":{"t1":{},"t2":{}}}"#);
    wait_until("the change is served", || server.get("/api/activity").json()["total"] == 1);
}
