//! How a plan moved: the numbers of each day and of each epic are those of a replay of the changes. `tests/cases/history` shows how long
//! records stay in a status.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::past::{activity, changed_by_chance, commit, repository};
use crate::random::Random;
use crate::support::{Project, STATUS, Server, wait_until};

/// A server that has read the past.
fn started(project: &Project) -> Server {
    let server = project.start();
    wait_until("the past is there", || !activity(server).is_empty());
    server
}

/// The open and the done tasks at the end of each day, by a replay of the changes.
fn replayed(changes: &[Value]) -> BTreeMap<String, (usize, usize)> {
    let mut states: BTreeMap<String, String> = BTreeMap::new();
    let mut days = BTreeMap::new();
    for change in changes.iter().filter(|change| change["collection"] == "tasks") {
        let text = |name: &str| change[name].as_str().unwrap_or_default().to_owned();
        let id = text("id");
        match (text("change").as_str(), text("field").as_str()) {
            ("removed" | "archived", "state") => drop(states.remove(&id)),
            ("added" | "changed" | "ticked" | "unticked", "state") => {
                states.insert(id, text("to"));
            }
            ("moved", "id") => {
                let state = states.remove(&text("from")).unwrap();
                states.insert(id, state);
            }
            _ => {}
        }
        let done = states.values().filter(|state| *state == "completed").count();
        let given_up = states.values().filter(|state| *state == "cancelled").count();
        days.insert(text("at")[..10].to_owned(), (states.len() - done - given_up, done));
    }
    days
}

#[test]
fn the_numbers_of_each_day_are_those_of_a_replay() {
    let project = changed_by_chance(90, 30_000);
    project.write(".flow/config.json", r#"{"formats": ["spec-kit"]}"#);
    let server = started(&project);
    let expected = replayed(&activity(server));
    let answer = server.get("/api/history").json();
    assert_eq!((&answer["by"], &answer["collection"]), (&json!("day"), &json!("tasks")));
    let found: BTreeMap<String, (usize, usize)> = answer["buckets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bucket| {
            let number = |name: &str| usize::try_from(bucket[name].as_u64().unwrap()).unwrap();
            let day = bucket["from"].as_str().unwrap()[..10].to_owned();
            (day, (number("open"), number("done")))
        })
        .collect();
    assert!(found.len() > 20, "{found:?}");
    assert_eq!(found, expected);
    let weeks = server.get("/api/history?by=week").json();
    let (last, day) = (weeks["buckets"].as_array().unwrap().last().unwrap(), found.values().last());
    assert_eq!(
        (last["open"].as_u64(), last["done"].as_u64()),
        day.map(|(open, done)| (Some(*open as u64), Some(*done as u64))).unwrap()
    );
    let total = |name: &str, answer: &Value| -> u64 {
        answer["buckets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bucket| bucket[name].as_u64().unwrap())
            .sum()
    };
    for name in ["added", "removed", "reopened", "weakened"] {
        assert_eq!(total(name, &weeks), total(name, &answer), "{name}");
    }
    let weak = activity(server)
        .iter()
        .filter(|change| change["effect"] == "weakened" && change["collection"] == "tasks")
        .count();
    assert_eq!(total("weakened", &answer), weak as u64);
}

/// The open and the done stories of each epic at the end of each day, by a replay of the changes of those whose epic is known.
fn replayed_by_epic(
    changes: &[Value],
    epics: &BTreeMap<String, String>,
) -> BTreeMap<String, BTreeMap<String, (usize, usize)>> {
    let mut found: BTreeMap<String, BTreeMap<String, (usize, usize)>> = BTreeMap::new();
    let mut states: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for change in changes.iter().filter(|change| change["collection"] == "stories") {
        let text = |name: &str| change[name].as_str().unwrap_or_default().to_owned();
        let Some(epic) = epics.get(&text("id")) else { continue };
        let ours = states.entry(epic.clone()).or_default();
        if change["field"] == "status" && change["change"] == "removed" {
            ours.remove(&text("id"));
        } else if change["field"] == "status" {
            ours.insert(text("id"), text("to"));
        }
        let done = ours.values().filter(|status| *status == "done").count();
        let numbers = (ours.len() - done, done);
        found.entry(epic.clone()).or_default().insert(text("at")[..10].to_owned(), numbers);
    }
    found
}

#[test]
fn the_numbers_of_each_epic_are_those_of_a_replay() {
    let project = repository();
    project.write(".gitignore", ".flow/*\n");
    let mut random = Random(7);
    let mut stories: BTreeMap<String, Value> = BTreeMap::new();
    let mut epics = BTreeMap::new();
    for at in 0..60 {
        for _ in 0..3 {
            let id = format!("US-{}", random.below(40));
            let epic = format!("EP-{}", id.len() + id.bytes().map(usize::from).sum::<usize>() % 4);
            match (random.below(8), stories.contains_key(&id)) {
                (0, true) => drop(stories.remove(&id)),
                (status, _) => {
                    let status = if status > 4 { "done" } else { "ready" };
                    let story =
                        json!({"status": status, "epic_id": epic, "title": random.below(5)});
                    epics.insert(id.clone(), epic);
                    stories.insert(id, story);
                }
            }
        }
        project.write(STATUS, &json!({"stories": stories}).to_string());
        commit(&project.root, at * 50_000);
    }
    let server = started(&project);
    let expected = replayed_by_epic(&activity(server), &epics);
    let answer = server.get("/api/history?per=epic&collection=tasks").json();
    let mut found = BTreeMap::new();
    for epic in answer["epics"].as_array().unwrap() {
        let days = epic["buckets"].as_array().unwrap().iter().map(|bucket| {
            let number = |name: &str| usize::try_from(bucket[name].as_u64().unwrap()).unwrap();
            (bucket["from"].as_str().unwrap()[..10].to_owned(), (number("open"), number("done")))
        });
        found.insert(epic["id"].as_str().unwrap().to_owned(), days.collect::<BTreeMap<_, _>>());
    }
    assert!(found.len() >= 4 && found.values().all(|days| days.len() > 3), "{found:?}");
    assert_eq!(found, expected);
    assert_eq!(server.get("/api/history").json().get("epics"), None);
    assert_eq!(server.get("/api/history?per=story").status, 400);
}
