//! `agent-brief`: its statements on a story, on others and on the bus are compared with the raw files.

use std::collections::BTreeSet;

use flow::skill::output::Output;
use serde_json::{Value, json};

use super::boards::row_ids;
use super::logs::{Raw, cites, meant};
use super::making::make;

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
