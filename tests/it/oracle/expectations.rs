//! The model and the product compared with answers written by hand, so that they cannot share an error.

mod texts;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::compare::difference;
use super::{At, Body, Files, Problem, answer};
use crate::agree;

const T: &str = "2026-03-02T09:00:00.123Z";

fn file(text: impl AsRef<[u8]>) -> (Vec<u8>, SystemTime) {
    (text.as_ref().to_vec(), UNIX_EPOCH + Duration::from_millis(1_772_442_000_123))
}

fn status(text: impl AsRef<[u8]>) -> Files {
    Files { status: Some(file(text)), ..Files::default() }
}

fn tasks(text: &str) -> Files {
    Files { tasks: Some(file(text)), ..Files::default() }
}

fn bus(text: impl AsRef<[u8]>) -> Files {
    Files { bus: Some(file(text)), ..Files::default() }
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
    let queries: Vec<&str> =
        asked.iter().map(|(query, _)| query.split(" | ").next().unwrap()).collect();
    let mut faults = agree::faults(&files, &queries);
    for (query, expected) in asked {
        let found = shown(&files, query);
        if found != expected {
            faults.push(format!("{query} is {found:#?} in the model"));
        }
    }
    faults.iter().map(|fault| format!("{fault}\n{part}")).collect()
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
        Body::Any => vec![found.status.to_string()],
        other @ Body::Attention(_) => panic!("{query}: {other:?}"),
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

each! {
    records: run(include_str!("expectations/records.txt"));
    reading: run(include_str!("expectations/reading.txt"));
    suspicious: run(include_str!("expectations/suspicious.txt"));
}

#[test]
fn lists() {
    run(include_str!("expectations/lists.txt"));
    // What no line of a text can have.
    let files = bus(b"\xef\xbb\xbf{\"n\":1}\r\n\r\n{\"n\":\"\xff\"}\n{\"n\":2}\r\n");
    assert_eq!(shown(&files, "/api/bus/messages | messages"), [r#"[{"n":1},{"n":2}]"#]);
    assert_eq!(shown(&files, "/api/problems"), ["skipped 3"]);
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
}

#[test]
fn a_problem_of_a_whole_file_is_noticed() {
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
}
