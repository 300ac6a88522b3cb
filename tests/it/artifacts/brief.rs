//! `agent-brief`: its statements on a story, on others and on the bus are compared with the raw files.

use std::collections::BTreeSet;

use flow::skill::output::{Fault, Output};
use serde_json::{Value, json};

use super::boards::row_ids;
use super::golden::example_output;
use super::judge::markdown;
use super::logs::{Raw, cites, meant};
use super::making::{HOSTILE, make, make_in, nowhere, place};

const NAME: &str = "agent-brief";

fn ids(list: &Value) -> BTreeSet<String> {
    row_ids(list).into_iter().collect()
}

/// Compares a brief about a story of the demo with the demo's raw files.
fn check(output: &Output, id: &str, agent: Option<&str>) {
    let raw = Raw::demo();
    let story = &raw.status["stories"][id];
    let text = &output.artifacts[0].text;
    assert!(text.starts_with(&format!("# {id}: ")), "{text}");
    let criteria = output.data["criteria"]["rows"].as_array().unwrap().iter();
    let criteria: Value = criteria.map(|row| row["said"].clone()).collect();
    assert_eq!(criteria, story["acceptance_criteria"], "{id}");
    let needs: Vec<Value> = story["depends_on"]
        .as_array()
        .unwrap()
        .iter()
        .map(|need| json!([need, raw.status["stories"][need.as_str().unwrap()]["status"]]))
        .collect();
    let found = output.data["needs"]["rows"].as_array().unwrap().iter();
    assert_eq!(
        found.map(|row| json!([row["id"], row["status"]])).collect::<Vec<_>>(),
        needs,
        "{id}"
    );
    let is_live =
        |session: &Value| session.get("ended_at").is_none() && session["status"] != "completed";
    let others = meant(&raw.sessions["sessions"], |session| {
        is_live(session) && session["nickname"].as_str() != agent
    });
    assert_eq!(ids(&output.data["sessions"]), others, "{id}");
    let stories = raw.status["stories"].as_object().unwrap().iter();
    let mut near: Vec<&str> = stories
        .filter(|(_, other)| other["depends_on"].as_array().unwrap().contains(&json!(id)))
        .map(|(other, _)| other.as_str())
        .collect();
    near.extend(story["depends_on"].as_array().unwrap().iter().map(|need| need.as_str().unwrap()));
    let running = meant(&raw.tasks["tasks"], |task| {
        task["state"] == "running"
            && task["subagent_type"].as_str() != agent
            && near.contains(&task["story_id"].as_str().unwrap())
    });
    assert_eq!(ids(&output.data["running"]), running, "{id}");
    let messages = raw.messages();
    let about: Vec<String> =
        messages.iter().filter(|message| message["story_id"] == id).map(Raw::cite).collect();
    let newest = &about[about.len().saturating_sub(10)..];
    assert_eq!(cites(&output.data["messages"]), newest, "{id}");
}

#[test]
fn every_story_of_the_demo_is_briefed_from_the_raw_files() {
    for id in Raw::demo().status["stories"].as_object().unwrap().keys() {
        check(&make(NAME, json!({"task": id})).unwrap(), id, None);
        let fields = json!({"task": format!("Please finish ({id}), and US-0001."), "agent": "api"});
        if id != "US-0001" {
            check(&make(NAME, fields).unwrap(), id, Some("api"));
        }
    }
}

#[test]
fn a_task_brings_its_story_and_a_text_brings_the_others() {
    let output = make(NAME, json!({"task": "task-0011", "agent": "ui"})).unwrap();
    let said: Vec<&str> = output.data["goal"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["said"].as_str().unwrap())
        .collect();
    assert_eq!(said[..2], ["Order summary component", "Order summary before paying"]);
    assert_eq!(
        ids(&output.data["needs"]),
        ["US-0004", "US-0013", "task-0006"].map(str::to_owned).into()
    );
    assert!(!output.artifacts[0].text.contains("held by the session"));
    let output = make(NAME, json!({"task": "Let a reader pay with a voucher"})).unwrap();
    assert_eq!(output.data["about"], Value::Null);
    assert_eq!(output.data["scope"]["count"], 0);
    assert_eq!(
        (output.data["sessions"]["count"].clone(), output.data["running"]["count"].clone()),
        (json!(3), json!(3))
    );
    let output = make(NAME, json!({"task": "US-0009"})).unwrap();
    let held = "- Others: held by the session api.\n";
    assert!(output.artifacts[0].text.contains(held), "{}", output.artifacts[0].text);
}

