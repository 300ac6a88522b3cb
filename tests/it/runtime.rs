//! The runtime files: those that a crash left, those that somebody put there, and those that somebody took away.

use std::fs::{self, Permissions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::support::{Project, Ran, Server, WHILE_RUNNING, contents, is_alive, send, wait_until};
use crate::tools::{is_root, scaled};

#[test]
fn what_a_crash_leaves_is_named_and_cleared() {
    let project = Project::new();
    let first = project.start();
    send(first.pid, Signal::SIGKILL);
    wait_until("the process is gone", || !is_alive(first.pid));
    let said = project.flow(&["api", "status"]).expect(3);
    for name in ["api-server.lock", "api-server.pid", "api-server.sock"] {
        assert!(said.err.contains(name), "{said:?}");
    }
    let facts = project.flow(&["api", "start", "PORT=0", "--json"]).expect(0).json();
    let notes = facts["notes"].to_string();
    for name in ["api-server.lock", "api-server.pid", "api-server.sock"] {
        assert!(notes.contains(name), "{notes}");
    }
    let second = Server::from(&facts);
    assert_ne!(second.pid, first.pid);
    assert_eq!(second.get("/api").status, 200);
}

#[test]
fn the_pid_file_is_never_believed() {
    let project = Project::new();
    let mut bystander = Command::new("sleep").arg("1000").spawn().unwrap();
    let own = bystander.id().to_string();
    let huge = "9".repeat(1 << 20);
    for text in [own.as_str(), "1", "-1", "0", "", "no number", &huge] {
        project.write(".flow/api-server.pid", text);
        project.status().expect(3);
        project.flow(&["api", "stop"]).expect(0);
        let server = project.start();
        let pid = fs::read_to_string(project.file("api-server.pid")).unwrap();
        assert_eq!(pid, format!("{}\n", server.pid));
        // Changed while it runs, it is still not believed.
        project.write(".flow/api-server.pid", text);
        project.flow(&["api", "stop"]).expect(0);
        assert!(!server.accepts());
    }
    assert!(bystander.try_wait().unwrap().is_none(), "the process that the file named was ended");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[test]
fn links_in_place_of_runtime_files_are_replaced() {
    let project = Project::new();
    project.write("precious", "as it was");
    fs::create_dir(project.root.join(".flow")).unwrap();
    for name in ["api-server.pid", "api-server.sock", "api-server.log", "api-server.pid.new"] {
        symlink(project.root.join("precious"), project.file(name)).unwrap();
    }
    let server = project.start();
    assert_eq!(server.get("/api").status, 200);
    let pid = project.file("api-server.pid");
    assert!(!pid.is_symlink() && !project.file("api-server.log").is_symlink());
    fs::remove_file(&pid).unwrap();
    symlink(project.root.join("precious"), &pid).unwrap();
    project.flow(&["api", "stop"]).expect(0);
    assert!(pid.is_symlink(), "a file that is not ours was removed");
    assert_eq!(fs::read_to_string(project.root.join("precious")).unwrap(), "as it was");
}

#[test]
fn an_open_folder_is_tightened_and_that_is_said() {
    let project = Project::new();
    let folder = project.root.join(".flow");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    let said = project.flow(&["api", "start", "PORT=0"]).expect(0);
    assert!(said.err.contains("777") && said.err.contains("private"), "{said:?}");
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    // Opened again while it runs: the daemon is found all the same, and no second one starts.
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    assert_eq!(project.status().code, 0);
    let again = project.flow(&["api", "start", "--json"]).expect(0).json();
    assert_eq!(again["started"], false);
}

#[test]
fn a_link_in_place_of_the_folder_is_refused() {
    let project = Project::new();
    fs::create_dir(project.root.join("elsewhere")).unwrap();
    symlink("elsewhere", project.root.join(".flow")).unwrap();
    for action in ["start", "stop", "status"] {
        let said = project.flow(&["api", action]).expect(1);
        assert!(said.err.contains("symlink"), "{said:?}");
    }
    assert_eq!(fs::read_dir(project.root.join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_folder_of_another_user_is_refused() {
    if !is_root() {
        return;
    }
    let project = Project::new();
    let folder = project.root.join(".flow");
    fs::create_dir(&folder).unwrap();
    std::os::unix::fs::chown(&folder, Some(65534), Some(65534)).unwrap();
    let said = project.flow(&["api", "start", "PORT=0"]).expect(1);
    assert!(said.err.contains("another user"), "{said:?}");
    assert!(project.files("").is_empty());
}

#[test]
fn it_goes_when_it_can_no_longer_be_found() {
    type Harm = fn(&Project);
    let harms: [Harm; 5] = [
        |project| fs::remove_dir_all(project.root.join(".flow")).unwrap(),
        |project| fs::rename(project.root.join(".flow"), project.root.join("moved")).unwrap(),
        |project| fs::remove_dir_all(&project.root).unwrap(),
        |project| fs::remove_file(project.file("api-server.sock")).unwrap(),
        |project| fs::remove_file(project.file("api-server.lock")).unwrap(),
    ];
    for harm in harms {
        let project = Project::new();
        let server = project.start();
        assert!(is_alive(server.pid) && server.accepts());
        let mut log = fs::File::open(project.file("api-server.log")).unwrap();
        harm(&project);
        wait_until("the process is gone", || !is_alive(server.pid));
        let mut said = String::new();
        log.read_to_string(&mut said).unwrap();
        assert!(said.contains("gone or not ours") && said.contains("stopped"), "{said}");
        assert!(!server.accepts());
    }
}

#[test]
fn a_folder_that_is_away_for_a_moment_stops_nothing() {
    let project = Project::new();
    let server = project.start();
    let log = project.file("api-server.log");
    let flow = project.root.join(".flow");
    for moved in [&flow, &project.root].into_iter().cycle().take(scaled(2, 20)) {
        let away = moved.with_extension("away");
        let mut log = fs::File::open(&log).unwrap();
        log.seek(SeekFrom::End(0)).unwrap();
        fs::rename(moved, &away).unwrap();
        let mut said = String::new();
        let mut says = |what: &str| {
            wait_until(what, || log.read_to_string(&mut said).is_ok() && said.contains(what));
        };
        says("the runtime files are gone");
        fs::rename(&away, moved).unwrap();
        says("in place again");
        assert_eq!(server.get("/api").status, 200);
    }
    for _ in 0..scaled(3, 20) {
        fs::rename(&flow, project.root.join("x")).unwrap();
        std::thread::sleep(Duration::from_millis(150));
        fs::rename(project.root.join("x"), &flow).unwrap();
        assert!(is_alive(server.pid) && server.accepts());
    }
    assert_eq!(project.status().code, 0);
}

#[test]
fn a_start_beside_a_daemon_whose_folder_was_replaced_works() {
    let project = Project::new();
    let first = project.start();
    fs::remove_dir_all(project.root.join(".flow")).unwrap();
    let second = project.start();
    wait_until("the first is gone", || !is_alive(first.pid));
    assert_eq!(project.files("api-server"), WHILE_RUNNING, "the first removed the second's files");
    assert_eq!(second.get("/api").status, 200);
}

#[test]
fn nothing_but_the_runtime_folder_changes_and_git_sees_nothing() {
    let project = Project::new();
    project.write("docs/09-agents/status.json", "{\"stories\":{}}");
    let git = |words: &[&str]| {
        let ran = Command::new("git").args(words).current_dir(&project.root).output().unwrap();
        Ran::from(ran).expect(0).out
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    let before = (contents(&project.root), git(&["status", "--porcelain"]));
    let server = project.start();
    server.get("/api/status");
    // git rewrites its index when asked: the files are compared first.
    let during = contents(&project.root);
    assert_eq!((during, git(&["status", "--porcelain"])), before);
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(git(&["status", "--porcelain"]), before.1);
    assert!(project.file(".gitignore").exists());
}

#[test]
fn a_file_in_place_of_the_folder_is_refused() {
    let project = Project::new();
    project.write(".flow", "a file where the folder should be");
    let said = project.flow(&["api", "start", "PORT=0"]).expect(1);
    assert!(said.err.contains("not a folder"), "{said:?}");
}

#[test]
fn the_list_forgets_those_that_crashed() {
    let project = Project::new();
    let server = project.start();
    send(server.pid, Signal::SIGKILL);
    wait_until("the process is gone", || !is_alive(server.pid));
    assert_eq!(fs::read_dir(project.runtime.join("daemons")).unwrap().count(), 1);
    let listed = project.flow(&["api", "list", "--json"]).expect(0).json();
    assert_eq!(listed["count"], 0);
    assert_eq!(fs::read_dir(project.runtime.join("daemons")).unwrap().count(), 0);
}

#[test]
fn the_list_knows_those_that_run() {
    let project = Project::new();
    project.start();
    let listed = project.flow(&["api", "list", "--json"]).expect(0).json();
    assert_eq!(listed["count"], 1);
    project.flow(&["api", "stop"]).expect(0);
    let listed = project.flow(&["api", "list", "--json"]).expect(0).json();
    assert_eq!(listed["count"], 0);
    assert_eq!(fs::read_dir(project.runtime.join("daemons")).unwrap().count(), 0);
}
