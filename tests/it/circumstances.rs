//! The real program as another user than root, with a clock that jumps, and stopping under load.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::raw::{Client, good};
use crate::support::{FLOW, Project, STATUS, Server, is_alive, send, wait_until};
use crate::tools::{figure, has, is_root, scaled};

/// A user that owns nothing else.
const OTHER: u32 = 65534;

/// A daemon in the foreground, stopped when it is dropped.
struct Foreground {
    child: Child,
    server: Server,
}

impl Foreground {
    fn of(mut child: Child) -> Self {
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let facts: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"));
        Self { child, server: Server::from(&facts) }
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn give_to_the_other(path: &Path) {
    chown(path, Some(OTHER), Some(OTHER)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give_to_the_other(&entry.unwrap().path());
        }
    }
}

#[test]
fn a_file_that_may_not_be_read_leaves_the_last_good_and_heals() {
    if !is_root() || !has("setpriv") {
        return;
    }
    let project = Project::new();
    project.write(STATUS, "{\"stories\":{\"US-1\":{}}}");
    project.write("docs/09-agents/bus/log.jsonl", "{\"n\":1}\n");
    // The other user may not have access to the program where it was built.
    let base = project.root.parent().unwrap();
    fs::copy(*FLOW, base.join("flow")).unwrap();
    give_to_the_other(base);
    let mut command = Command::new("setpriv");
    command.args([format!("--reuid={OTHER}"), format!("--regid={OTHER}"), "--clear-groups".into()]);
    command.arg(base.join("flow")).args(["api", "start", "PORT=0", "--foreground", "--json"]);
    command
        .current_dir(&project.root)
        .env("FLOW_RUNTIME_DIR", &project.runtime)
        .env("XDG_STATE_HOME", project.state());
    let running = Foreground::of(command.stdout(Stdio::piped()).spawn().unwrap());
    let server = running.server;
    let docs = project.root.join("docs/09-agents");
    for (path, closed) in
        [(docs.join("status.json"), 0o000), (docs.clone(), 0o000), (docs.join("bus"), 0o000)]
    {
        let before = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, Permissions::from_mode(closed)).unwrap();
        wait_until("it is degraded", || server.get("/api/health").json()["status"] == "degraded");
        assert_eq!(server.get("/api/stories").json()["count"], 1, "{path:?}");
        assert_eq!(server.get("/api/bus/messages").json()["total"], 1, "{path:?}");
        let told = server.get("/api/health").json();
        assert!(told.to_string().contains("Permission denied"), "{told}");
        assert!(!told.to_string().contains(base.to_str().unwrap()), "{told}");
        fs::set_permissions(&path, before).unwrap();
        wait_until("it is well", || server.get("/api/health").json()["status"] == "ok");
    }
}

