//! `flow wait`: each thing is told once, with a server, without one, and while one comes and goes.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::shell::git;
use crate::support::{FLOW, Project, Ran, halt, send, wait_until};
use crate::transcript::demo;

const TASKS: &str = ".flow/state/task-dependencies.json";
const STATUS: &str = "docs/09-agents/status.json";

/// Replaces the tasks as careful writers do.
fn put(project: &Project, path: &str, value: &Value) {
    let beside = format!("{path}.new");
    project.write(&beside, &value.to_string());
    std::fs::rename(project.root.join(beside), project.root.join(path)).unwrap();
}

fn tasks(count: usize, state: &str) -> Value {
    let tasks: Vec<Value> =
        (0..count).map(|n| json!({"id": format!("t{n}"), "state": state})).collect();
    json!({ "tasks": tasks })
}

fn story(status: &str) -> Value {
    json!({"stories": {"US-1": {"title": "Pay", "status": status}}})
}

/// The answer of a call that must end with this exit code.
#[track_caller]
fn wait(project: &Project, words: &[&str], code: i32) -> Value {
    let words = [&["wait", "--json"], words].concat();
    project.flow(&words).expect(code).json()
}

/// The cursor of now.
#[track_caller]
fn cursor(project: &Project, condition: &str) -> String {
    text(&wait(project, &[condition, "--timeout", "0"], 1)["cursor"])
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn words(items: &Value, name: &str) -> Vec<String> {
    items.as_array().unwrap().iter().map(|item| text(&item[name])).collect()
}

/// What is told from a cursor on, until a call times out.
#[track_caller]
fn told(project: &Project, condition: &str, cursor: &mut String, name: &str) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let ran = project.flow(&["wait", condition, "--json", "--timeout", "0", "--since", cursor]);
        let answer = ran.json();
        *cursor = text(&answer["cursor"]);
        if ran.code == 1 {
            return all;
        }
        assert_eq!(ran.code, 0, "{ran:?}");
        all.extend(words(&answer["items"], name));
    }
}

