//! Start, run and stop of the real binary: the files that it leaves, the faults that it survives, and that there is
//! only one daemon.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpListener;
use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Instant;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::support::{
    FLOW, GENEROUS, Project, Ran, Server, WHILE_RUNNING, contents, halt, is_alive, send, wait_until,
};
use crate::tools::{figure, milliseconds, percentile, scaled};

#[test]
fn start_serves_and_stop_leaves_the_log_alone() {
    let project = Project::new();
    let server = project.start();
    let answer = server.get("/api");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("Content-Type"), Some("application/json; charset=utf-8"));
    assert_eq!(project.files("api-server"), WHILE_RUNNING);
    let pid = fs::read_to_string(project.file("api-server.pid")).unwrap();
    assert_eq!(pid, format!("{}\n", server.pid));
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(project.files("api-server"), ["api-server.log"]);
    assert!(!server.accepts());
    wait_until("the process is gone", || !is_alive(server.pid));
}

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
fn a_second_start_finds_the_first() {
    let project = Project::new();
    let server = project.start();
    for words in [vec!["api", "start", "--json"], vec!["api", "start", "PORT=0", "--json"]] {
        let facts = project.flow(&words).expect(0).json();
        assert_eq!(Server::from(&facts), server);
        assert_eq!(facts["started"], false);
    }
    let same = format!("PORT={}", server.port);
    let said = project.flow(&["api", "start", &same]).expect(0);
    assert!(said.out.contains("already running"), "{said:?}");
    let other = format!("PORT={}", server.port ^ 1);
    let said = project.flow(&["api", "start", &other]).expect(1);
    assert!(said.err.contains(&server.port.to_string()) && said.err.contains("flow api stop"));
}

#[test]
fn stop_and_status_of_nothing() {
    let project = Project::new();
    let before = contents(&project.root);
    assert!(project.flow(&["api", "stop"]).expect(0).out.contains("no server is running"));
    assert!(project.flow(&["api", "status"]).expect(3).out.contains("no server is running"));
    assert!(!project.root.join(".flow").exists());
    assert_eq!(contents(&project.root), before);
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
    assert_eq!(facts["holder"]["pid"], std::process::id());
    let free = facts["free_port"].as_u64().unwrap();
    assert!(free != 0 && free != u64::from(port));
    assert!(!project.root.join(".flow").exists(), "{:?}", project.files(""));
    let said = project.flow(&words[..3]).expect(1);
    assert!(said.err.contains(&port.to_string()) && said.err.contains("PORT="), "{said:?}");
    assert!(said.out.is_empty());
    project.status().expect(3);
}

#[test]
fn the_port_of_another_project_is_told_with_its_project() {
    let (one, two) = (Project::new(), Project::new());
    let server = one.start();
    let port = format!("PORT={}", server.port);
    let ran: Ran = two
        .command()
        .env("FLOW_RUNTIME_DIR", &one.runtime)
        .env("XDG_STATE_HOME", one.state())
        .args(["api", "start", &port])
        .output()
        .unwrap()
        .into();
    let ran = ran.expect(1);
    assert!(ran.err.contains(one.root.to_str().unwrap()), "{ran:?}");
    // What it says to run works as it stands.
    let run = ran.err.lines().find_map(|line| line.strip_prefix("  run: ")).unwrap();
    let mut shell = Command::new("sh");
    shell
        .args(["-c", run])
        .current_dir(&two.root)
        .env("FLOW_RUNTIME_DIR", &two.runtime)
        .env("XDG_STATE_HOME", two.state());
    Ran::from(shell.output().unwrap()).expect(0);
    assert_eq!(two.status().code, 0);
}

#[test]
fn the_settings_port_is_used_and_a_named_one_wins() {
    let project = Project::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    project.write(".flow/config.json", &format!("{{\"port\":{free}}}"));
    let facts = project.flow(&["api", "start", "--json"]).expect(0).json();
    assert_eq!(facts["port"], free);
    project.flow(&["api", "stop"]).expect(0);
    assert_ne!(project.start().port, free);
}

