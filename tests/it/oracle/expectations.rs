//! The model compared with answers written by hand, so that model and product cannot share an error.

mod lists;
mod reading;
mod suspicious;
mod texts;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::compare::difference;
use super::{At, Body, Expected, Files, answer};

const T: &str = "2026-03-02T09:00:00.123Z";

fn file(text: impl AsRef<[u8]>) -> (Vec<u8>, SystemTime) {
    (text.as_ref().to_vec(), UNIX_EPOCH + Duration::from_millis(1_772_442_000_123))
}

fn status(text: impl AsRef<[u8]>) -> Files {
    Files { status: Some(file(text)), ..Files::default() }
}

fn sessions(text: &str) -> Files {
    Files { sessions: Some(file(text)), ..Files::default() }
}

fn tasks(text: &str) -> Files {
    Files { tasks: Some(file(text)), ..Files::default() }
}

fn bus(text: impl AsRef<[u8]>) -> Files {
    Files { bus: Some(file(text)), ..Files::default() }
}

/// Asserts that the answer is 200 with this body, in which `T` stands for the time of the files.
#[track_caller]
fn check(files: &Files, query: &str, body: &str) {
    let Expected { status, body: Body::Bytes(got) } = answer(files, query) else {
        panic!("{:?} for {query}", answer(files, query));
    };
    assert_eq!(
        (status, String::from_utf8(got).unwrap()),
        (200, body.replace("\"T\"", &format!("\"{T}\"")))
    );
}

/// Asserts that one member of the answer is this.
#[track_caller]
fn check_member(files: &Files, query: &str, (name, value): (&str, &str)) {
    let Body::Bytes(got) = answer(files, query).body else { panic!("no 200 for {query}") };
    let got = super::json::read(&got).unwrap();
    let found = name.split('.').try_fold(&got, |at, name| at.get(name));
    assert_eq!(found.map(super::Json::compact).as_deref(), Some(value));
}

/// Asserts the problems, each as its level and the line, the id, or the source of a whole file.
#[track_caller]
fn check_problems(files: &Files, expected: &[&str]) {
    let Body::Problems(list, _) = answer(files, "/api/problems").body else { panic!("no list") };
    let text = list.list.iter().map(|problem| {
        let place = match &problem.at {
            At::File => problem.source.to_owned(),
            At::Line(line) => line.to_string(),
            At::Id(id) => id.clone(),
        };
        format!("{} {place}", problem.level.name())
    });
    assert_eq!(text.collect::<Vec<_>>(), expected);
}

/// Asserts status and code, and which parameters may be named.
#[track_caller]
fn check_error(files: &Files, query: &str, (status, code, named): (u16, &str, &[&str])) {
    let got = answer(files, query);
    let Body::Error { code: found, names, .. } = got.body else { panic!("no error for {query}") };
    assert_eq!((got.status, found), (status, code), "{query}");
    assert_eq!(names, named, "{query}");
}

#[test]
fn a_story_gets_its_id_first_and_its_epic_last() {
    let files = status(r#"{"stories": {"US-1": {"n": 1.50, "epic": "E", "x" : [1 , {}]}}}"#);
    let story = r#"{"id":"US-1","n":1.50,"epic":"E","x":[1,{}],"epic_id":"E"}"#;
    check(&files, "/api/stories/US-1", story);
    check(&files, "/api/stories", &format!(r#"{{"stories":[{story}],"count":1,"timestamp":"T"}}"#));
    check_problems(&files, &[]);
}

#[test]
fn aliases_stand_in_for_null_and_the_first_wins() {
    let files = tasks(
        r#"{"tasks":[{"id":"t","status":"a","story_id":null,"storyId":"2","story":null,
            "agent":"x","agent_type":"y"}]}"#,
    );
    let task = concat!(
        r#"{"id":"t","status":"a","story_id":"2","storyId":"2","story":null,"agent":"x","#,
        r#""agent_type":"y","subagent_type":"y","state":"a"}"#
    );
    check(&files, "/api/tasks/t", task);
}