#[test]
fn questions_without_an_answer_and_files_are_told() {
    let message = |kind: &str, from: &str, to: &str, story: &str| json!({"type": kind, "from": from, "to": to, "story": story, "text": format!("{kind} of {from}")});
    let log = [
        message("question", "a", "b", "US-1"),
        message("question", "a", "b", "US-1"),
        message("answer", "b", "a", "US-2"),
        message("answer", "c", "a", "US-1"),
        message("answer", "b", "a", "US-1"),
        message("question", "c", "me", "US-2"),
        message("question", "d", "all", "US-1"),
        message("answer", "d", "d", "US-1"),
        message("question", "e", "all", "US-1"),
        message("answer", "x", "e", "US-1"),
    ];
    let raw = Raw {
        status: json!({"stories": {"US-1": {"title": "t"}, "US-2": {}}}),
        tasks: json!({"tasks": {
            "t-1": {"story": "US-1", "metadata": {"files_modified": ["a.rs", "b.rs", 7, "a.rs"]}},
            "t-2": {"story_id": "US-1", "result": {"files_modified": ["a.rs"]}},
            "t-3": {"story_id": "US-2", "metadata": {"files_modified": ["c.rs"]}},
        }}),
        ..Raw::of_log(&log)
    };
    let folder = tempfile::tempdir().unwrap();
    let context = raw.open(folder.path());
    let output = make_in(NAME, json!({"task": "US-1", "agent": "me"}), &context).unwrap();
    let asked = output.data["questions"]["rows"].as_array().unwrap().iter();
    let asked: Vec<&str> = asked.map(|row| row["from"].as_str().unwrap()).collect();
    assert_eq!(
        asked,
        ["a", "c", "d"],
        "one of two between a and b, the one to me, and the one only its asker spoke to"
    );
    let files = &output.data["files"]["rows"];
    assert_eq!(
        *files,
        json!([{"said": "a.rs", "cite": "task t-1, t-2"}, {"said": "b.rs", "cite": "task t-1"}])
    );
    for question in ["criteria: not given (add criteria=", "goal: not recorded beyond the title"] {
        assert!(
            output.open.iter().any(|open| open.contains(question)),
            "{question}: {:?}",
            output.open
        );
    }
}

#[test]
fn the_markdown_is_clean_whatever_the_records_say() {
    let mut texts = vec![example_output(NAME).artifacts[0].text.clone()];
    let folder = tempfile::tempdir().unwrap();
    let raw = Raw::hostile();
    let context = raw.open(folder.path());
    let tasks = raw.tasks["tasks"].as_object().unwrap().keys();
    let tasks = tasks.chain(raw.status["stories"].as_object().unwrap().keys()).map(String::as_str);
    for task in tasks.chain(HOSTILE) {
        let fields = json!({"task": task, "agent": HOSTILE[5]});
        texts.push(make_in(NAME, fields, &context).unwrap().artifacts[0].text.clone());
    }
    markdown(&texts);
}

#[test]
fn several_ids_get_a_brief_each() {
    let output = make(NAME, json!({"task": "US-0009, us-0010 and task-0011"})).unwrap();
    let paths: Vec<&str> = output.artifacts.iter().map(|brief| brief.path.as_str()).collect();
    assert_eq!(paths, ["brief-us-0009.md", "brief-us-0010.md", "brief-task-0011.md"]);
    for (brief, id) in output.artifacts.iter().zip(["US-0009", "US-0010", "task-0011"]) {
        assert_eq!(*brief, make(NAME, json!({"task": id})).unwrap().artifacts[0], "{id}");
    }
}

