//! The pages of the changes of a running server, while changes come. `tests/cases/changes` shows what is told, and what needs
//! attention; `agree` compares what follows from the files alone with the plain model.

use serde_json::{Value, json};

use crate::support::{Project, Server, wait_until};

const TASKS: &str = ".flow/state/task-dependencies.json";

/// Replaces a file atomically, and waits until it is served.
#[track_caller]
fn put(project: &Project, server: Server, path: &str, value: &Value) {
    let generation = || server.get("/api/health").json()["generation"].as_u64().unwrap();
    let before = generation();
    project.replace(path, value.to_string());
    wait_until("it is served", || generation() > before);
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
