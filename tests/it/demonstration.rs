//! `flow demo`: what it shows, and that it leaves nothing behind, however it ends.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::support::{Project, Ran, Server, send, wait_until};
use crate::tools::is_root;

/// A user who has only a folder for temporary files.
struct User {
    project: Project,
    temporary: PathBuf,
}

impl User {
    fn new() -> Self {
        let project = Project::new();
        let temporary = project.root.with_file_name("temporary");
        fs::create_dir(&temporary).unwrap();
        Self { project, temporary }
    }

    fn demo(&self, words: &[&str]) -> Command {
        let mut command = self.project.command();
        command.arg("demo").args(words).env("TMPDIR", &self.temporary);
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Starts it, and returns what it prints when the page can be looked at.
    fn start(&self, words: &[&str], more: impl FnOnce(&mut Command)) -> (Child, Value) {
        let mut command = self.demo(words);
        command.arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped());
        more(&mut command);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        (child, serde_json::from_str(&line).unwrap())
    }

    #[track_caller]
    fn has_nothing_left(&self) {
        let left: Vec<_> = fs::read_dir(&self.temporary).unwrap().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
        assert!(!self.project.state().exists(), "a history was kept");
        assert_eq!(self.project.flow(&["api", "list", "--json"]).json()["count"], 0);
    }
}

#[test]
fn once_it_prints_what_one_would_see() {
    let user = User::new();
    for columns in ["60", "100"] {
        let mut command = user.demo(&["--once"]);
        let ran = Ran::from(command.env("COLUMNS", columns).output().unwrap()).expect(0);
        assert!(ran.out.starts_with("flow / bookshop  ok"), "{ran:?}");
        for part in ["x failed", "# blocked", "? asked", "- weakened", "Agents  5"] {
            assert!(ran.out.contains(part), "{part}: {}", ran.out);
        }
        for part in ["Removed: \"Partial refunds\"", "Weakened: criterion removed"] {
            assert!(ran.out.contains(part), "{part}: {}", ran.out);
        }
        let widest = ran.out.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= columns.parse().unwrap(), "{widest}: {}", ran.out);
        user.has_nothing_left();
    }
    let facts = Ran::from(user.demo(&["--once", "--json"]).output().unwrap()).expect(0).json();
    assert!(facts["screen"].as_str().unwrap().contains("Needs you"));
}

#[test]
fn it_is_served_until_it_is_stopped_and_leaves_nothing() {
    let user = User::new();
    for signal in [Some(Signal::SIGTERM), Some(Signal::SIGINT), Some(Signal::SIGHUP), None] {
        let (child, facts) = user.start(&["--no-open"], |_| ());
        let server = Server::from(&facts);
        assert_eq!(server.pid, child.id());
        let root = Path::new(facts["project"].as_str().unwrap());
        assert!(root.starts_with(&user.temporary) && root.is_dir(), "{facts}");
        let mode = root.parent().unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(server.get("/").status, 200);
        assert_eq!(server.get("/api/health?require=ok").status, 200);
        assert_eq!(server.get("/api/problems").json()["count"], 0);
        // The agents go on.
        wait_until("something changes", || {
            server.get("/api/activity").json()["total"].as_u64() > Some(0)
        });
        if let Some(signal) = signal {
            send(server.pid, signal);
        } else {
            let words = ["api", "stop", "--project", root.to_str().unwrap()];
            user.project.flow(&words).expect(0);
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{signal:?} {output:?}");
        assert!(!server.accepts());
        user.has_nothing_left();
    }
}

#[test]
fn the_times_are_those_of_now() {
    let user = User::new();
    let (child, facts) = user.start(&[], |_| ());
    let server = Server::from(&facts);
    let messages = server.get("/api/bus/messages?limit=1000").json();
    let mut times = messages["messages"].as_array().unwrap().iter();
    assert!(times.all(|one| !one["timestamp"].as_str().unwrap().starts_with("2026-03-1")));
    let metrics = server.get("/api/bus/messages?order=desc&limit=1").json();
    let newest = metrics["messages"][0]["timestamp"].as_str().unwrap().to_owned();
    let now = server.get("/api/health").json()["timestamp"].as_str().unwrap().to_owned();
    // The same hour, or the one before.
    let epoch = |text: &str| {
        flow::model::time::parse(text, flow::model::time::Edge::Start).unwrap() / 1_000_000_000
    };
    assert!((0..3_600).contains(&(epoch(&now) - epoch(&newest))), "{newest} {now}");
    send(server.pid, Signal::SIGTERM);
    child.wait_with_output().unwrap();
    user.has_nothing_left();
}

#[test]
fn a_browser_is_opened_where_there_is_one() {
    let user = User::new();
    let programs = user.project.root.join("programs");
    let opened = user.project.root.join("opened");
    user.project
        .write("programs/xdg-open", &format!("#!/bin/sh\necho \"$1\" >'{}'\n", opened.display()));
    let program = programs.join("xdg-open");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    for (words, display, is_opened) in
        [(&["--no-open"][..], ":1", false), (&[], "", false), (&[], ":1", true)]
    {
        let path = format!("{}:/usr/bin:/bin", programs.display());
        let (child, facts) =
            user.start(words, |command| _ = command.env("PATH", path).env("DISPLAY", display));
        if is_opened {
            let page = format!("{}\n", facts["page"].as_str().unwrap());
            wait_until("the page is opened", || {
                fs::read_to_string(&opened).is_ok_and(|text| text == page)
            });
        }
        send(child.id(), Signal::SIGTERM);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
        assert_eq!(opened.exists(), is_opened, "{words:?} {display}");
    }
    // A browser that cannot be started is no failure.
    fs::remove_file(program).unwrap();
    let (child, _) =
        user.start(&[], |command| _ = command.env("PATH", &programs).env("DISPLAY", ":1"));
    send(child.id(), Signal::SIGTERM);
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}

#[test]
fn what_stands_in_its_way_is_named() {
    let user = User::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let ran = Ran::from(user.demo(&["--port", &port]).output().unwrap()).expect(1);
    assert!(ran.err.contains(&port) && ran.err.contains("without --port"), "{ran:?}");
    user.has_nothing_left();
    Ran::from(user.demo(&["--port", "x"]).output().unwrap()).expect(2);
    Ran::from(user.demo(&["US-1"]).output().unwrap()).expect(2);
    let missing = user.temporary.join("missing");
    let ran = Ran::from(user.demo(&[]).env("TMPDIR", &missing).output().unwrap()).expect(1);
    assert!(ran.err.contains("missing"), "{ran:?}");
    if !is_root() {
        fs::set_permissions(&user.temporary, fs::Permissions::from_mode(0o500)).unwrap();
        Ran::from(user.demo(&["--once"]).output().unwrap()).expect(1);
        fs::set_permissions(&user.temporary, fs::Permissions::from_mode(0o700)).unwrap();
    }
    // A reader that has seen enough.
    let mut child = user.demo(&["--once"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    user.has_nothing_left();
}
