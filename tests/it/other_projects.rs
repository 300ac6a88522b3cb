//! `/api/projects`: the other projects for which this user runs servers, and nothing else.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::{Project, Server, send, wait_until};

/// A project whose servers share a runtime folder with those of another one.
fn beside(project: &Project, name: &str) -> Project {
    let mut other = Project::named(name);
    other.runtime.clone_from(&project.runtime);
    other
}

fn listed(server: Server) -> Value {
    let answer = server.get("/api/projects");
    assert_eq!((answer.status, answer.header("etag")), (200, None));
    let answer = answer.json();
    assert_eq!(answer["count"], answer["projects"].as_array().unwrap().len());
    answer["projects"].clone()
}

fn row(name: &str, server: Server) -> Value {
    json!({"name": name, "url": format!("http://127.0.0.1:{}/", server.port)})
}

#[test]
fn running_servers_of_one_user_list_each_other() {
    let here = Project::named("here");
    let there = beside(&here, "there \u{202e}<b>");
    let first = here.start();
    wait_until("the first scan is done", || {
        !first.get("/api/projects").json()["timestamp"].is_null()
    });
    assert_eq!(listed(first), json!([]), "not itself");
    let second = there.start();
    let (of_first, of_second) = (row("here", first), row("there \u{202e}<b>", second));
    wait_until("the first lists the second", || listed(first) == json!([of_second]));
    assert_eq!(listed(second), json!([of_first]));
    // No path of this machine is revealed.
    let text = String::from_utf8(first.get("/api/projects").body).unwrap();
    let parent = there.root.parent().unwrap();
    assert!(!text.contains(parent.to_str().unwrap()), "{text}");
    assert_eq!(first.get("/api/projects?x=1").status, 400);
    there.flow(&["api", "stop"]).expect(0);
    wait_until("one that was stopped is gone", || listed(first) == json!([]));
}

#[test]
fn a_server_that_was_killed_is_not_listed() {
    let here = Project::named("here");
    let there = beside(&here, "there");
    let (first, second) = (here.start(), there.start());
    let of_second = row("there", second);
    wait_until("the first lists the second", || listed(first) == json!([of_second]));
    send(second.pid, Signal::SIGKILL);
    wait_until("one that was killed is gone", || listed(first) == json!([]));
    assert!(
        fs::read_dir(here.runtime.join("daemons")).unwrap().count() == 2,
        "its entry is still there, without a lock"
    );
    let third = there.start();
    let of_third = row("there", third);
    wait_until("the restarted server is listed", || listed(first) == json!([of_third]));
}

#[test]
fn entries_that_no_running_server_holds_are_ignored() {
    let here = Project::named("here");
    let first = here.start();
    let folder = here.runtime.join("daemons");
    let entry = fs::read_dir(&folder).unwrap().next().unwrap().unwrap();
    let text = fs::read(entry.path()).unwrap();
    let port = first.port.to_string();
    let wanted = [here.root.as_os_str().as_bytes(), b"\0", port.as_bytes()];
    assert_eq!(text, wanted.concat());
    for (name, text) in [
        ("0000000000000000", b"/elsewhere\x003456".to_vec()),
        ("empty", Vec::new()),
        ("long", vec![b'x'; 10_000]),
        ("zeros", vec![0; 10]),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    fs::create_dir(folder.join("folder")).unwrap();
    nix::unistd::mkfifo(&folder.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let there = beside(&here, "there");
    let second = there.start();
    let of_second = row("there", second);
    wait_until("the one that runs is listed alone", || listed(first) == json!([of_second]));
}
