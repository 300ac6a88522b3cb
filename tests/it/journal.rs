//! The journal: a server that is killed at any time tells each change once. `tests/cases/history` shows
//! restarts, broken files and damage, and that of all that follow a project one writes.

use std::collections::BTreeMap;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::random::Random;
use crate::support::{Project, Server, wait_until};
use crate::tools::scaled;

const TASKS: &str = ".flow/state/task-dependencies.json";

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
