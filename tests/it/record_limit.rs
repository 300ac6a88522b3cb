//! Documents with too many records: refused completely and quickly, without memory for each of them.

use std::time::Instant;

use flow::project::Source;
use flow::store::snapshot::State;
use flow::store::{Environment, Options};

use crate::live::{self, Live};
use crate::support::Project;
use crate::tools::{self, figure, milliseconds};

/// A store over a project that allows three records in a document.
fn of_three() -> Live {
    let folder = tempfile::tempdir().unwrap();
    live::write(&folder.path().join(".flow/config.json"), r#"{"limits":{"records":3}}"#);
    Live::open(folder, &Options::default(), Environment::default())
}

#[test]
fn one_record_too_many_makes_a_document_too_large() {
    let live = of_three();
    for (text, is_served) in [
        (r#"{"stories":{"a":{},"b":{},"c":{}}}"#, true),
        (r#"{"stories":{"a":{},"b":{},"c":{},"d":{}}}"#, false),
        (r#"{"stories":[{"id":"a"},{"id":"b"},{"id":"c"}]}"#, true),
        (r#"{"stories":[{"id":"a"},{"id":"a"},1,2]}"#, false),
        (r#"{"stories":{"a":{},"b":{}},"epics":{"c":{}}}"#, true),
        (r#"{"stories":{"a":{},"b":{}},"epics":{"c":{},"d":{}}}"#, false),
        (r#"{"stories":{"a":{},"b":{}},"US-1":{}}"#, true),
        (r#"{"stories":{"a":{},"b":{}},"US-1":{},"EP-1":{}}"#, false),
        (r#"{"1":0,"2":0,"3":0,"4":0}"#, false),
        (r#"{"stories":{"a":{"1":0,"2":0,"3":0,"4":0}}}"#, true),
    ] {
        live.write(Source::Status, r#"{"stories":{"good":{}}}"#);
        live.sync();
        live.write(Source::Status, text);
        live.sync();
        let good = live.text("/api/stories").contains("\"good\"");
        let state = live.state(Source::Status);
        if is_served {
            assert_eq!((good, state), (false, State::Present), "{text}");
        } else {
            assert_eq!((good, state), (true, State::TooLarge), "{text}");
            let why = live.health(Source::Status).last_error.unwrap();
            assert_eq!(why, "too large: more than 3 records");
        }
    }
    for (source, name) in [(Source::Tasks, "tasks"), (Source::Sessions, "sessions")] {
        live.write(source, format!(r#"{{"{name}":{{"a":{{}},"b":{{}},"c":{{}},"d":{{}}}}}}"#));
        live.sync();
        assert_eq!(live.state(source), State::TooLarge, "{name}");
    }
    assert!(!live.is_ok());
}

/// 60 MiB with a record every ten bytes.
fn six_million_records() -> String {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut text = String::with_capacity(60 << 20);
    text.push_str("{\"stories\":{\"\":{}");
    for n in 0..6_000_000_usize {
        text.push_str(",\"");
        (0..4).for_each(|at| text.push(LETTERS[n / 62_usize.pow(at) % 62].into()));
        text.push_str("\":{}");
    }
    text + "}}"
}

#[test]
fn six_million_empty_records_are_refused_soon_and_in_little_memory() {
    let project = Project::new();
    let text = six_million_records();
    assert!(text.len() > 57 << 20);
    project.write("docs/09-agents/status.json", &text);
    let begun = Instant::now();
    let server = project.start();
    figure("many_records_start_ms", milliseconds(begun.elapsed()));
    let health = server.get("/api/health").json();
    assert_eq!(health["checks"]["status_file"], "too_large", "{health}");
    assert_eq!(server.get("/api/status").json()["code"], "state_invalid");
    let peak = memory(server.pid, "VmHWM:");
    figure("many_records_memory_per_file", peak / text.len());
    assert!(peak < 4 * text.len(), "{peak} bytes");
}

/// Memory of a process in bytes, by its name in `/proc`.
fn memory(pid: u32, name: &str) -> usize {
    usize::try_from(tools::of_status(pid, name) << 10).unwrap()
}

#[test]
fn a_log_in_which_each_message_has_another_sender_takes_little_memory() {
    let project = Project::new();
    let line = |n: usize| format!("{{\"from\":\"n{n}\"}}\n");
    let text: String = (0..400_000).map(line).collect();
    project.write("docs/09-agents/bus/log.jsonl", &text);
    let server = project.start();
    let metrics = server.get("/api/metrics");
    assert!(metrics.body.len() < 64 << 10, "{} bytes", metrics.body.len());
    let metrics = metrics.json();
    assert_eq!(metrics["bus"]["by_sender"].as_object().unwrap().len(), 1_000);
    assert_eq!(metrics["bus"]["by_sender_others"], 399_000);
    let found = server.get("/api/bus/messages?from=n399999").json();
    assert_eq!(found["messages"], serde_json::json!([{"from": "n399999"}]));
    assert_eq!(server.get("/api/agents").json()["count"], 1_000);
    let memory = memory(server.pid, "VmRSS:");
    let beyond = memory.saturating_sub(2 * text.len());
    figure("many_names_memory_beyond_twice_the_log_kib", beyond >> 10);
    assert!(beyond < 44 << 20, "{memory} bytes for {}", text.len());
}
