//! `status-report`: its counts are those of a running server and of an independent count, its citations exist in
//! the files, and its Markdown is clean.

use std::collections::BTreeMap;
use std::path::Path;

use flow::skill::output::Fault;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge::markdown;
use super::logs::{Raw, cites, section, table};
use super::making::{HOSTILE, context, make, make_in, nowhere, place};
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
        ("2026-04-01", "2026-05-01"),
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

#[test]
fn what_is_blocked_says_why_in_its_own_words() {
    let output = make(NAME, json!({})).unwrap();
    let blocked = section(&output.artifacts[0].text, "Blocked").join("\n");
    for part in [
        "- US-0010: Payment webhook (api)\n",
        "waits for: signing secret for the sandbox (story US-0010)",
        "waiting for the sandbox signing secret; needs task-0007 (task task-0008)",
        "is missing. (message 2026-03-10T13:20:37.529Z api blocked)",
        "Nobody has the opening hours of the shops yet. (message 2026-03-10T14:45:28.097Z ui blocked)",
    ] {
        assert!(blocked.contains(part), "{part}: {blocked}");
    }
    let messages: Vec<String> = Raw::demo().messages().iter().map(Raw::cite).collect();
    for cite in cites(&output.data).iter().filter(|cite| cite.starts_with("message ")) {
        assert!(messages.contains(cite), "{cite}");
    }
    // A withdrawn reason is none, and a missing one is an open question.
    let folder = tempfile::tempdir().unwrap();
    let raw = Raw {
        status: json!({"stories": {"US-1": {"status": "Blocked"}}}),
        ..Raw::of_log(&[
            json!({"type": "blocked", "story": "US-1", "from": "a", "text": "no key"}),
            json!({"type": "unblocked", "story": "US-1", "from": "a"}),
        ])
    };
    let output = make_in(NAME, json!({}), &raw.open(folder.path())).unwrap();
    assert_eq!(output.data["blocked"]["rows"][0]["below"], json!([]));
    assert!(
        output.open[0].starts_with("blocked_by: not recorded for US-1 (add blocked_by"),
        "{:?}",
        output.open
    );
}

#[test]
fn the_markdown_is_clean_whatever_the_records_say() {
    let mut texts = vec![example_output(NAME).artifacts[0].text.clone()];
    for raw in [Raw::demo(), Raw::hostile(), Raw::of_log(&[json!({"type": "note"})])] {
        let folder = tempfile::tempdir().unwrap();
        let context = raw.open(folder.path());
        for fields in [
            json!({}),
            json!({"since": "", "title": HOSTILE.join(" # ")}),
            json!({"since": "2026-03-10"}),
            json!({"since": "1 year"}),
        ] {
            texts.push(make_in(NAME, fields, &context).unwrap().artifacts[0].text.clone());
        }
        if let Some(epic) = context.state.list("epics", "").unwrap().records.first() {
            texts.push(
                make_in(NAME, json!({"epic": epic["id"]}), &context).unwrap().artifacts[0]
                    .text
                    .clone(),
            );
        }
    }
    markdown(&texts);
}

#[test]
fn ten_thousand_stories_end_at_two_hundred_rows() {
    let stories: Value = (0..10_000)
        .map(|at| {
            (
                format!("US-{at}"),
                json!({"status": "blocked", "epic": "E", "depends_on": [format!("US-{}", at + 1)]}),
            )
        })
        .collect::<serde_json::Map<_, _>>()
        .into();
    let folder = tempfile::tempdir().unwrap();
    let raw = Raw { status: json!({"stories": stories}), ..Raw::of_log(&[]) };
    let output = make_in(NAME, json!({"epic": "E"}), &raw.open(folder.path())).unwrap();
    let text = &output.artifacts[0].text;
    assert!(text.contains("| stories | 10000 |") && text.contains("\n9800 more are not listed.\n"));
    assert_eq!(output.data["blocked"]["rows"].as_array().unwrap().len(), 200);
}

#[test]
fn bad_input_is_named() {
    for (fields, field) in [
        (json!({"since": "soon"}), "since"),
        (json!({"since": "What was done yesterday?"}), "since"),
        (json!({"until": "2026-13-01"}), "until"),
        (json!({"since": "2026-03-10", "until": "2026-03-09"}), "until"),
        (json!({"epic": "EP-9"}), "epic"),
    ] {
        let fault = make(NAME, fields).unwrap_err().to_string();
        assert!(fault.contains(&format!("{field:?}")), "{fault}");
    }
    assert!(
        matches!(make_in(NAME, json!({}), &nowhere()), Err(Fault::Refused(why)) if why.contains("project"))
    );
    assert!(make_in(NAME, json!({}), &context(Path::new("/nowhere"))).is_ok());
    let folder = tempfile::tempdir().unwrap();
    let empty = make_in(NAME, json!({}), &Raw::of_log(&[]).open(folder.path())).unwrap_err();
    assert!(empty.to_string().contains("add them to its files"), "{empty}");
}

