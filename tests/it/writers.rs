//! Four real writers that overwrite each other's tasks, two of them those of the npm package `agileflow`: what is lost is
//! told, nothing else is, and at the end the disk is what is served.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::artifacts::judge;
use crate::oracle::{self, Files, compare};
use crate::support::{Project, Server, wait_until};
use crate::tools::{figure, scaled};

const TASKS: &str = ".agileflow/state/task-dependencies.json";
/// States in which a task is still to be done.
const OPEN: [&str; 4] = ["queued", "running", "blocked", "none"];

fn writer(project: &Project, kind: &str, name: &str, count: u32) -> Child {
    Command::new("node")
        .args(["writer.cjs", kind, project.root.to_str().unwrap(), name, &count.to_string()])
        .current_dir(judge::folder())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a server says of its tasks: each with its state.
fn tasks(server: Server) -> BTreeMap<String, String> {
    let answer = server.get("/api/tasks").json();
    let state = |task: &Value| task["state"].as_str().unwrap_or("none").to_owned();
    let tasks = answer["tasks"].as_array().unwrap().iter();
    tasks.map(|task| (task["id"].as_str().unwrap().to_owned(), state(task))).collect()
}

/// What `/api/activity` tells of tasks that came, went or changed their state.
struct Told {
    /// The newest change of each task: what it was, and the state before.
    last: BTreeMap<String, (String, String)>,
    /// The tasks that were removed at some time.
    removed: BTreeSet<String>,
}

fn told(server: Server) -> Told {
    let answer = server.get("/api/activity?collection=tasks&limit=10000").json();
    assert_eq!(answer["forgotten"], 0, "the test is too long for what is kept");
    let mut told = Told { last: BTreeMap::new(), removed: BTreeSet::new() };
    for row in answer["activity"].as_array().unwrap().iter().filter(|row| row["field"] == "state") {
        let text = |name: &str| row[name].as_str().unwrap_or("none").to_owned();
        if row["change"] == "removed" {
            told.removed.insert(text("id"));
        }
        told.last.entry(text("id")).or_insert_with(|| (text("change"), text("from")));
    }
    told
}

/// The tasks that attention names as removed, and the number of all of them: an item names three.
struct Vanished {
    named: BTreeSet<String>,
    count: u64,
}

fn vanished(server: Server) -> Vanished {
    let answer = server.get("/api/attention?kind=plan_weakened").json();
    let removed = |item: &&Value| item["change"] == "removed" && item["field"] == "state";
    let items: Vec<&Value> = answer["items"].as_array().unwrap().iter().filter(removed).collect();
    let ids = items.iter().flat_map(|item| item["ids"].as_array().unwrap());
    Vanished {
        named: ids.map(|id| id.as_str().unwrap().to_owned()).collect(),
        count: items.iter().map(|item| item["count"].as_u64().unwrap()).sum(),
    }
}

/// Whether all that is served of the tasks is what is on disk.
fn is_as_on_disk(project: &Project, server: Server) -> bool {
    let path = project.root.join(TASKS);
    let bytes = fs::read(&path).unwrap();
    let files = Files {
        tasks: Some((bytes, fs::metadata(&path).unwrap().modified().unwrap())),
        ..Files::default()
    };
    let reply = server.get("/api/tasks");
    let expected = oracle::answer(&files, "/api/tasks");
    compare::difference(&expected, reply.status, &reply.body).is_none()
}

/// What readings of the server saw, one after the other.
#[derive(Default)]
struct Seen {
    /// The last state of each task that a reading saw.
    states: BTreeMap<String, String>,
    newest: BTreeMap<String, String>,
    /// The open tasks that one reading saw and the next one lacked.
    lost: BTreeSet<String>,
}

impl Seen {
    fn take(&mut self, reading: BTreeMap<String, String>) {
        let is_lost = |(id, state): &(&String, &String)| {
            OPEN.contains(&state.as_str()) && !reading.contains_key(*id)
        };
        self.lost.extend(self.newest.iter().filter(is_lost).map(|(id, _)| id.clone()));
        self.states.extend(reading.clone());
        self.newest = reading;
    }
}

/// What was served while the writers wrote.
fn served_while_writing(server: Server, writers: &mut [Child]) -> Seen {
    let mut seen = Seen::default();
    while writers.iter_mut().any(|writer| writer.try_wait().unwrap().is_none()) {
        seen.take(tasks(server));
        let health = server.get("/api/health").json();
        assert_eq!(health["status"], "ok", "{health}");
    }
    seen
}

/// The ids of the tasks that the writers made.
fn made_by(writers: Vec<Child>) -> BTreeSet<String> {
    let made = writers.into_iter().flat_map(|writer| {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice::<Vec<String>>(&output.stdout).unwrap()
    });
    made.collect()
}

/// Every open task that one reading saw and a later one lacks is in the activity and, unless it is back, in the attention; both
/// name the same tasks.
#[track_caller]
fn check_losses(seen: &Seen, told: &Told, left: &BTreeMap<String, String>, vanished: &Vanished) {
    let changes = &told.last;
    for id in &seen.lost {
        assert!(told.removed.contains(id), "{id} was lost between two readings, and not told");
    }
    for (id, state) in &seen.states {
        if left.contains_key(id) {
            continue;
        }
        assert_eq!(
            changes.get(id).map(|(change, _)| change.as_str()),
            Some("removed"),
            "{id} was {state}"
        );
    }
    let lost: BTreeSet<String> = changes
        .iter()
        .filter(|(_, (change, from))| change == "removed" && OPEN.contains(&from.as_str()))
        .map(|(id, _)| id.clone())
        .collect();
    // One that was completed before it was lost needs nobody.
    assert!(vanished.named.is_subset(&lost), "{:?} and {lost:?}", vanished.named);
    assert_eq!(vanished.count, lost.len() as u64, "attention and activity agree");
}

#[test]
fn what_four_writers_lose_to_each_other_is_told_and_nothing_else() {
    if !judge::are_there(&["node", "node_modules/agileflow/package.json"]) {
        return;
    }
    let project = Project::new();
    project.write(TASKS, r#"{"tasks":{},"task_groups":{},"audit_trail":[]}"#);
    let server = project.start();
    let count = scaled(40, 80);
    let kinds = ["agileflow", "agileflow", "plain", "plain"];
    let names = ["one", "two", "three", "four"];
    let mut writers: Vec<Child> = kinds
        .into_iter()
        .zip(names)
        .map(|(kind, name)| writer(&project, kind, name, count))
        .collect();
    let mut seen = served_while_writing(server, &mut writers);
    let made = made_by(writers);
    wait_until("the disk is served", || is_as_on_disk(&project, server));

    let (left, told, vanished) = (tasks(server), told(server), vanished(server));
    let changes = &told.last;
    seen.take(left.clone());
    check_losses(&seen, &told, &left, &vanished);
    for id in &told.removed {
        assert!(made.contains(id), "{id} is no task of theirs");
    }
    for id in &vanished.named {
        assert!(made.contains(id) && !left.contains_key(id), "{id} was not lost");
    }
    for id in left.keys() {
        assert!(changes.get(id).is_none_or(|(change, _)| change != "removed"), "{id} is there");
    }
    assert_eq!(server.get("/api/health").json()["status"], "ok");
    assert!(vanished.count > 0, "these writers lose tasks, or the test shows nothing");
    figure("writers_tasks_made", made.len());
    figure("writers_tasks_left", left.len());
    figure("writers_tasks_lost_between_readings", seen.lost.len());
    figure("writers_tasks_lost_and_told", vanished.count);
}
