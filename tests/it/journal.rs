//! The journal: changes survive restarts and crashes, what changed while nothing ran is told, and nothing is told twice.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::random::Random;
use crate::support::{Project, Server, fed, wait_until};
use crate::tools::scaled;

const TASKS: &str = ".flow/state/task-dependencies.json";
const STATUS: &str = "docs/09-agents/status.json";

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

#[test]
fn changes_alarms_and_cursors_survive_a_restart() {
    let project = Project::new();
    let story = |criteria: &[&str], status: &str| json!({"stories": {"US-1": {"title": "Sign in", "status": status, "ac": criteria}}});
    project.replace(STATUS, story(&["Answers 400", "Locks"], "ready").to_string());
    let server = project.start();
    project.replace(STATUS, story(&["Locks"], "ready").to_string());
    wait_until("it is told", || told(server).len() == 1);
    project.replace(STATUS, story(&["Locks"], "doing").to_string());
    wait_until("it is told", || told(server).len() == 2);
    let alarms =
        |server: Server| server.get("/api/attention?kind=plan_weakened").json()["items"].take();
    let (before, raised) = (server.activity(""), alarms(server));
    let cursor =
        server.get("/api/activity?limit=1").json()["next_cursor"].as_str().unwrap().to_owned();
    project.flow(&["api", "stop"]).expect(0);

    project.replace(STATUS, story(&["Locks"], "done").to_string());
    let server = project.start();
    let now = told(server);
    assert_eq!(now.last().unwrap(), "US-1 changed status doing done while_stopped");
    assert_eq!((now.len(), &server.activity("")[1..]), (3, &before[..]), "the same changes");
    assert_eq!(alarms(server), raised);
    let older = server.get(&format!("/api/activity?limit=1&cursor={cursor}"));
    assert_eq!((older.status, &older.json()["activity"][0]), (200, &before[1]));
    // The same changes of the one record, oldest first.
    let mut listed = server.activity("");
    listed.reverse();
    assert_eq!(server.get("/api/stories/US-1/history").json()["history"], json!(listed));
    assert_eq!(server.get("/api/tasks/US-1/history").status, 404);
    assert_eq!(server.get("/api/sessions/US-1/history").status, 404);
    project.flow(&["api", "stop"]).expect(0);

    // What is restored while nothing runs is restored.
    project.replace(STATUS, story(&["Answers 400", "Locks"], "done").to_string());
    let server = project.start();
    assert_eq!(alarms(server), json!([]));
    // Nothing changed, so nothing is told.
    project.flow(&["api", "stop"]).expect(0);
    let server = project.start();
    assert_eq!(told(server).len(), 4, "{:?}", told(server));
}

#[test]
fn the_files_are_the_users_alone_and_the_project_gets_none() {
    let project = Project::new();
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "queued")])).to_string());
    let server = project.start();
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "running")])).to_string());
    wait_until("it is written", || folder(&project).join("00000000000000000001.log").exists());
    for entry in fs::read_dir(folder(&project)).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{:?}", entry.path());
    }
    assert_eq!(fs::metadata(folder(&project)).unwrap().permissions().mode() & 0o777, 0o700);
    let health = server.get("/api/health").json();
    assert_eq!(health["history"]["state"], "kept", "{health}");
    let names = project.files("");
    assert!(
        names.iter().all(|name| !name.contains("history") && !name.contains("plan")),
        "{names:?}"
    );
}

#[test]
fn the_user_alone_can_turn_it_off_and_then_nothing_is_written() {
    let project = Project::new();
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "queued")])).to_string());
    let started =
        project.command().args(["api", "start", "--no-history", "PORT=0", "--json"]).output();
    let server = Server::from(&serde_json::from_slice(&started.unwrap().stdout).unwrap());
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "running")])).to_string());
    wait_until("it is told", || told(server).len() == 1);
    assert_eq!(server.get("/api/health").json()["history"]["state"], "off");
    project.flow(&["api", "stop"]).expect(0);
    let config = project.runtime.with_file_name("config").join("flow");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.json"), r#"{"history": false}"#).unwrap();
    let server = project.start();
    assert_eq!(server.get("/api/health").json()["history"]["state"], "off");
    project.flow(&["api", "stop"]).expect(0);
    assert!(!project.state().join("flow").exists());
    project.write(".flow/config.json", r#"{"history": false}"#);
    let refused = project.flow(&["api", "start", "PORT=0"]).expect(2);
    assert!(refused.err.contains("may only be set in your own settings"), "{refused:?}");
}