#[test]
fn an_id_alone_is_that_of_an_epic() {
    let by_field =
        make(NAME, json!({"epic": "EP-0001", "owner": "api", "since": "2 weeks"})).unwrap();
    let by_words = place(NAME, "ep-0001 owner api 2 weeks", &[]).unwrap();
    assert_eq!(by_words.artifacts, by_field.artifacts);
    assert_eq!(by_words.data["about"], json!(["EP-0001", "api"]));
    let fault = place(NAME, "EP-9999", &[]).unwrap_err().to_string();
    assert!(fault.contains("\"since\" is \"EP-9999\""), "{fault}");
    let both = place(NAME, "EP-0001, EP-0002", &[]).unwrap();
    assert_eq!(both.data["epics"]["count"], 2);
}

#[test]
fn words_for_times_are_relative_to_now_and_a_label_is_a_field() {
    let span = |text: &str| {
        let made = place(NAME, text, &[("epic", "EP-0001")]).unwrap();
        assert_eq!(made.data["about"], json!(["EP-0001"]), "content and key=value combine");
        made.data["span"].clone()
    };
    for (text, since, until) in [
        ("yesterday", json!("2026-03-10"), json!(null)),
        ("since monday", json!("2026-03-09"), json!(null)),
        ("2 weeks", json!("2026-02-25"), json!(null)),
        ("2026-03-09 to yesterday", json!("2026-03-09"), json!("2026-03-10")),
        ("last week until last week", json!("2026-03-02"), json!("2026-03-08")),
        (
            "Since: yesterday\nUntil: today\nTitle: Two days",
            json!("2026-03-10"),
            json!("2026-03-11"),
        ),
    ] {
        assert_eq!(span(text), json!({"since": since, "until": until}), "{text}");
    }
    let lately = make(NAME, json!({})).unwrap();
    assert_eq!(lately.data["span"]["since"], "2026-03-04");
}

#[test]
fn without_a_log_the_dates_of_the_records_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let stories = json!({
        "US-1": {"status": "done", "completedAt": "2026-03-10"}, "US-2": {"status": "done", "completed": "2026-03-01"},
        "US-3": {"status": "in-progress", "started": "2026-03-10T08:00:00Z", "owner": "a"},
        "US-4": {"status": "done", "completed": "2026-03-12"},
    });
    let raw = Raw { status: json!({"stories": stories}), ..Raw::of_log(&[]) };
    let output = make_in(NAME, json!({"since": "yesterday"}), &raw.open(folder.path())).unwrap();
    let text = &output.artifacts[0].text;
    for line in [
        "- Progress: 3 of 4 stories completed (75.0 %), 1 in progress, 0 in review.\n",
        "- Changed 2026-03-10 until 2026-03-11T09:30:00Z: US-1 done; US-3 begun.\n",
        "The bus log has no messages (docs/09-agents/bus/log.jsonl), so the dates are those of the records.",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn a_task_may_name_its_completion_and_a_time_that_cannot_be_read_is_quoted() {
    let raw = Raw {
        status: json!({"stories": {"US-1": {"status": "done", "completed_at": "last tuesday"}, "US-2": {"status": "done"}}}),
        tasks: json!({"tasks": {
            "t-1": {"description": "Form", "state": "completed", "completed_at": "2026-03-10T09:00:00Z"},
            "t-2": {"description": "Build", "state": "failed", "error": "exit 1"},
        }}),
        ..Raw::of_log(&[
            json!({"at": "2026-03-10T10:00:00Z", "from": "ci", "type": "task_failed", "task_id": "t-2", "text": "exit 1"}),
        ])
    };
    let folder = tempfile::tempdir().unwrap();
    let context = raw.open(folder.path());
    let output = make_in(NAME, json!({}), &context).unwrap();
    let text = &output.artifacts[0].text;
    assert!(text.contains("## Completed tasks\n\n- t-1: Form (task t-1)\n"), "{text}");
    assert!(text.contains("- t-2: Build; exit 1 (task t-2; message "), "{text}");
    let asked = [
        "completed_at: not recorded for US-2 (add completed_at to its record)",
        "completed_at: not a time: \"last tuesday\" of US-1 (write 2026-01-31 or 2026-01-31T12:00:00Z)",
    ];
    assert_eq!(output.open, asked);
}
