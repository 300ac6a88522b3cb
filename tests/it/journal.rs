//! The journal: a server that is killed at any time tells each change once, and of all that follow a project one writes.
//! `tests/cases/history/kept.in` shows restarts, broken files and damage.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::random::Random;
use crate::support::{Project, Server, wait_until};
use crate::tools::scaled;

const TASKS: &str = ".flow/state/task-dependencies.json";

/// The changes, oldest first, as `ID change field from to how`.
fn told(server: Server) -> Vec<String> {
    let line = |row: &Value| {
        let text = |name: &str| row[name].as_str().unwrap_or("-").to_owned();
        ["id", "change", "field", "from", "to", "how"].map(text).join(" ")
    };
    server.activity("limit=10000").iter().rev().map(line).collect()
}

/// The folder of the journal.
fn folder(project: &Project) -> PathBuf {
    let all = project.state().join("flow/history");
    let mut entries = fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path());
    let folder = entries.next().unwrap();
    assert!(entries.next().is_none(), "there is one for each project");
    folder
}

/// Ends the server as a crash does.
fn crash(server: Server) {
    let pid = Pid::from_raw(i32::try_from(server.pid).unwrap());
    kill(pid, Signal::SIGKILL).unwrap();
    wait_until("it is gone", || kill(pid, None).is_err());
}

fn tasks(states: &BTreeMap<usize, &str>) -> Value {
    let task = |(id, state): (&usize, &&str)| json!({"id": format!("t{id}"), "state": state});
    json!({"tasks": states.iter().map(task).collect::<Vec<_>>()})
}

/// For each task, what is told must follow from one state to the next, from the first to that on disk.
#[track_caller]
fn check_chains(told: &[Value], first: &BTreeMap<usize, &str>, last: &BTreeMap<usize, &str>) {
    let mut states: BTreeMap<String, Option<String>> =
        first.iter().map(|(id, state)| (format!("t{id}"), Some((*state).to_owned()))).collect();
    for row in told {
        let text = |name: &str| row[name].as_str().map(str::to_owned);
        let state = states.entry(text("id").unwrap()).or_default();
        assert_eq!(*state, text("from"), "{row} does not follow");
        *state = text("to");
    }
    states.retain(|_, state| state.is_some());
    let last =
        last.iter().map(|(id, state)| (format!("t{id}"), Some((*state).to_owned()))).collect();
    assert_eq!(states, last);
}

#[test]
fn a_server_that_is_killed_at_any_time_tells_each_change_once() {
    const STATES: [&str; 4] = ["queued", "running", "blocked", "completed"];
    let project = Project::new();
    let first: BTreeMap<usize, &str> = (0..8).map(|id| (id, "queued")).collect();
    project.replace(TASKS, tasks(&first).to_string());
    let mut dice = Random(5);
    let mut now = first.clone();
    let mut write = |project: &Project, now: &mut BTreeMap<usize, &'static str>| {
        let id = dice.below(12);
        match dice.below(5) {
            0 => _ = now.remove(&id),
            state => _ = now.insert(id, STATES[state - 1]),
        }
        project.replace(TASKS, tasks(now).to_string());
        dice.below(450)
    };
    // The first run has the plan that later ones are compared with.
    project.start();
    project.flow(&["api", "stop"]).expect(0);
    for _ in 0..scaled(10, 500) {
        let server = project.start();
        for _ in 0..6 {
            let pause = write(&project, &mut now);
            std::thread::sleep(std::time::Duration::from_millis(pause as u64));
        }
        crash(server);
        write(&project, &mut now);
    }
    let server = project.start();
    let mut all = server.activity("limit=10000");
    all.reverse();
    let how = |how: &str| all.iter().filter(|row| row["how"] == how).count();
    assert!(
        how("watched") > 3 && how("while_stopped") > 3,
        "{} {}",
        how("watched"),
        how("while_stopped")
    );
    check_chains(&all, &first, &now);
}

#[test]
fn of_all_that_follow_a_project_one_writes_its_history() {
    let project = Project::new();
    let state = |state| tasks(&BTreeMap::from([(1, state)]));
    project.replace(TASKS, state("queued").to_string());
    let server = project.start();
    let mut others: Vec<Child> = [&["watch"][..], &["mcp"], &["mcp"]]
        .map(|words| {
            let mut command = project.command();
            command.args(words).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap()
        })
        .into();
    let states = ["running", "blocked", "failed", "queued"];
    for round in 1..=60 {
        project.replace(TASKS, state(states[round % states.len()]).to_string());
        if round % 20 == 0 {
            let ran = project.flow(&["api", "start", "--json"]).expect(0);
            assert_eq!(ran.json()["pid"], server.pid, "it is the same server");
        }
        wait_until("it is told", || told(server).len() == round);
    }
    project.flow(&["api", "stop"]).expect(0);
    for other in &mut others {
        assert!(other.try_wait().unwrap().is_none(), "it still runs");
        other.kill().unwrap();
        other.wait().unwrap();
    }
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder(&project)).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "log") {
            let text = fs::read_to_string(path).unwrap();
            let line = |line: &str| serde_json::from_str::<Value>(line).unwrap()["n"].as_u64();
            numbers.extend(text.lines().map(|one| line(one).unwrap()));
        }
    }
    assert_eq!(numbers, (1..=60).collect::<Vec<u64>>());
}