#[test]
fn a_server_that_cannot_keep_changes_serves_them() {
    let project = Project::new();
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "queued")])).to_string());
    fs::create_dir_all(project.state().join("flow")).unwrap();
    fs::write(project.state().join("flow/history"), "no folder").unwrap();
    let server = project.start();
    assert_eq!(server.get("/api/health").json()["history"]["state"], "failed");
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "running")])).to_string());
    wait_until("it is told", || told(server) == ["t1 changed state queued running watched"]);
    project.flow(&["api", "stop"]).expect(0);

    // A folder that is taken away while it is in use.
    fs::remove_file(project.state().join("flow/history")).unwrap();
    let server = project.start();
    assert_eq!(server.get("/api/health").json()["history"]["state"], "kept");
    fs::remove_dir_all(project.state().join("flow")).unwrap();
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "completed")])).to_string());
    let state = || server.get("/api/health").json()["history"]["state"].clone();
    wait_until("health says so", || state() == "failed");
    assert_eq!(told(server), ["t1 changed state running completed watched"]);
    project.flow(&["api", "stop"]).expect(0);
}

#[test]
fn damaged_files_cost_what_is_damaged() {
    let project = Project::new();
    let state = |state| tasks(&BTreeMap::from([(1, state)]));
    project.replace(TASKS, state("queued").to_string());
    let server = project.start();
    for next in ["running", "blocked", "running", "failed"] {
        let before = told(server).len();
        project.replace(TASKS, state(next).to_string());
        wait_until("it is told", || told(server).len() > before);
    }
    let all = told(server);
    project.flow(&["api", "stop"]).expect(0);
    let (log, plan) =
        (folder(&project).join("00000000000000000001.log"), folder(&project).join("plan"));
    let (lines, saved) = (fs::read(&log).unwrap(), fs::read(&plan).unwrap());
    let text = String::from_utf8(lines.clone()).unwrap();
    let second = text.lines().take(2).map(|line| line.len() + 1).sum::<usize>();
    let one = |number: usize| all[number..].to_vec();
    for (log_is, plan_is, expected) in [
        // Without a plan, nothing is known of what changed while nothing ran.
        (lines.clone(), None, all.clone()),
        (lines.clone(), Some(b"no plan".to_vec()), all.clone()),
        // A line that cannot be read hides what is before it, since it cannot be counted.
        (
            [text.lines().next().unwrap().as_bytes(), b"\nno line\n", &lines[second..]].concat(),
            Some(saved.clone()),
            one(2),
        ),
        // An end that was not written: the plan has what it changed.
        (lines[..lines.len() - 9].to_vec(), None, all[..3].to_vec()),
        (Vec::new(), Some(saved.clone()), Vec::new()),
        (vec![0; 5000], Some(saved.clone()), Vec::new()),
    ] {
        fs::write(&log, log_is).unwrap();
        match plan_is {
            Some(bytes) => fs::write(&plan, bytes).unwrap(),
            None => drop(fs::remove_file(&plan)),
        }
        let server = project.start();
        assert_eq!(told(server), expected);
        project.flow(&["api", "stop"]).expect(0);
    }
}

