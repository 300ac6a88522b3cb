//! Aliases, stories inside epics, dependencies in other forms, and times as numbers.

use super::*;

#[test]
fn every_documented_name_is_filled_in_the_order_of_the_table() {
    let files = status(
        r#"{"stories":{"a":{"name":"N","assignedTo":"o","state":"ready","epicId":"E"},
            "b":{"title":null,"name":"N","owner":"","assigned_to":"x","assignee":""}},
            "epics":{"E":{"name":"M","state":"s","assignee":"x"}}}"#,
    );
    let a = concat!(
        r#"{"id":"a","name":"N","assignedTo":"o","state":"ready","epicId":"E","#,
        r#""epic_id":"E","status":"ready","owner":"o","title":"N"}"#
    );
    check(&files, "/api/stories/a", a);
    let b = r#"{"id":"b","title":"N","name":"N","owner":"x","assigned_to":"x","assignee":""}"#;
    check(&files, "/api/stories/b", b);
    let epic = concat!(
        r#"{"id":"E","name":"M","state":"s","assignee":"x","status":"s","title":"M","#,
        r#""declared":true,"progress":{"stories_total":1,"stories_completed":0},"story_ids":["a"]}"#
    );
    check(&files, "/api/epics/E", epic);
    let files = tasks(r#"{"tasks":{"t":{"name":"N","agent":"x"}}}"#);
    let task = r#"{"id":"t","name":"N","agent":"x","subagent_type":"x","title":"N"}"#;
    check(&files, "/api/tasks/t", task);
    let files = bus(
        r#"{"kind":"k","recipient":"r","created_at":"2026-01-02","author":"w","time":"2026-01-01"}"#,
    );
    let message = concat!(
        r#"[{"kind":"k","recipient":"r","created_at":"2026-01-02","author":"w","time":"2026-01-01","#,
        r#""from":"w","timestamp":"2026-01-01","to":"r","type":"k"}]"#
    );
    check_member(&files, "/api/bus/messages?from=w&to=r&type=k", ("messages", message));
}

