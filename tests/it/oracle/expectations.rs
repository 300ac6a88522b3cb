//! The model compared with answers written by hand, so that model and product cannot share an error.

mod lists;
mod texts;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::compare::difference;
use super::{At, Body, Expected, Files, Problem, answer};

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
    let text = list.list.iter().map(problem);
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

/// Runs the cases of a file. A part has the files of a project, of which a line of the log is one line (an empty one at the end
/// is a line break at its end), and then what is asked with the expected answer indented below: the body, in which `"T"` stands for the time of the files; the member that is named
/// after a bar, or `-`; the status, the code and the parameters of an error; or the problems, each with the line, the id, or the
/// source of a whole file.
#[track_caller]
fn run(cases: &str) {
    let mut faults = String::new();
    let mut title = "";
    for part in cases.trim_end().split("\n\n") {
        match part.strip_prefix("# ") {
            Some(heading) => title = heading,
            None => {
                faults.extend(faults_of(part).iter().map(|fault| format!("{title}: {fault}\n")));
            }
        }
    }
    assert!(faults.is_empty(), "{faults}");
}

fn faults_of(part: &str) -> Vec<String> {
    let mut files = Files::default();
    let mut asked: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in part.lines() {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("", expected) => asked.last_mut().unwrap().1.push(expected.trim_start()),
            ("status", text) => files.status = Some(file(text)),
            ("sessions", text) => files.sessions = Some(file(text)),
            ("tasks", text) => files.tasks = Some(file(text)),
            ("bus", text) => match &mut files.bus {
                None => files.bus = Some(file(text)),
                Some((log, _)) => log.extend([b"\n", text.as_bytes()].concat()),
            },
            ("get", query) => asked.push((query, Vec::new())),
            ("problems", "") => asked.push(("/api/problems", Vec::new())),
            _ => panic!("{line}"),
        }
    }
    let fault = |(query, expected): (&str, Vec<&str>)| {
        let found = shown(&files, query);
        (found != expected).then(|| format!("{query} is {found:#?}\n{part}"))
    };
    asked.into_iter().filter_map(fault).collect()
}

/// The answer as the cases have it.
fn shown(files: &Files, asked: &str) -> Vec<String> {
    let (query, member) = asked.split_once(" | ").unwrap_or((asked, ""));
    let found = answer(files, query);
    match found.body {
        Body::Bytes(got) if member.is_empty() => {
            assert_eq!(found.status, 200, "{query}");
            vec![String::from_utf8(got).unwrap().replace(&format!("\"{T}\""), "\"T\"")]
        }
        Body::Bytes(got) => {
            let got = super::json::read(&got).unwrap();
            let found = member.split('.').try_fold(&got, |at, name| at.get(name));
            vec![found.map_or("-".to_owned(), super::Json::compact)]
        }
        Body::Problems(list, _) => list.list.iter().map(problem).collect(),
        Body::Error { code, names, .. } => {
            let text = format!("{} {code} {}", found.status, names.join(" "));
            vec![text.trim_end().to_owned()]
        }
        other => panic!("{query}: {other:?}"),
    }
}

/// A problem as its level and the line, the id, or the source of a whole file.
fn problem(problem: &Problem) -> String {
    let place = match &problem.at {
        At::File => problem.source.to_owned(),
        At::Line(line) => line.to_string(),
        At::Id(id) if id.is_empty() => "\"\"".to_owned(),
        At::Id(id) => id.clone(),
    };
    format!("{} {place}", problem.level.name())
}

#[test]
fn records() {
    run(include_str!("expectations/records.txt"));
}

#[test]
fn reading() {
    run(include_str!("expectations/reading.txt"));
}

#[test]
fn suspicious() {
    run(include_str!("expectations/suspicious.txt"));
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
