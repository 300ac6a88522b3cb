//! `flow doctor`: each inserted fault is found, alone, with its remedy; a project without faults has no finding.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::support::{FLOW, Project, Ran, halt, send, wait_until};

/// A project without faults, on a separate port.
pub(crate) fn sound() -> Project {
    let project = Project::new();
    project.write("docs/09-agents/status.json", r#"{"stories":{"US-1":{"status":"ready"}}}"#);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    project.write(".flow/config.json", &format!("{{\"port\":{free}}}"));
    fs::set_permissions(project.root.join(".flow"), Permissions::from_mode(0o700)).unwrap();
    project
}

fn config(project: &Project, members: &str) {
    let path = ".flow/config.json";
    let port = fs::read_to_string(project.root.join(path)).unwrap();
    project.write(path, &format!("{{{},{members}}}", port.trim_matches(['{', '}'])));
}

pub(crate) fn findings(ran: &Ran) -> Vec<Value> {
    ran.json()["findings"].as_array().unwrap().clone()
}

/// The only finding of a fault: its area, a part of its message, and a part of the remedy.
#[track_caller]
pub(crate) fn found(ran: &Ran, area: &str, what: &str, remedy: &str) {
    let all = findings(ran);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!(ran.code, 1);
    let one = &all[0];
    assert_eq!(one["area"], area, "{one:#}");
    let says = |member: &str, part: &str| one[member].as_str().unwrap().contains(part);
    assert!(says("finding", what), "{what}: {one:#}");
    assert!(says("remedy", remedy), "{remedy}: {one:#}");
}

pub(crate) fn doctor(project: &Project) -> Ran {
    project.flow(&["doctor", "--json"])
}

#[test]
fn a_sound_project_has_no_finding_with_and_without_a_server() {
    let project = sound();
    let quiet = |ran: Ran| assert_eq!((ran.expect(0).out.as_str()), "No problems found\n");
    quiet(project.flow(&["doctor"]));
    let port = &project.flow(&["api", "start", "--json"]).expect(0).json()["port"];
    assert!(port.is_u64());
    quiet(project.flow(&["doctor"]));
    project.flow(&["api", "stop"]).expect(0);
    quiet(project.flow(&["doctor"]));
}

#[test]
fn the_demo_has_no_finding() {
    let project = sound();
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/demo");
    let copied = Command::new("cp").arg("-r").arg(demo.join(".")).arg(&project.root).status();
    assert!(copied.unwrap().success());
    assert_eq!(findings(&doctor(&project)), [Value::Null; 0]);
}

#[test]
fn a_finding_in_text_has_its_remedy_below() {
    let project = sound();
    project.write("docs/09-agents/status.json", "{\n\"a\":");
    let ran = project.flow(&["doctor"]).expect(1);
    assert!(ran.out.starts_with("files: docs/09-agents/status.json is"), "{ran:?}");
    assert!(ran.out.contains("\n  correct it there"), "{ran:?}");
}

#[test]
fn settings_that_cannot_be_used() {
    for (text, what) in [
        ("{", "config.json"),
        ("[]", "must be a JSON object"),
        (r#"{"prot":1}"#, "did you mean port"),
        (r#"{"files":{"bus":"../log"}}"#, "inside the project"),
        (r#"{"limits":{"json_bytes":999999999999}}"#, "limits.json_bytes"),
    ] {
        let project = sound();
        project.write(".flow/config.json", text);
        found(&doctor(&project), "settings", what, "correct it");
    }
    let project = sound();
    fs::create_dir_all(project.runtime.with_file_name("config").join("flow")).unwrap();
    fs::write(project.runtime.with_file_name("config").join("flow/config.json"), "{\"port\":1}")
        .unwrap();
    found(&doctor(&project), "settings", "unknown key", "correct it");
    let project = sound();
    config(&project, r#""files":{"tasks":"work/tasks.json"}"#);
    found(&doctor(&project), "settings", "work/tasks.json", "files.tasks");
}

#[test]
fn a_project_that_is_not_there_or_has_no_files() {
    let project = sound();
    found(
        &project.flow(&["doctor", "--json", "--project", "/nowhere/at/all"]),
        "project",
        "/nowhere",
        "--project DIR",
    );
    fs::remove_file(project.root.join("docs/09-agents/status.json")).unwrap();
    found(&doctor(&project), "files", "none of the files", "--project");
}

#[test]
fn files_that_are_not_served_as_they_are() {
    let status = "docs/09-agents/status.json";
    let project = sound();
    project.write(status, r#"{"stories":{"US-1":7,"US-2":{}}}"#);
    found(&doctor(&project), "files", "status.json:1: US-1: not served: ", "correct it there");
    project.write("docs/09-agents/bus/log.jsonl", "{}\nnot json\n");
    project.write(status, "{}");
    found(&doctor(&project), "files", "log.jsonl:2: not served: ", "correct it there");
    let project = sound();
    fs::remove_file(project.root.join(status)).unwrap();
    fs::write(project.runtime.with_file_name("outside.json"), "{}").unwrap();
    symlink("../../../outside.json", project.root.join(status)).unwrap();
    found(&doctor(&project), "files", "outside the project", "inside the project");
    fs::remove_file(project.root.join(status)).unwrap();
    symlink("gone.json", project.root.join(status)).unwrap();
    project.write(".flow/state/task-dependencies.json", "{}");
    found(&doctor(&project), "files", "is a dangling symlink", "remove it");
    project.write(".agileflow/state/task-dependencies.json", "{}");
    fs::remove_file(project.root.join(status)).unwrap();
    found(
        &doctor(&project),
        "files",
        ".agileflow/state/task-dependencies.json exists too",
        "\"tasks\"",
    );
    let project = sound();
    fs::remove_file(project.root.join(status)).unwrap();
    fs::create_dir(project.root.join(status)).unwrap();
    found(&doctor(&project), "files", "not a regular file", "replace it with the file itself");
}

#[test]
fn files_over_their_limits() {
    let project = sound();
    config(&project, r#""limits":{"json_bytes":10}"#);
    found(&doctor(&project), "files", "over the limit", "limits.json_bytes");
    let project = sound();
    config(&project, r#""limits":{"bus_bytes":100}"#);
    project.write("docs/09-agents/bus/log.jsonl", &"{\"type\":\"status\"}\n".repeat(20));
    found(&doctor(&project), "files", "oldest", "limits.bus_bytes");
}

#[test]
fn rights_of_the_folders_for_runtime_files() {
    let project = sound();
    let flow = project.root.join(".flow");
    fs::set_permissions(&flow, Permissions::from_mode(0o777)).unwrap();
    found(&doctor(&project), "rights", "other users can write", "chmod go-w");
    fs::set_permissions(&flow, Permissions::from_mode(0o700)).unwrap();
    fs::create_dir(&project.runtime).unwrap();
    fs::set_permissions(&project.runtime, Permissions::from_mode(0o777)).unwrap();
    found(&doctor(&project), "rights", "other users can write", "FLOW_RUNTIME_DIR");
    let mut command = project.command();
    let ran = command.args(["doctor", "--json"]).env("FLOW_RUNTIME_DIR", "here").output().unwrap();
    let all = findings(&ran.into());
    assert!(all[0]["finding"].as_str().unwrap().contains("must be an absolute path"), "{all:#?}");
    let project = sound();
    fs::rename(project.root.join(".flow"), project.root.join("real")).unwrap();
    symlink("real", project.root.join(".flow")).unwrap();
    found(&doctor(&project), "rights", "is a symlink", "rename or remove it");
}

#[test]
fn a_limit_of_the_shell() {
    let project = sound();
    let mut shell = Command::new("bash");
    shell.args(["-c", "ulimit -f 1; exec \"$0\" doctor --json", FLOW]).current_dir(&project.root);
    shell.env("FLOW_RUNTIME_DIR", &project.runtime).env("XDG_STATE_HOME", project.state());
    let ran = Ran::from(
        shell.env("XDG_CONFIG_HOME", project.runtime.with_file_name("config")).output().unwrap(),
    );
    found(&ran, "rights", "ulimit -f", "ulimit -f unlimited");
}

#[test]
fn a_port_that_somebody_has() {
    let project = sound();
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = held.local_addr().unwrap().port();
    project.write(".flow/config.json", &format!("{{\"port\":{port}}}"));
    found(&doctor(&project), "port", &format!("port {port} is taken by"), "start PORT=");
    drop(held);
    // A server on a port other than that of the settings.
    let server = project.start();
    assert_ne!(server.port, port);
    found(&doctor(&project), "port", &format!("give port {port}"), &format!("restart PORT={port}"));
}

#[test]
fn a_server_that_crashed_or_hangs() {
    let project = sound();
    let server = project.start();
    let port = server.port;
    project.write(".flow/config.json", &format!("{{\"port\":{port}}}"));
    halt(server.pid);
    let silent = doctor(&project);
    send(server.pid, Signal::SIGCONT);
    found(&silent, "server", "is not responding", "flow api stop");
    send(server.pid, Signal::SIGKILL);
    wait_until("it is gone", || project.status().code == 3);
    found(&doctor(&project), "runtime files", "left by a crashed server", "flow api start");
}

#[test]
fn errors_that_the_server_has_logged() {
    let project = sound();
    project.flow(&["api", "start", "--json"]).expect(0);
    let mut log = fs::OpenOptions::new().append(true).open(project.file("api-server.log")).unwrap();
    let line = r#"{"timestamp":"t","level":"ERROR","fields":{"message":"a request could not be answered"}}"#;
    std::io::Write::write_all(&mut log, format!("{line}\n").as_bytes()).unwrap();
    found(&doctor(&project), "server", "a request could not be answered", "flow api logs");
    project.flow(&["api", "restart"]).expect(0);
    assert_eq!(findings(&doctor(&project)), [Value::Null; 0]);
}

/// A server of an older version: the lock's owner answers like one.
#[test]
fn a_server_of_another_version() {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::fs::OpenOptionsExt;
    use std::os::unix::net::UnixListener;
    let project = sound();
    let mut created = fs::OpenOptions::new();
    created.write(true).create_new(true).mode(0o600);
    let lock = created.open(project.file("api-server.lock")).unwrap();
    let _lock = nix::fcntl::Flock::lock(lock, nix::fcntl::FlockArg::LockExclusive).unwrap();
    let listener = UnixListener::bind(project.file("api-server.sock")).unwrap();
    let answer = r#"{"ok":true,"phase":"running","pid":1,"port":1,"project":"p","log":"l","version":"0.0.1","uptime_seconds":1,"generation":1}"#;
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let _ = writeln!(&stream, "{answer}");
        }
    });
    let all = findings(&doctor(&project));
    let named =
        all.iter().find(|one| one["area"] == "version").unwrap_or_else(|| panic!("{all:#?}"));
    assert!(named["finding"].as_str().unwrap().contains("0.0.1"), "{named}");
    assert!(named["remedy"].as_str().unwrap().contains("flow api restart"), "{named}");
}
