//! `status-report`: its counts are those of a running server and of an independent count, its citations exist in
//! the files, and its Markdown is clean.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::logs::{Raw, cites, section, table};
use super::making::make;
use crate::support::Project;

const NAME: &str = "status-report";

/// The figures of the table of counts.
fn figures(text: &str) -> BTreeMap<String, String> {
    let rows = table(text, "Counts");
    rows.into_iter().map(|row| (row[0].clone(), row[1].clone())).collect()
}

fn counts(text: &str, heading: &str) -> Value {
    let rows = table(text, heading);
    rows.iter().map(|row| (row[0].clone(), json!(row[1].parse::<u64>().unwrap()))).collect()
}

/// Runs the program on a project of these files, with and without its server; returns the envelope and the metrics.
fn served(raw: &Raw, words: &[&str]) -> (Value, Vec<u8>) {
    let project = Project::new();
    raw.write(|path, text| project.write(path, text));
    let words = [&["skill", NAME, "--json", "--now", "2026-03-11"], words].concat();
    let alone = project.flow(&words).expect(0);
    let server = project.start();
    let live = project.flow(&words).expect(0);
    assert_eq!(alone.out, live.out);
    (live.json(), server.get("/api/metrics").body)
}

#[test]
fn the_counts_are_those_of_a_running_server() {
    for raw in [Raw::demo(), Raw::hostile(), Raw::of_log(&[json!({"type": "note"})])] {
        for words in [&["since=2026-03-10"][..], &["title=x"]] {
            let (made, body) = served(&raw, words);
            assert_eq!(made["data"]["metrics"].to_string().as_bytes(), body);
            let metrics: Value = serde_json::from_slice(&body).unwrap();
            let text = made["artifacts"][0]["text"].as_str().unwrap();
            let figures = figures(text);
            for (name, value) in [
                ("stories", &metrics["stories_total"]),
                ("stories completed", &metrics["stories_completed"]),
                ("completed, percent", &metrics["completion_percent"]),
                ("epics", &metrics["epics"]["total"]),
                ("tasks", &metrics["tasks"]["total"]),
                ("sessions", &metrics["sessions"]["total"]),
                ("sessions active", &metrics["sessions"]["active"]),
                ("messages", &metrics["bus"]["total"]),
            ] {
                assert_eq!(figures[name], value.to_string(), "{name}");
            }
        }
    }
}

#[test]
fn all_that_tell_of_the_state_give_the_same_bytes_with_a_server_and_without() {
    for (raw, story) in [(Raw::demo(), "US-0009"), (Raw::hostile(), "US-1")] {
        let project = Project::new();
        raw.write(|path, text| project.write(path, text));
        let calls = [
            &["status-report", "since 2026-03-10"][..],
            &["agent-brief", story],
            &["agent-brief", story, "agent=api"],
            &["handoff-note", "commits=none"],
            &["retro-facilitator", "until=2026-03-10"],
        ];
        let run = |call: &[&str]| {
            let words = [&["skill", "--json", "--now", "2026-03-11"], call].concat();
            project.flow(&words).expect(0).out
        };
        let alone: Vec<String> = calls.iter().map(|call| run(call)).collect();
        project.start();
        let live: Vec<String> = calls.iter().map(|call| run(call)).collect();
        assert_eq!(alone, live);
    }
}

/// Independent counts of the values of a field, in the spellings of the demo.
fn recount(records: &Value, name: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for record in records.as_object().unwrap().values() {
        *counts.entry(record[name].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

#[test]
fn the_counts_are_those_of_a_recount_by_hand() {
    let raw = Raw::demo();
    let output = make(NAME, json!({})).unwrap();
    let text = &output.artifacts[0].text;
    let stories = recount(&raw.status["stories"], "status");
    assert_eq!(counts(text, "Stories by status"), json!(stories));
    let states = recount(&raw.tasks["tasks"], "state");
    assert_eq!(counts(text, "Tasks by state"), json!(states));
    let figures = figures(text);
    let completed = stories["done"] + stories["archived"];
    assert_eq!(figures["stories completed"], completed.to_string());
    let total = raw.status["stories"].as_object().unwrap().len() as u64;
    let tenths = (completed * 1000 + total / 2) / total;
    assert_eq!(figures["completed, percent"], format!("{}.{}", tenths / 10, tenths % 10));
    assert_eq!(figures["messages"], raw.messages().len().to_string());
    for row in table(text, "Epics") {
        let ours = raw.status["stories"].as_object().unwrap().values();
        let ours: Vec<&Value> = ours.filter(|story| story["epic_id"] == row[0]).collect();
        let done = ours
            .iter()
            .filter(|story| ["done", "archived"].contains(&story["status"].as_str().unwrap()));
        assert_eq!(row[4], format!("{} of {}", done.count(), ours.len()));
    }
    assert_eq!(table(text, "Running tasks").len() as u64, states["running"]);
    assert_eq!(section(text, "Failed tasks").len() as u64, states["failed"] + 2);
}

#[test]
fn a_span_and_an_epic_narrow_the_lists_alone() {
    let raw = Raw::demo();
    for (since, until) in [
        ("2026-03-09", "2026-03-09"),
        ("2026-03-10T11:15:00Z", "2026-03-12"),
        ("2026-01-01", "2026-01-02"),
    ] {
        let output = make(NAME, json!({"since": since, "until": until})).unwrap();
        let end = if until.len() == 10 { format!("{until}T24") } else { until.to_owned() };
        let is_in = |time: &str| time >= since && time < end.as_str();
        let stories = raw.status["stories"].as_object().unwrap().iter();
        let mut expected: Vec<&str> = stories
            .filter(|(_, story)| story["completed_at"].as_str().is_some_and(is_in))
            .map(|(id, _)| id.as_str())
            .collect();
        let mut found: Vec<&str> = output.data["completed"]["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_str().unwrap())
            .collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
        let messages = raw.messages();
        let done = messages.iter().filter(|message| {
            message["type"] == "task_completed" && is_in(message["timestamp"].as_str().unwrap())
        });
        let mut said: Vec<String> = done.map(Raw::cite).collect();
        said.reverse();
        assert_eq!(cites(&output.data["completed_tasks"]), said);
        assert!(output.open.iter().any(|open| open.contains("US-0012")), "{:?}", output.open);
    }
    let output = make(NAME, json!({"epic": "EP-0002"})).unwrap();
    assert_eq!(output.data["metrics"], make(NAME, json!({})).unwrap().data["metrics"]);
    assert_eq!(output.data["epics"]["count"], 1);
    let text = &output.artifacts[0].text;
    let progress = "- Progress: 1 of 5 stories completed (20.0 %; 1 of them archived without a time of completion)";
    assert!(text.contains(progress), "{text}");
    let statuses = output.data["statuses"]["rows"].as_array().unwrap();
    assert_eq!(statuses.iter().map(|row| row["count"].as_u64().unwrap()).sum::<u64>(), 5);
    assert_eq!(output.data["running"]["count"], 2);
    assert_eq!(output.data["sessions"]["count"], 2);
}
