//! The server against the plain model: the same files and the same request must give the same answer.

use std::fs::{self, File};
use std::path::Path;
use std::time::SystemTime;

use flow::project::{Project, Source};
use flow::store::names::MOST_NAMES;
use flow::store::{Environment, Options};

use crate::live::Live;
use crate::oracle::{Body, Expected, Files, answer, answers, compare, messy};
use crate::tools::scaled;

/// Writes the files into a separate project and asserts that the server answers like the model.
#[track_caller]
fn check(files: &Files, query: &str) {
    check_all(files, &[query.to_owned()]);
}

/// The same for several requests about the same files.
#[track_caller]
fn check_all(files: &Files, queries: &[String]) {
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let faults = faults(files, &queries);
    assert!(faults.is_empty(), "{}\n{files:#?}", faults.join("\n"));
}

/// What the server answers otherwise than the model, with the files in a separate project.
pub(crate) fn faults(files: &Files, queries: &[&str]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::at(folder.path()).unwrap();
    for (source, file) in Source::ALL.into_iter().zip(in_order(files)) {
        if let Some((bytes, time)) = file {
            write(&folder.path().join(&project.files(source)[0]), bytes, *time);
        }
    }
    let names = files.names.unwrap_or(MOST_NAMES);
    let options = Options { names, ..Options::default() };
    let live = Live::open(folder, &options, Environment::default());
    let fault = |(asked, expected): (&str, Expected)| {
        let reply = live.get(asked);
        let difference = compare::difference(&expected, reply.status.as_u16(), &reply.body)?;
        Some(format!("{asked}: {difference}"))
    };
    answers(files, queries).into_iter().filter_map(fault).collect()
}

/// Requests, one a line.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn in_order(files: &Files) -> [&Option<(Vec<u8>, SystemTime)>; 4] {
    [&files.status, &files.sessions, &files.tasks, &files.bus]
}

fn write(path: &Path, bytes: &[u8], time: SystemTime) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

/// The files of the demo project.
fn demo() -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/demo");
    let file = |path: &str| {
        let bytes = fs::read(root.join(path)).unwrap();
        Some((bytes, fs::metadata(root.join(path)).unwrap().modified().unwrap()))
    };
    Files {
        status: file("docs/09-agents/status.json"),
        sessions: file(".agileflow/sessions/registry.json"),
        tasks: file(".agileflow/state/task-dependencies.json"),
        bus: file("docs/09-agents/bus/log.jsonl"),
        is_kept: false,
        names: None,
    }
}

#[test]
fn the_server_agrees_with_the_model_on_any_mess() {
    messy::run(scaled(48, 96), &(messy::files(), messy::queries()), |(files, queries)| {
        check_all(&files, &queries);
    });
}

#[test]
fn the_server_agrees_with_the_model_on_no_files() {
    for query in
        ["/api/status", "/api/stories", "/api/metrics", "/api/problems", "/api", "/nowhere"]
    {
        check(&Files::default(), query);
    }
}

#[test]
fn the_server_agrees_with_the_model_on_the_demo() {
    check_all(&demo(), &lines(include_str!("agree/demo.txt")));
}

