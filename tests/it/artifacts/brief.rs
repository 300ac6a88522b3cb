//! `agent-brief`: its statements on a story, on others and on the bus are compared with the raw files.

use std::collections::BTreeSet;

use flow::skill::output::Output;
use serde_json::{Value, json};

use super::boards::row_ids;
use super::logs::{Raw, cites, meant};
use super::making::{make, make_in};

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
        let fields = json!({"task": format!("Please finish ({id})."), "agent": "api"});
        check(&make(NAME, fields).unwrap(), id, Some("api"));
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
