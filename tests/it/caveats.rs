//! What may not be read as meant: each view says it, and none says that nothing is wrong.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::artifacts::golden::hold;
use crate::doctor::{doctor, findings, sound};
use crate::support::{Project, wait_until};

pub(crate) const STATUS: &str = "docs/09-agents/status.json";
const LOG: &str = "docs/09-agents/bus/log.jsonl";

/// Mistakes of a newcomer: nine suspicious members of six records, one of them a record in lower case, and one story without
/// an id.
pub(crate) const MISTAKES: &str = r#"{
  "epics": {
    "EP-1": {"title": "Checkout", "status": "in-progress", "stories": {
      "US-1": {"title": "Pay by card", "status": "ready", "depends_on": "us-4"}
    }},
    "EP-2": {"title": "Search", "Status": "done"}
  },
  "stories": [
    {"id": "US-2", "name": "Refund", "state": "ready", "assignee": "bob", "depends_on": ["US-99", true]},
    {"id": "US-3", "title": "Invoice", "status": "blokced", "onwer": "eve"},
    {"title": "Receipt", "status": "blocked"},
    {"id": "US-4", "title": "Ship", "status": "ready", "created_at": "yesterday", "requires": ["US-3"]}
  ],
  "userStories": {"US-9": {"title": "Lost"}},
  "us-10": {"title": "lower case"}
}
"#;
const SENTENCE: &str = "7 records may not be read as meant";
/// JSON with a comma after the last item.
const BROKEN: &str = "{\n \"stories\": {\n  \"US-1\": {\"status\": \"blocked\",}\n }\n}\n";
const CAUSE: &str = "not valid JSON (line 3, column 32): a comma after the last item, before }";

/// A project with this status file, which nobody is writing any more.
fn project(status: &str) -> Project {
    let project = Project::named("shop");
    project.write(STATUS, status);
    age(&project, STATUS);
    project
}

/// Makes a file one that was written a minute ago.
pub(crate) fn age(project: &Project, file: &str) {
    let file = fs::File::options().append(true).open(project.root.join(file)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_mins(1)).unwrap();
}

fn watch(project: &Project) -> String {
    project.flow(&["watch", "--once"]).expect(0).out
}

#[test]
fn watch_says_it_above_what_needs_you() {
    let project = project(MISTAKES);
    let files = watch(&project);
    let before = files.split("Needs you").next().unwrap();
    assert!(before.contains(&format!("\n{SENTENCE}: flow doctor\n")), "{files}");
    assert!(files.contains("Needs you  0 in what could be read"), "{files}");
    project.start();
    let served = watch(&project);
    assert!(served.contains(&format!("\n{SENTENCE}: flow doctor\n")), "{served}");
    let well = watch(&self::project(r#"{"stories":{"US-1":{"status":"ready"}}}"#));
    assert!(well.contains("Needs you  0\n") && well.contains("Agents  0\n"), "{well}");
}

#[test]
fn watch_names_a_file_that_cannot_be_read_with_its_cause() {
    let project = project(BROKEN);
    let flat = |text: String| text.replace('\n', " ");
    let whole = format!("{STATUS} cannot be read: {CAUSE}; no valid version read yet");
    let said = watch(&project);
    assert!(flat(said.clone()).contains(&whole), "{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 80), "{said}");
    project.write(STATUS, "{}");
    project.start();
    project.write(STATUS, BROKEN);
    let whole = format!("{STATUS} cannot be read: {CAUSE}; showing the version from ");
    wait_until("the file is broken", || flat(watch(&project)).contains(&whole));
}

#[test]
fn the_status_line_counts_what_is_suspicious() {
    let project = project(MISTAKES);
    let line = || project.flow(&["statusline"]).expect(0).out;
    wait_until("the line counts", || line() == "0 running · 9 suspicious · not served\n");
    project.start();
    wait_until("the line counts", || line() == "0 running · 9 suspicious\n");
    let counts = json!({"running": 0, "blocked": 0, "need_you": 0, "suspicious": 9});
    wait_until("the line counts", || {
        project.flow(&["statusline", "--json"]).expect(0).json()["counts"] == counts
    });
}

#[test]
fn start_and_status_say_how_to_see_what_is_suspicious() {
    let project = project(MISTAKES);
    let ran = project.flow(&["api", "start", "PORT=0"]).expect(0);
    let warned = format!(
        "warning: records of {STATUS} may not be read as meant: 1 skipped, 9 suspicious; run: flow doctor\n"
    );
    assert!(ran.err.contains(&warned), "{ran:?}");
    let status = project.flow(&["api", "status"]).expect(0).out;
    assert!(status.contains(", 6 records, 1 skipped, 9 suspicious\n"), "{status}");
    assert!(status.contains("run: flow doctor\n"), "{status}");
    project.write(STATUS, "{}");
    wait_until("all is well", || {
        !project.flow(&["api", "status"]).expect(0).out.contains("flow doctor")
    });
}

#[test]
fn the_doctor_names_file_line_and_id_and_what_to_write() {
    let project = sound();
    project.write(STATUS, MISTAKES);
    project.write(LOG, "{\"from\":\"a\",\"timestamp\":\"today\"}\nnot json\n");
    let shown = |all: Vec<Value>| {
        let line = |one: &Value| {
            format!("{}\n  {}\n", one["finding"].as_str().unwrap(), one["remedy"].as_str().unwrap())
        };
        // The machine may have too many watches.
        all.iter().filter(|one| one["area"] == "files").map(line).collect::<String>()
    };
    let files = doctor(&project);
    assert_eq!(files.code, 1);
    hold("tests/it/goldens/doctor_records.txt", &shown(findings(&files)));
    let port = project.flow(&["api", "start", "--json"]).expect(0).json()["port"].clone();
    assert!(port.is_u64());
    assert_eq!(shown(findings(&doctor(&project))), shown(findings(&files)), "with a server");
    project.flow(&["api", "stop"]).expect(0);
}

#[test]
fn the_doctor_lists_twenty_records_of_a_file() {
    let project = sound();
    let story = |at: usize| format!(r#""US-{at}":{{"depends_on":"US-{}"}}"#, at + 5000);
    let stories: Vec<String> = (0..1030).map(story).collect();
    project.write(STATUS, &format!("{{\"stories\":{{{}}}}}", stories.join(",\n")));
    let all = findings(&doctor(&project));
    assert_eq!(all.len(), 21, "{all:#?}");
    assert_eq!(all[20]["finding"], format!("{STATUS}: and 1010 more"));
    assert_eq!(all[20]["remedy"], "run: flow api get problems");
}

#[test]
fn lines_of_a_log_over_its_limit_are_those_of_its_file() {
    let project = sound();
    let port = fs::read_to_string(project.root.join(".flow/config.json")).unwrap();
    project.write(".flow/config.json", &port.replace('}', r#","limits":{"bus_bytes":200}}"#));
    project.write(LOG, &("{\"type\":\"status\"}\n".repeat(30) + "bad\n"));
    let all = findings(&doctor(&project));
    let named = |one: &Value| one["finding"].as_str().unwrap().starts_with(&format!("{LOG}:31:"));
    assert!(all.iter().any(named), "{all:#?}");
}

#[test]
fn metrics_count_what_is_suspicious() {
    let project = project(MISTAKES);
    let server = project.start();
    let text = String::from_utf8(server.get("/metrics").body).unwrap();
    for (source, count) in [("status", 9), ("bus", 0)] {
        let line = format!("flow_source_suspicious_records{{source=\"{source}\"}} {count}\n");
        assert!(text.contains(&line), "{line}{text}");
    }
}