#[test]
fn stop_works_whatever_the_settings_say() {
    let project = Project::new();
    project.start();
    project.write(".flow/config.json", "{broken");
    assert_eq!(project.status().code, 0);
    project.flow(&["api", "stop"]).expect(0);
    let said = project.flow(&["api", "start"]).expect(2);
    assert!(said.err.contains("config.json"), "{said:?}");
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
fn a_long_path_with_spaces_and_other_letters_works() {
    let project = Project::named(format!("späße und 日本語 {}", "lang ".repeat(40)));
    assert!(project.file("api-server.sock").as_os_str().len() > 200);
    let server = project.start();
    assert_eq!(server.get("/api").status, 200);
    let facts = project.status().expect(0).json();
    assert_eq!(facts["project"].as_str(), project.root.to_str());
    let listed = project.flow(&["api", "list", "--json"]).expect(0).json();
    assert_eq!(listed["daemons"][0]["pid"], server.pid);
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(project.files("api-server"), ["api-server.log"]);
}

#[test]
fn signals_stop_it_in_order() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let project = Project::new();
        let server = project.start();
        send(server.pid, signal);
        wait_until("the process is gone", || !is_alive(server.pid));
        assert_eq!(project.files("api-server"), ["api-server.log"], "{signal}");
        let log = fs::read_to_string(project.file("api-server.log")).unwrap();
        assert!(log.contains(signal.as_str()) && log.contains("stopped"), "{log}");
    }
}

#[test]
fn one_that_hangs_is_told_from_one_that_is_gone() {
    let project = Project::new();
    let server = project.start();
    halt(server.pid);
    let status = project.flow(&["api", "status", "--json"]);
    let stop = project.flow(&["api", "stop"]);
    let list = project.flow(&["api", "list", "--json"]);
    send(server.pid, Signal::SIGCONT);
    let facts = status.expect(4).json();
    assert!(facts["log"].as_str().unwrap().ends_with("api-server.log"));
    let said = stop.expect(1).err;
    assert!(said.contains(&format!("not responding (pid {0})", server.pid)), "{said}");
    assert!(said.contains(&format!("kill {}", server.pid)), "{said}");
    let listed = list.expect(0).json();
    assert_eq!(listed["count"], 1, "{listed}");
    wait_until("it answers again", || project.status().code == 0);
}

#[test]
fn the_foreground_serves_until_it_is_told_to_stop() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let project = Project::new();
        let mut child = project.foreground(|_| {});
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let server = Server::from(&serde_json::from_str::<Value>(&line).unwrap());
        assert_eq!(server.pid, child.id());
        assert_eq!(server.get("/api").status, 200);
        send(child.id(), signal);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert_eq!(project.files("api-server"), ["api-server.log"]);
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

#[test]
fn a_caller_that_waits_for_its_pipes_is_not_held() {
    let project = Project::new();
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$0\" api start PORT=0 7>&1 8>&2", FLOW]);
    shell
        .current_dir(&project.root)
        .env("FLOW_RUNTIME_DIR", &project.runtime)
        .env("XDG_STATE_HOME", project.state());
    let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let _ = pipe.read_to_string(&mut text);
        let _ = sender.send(text);
    });
    let text = receiver.recv_timeout(GENEROUS).expect("the daemon holds the caller's pipe");
    assert!(text.contains("http://127.0.0.1:"), "{text}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_limit_of_open_files_is_raised() {
    let project = Project::new();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -S -n 64; \"$0\" api start PORT=0 --json", FLOW]);
    shell
        .current_dir(&project.root)
        .env("FLOW_RUNTIME_DIR", &project.runtime)
        .env("XDG_STATE_HOME", project.state());
    let server = Server::from(&Ran::from(shell.output().unwrap()).expect(0).json());
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid)).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let fields: Vec<_> = line.split_whitespace().collect();
    assert_eq!(fields[3], fields[4], "{line}");
}