#[test]
fn the_newest_thousand_problems_are_listed() {
    let lines: String = (0..1500).map(|n| if n % 5 == 0 { "{}\n" } else { "bad\n" }).collect();
    let files = Files {
        tasks: Some((br#"{"tasks":{"a":7}}"#.to_vec(), SystemTime::UNIX_EPOCH)),
        bus: Some((lines.into_bytes(), SystemTime::UNIX_EPOCH)),
        ..Files::default()
    };
    check(&files, "/api/problems");
}

/// Long enough for chunks with counts of combinations, with values of every frequency and some times out of order.
#[test]
fn the_server_agrees_with_the_model_on_a_long_log() {
    let line = |n: u64| {
        let pick = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let from = ["a", "a", "a", "b", "c"][(pick % 5) as usize];
        let kind = ["x", "y", "z"][(pick / 5 % 3) as usize];
        let story = if pick.is_multiple_of(7) { pick / 7 % 900 } else { pick / 7 % 3 };
        let to = if pick.is_multiple_of(2) { "" } else { r#","to":"b""# };
        let second = if pick.is_multiple_of(50) { n / 2 } else { n };
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!(
            r#"{{"timestamp":"2026-01-01T{hour:02}:{minute:02}:{second:02}Z","from":"{from}","type":"{kind}","story":"{story}"{to}}}"#
        ) + "\n"
    };
    let text: String = (0..scaled(9_000, 12_000)).map(line).collect();
    let files =
        Files { bus: Some((text.into_bytes(), SystemTime::UNIX_EPOCH)), ..Files::default() };
    check_all(&files, &lines(include_str!("agree/long_log.txt")));
}

/// More than this many values of each member, in the log also more than have sets of positions.
fn many_names(most: usize, names: Option<usize>) -> Files {
    let line = |n: usize| {
        let name = if n.is_multiple_of(3) { n % 100 } else { n % (most + 100) };
        let to = ["", r#","to":"none""#, r#","to":"x,y""#][n % 3];
        let second = n % 60;
        format!(
            r#"{{"timestamp":"2026-01-01T00:00:{second:02}Z","from":"n{name}","story":{}{to}}}"#,
            n % 7
        ) + "\n"
    };
    let record = |n: usize| {
        let name = n % (most + 20);
        format!(
            r#""r{n}":{{"owner":"o{name}","status":"s{name}","state":"s{name}","agent":"a{name}"}}"#
        )
    };
    let records = (0..most + 100).map(record).collect::<Vec<_>>().join(",");
    let file = |text: String| Some((text.into_bytes(), SystemTime::UNIX_EPOCH));
    Files {
        status: file(format!(r#"{{"stories":{{{records}}},"epics":{{{records}}}}}"#)),
        tasks: file(format!(r#"{{"tasks":{{{records}}}}}"#)),
        bus: file((0..2 * most + 400).map(line).collect()),
        names,
        ..Files::default()
    }
}

#[test]
fn the_server_agrees_with_the_model_on_many_names() {
    let queries = lines(include_str!("agree/many_names.txt"));
    // A count names a thousand.
    check_all(&many_names(1_000, None), &queries);
    for names in scaled(&[150][..], &[0, 150, 1_050]) {
        check_all(&many_names(scaled(*names, 1_000), Some(*names)), &queries);
    }
}

#[test]
fn the_demo_is_what_its_readme_says() {
    let files = demo();
    let get = |query: &str| match answer(&files, query).body {
        Body::Bytes(bytes) => serde_json::from_slice::<serde_json::Value>(&bytes).unwrap(),
        other => panic!("{query}: {other:?}"),
    };
    let metrics = get("/api/metrics");
    assert_eq!((&metrics["stories_total"], &metrics["epics"]["total"]), (&21.into(), &3.into()));
    assert_eq!(metrics["sessions"], serde_json::json!({"total": 5, "active": 3}));
    assert_eq!((&metrics["tasks"]["total"], &metrics["bus"]["total"]), (&12.into(), &60.into()));
    let states = metrics["tasks"]["by_state"].as_object().unwrap();
    assert!(states.len() == 6 && states.values().all(|count| *count != 0), "{states:?}");
    let Body::Problems(problems, _) = answer(&files, "/api/problems").body else { panic!() };
    assert_eq!(problems.list, []);
    let messages = get("/api/bus/messages");
    let times: Vec<_> = messages["messages"].as_array().unwrap().iter().collect();
    assert!(times.is_sorted_by_key(|message| message["timestamp"].as_str().unwrap()));
    for query in [
        "/api/stories?status=in-progress,in-review",
        "/api/tasks?state=running&subagent_type=api,ui",
    ] {
        assert_ne!(get(query)["count"], 0, "{query}");
    }
    assert_eq!(get("/api/bus/messages?story_id=US-0006&order=desc&limit=5")["count"], 5);
}