fn waiting(project: &Project, words: &[&str]) -> Child {
    let mut command = project.command();
    command.arg("wait").args(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A script as people write it: it reads lines, and runs the command anew after each.
const SCRIPT: &str = r#"
c=$("$0" wait change --timeout 0 | sed -n 's/^cursor *//p')
echo ready
while out=$("$0" wait change --since "$c" --timeout 60); do
    printf '%s\n' "$out" | sed -n 's/^\(t[0-9]*\) .*/\1/p'
    c=$(printf '%s\n' "$out" | sed -n 's/^cursor *//p')
    case $out in *t99\ *) exit 0 ;; esac
done
exit 1
"#;

#[test]
fn a_script_is_told_each_of_a_hundred_changes_once() {
    let project = Project::new();
    put(&project, TASKS, &tasks(0, "queued"));
    let server = project.start();
    let mut script = Command::new("sh");
    script.args(["-c", SCRIPT, FLOW]).current_dir(&project.root);
    script.env("FLOW_RUNTIME_DIR", &project.runtime).env("XDG_STATE_HOME", project.state());
    let mut script = script.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = std::io::BufReader::new(script.stdout.take().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut out, &mut line).unwrap();
    assert_eq!(line, "ready\n");
    for count in 1..=100 {
        put(&project, TASKS, &tasks(count, "queued"));
        wait_until("the change is recorded", || {
            server.get("/api/activity").json()["total"] == count
        });
    }
    let mut all = String::new();
    std::io::Read::read_to_string(&mut out, &mut all).unwrap();
    assert_eq!(script.wait().unwrap().code(), Some(0), "{all}");
    let expected: Vec<String> = (0..100).map(|n| format!("t{n}")).collect();
    assert_eq!(all.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn what_needs_you_is_told_once_while_servers_come_and_go() {
    let project = Project::new();
    put(&project, TASKS, &tasks(0, "failed"));
    let mut at = cursor(&project, "needs-you");
    let mut all = Vec::new();
    for count in 1..=100_usize {
        match count {
            20 | 60 => drop(project.start()),
            40 | 80 => drop(project.flow(&["api", "stop"]).expect(0)),
            _ => {}
        }
        put(&project, TASKS, &tasks(count, "failed"));
        if count % 3 == 0 {
            continue;
        }
        let answer = wait(&project, &["--since", &at, "--timeout", "60"], 0);
        at = text(&answer["cursor"]);
        all.extend(words(&answer["items"], "id"));
    }
    all.extend(told(&project, "needs-you", &mut at, "id"));
    let once: BTreeSet<&String> = all.iter().collect();
    assert_eq!((all.len(), once.len()), (100, 100), "{all:?}");
}

#[test]
fn what_fails_again_is_told_again() {
    let project = Project::new();
    put(&project, TASKS, &tasks(2, "running"));
    let server = project.start();
    let mut at = cursor(&project, "needs-you");
    let put = |value: &Value, total: u64| {
        put(&project, TASKS, value);
        wait_until("it is recorded", || server.get("/api/activity").json()["total"] == total);
    };
    put(&tasks(2, "failed"), 2);
    assert_eq!(told(&project, "needs-you", &mut at, "id").len(), 2);
    assert!(told(&project, "needs-you", &mut at, "id").is_empty());
    // Both begin anew and fail between two calls.
    put(&tasks(2, "running"), 4);
    put(&tasks(2, "failed"), 6);
    assert_eq!(told(&project, "needs-you", &mut at, "key").len(), 2);
    assert!(told(&project, "needs-you", &mut at, "id").is_empty());
}

/// While git is at work, the server serves a change before it records it.
#[test]
fn what_fails_while_git_is_at_work_is_told_once() {
    let project = Project::new();
    git(&project.root, &["init", "-q"]);
    put(&project, TASKS, &tasks(1, "running"));
    let server = project.start();
    let mut at = cursor(&project, "needs-you");
    project.write(".git/index.lock", "");
    put(&project, TASKS, &tasks(1, "failed"));
    wait_until("it is served", || server.get("/api/attention").json()["count"] == 1);
    assert_eq!(server.get("/api/activity").json()["total"], 0, "not recorded yet");
    assert_eq!(told(&project, "needs-you", &mut at, "id"), ["t0"]);
    std::fs::remove_file(project.root.join(".git/index.lock")).unwrap();
    let recorded = |total: u64| {
        wait_until("it is recorded", || server.get("/api/activity").json()["total"] == total);
    };
    recorded(1);
    assert!(told(&project, "needs-you", &mut at, "id").is_empty());
    put(&project, TASKS, &tasks(1, "running"));
    recorded(2);
    put(&project, TASKS, &tasks(1, "failed"));
    recorded(3);
    assert_eq!(told(&project, "needs-you", &mut at, "id"), ["t0"]);
}

#[test]
fn the_items_that_are_there_already_are_told_from_the_start() {
    let project = demo();
    for server in [false, true] {
        if server {
            project.start();
        }
        let attention = project.flow(&["api", "get", "attention"]).json();
        let mut at = "start".to_owned();
        let keys: BTreeSet<String> =
            told(&project, "needs-you", &mut at, "key").into_iter().collect();
        let expected: BTreeSet<String> = words(&attention["items"], "key").into_iter().collect();
        assert_eq!(keys, expected);
    }
}

#[test]
fn without_a_server_the_files_are_compared() {
    let project = Project::new();
    put(&project, STATUS, &story("ready"));
    let mut child = waiting(&project, &["change", "--timeout", "60", "--json"]);
    let mut at = cursor(&project, "change");
    // A change before the first look of the call is none, so changes come until it has ended.
    let mut status = story("ready");
    let mut numbers = 2..;
    wait_until("a change is told", || {
        let id = format!("US-{}", numbers.next().unwrap());
        status["stories"][id] = json!({"title": "Refund"});
        put(&project, STATUS, &status);
        child.try_wait().unwrap().is_some()
    });
    let answer = Ran::from(child.wait_with_output().unwrap()).expect(0).json();
    assert_eq!(answer["items"][0]["summary"], "Added: \"Refund\"", "{answer}");
    put(&project, STATUS, &story("done"));
    // Between two calls nobody recorded it, but it is not missed.
    assert_eq!(told(&project, "change", &mut at, "summary").len(), 1);
    assert!(told(&project, "change", &mut at, "summary").is_empty());
    // The same content again is no change, nor is a file that is broken for a while.
    project.write(STATUS, "{");
    assert!(told(&project, "change", &mut at, "summary").is_empty());
    put(&project, STATUS, &story("done"));
    assert!(told(&project, "change", &mut at, "summary").is_empty());
}

#[test]
fn a_cursor_goes_on_when_the_server_stops_and_starts() {
    let project = Project::new();
    put(&project, STATUS, &story("ready"));
    let server = project.start();
    let mut at = cursor(&project, "change");
    put(&project, STATUS, &story("in-progress"));
    wait_until("it is recorded", || server.get("/api/activity").json()["total"] == 1);
    project.flow(&["api", "stop"]).expect(0);
    // What the server recorded is told without it, and nothing is told twice.
    let summaries = told(&project, "change", &mut at, "summary");
    assert_eq!(summaries, ["Changed: ready → in-progress"]);
    project.start();
    assert!(told(&project, "change", &mut at, "summary").is_empty());
    project.flow(&["api", "stop"]).expect(0);
    put(&project, STATUS, &story("in-review"));
    // The server finds at its start what happened without it.
    project.start();
    let summaries = told(&project, "change", &mut at, "summary");
    assert_eq!(summaries, ["Changed: in-progress → in-review"]);
    assert!(told(&project, "change", &mut at, "summary").is_empty());
}

#[test]
fn a_call_survives_a_restart_of_the_server() {
    let project = Project::new();
    put(&project, STATUS, &story("ready"));
    project.start();
    let at = cursor(&project, "change");
    let at = at.as_str();
    let mut of_story = waiting(&project, &["story", "us-1", "in", "review", "--json"]);
    let of_change = waiting(&project, &["change", "--since", at, "--json"]);
    for action in ["restart", "stop", "start"] {
        project.flow(&["api", action]).expect(0);
        assert!(of_story.try_wait().unwrap().is_none(), "{action}");
    }
    put(&project, STATUS, &story("in_review"));
    for child in [of_story, of_change] {
        let ran = Ran::from(child.wait_with_output().unwrap()).expect(0);
        assert_eq!(ran.json()["items"][0]["id"], "US-1");
        assert!(ran.err.is_empty(), "{ran:?}");
    }
}

#[test]
fn a_status_is_waited_for_in_any_spelling() {
    let project = demo();
    for server in [false, true] {
        if server {
            project.start();
        }
        for (condition, id) in [
            ("task task-0007 RUNNING", "task-0007"),
            ("story us-0010 Blocked", "US-0010"),
            ("epic ep-0001 in progress", "EP-0001"),
            ("session 3 active", "3"),
            ("session 4 closed", "4"),
        ] {
            let answer = wait(&project, &[condition, "--timeout", "0"], 0);
            let item = &answer["items"][0];
            assert_eq!(item["id"], id, "{condition}");
            // It still holds, and was told.
            let at = text(&answer["cursor"]);
            wait(&project, &[condition, "--timeout", "0", "--since", &at], 1);
        }
        wait(&project, &["no running tasks", "--timeout", "0"], 1);
        wait(&project, &["no", "in-qa", "stories", "--timeout", "0"], 0);
    }
}

#[test]
fn no_task_runs_only_if_all_can_be_read() {
    let project = Project::new();
    put(&project, TASKS, &tasks(1, "completed"));
    project.start();
    wait(&project, &["no running tasks", "--timeout", "0"], 0);
    project.write(TASKS, "{\"tasks\":");
    wait_until("the file counts as broken", || {
        project.flow(&["api", "get", "/api/health?require=ok"]).code == 1
    });
    wait(&project, &["no running tasks", "--timeout", "0"], 1);
}

#[test]
fn what_can_never_hold_is_refused_with_the_nearest() {
    let project = demo();
    let from = cursor(&project, "change");
    for (words, says) in [
        (&["need-you"][..], "the conditions are needs-you, change"),
        (&["need-you"], "did you mean needs-you?"),
        (&["story", "US-0099", "done"], "there is no story \"US-0099\"; did you mean US-0009?"),
        (&["story", "zzz", "done"], "run: flow api get 'stories?fields=id,title'"),
        (&["story", "US-0009", "doen"], "did you mean done?"),
        (&["task", "task-0001", "\u{1b}[2J"], "is no known status"),
        (&["--since", "x"], "is no cursor"),
        (&["needs-you", "--since", &from], "of another condition"),
        (&["change", "--since", "start"], "flow history"),
        (&["--timeout", "soon"], "--timeout must be a time"),
        (&["--timeout", "31d"], "at most 30 days"),
    ] {
        let ran = project.flow(&[&["wait"], words].concat()).expect(2);
        assert!(ran.err.contains(says), "{words:?}: {}", ran.err);
        assert!(ran.out.is_empty() && !ran.err.contains('\u{1b}'), "{ran:?}");
    }
}

#[test]
fn a_call_ends_with_the_time_its_reader_or_an_interrupt() {
    let project = demo();
    let ran = project.flow(&["wait", "--timeout", "0.3"]).expect(1);
    assert!(ran.out.starts_with("cursor  ") && ran.err.contains("waited 0.3"), "{ran:?}");
    project.start();
    // A test in the background is started with this signal ignored.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", FLOW, "wait"]).current_dir(&project.root);
    command.env("FLOW_RUNTIME_DIR", &project.runtime).env("XDG_STATE_HOME", project.state());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id();
    wait_until("it waits", || {
        let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        program.ends_with("flow") && state.contains(") S ")
    });
    send(pid, Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    // A shell reports this as 130.
    assert_eq!(output.status.signal(), Some(Signal::SIGINT as i32));
    assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{output:?}");
    let mut child = waiting(&project, &[]);
    drop(child.stdout.take());
    wait_until("it ends with its reader", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn a_server_that_hangs_is_reported() {
    let project = demo();
    let server = project.start();
    halt(server.pid);
    let ran = project.flow(&["wait", "--timeout", "1"]);
    send(server.pid, Signal::SIGCONT);
    assert!(ran.expect(4).err.contains("not responding"));
}