#[test]
fn a_file_that_cannot_be_read_at_an_end_or_a_start_loses_the_changes_of_no_other() {
    let project = Project::new();
    let states = |state| tasks(&BTreeMap::from([(1, state)]));
    let story = |status: &str| json!({"stories": {"US-1": {"title": "Sign in", "status": status}}});
    project.replace(TASKS, states("queued").to_string());
    project.write(STATUS, "{\"stories\": {");
    let server = project.start();
    project.replace(TASKS, states("running").to_string());
    wait_until("it is told", || told(server).len() == 1);
    project.flow(&["api", "stop"]).expect(0);
    project.replace(TASKS, states("completed").to_string());
    let server = project.start();
    let expected = [
        "t1 changed state queued running watched",
        "t1 changed state running completed while_stopped",
    ];
    assert_eq!(told(server), expected);
    // What it holds when it can be read for the first time is no change.
    project.replace(STATUS, story("ready").to_string());
    wait_until("it is served", || server.get("/api/stories/US-1").status == 200);
    project.replace(STATUS, story("doing").to_string());
    wait_until("it is told", || told(server).len() == 3);
    assert_eq!(told(server)[2], "US-1 changed status ready doing watched");
    project.flow(&["api", "stop"]).expect(0);
    // Broken while no server runs: nothing is known of its records until it is whole.
    project.write(STATUS, "{\"stories\": {");
    let server = project.start();
    assert_eq!(told(server).len(), 3, "{:?}", told(server));
    assert_eq!(server.get("/api/attention").json()["counts"]["plan_weakened"], 0);
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

#[test]
fn flow_mcp_reads_what_a_server_keeps_and_writes_nothing() {
    let project = Project::new();
    let state = |state| tasks(&BTreeMap::from([(1, state)]));
    project.replace(TASKS, state("queued").to_string());
    let server = project.start();
    project.replace(TASKS, state("running").to_string());
    wait_until("it is told", || told(server).len() == 1);
    let health = || server.get("/api/health").json()["history"]["bytes"].as_u64().unwrap();
    let size = |name: &str| folder(&project).join(name).metadata().map_or(0, |file| file.len());
    wait_until("it is written", || {
        let log = size("00000000000000000001.log");
        log > 0 && health() == log + size("plan")
    });
    let before = health();
    let asked = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"what_changed","arguments":{}}}"#,
        "\n"
    );
    let output = fed(project.command().arg("mcp"), asked.as_bytes());
    let text = String::from_utf8(output.stdout).unwrap();
    let answer = text.lines().find(|line| line.contains(r#""id":2"#)).unwrap();
    let answer: Value = serde_json::from_str(answer).unwrap();
    let given = answer["result"]["content"][0]["text"].as_str().unwrap();
    let given: Value = serde_json::from_str(given).unwrap();
    assert_eq!(given["activity"], json!(server.activity("")), "{answer}");
    assert_eq!(health(), before, "the server alone writes");
}

#[test]
fn a_file_that_is_broken_at_a_start_hides_nothing_that_changed_before() {
    let project = Project::new();
    let plan = |stories: Value| json!({"stories": stories}).to_string();
    let both = plan(json!({"US-1": {"status": "ready"}, "US-2": {"status": "ready"}}));
    project.write(STATUS, &both);
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "queued")])).to_string());
    project.start();
    project.flow(&["api", "stop"]).expect(0);
    // Two starts with the broken file, of which one is killed; other files change between them.
    project.write(STATUS, "{\"stories\": {\"US");
    let server = project.start();
    project.replace(TASKS, tasks(&BTreeMap::from([(1, "running")])).to_string());
    wait_until("it is told", || told(server) == ["t1 changed state queued running watched"]);
    crash(server);
    let server = project.start();
    let stopped = "t1 changed state queued running while_stopped";
    wait_until("it is told", || told(server) == [stopped]);
    project.write(STATUS, &plan(json!({"US-2": {"status": "done"}})));
    let all = [
        stopped,
        "US-2 changed status ready done while_stopped",
        "US-1 removed status ready - while_stopped",
    ];
    wait_until("it is told", || told(server) == all);
    let alarms = server.get("/api/attention?kind=plan_weakened").json()["items"].clone();
    assert_eq!(alarms[0]["id"], "US-1", "{alarms}");
    project.flow(&["api", "stop"]).expect(0);
    let server = project.start();
    assert_eq!(told(server), all);
}
