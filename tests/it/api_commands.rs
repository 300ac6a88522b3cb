//! `flow api get`, `logs`, `restart`, `stop --all`, and the first lines of `status`.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use nix::sys::signal::Signal;

use crate::support::{Project, Ran, halt, send, wait_until};

const STORIES: &str = r#"{"stories":{"US-1":{"title":"Pay é","points":1.10,"status":"blocked"},"US-2":{"status":"done"}}}"#;
const TASKS: &str = r#"{"tasks":{"t1":{"state":"running"},"t2":{"state":"failed"}}}"#;

fn project() -> Project {
    let project = Project::new();
    project.write("docs/09-agents/status.json", STORIES);
    project.write(".agileflow/state/task-dependencies.json", TASKS);
    project
}

#[test]
fn get_prints_the_bytes_of_http_with_and_without_a_server() {
    let project = project();
    let paths =
        ["/api/stories", "stories?status=done", "/api/stories/US-1", "api/metrics", "/api/status"];
    let from_files: Vec<Ran> =
        paths.iter().map(|path| project.flow(&["api", "get", path])).collect();
    let server = project.start();
    for (path, files) in paths.iter().zip(from_files) {
        let whole = match path.strip_prefix("api/") {
            _ if path.starts_with('/') => (*path).to_owned(),
            Some(rest) => format!("/api/{rest}"),
            None => format!("/api/{path}"),
        };
        let http = String::from_utf8(server.get(&whole).body).unwrap();
        let got = project.flow(&["api", "get", path]).expect(0);
        assert_eq!((got.out.as_str(), got.err.as_str()), (http.as_str(), ""), "{path}");
        assert_eq!(files.out, http, "{path}");
        assert!(files.err.contains("read from the files"), "{files:?}");
    }
    assert!(project.flow(&["api", "get", "/api/stories/US-1"]).expect(0).out.contains("1.10"));
}

#[test]
fn get_of_what_is_not_there_fails_and_prints_the_answer() {
    let project = project();
    for _ in 0..2 {
        let missing = project.flow(&["api", "get", "/api/stories/US-9"]).expect(1);
        assert!(missing.out.contains("\"code\":\"not_found\""), "{missing:?}");
        let json = project.flow(&["api", "get", "/api/tasks?stat=x", "--json"]).expect(1).json();
        assert_eq!(json["status"], 400);
        assert!(json["body"].as_str().unwrap().contains("invalid_parameter"), "{json}");
        let bad = project.flow(&["api", "get", "/api/stories?owner=A B"]).expect(2);
        assert!(bad.err.contains("%20") && bad.out.is_empty(), "{bad:?}");
        project.start();
    }
}

#[test]
fn logs_are_text_or_json_and_can_be_followed() {
    let project = project();
    assert!(project.flow(&["api", "logs"]).expect(1).err.contains("written a log"));
    let server = project.start();
    let text = project.flow(&["api", "logs"]).expect(0).out;
    assert!(
        text.contains("INFO  ready") && text.contains(&format!("port={}", server.port)),
        "{text}"
    );
    let json = project.flow(&["api", "logs", "--json"]).expect(0).out;
    assert_eq!(json, fs::read_to_string(project.file("api-server.log")).unwrap());
    let mut follow = project.command();
    let mut child = follow.args(["api", "logs", "-f"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("ready"));
    project.flow(&["api", "stop"]).expect(0);
    let said = lines.map_while(Result::ok).find(|line| line.contains("stopped"));
    // The reader is gone, and the command ends.
    assert!(said.is_some());
    wait_until("the command ends", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn an_output_that_takes_nothing_is_reported_once() {
    let project = project();
    project.start();
    for words in [
        &["api", "get", "metrics"][..],
        &["api", "logs", "-f"],
        &["watch"],
        &["doctor"],
        &["skill", "list"],
    ] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = Ran::from(project.command().args(words).stdout(full).output().unwrap()).expect(1);
        assert_eq!(ran.err.matches("could not write").count(), 1, "{words:?}: {ran:?}");
    }
}

#[test]
fn a_log_that_tries_to_move_the_cursor_is_shown_escaped() {
    let project = project();
    project.start();
    project.flow(&["api", "stop"]).expect(0);
    let log = project.file("api-server.log");
    let line = r#"{"timestamp":"t","level":"INFO","fields":{"message":"a\u001b[2Jb"}}"#;
    fs::write(&log, format!("{line}\nplain \u{1b}[31m\n")).unwrap();
    let text = project.flow(&["api", "logs"]).expect(0).out;
    assert_eq!(text, "t INFO  a\\u{1b}[2Jb\nplain \\u{1b}[31m\n");
}

#[test]
fn a_restart_keeps_the_port_and_starts_what_does_not_run() {
    let project = project();
    let first = project.flow(&["api", "restart", "PORT=0", "--json"]).expect(0).json();
    assert_eq!(first["restarted"], false);
    let again = project.flow(&["api", "restart", "--json"]).expect(0).json();
    assert_eq!(again["restarted"], true);
    assert_eq!(again["port"], first["port"]);
    assert_eq!(again["stopped_pid"], first["pid"]);
    assert_ne!(again["pid"], first["pid"]);
    // Invalid settings are reported before the stop.
    project.write(".flow/config.json", "{\"prot\": 1}");
    let refused = project.flow(&["api", "restart"]).expect(2);
    assert!(refused.err.contains("prot"), "{refused:?}");
    assert_eq!(project.status().expect(0).json()["pid"], again["pid"]);
}

#[test]
fn stop_all_stops_every_server_of_the_user_and_names_those_that_do_not() {
    let (one, other) = (project(), project());
    let nothing = one.flow(&["api", "stop", "--all"]).expect(0);
    assert_eq!(nothing.out, "no server of this user is running\n");
    let start = |project: &Project| {
        let mut command = project.command();
        command.env("FLOW_RUNTIME_DIR", &one.runtime).args(["api", "start", "PORT=0", "--json"]);
        u32::try_from(
            Ran::from(command.output().unwrap()).expect(0).json()["pid"].as_u64().unwrap(),
        )
        .unwrap()
    };
    let (first, second) = (start(&one), start(&other));
    halt(second);
    let ran = one.flow(&["api", "stop", "--all", "--json"]).expect(1).json();
    send(second, Signal::SIGCONT);
    assert_eq!(ran["stopped"][0]["pid"], first, "{ran}");
    assert_eq!(ran["failed"][0]["project"].as_str(), other.root.to_str(), "{ran}");
    one.status().expect(3);
    let rest = one.flow(&["api", "stop", "--all"]).expect(0);
    assert!(rest.out.contains("stopped"), "{rest:?}");
    other.status().expect(3);
}

#[test]
fn status_begins_with_health_and_the_counts() {
    let project = project();
    project.start();
    let status = || project.flow(&["api", "status"]).expect(0).out;
    assert_eq!(status().lines().next(), Some("ok  1 running · 2 need you (1 blocked)"));
    let text = status();
    assert!(text.find("serving").unwrap() < text.find("endpoints").unwrap(), "{text}");
    let facts = project.status().expect(0).json();
    assert_eq!(
        facts["counts"],
        serde_json::json!({"running": 1, "blocked": 1, "need_you": 2, "suspicious": 0})
    );
    project.write(".agileflow/state/task-dependencies.json", "{");
    wait_until("the broken file counts", || {
        status().starts_with("degraded  1 running · 3 need you (1 blocked)\n")
    });
}
