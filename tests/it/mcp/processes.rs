//! The processes in which skills run: their limits, and their end with the call or the connection.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use super::client::{Client, Revision, hello, request};
use crate::support::{Project, is_alive, send, wait_until};
use crate::tools::{figure, milliseconds, scaled};
use crate::transcript::demo;

/// The processes that a process has started, and those that these have started.
fn started_by(pid: u32) -> Vec<u32> {
    let mut found = vec![pid];
    let mut at = 0;
    while at < found.len() {
        let threads = fs::read_dir(format!("/proc/{}/task", found[at]));
        for thread in threads.into_iter().flatten().flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().map(|pid| pid.parse::<u32>().unwrap()));
        }
        at += 1;
    }
    found.split_off(1)
}

/// A project, and the program in it, with a git that never ends.
struct Halting {
    project: Project,
}

impl Halting {
    fn new() -> Self {
        let project = demo();
        let git = project.runtime.join("programs/git");
        fs::create_dir_all(git.parent().unwrap()).unwrap();
        fs::write(&git, "#!/bin/sh\nexec sleep 600\n").unwrap();
        fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
        let init = Command::new("git").args(["init", "-q"]).current_dir(&project.root).status();
        assert!(init.unwrap().success());
        Self { project }
    }

    fn command(&self) -> Command {
        let mut command = self.project.command();
        let programs = self.project.runtime.join("programs");
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        command.env("PATH", path);
        command
    }

    /// A call that waits for git, and the processes that it has started: the skill's and git.
    #[track_caller]
    fn call(client: &mut Client) -> (u64, Vec<u32>) {
        let id = client.request("tools/call", call());
        (id, running(client.pid()))
    }
}

fn call() -> Value {
    let fields = json!({"range": "HEAD"});
    json!({"name": "run_skill", "arguments": {"name": "changelog-entry", "fields": fields}})
}

/// The skill's process and git.
#[track_caller]
fn running(pid: u32) -> Vec<u32> {
    let is_git = |pid: &u32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.starts_with(b"sleep\0")
    };
    let mut found = Vec::new();
    wait_until("git runs", || {
        found = started_by(pid);
        found.iter().any(is_git)
    });
    assert_eq!(found.len(), 2, "the skill's process and git");
    found
}

/// The time until none of them is alive.
#[track_caller]
fn ended(pids: &[u32]) -> Duration {
    let began = Instant::now();
    wait_until("the processes have ended", || !pids.iter().any(|pid| is_alive(*pid)));
    began.elapsed()
}

#[test]
fn a_skill_that_needs_too_much_memory_is_an_error_of_its_call() {
    let project = Project::new();
    // Each number takes two bytes here, and more than thirty in memory.
    let many = format!("{{\"stories\": {{\"US-1\": {{\"x\": [{}0]}}}}}}", "0,".repeat(9_000_000));
    project.write("docs/09-agents/status.json", &many);
    let mut client = Client::start(&project, Revision::Handshake);
    let sentence = client.fault("run_skill", json!({"name": "blocker-analysis"}));
    assert_eq!(
        sentence,
        "the skill needed more than 1 GiB of memory, or was nested too deeply (SIGABRT); give it less at once"
    );
    let prompt = client.ask("prompts/get", json!({"name": "blocker-analysis"}));
    assert_eq!(prompt["error"]["message"], sentence.as_str());
    let made = client.value(
        "run_skill",
        json!({"name": "type-definitions", "text": "User: id uuid, name text"}),
    );
    assert!(made["artifacts"][0]["text"].as_str().unwrap().contains("User"), "{made}");
    assert_eq!(client.close().code, Some(0));
}

#[test]
fn the_end_of_a_skills_process_is_an_error_of_its_call() {
    let halting = Halting::new();
    let mut client = Client::run(halting.command(), Revision::Handshake);
    for (signal, expected) in [
        (Signal::SIGABRT, "the skill needed more than 1 GiB of memory, or was nested too deeply"),
        (Signal::SIGXCPU, "the skill took more than 10 s of processor time; give it less at once"),
        (Signal::SIGKILL, "the skill ended without a result (signal: 9 (SIGKILL))"),
    ] {
        let (id, pids) = Halting::call(&mut client);
        send(pids[0], signal);
        let answer = client.answer(id);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let sentence = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(sentence.starts_with(expected), "{sentence}");
        ended(&pids);
        client.value("list_skills", json!({}));
    }
    client.close().in_order();
}

#[test]
fn skills_that_take_long_hold_up_nothing_else() {
    let halting = Halting::new();
    let mut client = Client::run(halting.command(), Revision::Handshake);
    let ids: Vec<u64> = (0..8).map(|_| client.request("tools/call", call())).collect();
    wait_until("two skills run, each with git", || started_by(client.pid()).len() == 4);
    // The answer comes although no skill has ended.
    let status =
        client.request("tools/call", json!({"name": "get_project_status", "arguments": {}}));
    assert_eq!(client.answer(status)["result"]["isError"], false);
    for id in ids {
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    }
    assert_eq!(client.close().in_order().rest, Vec::<Value>::new());
}

#[test]
fn a_cancelled_call_ends_its_processes() {
    let halting = Halting::new();
    for revision in [Revision::Handshake, Revision::Inline] {
        let mut client = Client::run(halting.command(), revision);
        let (id, pids) = Halting::call(&mut client);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        figure("cancelled_skill_ended_ms", milliseconds(ended(&pids)));
        client.value("list_skills", json!({}));
        assert_eq!(client.close().in_order().rest, Vec::<Value>::new());
    }
}

#[test]
fn the_end_of_the_connection_ends_the_processes_of_calls() {
    let halting = Halting::new();
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        let mut client = Client::run(halting.command(), Revision::Handshake);
        let (_, pids) = Halting::call(&mut client);
        send(client.pid(), signal);
        figure("disconnected_skill_ended_ms", milliseconds(ended(&pids)));
        client.ended();
    }
    // A client that is gone reads no answer either.
    let mut command = halting.command();
    command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    writeln!(input, "{}", request(Revision::Handshake, 1, "initialize", hello())).unwrap();
    output.read_line(&mut String::new()).unwrap();
    writeln!(input, "{}", request(Revision::Handshake, 2, "tools/call", call())).unwrap();
    let pids = running(server.id());
    drop((input, output));
    figure("disconnected_skill_ended_ms", milliseconds(ended(&pids)));
    assert!(server.wait().unwrap().success());
}

#[test]
fn a_cancelled_analysis_of_a_large_ring_ends_soon() {
    let many = scaled(60_000, 300_000);
    let project = Project::new();
    let story =
        |at: usize| format!("\"US-{at}\": {{\"depends_on\": [\"US-{}\"]}}", (at + 1) % many);
    let stories: Vec<String> = (0..many).map(story).collect();
    let text = format!("{{\"stories\": {{{}}}}}", stories.join(", "));
    project.write("docs/09-agents/status.json", &text);
    let mut client = Client::start(&project, Revision::Handshake);
    // The first call reads the file.
    client.value("list_skills", json!({}));
    let id = client.request(
        "tools/call",
        json!({"name": "run_skill", "arguments": {"name": "blocker-analysis"}}),
    );
    wait_until("the skill runs", || !started_by(client.pid()).is_empty());
    let pids = started_by(client.pid());
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    figure("cancelled_analysis_ended_ms", milliseconds(ended(&pids)));
    client.value("list_skills", json!({}));
    client.close().in_order();
}
