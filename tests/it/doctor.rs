//! `flow doctor` on what belongs to the machine: rights, mounts, file watches, a server of another version, and a file that is
//! being written. `tests/cases/doctor` shows the other faults and their remedies.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::namespace::Namespace;
use crate::neighbours::User;
use crate::support::{Project, Ran, STATUS, free_port, wait_until};
use crate::tools::{is_root, not_here};

/// Another user than root.
const NOBODY: u32 = 65534;

/// A project without faults, on a separate port.
fn sound() -> Project {
    let project = Project::new();
    project.write("docs/09-agents/status.json", r#"{"stories":{"US-1":{"status":"ready"}}}"#);
    project.write(".flow/config.json", &format!("{{\"port\":{}}}", free_port()));
    fs::set_permissions(project.root.join(".flow"), Permissions::from_mode(0o700)).unwrap();
    project
}

fn findings(ran: &Ran) -> Vec<Value> {
    ran.json()["findings"].as_array().unwrap().clone()
}

#[track_caller]
fn found(ran: &Ran, area: &str, what: &str, remedy: &str) {
    let all = findings(ran);
    assert_eq!(all.len(), 1, "{all:#?}");
    assert_eq!(ran.code, 1);
    let one = &all[0];
    assert_eq!(one["area"], area, "{one:#}");
    let says = |member: &str, part: &str| one[member].as_str().unwrap().contains(part);
    assert!(says("finding", what), "{what}: {one:#}");
    assert!(says("remedy", remedy), "{remedy}: {one:#}");
}

fn doctor(project: &Project) -> Ran {
    project.flow(&["doctor", "--json"])
}

/// What doctor finds in a namespace.
fn inside(namespace: &mut Namespace) -> Ran {
    let (code, out) = namespace.run("XDG_CONFIG_HOME=/nowhere \"$FLOW\" doctor --json");
    Ran { code, out, err: String::new() }
}

#[test]
fn a_file_without_the_right_to_read_it() {
    let Some(user) = User::new() else { return };
    fs::set_permissions(user.project.join(STATUS), Permissions::from_mode(0o000)).unwrap();
    user.settings_with_a_free_port();
    let ran = user.flow(&["doctor", "--json"]);
    found(&ran, "files", "cannot be read", "chmod u+r docs/09-agents/status.json");
    fs::set_permissions(user.project.join(STATUS), Permissions::from_mode(0o600)).unwrap();
    assert_eq!(user.flow(&["doctor"]).expect(0).out, "No problems found\n");
}

#[test]
fn a_folder_without_the_right_to_write_to_it() {
    let Some(user) = User::new() else { return };
    user.settings_with_a_free_port();
    let flow = user.project.join(".flow");
    fs::set_permissions(&flow, Permissions::from_mode(0o500)).unwrap();
    let ran = user.flow(&["doctor", "--json"]);
    found(&ran, "rights", "is not writable", "chmod u+wx");
    // The remedy works as it stands, and without it a start points to doctor.
    let start = user.flow(&["api", "start", "PORT=0"]).expect(1);
    assert!(start.err.contains("Permission denied") && start.err.contains("run: flow doctor"));
    let remedy = findings(&ran)[0]["remedy"].as_str().unwrap().replace("run: ", "");
    assert!(Command::new("sh").args(["-c", &remedy]).status().unwrap().success());
    user.flow(&["doctor"]).expect(0);
    user.flow(&["api", "start", "PORT=0"]).expect(0);
}

#[test]
fn a_project_on_a_file_system_that_is_mounted_read_only() {
    let project = sound();
    let Some(mut namespace) = Namespace::open(&project) else { return };
    if !namespace.may("mount --bind . . && cd \"$PWD\" && mount -o remount,bind,ro .") {
        return;
    }
    let ran = inside(&mut namespace);
    found(&ran, "rights", "read-only file system", "flow watch");
    namespace.must("\"$FLOW\" watch --once");
}

#[test]
fn a_folder_for_runtime_files_that_is_another_users() {
    if !is_root() {
        return;
    }
    let project = sound();
    chown(project.root.join(".flow"), Some(NOBODY), Some(NOBODY)).unwrap();
    found(&doctor(&project), "project", "belongs to another user, nobody", "the owner");
}

#[test]
fn a_port_that_the_system_does_not_give() {
    let Some(user) = User::new() else { return };
    let first = fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    if first.is_ok_and(|first| first.trim().parse::<u16>().is_ok_and(|first| first <= 79)) {
        return not_here("every user may listen on every port here");
    }
    user.write(".flow/config.json", "{\"port\": 79}");
    let ran = user.flow(&["doctor", "--json"]);
    found(&ran, "port", "could not listen on port 79", "from 1024 on");
}

#[test]
fn no_file_watches_before_a_start_and_behind_it() {
    let project = sound();
    let Some(mut namespace) = Namespace::open(&project) else { return };
    if !namespace.may("echo 0 > /proc/sys/user/max_inotify_watches") {
        return;
    }
    namespace.start();
    let port = project.status().json()["port"].to_string();
    project.write(".flow/config.json", &format!("{{\"port\": {port}}}"));
    found(&inside(&mut namespace), "watching", "polls the files", "fs.inotify.max_user_watches");
    namespace.must("\"$FLOW\" api stop");
    assert_eq!(findings(&inside(&mut namespace)), [Value::Null; 0]);
    namespace.must("echo 0 > /proc/sys/user/max_inotify_instances");
    let before = inside(&mut namespace);
    found(&before, "watching", "file watching is unavailable", "fs.inotify.max_user_instances");
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

#[test]
fn a_file_that_is_being_written() {
    let project = sound();
    let server = project.start();
    project.write(".flow/config.json", &format!("{{\"port\": {}}}", server.port));
    // Broken content that keeps changing counts as being written for longer than doctor waits.
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut lengths = 0..3000;
            while let Some(length) = lengths.next().filter(|_| !done.load(Ordering::Relaxed)) {
                let title = "x".repeat(length);
                project.write(STATUS, &format!("{{\"stories\":{{\"US-1\":{{\"title\":\"{title}"));
                thread::park_timeout(Duration::from_millis(20));
            }
        });
        wait_until("the change is seen", || state(&project) != "present");
        wait_until("it is found while it is being written", || {
            let ran = doctor(&project);
            let is_found = ran.out.contains("being written");
            if is_found {
                found(&ran, "files", "is being written and incomplete", "run flow doctor again");
            }
            is_found
        });
        done.store(true, Ordering::Relaxed);
    });
}

fn state(project: &Project) -> String {
    let facts = project.status().expect(0).json();
    facts["sources"]["status"]["state"].as_str().unwrap().to_owned()
}