#[test]
fn the_first_text_of_a_list_is_the_owner() {
    let files = status(
        r#"{"stories":{"a":{"assignee":[7,"","x","y"]},"b":{"assignee":[],"assigned_to":"z"},
            "c":{"owner":["x","y"],"assignee":"z"},"d":{"assignee":[null]}}}"#,
    );
    check_member(
        &files,
        "/api/metrics",
        ("stories.by_owner", r#"{"x":1,"z":1,"[\"x\",\"y\"]":1,"none":1}"#),
    );
    check(&files, "/api/stories/d", r#"{"id":"d","assignee":[null]}"#);
    check_problems(&files, &[]);
}

#[test]
fn stories_inside_epics_follow_the_others() {
    let files = status(
        r#"{"epics":{"E":{"stories":{"n1":{"epic":"F"},"n2":{"id":"x"},"US-1":{"n":1},"n3":7,"":{},"s":{}}},
            "F":{"stories":[{"id":4},"US-9",{"n":2},{"id":"n1","n":3},{"id":"n4","epic_id":null}]}},
            "US-1":{"n":0},"EP-9":{"stories":{"n5":{}}},"stories":{"s":{"n":9}}}"#,
    );
    let list = concat!(
        r#"[{"id":"s","n":9},{"id":"US-1","n":0},{"id":"n1","n":3,"epic_id":"F"},"#,
        r#"{"id":"n2","epic_id":"E"},{"id":"4","epic_id":"F"},{"id":"n4","epic_id":"F"},"#,
        r#"{"id":"n5","epic_id":"EP-9"}]"#
    );
    check_member(&files, "/api/stories", ("stories", list));
    check_member(&files, "/api/epics/F", ("story_ids", r#"["n1","4","n4"]"#));
    check_problems(
        &files,
        &[
            "repaired n2",
            "skipped US-1",
            "skipped ",
            "skipped s",
            "skipped F.stories[2]",
            "skipped n1",
        ],
    );
}

#[test]
fn an_epic_gives_its_stories_the_id_that_it_has_on_disk() {
    let files = status(r#"{"epics":[{"id":7,"stories":[{"id":"a"},{"id":"b","epic":"8"}]}]}"#);
    check(&files, "/api/stories/a", r#"{"id":"a","epic_id":7}"#);
    check(&files, "/api/stories/b", r#"{"id":"b","epic":"8","epic_id":"8"}"#);
    check_member(&files, "/api/stories?epic_id=7", ("count", "1"));
    check_member(&files, "/api/epics/7", ("story_ids", r#"["a"]"#));
    let files = status(r#"{"epics":{"E":{"stories":["a","b"]},"F":{"stories":{"total":3}}}}"#);
    check_member(&files, "/api/stories", ("count", "0"));
    check_problems(&files, &[]);
    let files = status(r#"{"epics":{"E":{"stories":"none","x":1e999},"F":{"stories":null}}}"#);
    check_problems(&files, &["skipped E"]);
}

/// Asserts what the story `x` waits for, among `US-1`, `us-2`, `S3`, `s3` and `7`, none of which are done.
#[track_caller]
fn check_waits(dependencies: &str, expected: &str) {
    let others = r#""US-1":{},"us-2":{},"S3":{},"s3":{},"7":{}"#;
    let files = status(format!(r#"{{"stories":{{"x":{{"deps":{dependencies}}},{others}}}}}"#));
    let Body::Bytes(got) = answer(&files, "/api/stories/x").body else { panic!("no story") };
    let got = crate::oracle::json::read(&got).unwrap();
    let found = got.get("waits_for").map(crate::oracle::Json::compact);
    assert_eq!(found.as_deref().unwrap_or("-"), expected, "{dependencies}");
}

#[test]
fn dependencies_are_read_in_all_forms() {
    for (dependencies, expected) in [
        (r#"["us-1","US-2"]"#, r#"["US-1","us-2"]"#),
        (r#""US-1 and us-2""#, r#"["US-1","us-2"]"#),
        (r#""us-1; US-2 AND S3,""#, r#"["US-1","us-2","S3"]"#),
        (r#"[{"id":" us-1 "},{"id":7},{"id":"the team"}]"#, r#"["US-1","7","the team"]"#),
        (r#"{"id":"US-2"}"#, r#"["us-2"]"#),
        ("7", r#"["7"]"#),
        (r#""US-1, X-9""#, r#"["US-1","X-9"]"#),
        (r#""US-1 and X-9""#, "-"),
        (r#"["S3","s3"]"#, r#"["S3","s3"]"#),
        (r#"["us-1","US-1"]"#, r#"["US-1"]"#),
        (r#"["legal",null,true,[],{"id":""},""," , "]"#, "-"),
        (r#""and""#, "-"),
    ] {
        check_waits(dependencies, expected);
    }
    // Two ids differ from it in their case only.
    let files = status(r#"{"stories":{"a":{"deps":"ab1"},"AB1":{},"Ab1":{}}}"#);
    check_member(&files, "/api/stories/a", ("waits_for", r#"["ab1"]"#));
    check_problems(&files, &["suspicious a"]);
}

#[test]
fn numbers_of_10_and_13_digits_are_times() {
    let files = bus(concat!(
        r#"{"ts":1772359200}{"ts":1772359200500}{"ts":177235920}{"ts":17723592000}"#,
        r#"{"ts":1772359200.5}{"ts":-177235920}{"ts":"1772359200"}{"ts":1.7723592e9}"#
    ));
    check_member(&files, "/api/metrics", ("bus.first_at", "\"1772359200\""));
    check_member(&files, "/api/metrics", ("bus.last_at", "\"1772359200500\""));
    check_member(&files, "/api/bus/messages?since=2026-03-01", ("total", "2"));
    check_member(&files, "/api/bus/messages?until=2026-03-01T10:00:00Z", ("total", "1"));
    let files = sessions(r#"{"sessions":{"a":{"last_active":1772359200500}}}"#);
    let Body::Bytes(got) = answer(&files, "/api/agents").body else { panic!("no agents") };
    let got = String::from_utf8(got).unwrap();
    assert!(got.contains(r#""last_seen_at":"2026-03-01T10:00:00.500Z""#), "{got}");
}

#[test]
fn an_invalid_document_is_a_problem() {
    let files = Files { status: Some(file("{")), sessions: Some(file("")), ..Files::default() };
    check_problems(&files, &["invalid status", "invalid sessions"]);
    let files = Files { tasks: Some(file("[]")), ..bus("x\n") };
    check_problems(&files, &["invalid tasks", "skipped 1"]);
    let wrong = |files: &Files, list: &str, count: usize| {
        let body = format!(r#"{{"problems":[{list}],"count":{count},"timestamp":null}}"#);
        difference(&answer(files, "/api/problems"), 200, body.as_bytes()).is_some()
    };
    let files = status("{");
    let whole = r#"{"source":"status","level":"invalid","reason":"x"}"#;
    assert!(!wrong(&files, whole, 1));
    assert!(!wrong(&files, &whole.replace("\"level", "\"line\":1,\"level"), 1));
    assert!(wrong(&files, &whole.replace("\"level", "\"id\":\"x\",\"level"), 1));
    assert!(wrong(&files, "", 0));
    assert!(!wrong(&Files { is_kept: true, ..files }, "", 0));
    check_problems(
        &status(r#"{"x\ud800":1,"stories":{"\udc00":{},"b":7},"epics":[7]}"#),
        &[r#"skipped "x\ud800""#, "skipped epics[0]", r#"skipped "\udc00""#, "skipped b"],
    );
}