#[test]
fn a_clock_that_jumps_ten_years_changes_no_limit() {
    if !has("faketime") {
        return;
    }
    let library =
        Command::new("faketime").args(["-f", "+0", "printenv", "LD_PRELOAD"]).output().unwrap();
    let library = String::from_utf8(library.stdout).unwrap();
    let project = Project::new();
    project.write(STATUS, "{\"stories\":{\"US-0\":{}}}");
    let clock = project.root.parent().unwrap().join("clock");
    fs::write(&clock, "+0").unwrap();
    let mut running = Foreground::of(project.foreground(|command| {
        command.env("LD_PRELOAD", library.trim()).env("FAKETIME_TIMESTAMP_FILE", &clock);
        // People and time servers set the wall clock; the files keep the real time.
        command.envs([("FAKETIME_NO_CACHE", "1"), ("NO_FAKE_STAT", "1")]);
        command.envs([("DONT_FAKE_MONOTONIC", "1"), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")]);
    }));
    let server = running.server;
    let mut regular = Client::new(server.address());
    for (n, jump) in ["+10y", "-10y", "+0"].into_iter().enumerate() {
        let mut half = Client::new(server.address());
        half.send("GET /api/health HTTP/1.1\r\nHost: localhost\r\n");
        assert_eq!(regular.send(good("/api/health")).reply().status, 200);
        let year = year(server);
        fs::write(&clock, jump).unwrap();
        wait_until("the clock has jumped", || year != self::year(server));
        assert_eq!(half.send("\r\n").reply().status, 200, "{jump}: a request under way was cut");
        assert_eq!(regular.send(good("/api/health")).reply().status, 200, "{jump}");
        let id = format!("US-{}", n + 1);
        project.write(STATUS, &json!({"stories": {&id: {}}}).to_string());
        wait_until("the change is served", || {
            server.get(&format!("/api/stories/{id}")).status == 200
        });
        let health = server.get("/api/health").json();
        assert_eq!(health["status"], "ok", "{health}");
        // The test began seconds ago, whatever the clock says.
        assert!(health["uptime_seconds"].as_u64().is_some_and(|seconds| seconds < 600), "{health}");
        assert_eq!(project.status().expect(0).json()["running"], true);
    }
    let known = |server: Server| server.get("/api/activity").json()["activity"].clone();
    let before = known(server);
    assert_eq!(before.as_array().unwrap().len(), 6, "{before}");
    send(server.pid, Signal::SIGTERM);
    assert_eq!(running.child.wait().unwrap().code(), Some(0));
    // Changes keep their order, whatever their times are.
    let server = project.start();
    assert_eq!(known(server), before);
    assert_eq!(server.get("/api/history?collection=stories").status, 200);
}

fn year(server: Server) -> String {
    let health = server.get("/api/health").json();
    health["timestamp"].as_str().unwrap()[..4].to_owned()
}

/// A status.json whose answer is larger than all buffers of a connection.
fn large() -> String {
    let story = |n: u32| format!("\"US-{n}\":{{\"title\":\"{}\"}}", "x".repeat(1000));
    format!("{{\"stories\":{{{}}}}}", (0..12_000).map(story).collect::<Vec<_>>().join(","))
}

#[test]
fn at_sigterm_under_load_answers_finish_and_nothing_is_left() {
    let project = Project::new();
    let text = large();
    project.write(STATUS, &text);
    for round in 0..scaled(2, 10) {
        let mut running = Foreground::of(project.foreground(|_| ()));
        let server = running.server;
        // So few that they are read in the time for which a stop waits, on a busy machine too.
        let clients = 0..scaled(3, 6);
        let mut under_way: Vec<Client> = clients.map(|_| Client::new(server.address())).collect();
        let mut heads: Vec<_> =
            under_way.iter_mut().map(|client| client.send(good("/api/status")).head()).collect();
        let asked = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| ask_until_closed(server, &asked));
            }
            wait_until("the load is on", || asked.load(Ordering::Relaxed) > 200);
            send(server.pid, Signal::SIGTERM);
            wait_until("it takes nobody any more", || !server.accepts());
            for (client, head) in under_way.iter_mut().zip(&mut heads) {
                client.read_body(head);
                assert!(head.body == text.as_bytes(), "round {round}: an answer is not whole");
                client.closed();
            }
        });
        assert_eq!(running.child.wait().unwrap().code(), Some(0), "round {round}");
        assert!(!is_alive(server.pid));
        assert_eq!(project.files("api-server"), ["api-server.log"]);
        figure("answers_before_the_end", asked.load(Ordering::Relaxed));
    }
}

/// Sends requests until the server closes the connection, which must not happen within an answer.
fn ask_until_closed(server: Server, asked: &AtomicUsize) {
    let mut client = Client::new(server.address());
    while let Some(mut head) = client.send(good("/api/metrics")).try_head() {
        client.read_body(&mut head);
        assert_eq!(head.status, 200);
        head.json();
        asked.fetch_add(1, Ordering::Relaxed);
    }
}
