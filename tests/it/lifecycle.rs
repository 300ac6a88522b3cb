//! Starts of the real binary that a taken port, kills or other starts disturb, and the service manager. `tests/cases/api` shows
//! starts, stops and restarts that nothing disturbs.

use std::net::TcpListener;
use std::os::unix::net::UnixDatagram;
use std::process::Stdio;
use std::time::Instant;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::{
    GENEROUS, Project, Ran, Server, WHILE_RUNNING, is_alive, is_portable, send, wait_until,
};
use crate::tools::{figure, milliseconds, percentile, scaled};

#[test]
fn a_restarted_server_gives_the_same_answers() {
    let project = Project::new();
    let stories = |done: usize| {
        let one = |at: usize| {
            let status = if at < done { "done" } else { "ready" };
            format!("{{\"id\":\"US-{at}\",\"status\":\"{status}\",\"deps\":[\"US-{}\"]}}", at + 1)
        };
        let list: Vec<String> = (0..5).map(one).collect();
        format!("{{\"stories\":[{},{{\"title\":\"no id\"}}]}}", list.join(","))
    };
    let message = |at: usize| {
        format!("{{\"from\":\"api\",\"type\":\"note\",\"text\":\"m{at}\"}}\nnot JSON\n")
    };
    let asked = ["/api/bus/messages?limit=1", "/api/stories?ready=true", "/api/stories/US-1"];
    let asked = crate::live::QUERIES.into_iter().chain(asked);
    let answers = |server: Server| -> Vec<_> {
        let answer = |path: &'static str| {
            let answer = server.get(path);
            let headers = ["ETag", "Link"].map(|name| answer.header(name).map(str::to_owned));
            (path, answer.status, headers, String::from_utf8(answer.body).unwrap())
        };
        asked.clone().map(answer).collect()
    };
    let mut log = message(0);
    project.write("docs/09-agents/status.json", &stories(0));
    project.write("docs/09-agents/bus/log.jsonl", &log);
    let mut server = project.start();
    for round in 1..4 {
        log += &message(round);
        project.write("docs/09-agents/bus/log.jsonl", &log);
        project.write("docs/09-agents/status.json", &stories(round));
        wait_until("the change is served", || {
            let is_served = |path: &str, text: String| {
                String::from_utf8(server.get(path).body).unwrap().contains(&text)
            };
            is_served("/api/bus/messages", format!("\"m{round}\""))
                && is_served(
                    &format!("/api/stories/US-{}", round - 1),
                    "\"status\":\"done\"".into(),
                )
        });
        let before = answers(server);
        let tags = before.iter().filter(|(_, _, [tag, _], _)| tag.is_some()).count();
        assert_eq!(tags, before.len(), "each of these answers has a validator");
        server = Server::from(&project.flow(&["api", "restart", "--json"]).expect(0).json());
        assert_eq!(answers(server), before, "round {round}");
    }
}

#[test]
fn a_taken_port_is_named_and_nothing_is_left() {
    let project = Project::new();
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = held.local_addr().unwrap().port();
    let words = ["api".into(), "start".into(), format!("PORT={port}"), "--json".into()];
    let facts = project.flow(&words).expect(1).json();
    assert_eq!(facts["code"], "port_taken");
    assert_eq!(facts["port"], port);
    let holder = (!is_portable()).then(std::process::id);
    assert_eq!(facts["holder"]["pid"], json!(holder));
    let free = facts["free_port"].as_u64().unwrap();
    assert!(free != 0 && free != u64::from(port));
    assert!(!project.root.join(".flow").exists(), "{:?}", project.files(""));
    let said = project.flow(&words[..3]).expect(1);
    assert!(said.err.contains(&port.to_string()) && said.err.contains("PORT="), "{said:?}");
    assert!(said.out.is_empty());
    project.status().expect(3);
}

#[test]
fn killed_and_started_again_and_again() {
    let project = Project::new();
    let mut times = Vec::new();
    for _ in 0..scaled(20, 100) {
        let begun = Instant::now();
        let server = project.start();
        assert_eq!(server.get("/api").status, 200);
        times.push(begun.elapsed());
        send(server.pid, Signal::SIGKILL);
        wait_until("the process is gone", || !is_alive(server.pid));
    }
    figure("kills", times.len());
    figure("longest_start_after_a_kill_ms", milliseconds(percentile(&mut times, 100)));
}

/// Only Linux has a short name for a socket. The runtime files are elsewhere without one, and are found there.
#[test]
fn a_path_too_long_for_a_socket_is_served_and_started_again_after_a_kill() {
    let project = Project::named("x".repeat(150));
    let mut server = project.start();
    for _ in 0..2 {
        assert_eq!(server.get("/api").status, 200);
        assert_eq!(project.status().expect(0).json()["pid"], server.pid);
        let there = if is_portable() { vec!["api-server.pid"] } else { WHILE_RUNNING.into() };
        assert_eq!(project.files("api-server"), there);
        send(server.pid, Signal::SIGKILL);
        wait_until("the process is gone", || !is_alive(server.pid));
        project.status().expect(3);
        server = project.start();
    }
    let said = project.flow(&["api", "start", "PORT=0"]).expect(0);
    assert!(said.out.contains("already"), "{said:?}");
    project.flow(&["api", "stop"]).expect(0);
    assert!(!is_alive(server.pid));
}

#[test]
fn of_many_starts_at_once_one_wins() {
    let project = Project::new();
    let rounds = scaled(15, 100);
    figure("rounds_of_many_starts", rounds);
    for round in 0..rounds {
        let starts: Vec<_> = (0..4)
            .map(|_| {
                let mut command = project.command();
                command.args(["api", "start", "PORT=0", "--json"]);
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        let facts: Vec<Value> = starts
            .into_iter()
            .map(|start| Ran::from(start.wait_with_output().unwrap()).expect(0).json())
            .collect();
        let winners = facts.iter().filter(|facts| facts["started"] == true).count();
        assert_eq!(winners, 1, "round {round}: {facts:?}");
        assert!(facts.iter().all(|other| Server::from(other) == Server::from(&facts[0])));
        project.flow(&["api", "stop"]).expect(0);
    }
}

#[test]
fn the_service_manager_is_told() {
    let project = Project::new();
    let plain = project.root.join("notify");
    let listener = UnixDatagram::bind(&plain).unwrap();
    notified(&project, &listener, plain.to_str().unwrap());
}

#[test]
#[cfg(target_os = "linux")]
fn the_service_manager_is_told_on_an_abstract_socket() {
    use std::os::linux::net::SocketAddrExt;
    let name = format!("flow-test-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let listener = UnixDatagram::bind_addr(&address).unwrap();
    notified(&Project::new(), &listener, &format!("@{name}"));
}

fn notified(project: &Project, listener: &UnixDatagram, name: &str) {
    listener.set_read_timeout(Some(GENEROUS)).unwrap();
    let mut child = project.foreground(|command| {
        command.env("NOTIFY_SOCKET", name);
    });
    let mut heard = [0; 64];
    let mut next = || {
        let count = listener.recv(&mut heard).unwrap();
        String::from_utf8(heard[..count].to_vec()).unwrap()
    };
    assert_eq!(next(), "READY=1");
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(next(), "STOPPING=1");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