#[test]
fn empty_names_count_as_absent() {
    let files = status(
        r#"{"epics":{"":{"n":1},"E":{"id":""}},"stories":{"a":{"epic_id":"","epic":"E"},
            "b":{"epic_id":"","owner":""},"c":{"epic":"","epicId":"E","status":""}}}"#,
    );
    let list = concat!(
        r#"[{"id":"a","epic_id":"E","epic":"E"},{"id":"b","epic_id":"","owner":""},"#,
        r#"{"id":"c","epic":"","epicId":"E","status":"","epic_id":"E"}]"#
    );
    check_member(&files, "/api/stories", ("stories", list));
    check_member(&files, "/api/stories?epic_id=none", ("count", "1"));
    check_member(&files, "/api/stories?owner=none", ("count", "3"));
    check_member(&files, "/api/epics", ("count", "1"));
    check_problems(&files, &["skipped "]);
    let files = tasks(r#"{"tasks":[{"id":""},{"id":"t","story_id":"","story":"S","agent":""}]}"#);
    let task = r#"{"id":"t","story_id":"S","story":"S","agent":"","subagent_type":""}"#;
    check(&files, "/api/tasks/t", task);
    check_problems(&files, &["skipped tasks[0]"]);
    let files = bus(r#"{"from":"","agent":"a","story_id":"","type":""}"#);
    let message = r#"[{"from":"a","agent":"a","story_id":"","type":""}]"#;
    check_member(&files, "/api/bus/messages?story_id=none&from=a", ("messages", message));
}

#[test]
fn a_comma_divides_unless_a_value_on_record_has_it() {
    let files = status(
        r#"{"stories":{"1":{"owner":"a,b"},"2":{"owner":"a"},"3":{"owner":"b"},"4":{"owner":"c"}}}"#,
    );
    for (query, count) in [
        ("a,b", "3"),
        ("a%2Cb", "3"),
        ("a&owner=b", "2"),
        ("a%2cc", "2"),
        (",%2C,", "4"),
        ("b,", "1"),
    ] {
        check_member(&files, &format!("/api/stories?owner={query}"), ("count", count));
    }
    let files = tasks(r#"{"tasks":{"a":{"state":"on, hold"},"b":{"state":"Running"}}}"#);
    check_member(&files, "/api/tasks?state=On%2C%20Hold", ("count", "1"));
    check_member(&files, "/api/tasks?state=queued%2Crunning", ("count", "1"));
    check_error(&files, "/api/tasks?state=on,queued", (400, "invalid_parameter", &["state"]));
}

#[test]
fn a_differing_id_is_repaired_and_a_number_is_not() {
    let files = sessions(
        r#"{"sessions":{"1":{"id":1},"2":{"a":0,"id":"3"},"4":{"active":"yes"},"5":7,"6":{"id":null}}}"#,
    );
    let list = concat!(
        r#"[{"id":"1","active":true},{"a":0,"id":"2","active":true},{"id":"4","active":true},"#,
        r#"{"id":"6","active":true}]"#
    );
    check_member(&files, "/api/sessions", ("sessions", list));
    check_problems(&files, &["repaired 2", "repaired 4", "skipped 5"]);
}

#[test]
fn an_array_takes_the_last_of_doubled_ids_at_the_first_place() {
    let files = tasks(r#"{"tasks":[{"id":7,"n":1},{"id":"8"},{"id":"7","n":2},{"n":3},[],9]}"#);
    check_member(&files, "/api/tasks", ("tasks", r#"[{"id":"7","n":2},{"id":"8"}]"#));
    check_problems(
        &files,
        &["skipped 7", "skipped tasks[3]", "skipped tasks[4]", "skipped tasks[5]"],
    );
}

#[test]
fn doubled_keys_are_served_once_on_every_level() {
    let files = status(r#"{"stories":{"A":{"x":1,"y":{"z":1,"z":2},"x":3},"A":{"v":0}}, "n":1}"#);
    check(&files, "/api/stories/A", r#"{"id":"A","v":0}"#);
    let files = status(r#"{"stories":{},"stories":{"A":{"x":1,"y":[{"z":1,"z":2}],"x":3}}}"#);
    check(&files, "/api/stories/A", r#"{"id":"A","x":3,"y":[{"z":2}]}"#);
}

#[test]
fn strays_follow_and_the_nested_record_wins() {
    let files = status(
        r#"{"US-1":{"n":"stray"},"BUG-2":{"n":2},"EP-3":{},"TECH-4":"x","other":{"n":1},
            "stories":{"US-9":{},"US-1":{"n":"nested"}}}"#,
    );
    let list = r#"[{"id":"US-9"},{"id":"US-1","n":"nested"},{"id":"BUG-2","n":2}]"#;
    check_member(&files, "/api/stories", ("stories", list));
    check_member(&files, "/api/epics", ("count", "1"));
    check_problems(&files, &["skipped US-1", "skipped TECH-4"]);
}

#[test]
fn epics_have_progress_and_undeclared_ones_come_last() {
    let files = status(
        r#"{"epics":{"E":{"progress":9}},"stories":{"a":{"epic_id":"F","status":"ARCHIVED"},
            "b":{"epic_id":"E","status":"Complete"},"c":{"epic_id":"E","status":"open"}}}"#,
    );
    let declared =
        r#"{"id":"E","declared":true,"progress":{"stories_total":2,"stories_completed":1}"#;
    let named =
        r#"{"id":"F","declared":false,"progress":{"stories_total":1,"stories_completed":1}"#;
    let list = format!(r#"{{"epics":[{declared}}},{named}}}],"count":2,"timestamp":"T"}}"#);
    check(&files, "/api/epics", &list);
    check(&files, "/api/epics/E", &format!(r#"{declared},"story_ids":["b","c"]}}"#));
    check(&files, "/api/epics/F", &format!(r#"{named},"story_ids":["a"]}}"#));
    check_problems(&files, &["repaired E"]);
}

#[test]
fn ended_sessions_are_left_out_unless_asked_for() {
    let files = sessions(
        r#"{"sessions":{"a":{},"b":{"status":"Stopped"},"c":{"ended_at":"x"},"d":{"closed_at":null},
            "e":{"closed_at":false},"f":{"ended_at":""},"g":{"ended_at":1767225600},"h":{"closed_at":{}},
            "i":{"status":"terminated"},"j":{"status":"done"}}}"#,
    );
    let ids = |query: &str| {
        let Body::Bytes(body) = answer(&files, query).body else { panic!("no list") };
        let text = String::from_utf8(body).unwrap();
        ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
            .into_iter()
            .filter(|id| text.contains(&format!(r#""id":"{id}""#)))
            .collect::<String>()
    };
    assert_eq!(ids("/api/sessions"), "adefh");
    assert_eq!(ids("/api/sessions?active="), "adefh");
    assert_eq!(ids("/api/sessions/?active=false"), "bcgij");
    assert_eq!(ids("/api/sessions?active=all"), "abcdefghij");
    assert_eq!(ids("/api/sessions?active=true,false"), "abcdefghij");
    check_member(
        &files,
        "/api/sessions?active=false",
        ("counts", r#"{"total":10,"active":5,"inactive":5}"#),
    );
    check_error(&files, "/api/sessions?active=yes", (400, "invalid_parameter", &["active"]));
}

#[test]
fn unservable_values_cost_their_record_only() {
    let files = status(
        r#"{"note":"\ud800","stories":{"a":{"x":1e999},"b":{"x":{"y":"\udc00"}},"c":{"x":1e308},
            "d":{"x":"\ud83d\ude00"},"e":{"\ud800":1}},"epics":7}"#,
    );
    let list = r#"[{"id":"c","x":1e308},{"id":"d","x":"\ud83d\ude00"}]"#;
    check_member(&files, "/api/stories", ("stories", list));
    check_problems(&files, &["skipped epics", "skipped a", "skipped b", "skipped e"]);
}

#[test]
fn an_invalid_document_counts_as_missing() {
    let deep = |levels: usize| format!("{}{}", "{\"a\":".repeat(levels), "1") + &"}".repeat(levels);
    for (text, valid) in [
        (b"{}".to_vec(), true),
        (b"\xef\xbb\xbf {}\r\n".to_vec(), true),
        (deep(128).into_bytes(), true),
        (deep(129).into_bytes(), false),
        (b"\xef\xbb\xbf\xef\xbb\xbf{}".to_vec(), false),
        (b"".to_vec(), false),
        (b"[]".to_vec(), false),
        (b"{} {}".to_vec(), false),
        (b"{\"a\":1,}".to_vec(), false),
        (b"{\"a\":01}".to_vec(), false),
        (b"{\"a\":\"\xff\"}".to_vec(), false),
        (b"{\"a\":\"\\x\"}".to_vec(), false),
        (b"{\"a\":\"\x00\"}".to_vec(), false),
        (b"{}\x00".to_vec(), false),
    ] {
        assert_eq!(super::is_valid(&text), valid, "{}", String::from_utf8_lossy(&text));
    }
    check_error(&status("{"), "/api/status", (503, "state_invalid", &[]));
    check_error(&Files::default(), "/api/status", (404, "state_missing", &[]));
    check(&status("{"), "/api/stories", r#"{"stories":[],"count":0,"timestamp":null}"#);
    check(&status("\u{feff}{ \"a\" : 1 }\n"), "/api/status", "{ \"a\" : 1 }\n");
}

#[test]
fn paths_that_lead_nowhere_and_ids_that_cannot_be() {
    let files = status(r#"{"stories":{"a/b":{},"__proto__":{}}}"#);
    check(&files, "/api/stories/a%2Fb", r#"{"id":"a/b"}"#);
    check(&files, "/api/stories/__proto__/", r#"{"id":"__proto__"}"#);
    for path in ["/", "/api//", "/api/stories//", "/api/stories/a/b", "/api/status/x", "/API"] {
        check_error(&files, path, (404, "not_found", &[]));
    }
    for id in ["%ff", "%00", "%", "%4", "%zz", "a%0Ab", "%7f"] {
        check_error(&files, &format!("/api/stories/{id}"), (400, "invalid_id", &[]));
    }
    check_error(&files, "/api/stories/constructor", (404, "not_found", &[]));
    check_error(&files, "/api/stories/a?x=1", (400, "invalid_parameter", &["x"]));
    check_error(&files, "/api?x", (400, "invalid_parameter", &["x"]));
    for wrong in ["x", "requir=ok", "require=OK", "require=true", "require=", "require=,"] {
        let name =
            if wrong.starts_with("require") { "require" } else { wrong.trim_end_matches("=ok") };
        check_error(&files, &format!("/api/health?{wrong}"), (400, "invalid_parameter", &[name]));
    }
    for right in ["_", "_=1", "require=ok", "require=ok,bus_log&require=status_file,", ""] {
        assert_eq!(answer(&files, &format!("/api/health?{right}")).status, 200, "{right}");
    }
}

#[test]
fn a_wrong_answer_is_noticed() {
    let files = tasks(r#"{"tasks":[{"id":"a"},{"id":"b"},7]}"#);
    let wrong = |query: &str, status: u16, body: &str| {
        difference(&answer(&files, query), status, body.as_bytes()).is_some()
    };
    assert!(!wrong("/api/tasks/a", 200, r#"{"id":"a"}"#));
    assert!(wrong("/api/tasks/a", 200, r#"{"id": "a"}"#));
    assert!(wrong("/api/tasks/a", 404, r#"{"id":"a"}"#));
    let missing = |id: &str| format!(r#"{{"error":"No task.","code":"not_found","id":"{id}"}}"#);
    assert!(!wrong("/api/tasks/c", 404, &missing("c")));
    assert!(wrong("/api/tasks/c", 404, &missing("d")));
    let bad = |name: &str| format!(r#"{{"error":"{name}?","code":"invalid_parameter"}}"#);
    assert!(!wrong("/api/tasks?state=x", 400, &bad("state")));
    assert!(wrong("/api/tasks?state=x", 400, &bad("limit")));
    assert!(wrong("/api/tasks?y=x", 400, &bad("y")), "the known ones are not listed");
    let problems = |list: &str, count: usize| {
        format!(r#"{{"problems":[{list}],"count":{count},"timestamp":"{T}"}}"#)
    };
    let one = r#"{"source":"tasks","id":"tasks[2]","level":"skipped","reason":"not an object"}"#;
    assert!(!wrong("/api/problems", 200, &problems(one, 1)));
    assert!(wrong("/api/problems", 200, &problems("", 0)));
    assert!(wrong("/api/problems", 200, &problems(one, 2)));
    assert!(wrong("/api/problems", 200, &problems(&one.replace("skipped", "repaired"), 1)));
    assert!(wrong("/api/problems", 200, &problems(&one.replace("tasks[2]", "[2]"), 1)));
    assert!(wrong("/api/problems", 200, &problems(&one.replace("tasks", "bus"), 1)));
}

#[test]
fn what_is_ready_and_what_waits() {
    let files = status(
        r#"{"stories":{"A":{"deps":["B","no such thing","X9"],"ready":1},"B":{"status":"Done","ready":"own"},
            "C":{"blockedBy":"A, B","status":"cancelled"},"D":{"depends_on":["B"]},"E":{"deps":["E"],"waits_for":0},
            "F":{"blocked_by":"the legal team","waits_for":0}}}"#,
    );
    let list = concat!(
        r#"[{"id":"A","deps":["B","no such thing","X9"],"ready":false,"waits_for":["X9"]},"#,
        r#"{"id":"B","status":"Done","ready":"own"},"#,
        r#"{"id":"C","blockedBy":"A, B","status":"cancelled","ready":false,"waits_for":["A"]},"#,
        r#"{"id":"D","depends_on":["B"],"ready":true,"waits_for":[]},"#,
        r#"{"id":"E","deps":["E"],"ready":false,"waits_for":["E"]},"#,
        r#"{"id":"F","blocked_by":"the legal team","waits_for":0}]"#,
    );
    check_member(&files, "/api/stories", ("stories", list));
    check_problems(&files, &["suspicious A", "repaired A", "repaired E"]);
}