#[test]
fn bad_input_is_named() {
    for fields in [json!({}), json!({"task": " \n"})] {
        let fault = make(NAME, fields).unwrap_err();
        assert!(matches!(&fault, Fault::Missing { field, .. } if field == "task"), "{fault}");
    }
    let fault = make(NAME, json!({"task": "\u{7}"})).unwrap_err().to_string();
    assert!(fault.contains("without control characters"), "{fault}");
    for task in ["US-0999", "Let a reader pay with a voucher (US-0999)", "BUG-1", "task-0099"] {
        let fault = make(NAME, json!({"task": task})).unwrap_err().to_string();
        assert!(fault.contains("\"task\"") && fault.contains("such as "), "{fault}");
    }
    let folder = tempfile::tempdir().unwrap();
    let empty = Raw::of_log(&[]).open(folder.path());
    let fault = make_in(NAME, json!({"task": "x"}), &empty).unwrap_err().to_string();
    assert!(fault.contains("add them to its files"), "{fault}");
    let fault = make_in(NAME, json!({"task": "x"}), &nowhere());
    assert!(matches!(fault, Err(Fault::Refused(why)) if why.contains("project")));
}

#[test]
fn a_document_and_labels_set_the_fields() {
    let text = "# Pay with a voucher\n\nReaders get vouchers as gifts.\n\n## Out of scope\n\n- Refunds\n\n\
        ## Acceptance criteria\n\n- A voucher pays once\n";
    let made = place(NAME, text, &[("agent", "ui")]).unwrap();
    let page = &made.artifacts[0].text;
    for part in [
        "# Pay with a voucher\n",
        " For ui.\n",
        "- Readers get vouchers as gifts. (as given)\n",
        "## Out of scope\n\n- Refunds\n",
        "## Acceptance criteria\n\n- A voucher pays once\n",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(made.open, Vec::<String>::new());
    let labelled =
        place(NAME, "US-0010\nCriteria: A voucher pays once\nScope: the webhook alone\n", &[])
            .unwrap();
    assert_eq!(labelled.data["criteria"]["count"], 3);
    assert_eq!(labelled.data["scope"]["rows"][0]["said"], "the webhook alone");
}

#[test]
fn a_story_on_hold_or_closed_says_so_and_its_own_tasks_stand_once() {
    let raw = Raw {
        status: json!({"stories": {
            "US-1": {"status": "deferred"}, "US-2": {"status": "cancelled"}, "US-3": {"status": "done"},
            "US-4": {"status": "in-progress", "depends_on": ["US-5"], "epic": "pay"}, "US-5": {"status": "in-progress"},
        }}),
        tasks: json!({"tasks": {
            "t-1": {"description": "Form", "state": "running", "story_id": "US-4"},
            "t-2": {"description": "Base", "state": "running", "story_id": "US-5"},
        }}),
        ..Raw::of_log(&[])
    };
    let folder = tempfile::tempdir().unwrap();
    let context = raw.open(folder.path());
    let text =
        |id: &str| make_in(NAME, json!({"task": id}), &context).unwrap().artifacts[0].text.clone();
    let brief = text("US-4");
    assert!(brief.contains("- Others: no other session is active on it.\n"), "{brief}");
    assert!(brief.contains("- in-progress, part of pay (story US-4)\n"), "{brief}");
    assert_eq!(brief.matches("| t-1 |").count(), 1, "{brief}");
    assert_eq!(brief.matches("| t-2 |").count(), 1, "{brief}");
    for (id, line) in [
        ("US-1", "- Blocked: on hold (deferred).\n"),
        ("US-2", "- Blocked: nothing; its status is already cancelled.\n"),
        ("US-3", "- Blocked: nothing; its status is already done.\n"),
    ] {
        assert!(text(id).contains(line), "{}", text(id));
    }
}

#[test]
fn a_blocked_story_says_why_by_its_last_message() {
    let raw = Raw {
        status: json!({"stories": {"US-1": {"status": "blocked"}, "US-2": {"status": "blocked"}}}),
        ..Raw::of_log(&[
            json!({"at": "2026-03-10T09:00:00Z", "from": "a", "type": "blocked", "story": "US-1", "text": "no test account"}),
        ])
    };
    let folder = tempfile::tempdir().unwrap();
    let context = raw.open(folder.path());
    for (id, why) in [("US-1", "no test account"), ("US-2", "by its status (reason not recorded)")]
    {
        let output = make_in(NAME, json!({"task": id}), &context).unwrap();
        let text = &output.artifacts[0].text;
        assert!(text.contains(&format!("- Blocked: {why}.\n")), "{text}");
    }
}
