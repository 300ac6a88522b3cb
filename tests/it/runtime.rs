//! The runtime files: left by a crash, created by others, or removed.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::shell::git;
use crate::support::{Project, Ran, Server, WHILE_RUNNING, contents, is_alive, send, wait_until};
use crate::tools::{figure, is_root, scaled};

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
    let id = bystander.id().to_string();
    let huge = "9".repeat(1 << 20);
    for text in [id.as_str(), "1", "-1", "0", "", "no number", &huge] {
        project.write(".flow/api-server.pid", text);
        project.status().expect(3);
        project.flow(&["api", "stop"]).expect(0);
        let server = project.start();
        let pid = fs::read_to_string(project.file("api-server.pid")).unwrap();
        assert_eq!(pid, format!("{}\n", server.pid));
        // Even if it is changed while the daemon runs, it is not trusted.
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

/// The part of the private runtime folder that is for the one project that uses it.
fn private_folder(project: &Project) -> PathBuf {
    let folders = fs::read_dir(&project.runtime).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = folders.filter(|path| !path.ends_with("daemons")).collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders.remove(0)
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_that_others_can_write_to_is_left_as_it_is() {
    for open in [0o775, 0o777, 0o1777] {
        let project = Project::new();
        let folder = project.root.join(".flow");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(open)).unwrap();
        let said = project.flow(&["api", "start", "PORT=0"]).expect(0);
        let private = private_folder(&project);
        assert!(said.err.contains(&format!("{open:o}")), "{said:?}");
        assert!(said.err.contains(private.to_str().unwrap()), "{said:?}");
        assert_eq!((mode(&folder), mode(&private)), (open, 0o700));
        assert_eq!(names(&folder), [".gitignore", "api-server.pid"]);
        assert_eq!(names(&private), ["api-server.lock", "api-server.log", "api-server.sock"]);
        // Closed while it runs: the daemon is still found, and no second one starts.
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
        let facts = project.status().expect(0).json();
        assert!(facts["log"].as_str().unwrap().starts_with(private.to_str().unwrap()), "{facts}");
        let again = project.flow(&["api", "start", "--json"]).expect(0).json();
        assert_eq!(again["started"], false);
        project.flow(&["api", "stop"]).expect(0);
        assert_eq!(
            (names(&folder), names(&private)),
            (vec![".gitignore".into()], vec!["api-server.log".into()])
        );
    }
}

#[test]
fn a_folder_that_others_can_only_read_is_used() {
    let project = Project::new();
    let folder = project.root.join(".flow");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    project.start();
    assert_eq!(
        (mode(&folder), project.files("api-server")),
        (0o755, WHILE_RUNNING.map(String::from).to_vec())
    );
    for name in WHILE_RUNNING {
        assert_eq!(mode(&project.file(name)), 0o600, "{name}");
    }
}

#[test]
fn a_shared_private_folder_is_refused_and_left_as_it_is() {
    for variable in ["FLOW_RUNTIME_DIR", "XDG_RUNTIME_DIR"] {
        let project = Project::new();
        let base = project.root.parent().unwrap().join("shared");
        let folder = if variable == "FLOW_RUNTIME_DIR" { base.clone() } else { base.join("flow") };
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o1777)).unwrap();
        let start = || {
            let mut command = project.command();
            command.env_remove("FLOW_RUNTIME_DIR").env(variable, &base);
            Ran::from(command.args(["api", "start", "PORT=0"]).output().unwrap())
        };
        // It is only needed for the list.
        let said = start().expect(0);
        assert!(
            said.err.contains("flow api list") && said.err.contains("FLOW_RUNTIME_DIR"),
            "{said:?}"
        );
        project.flow(&["api", "stop"]).expect(0);
        assert_eq!((mode(&folder), names(&folder).len()), (0o1777, 0));
        // It is needed for the lock.
        fs::set_permissions(project.root.join(".flow"), Permissions::from_mode(0o777)).unwrap();
        let before = project.files("");
        let said = start().expect(1);
        assert!(said.err.contains("1777") && said.err.contains("set FLOW_RUNTIME_DIR"), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
        assert_eq!((mode(&folder), names(&folder).len(), project.files("")), (0o1777, 0, before));
    }
}

#[test]
fn a_private_folder_of_another_user_is_refused() {
    if !is_root() {
        return;
    }
    let project = Project::new();
    fs::create_dir(&project.runtime).unwrap();
    std::os::unix::fs::chown(&project.runtime, Some(65534), Some(65534)).unwrap();
    let folder = project.root.join(".flow");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
    let said = project.flow(&["api", "start", "PORT=0"]).expect(1);
    assert!(said.err.contains("another user, nobody (uid 65534)"), "{said:?}");
    assert!(said.err.contains("set FLOW_RUNTIME_DIR"), "{said:?}");
    assert!(project.files("").is_empty() && names(&project.runtime).is_empty());
}

#[test]
fn a_log_that_another_user_made_first_is_replaced() {
    if !is_root() {
        return;
    }
    let project = Project::new();
    project.write(".flow/api-server.log", "theirs");
    let log = project.file("api-server.log");
    std::os::unix::fs::chown(&log, Some(65534), Some(65534)).unwrap();
    fs::set_permissions(&log, Permissions::from_mode(0o666)).unwrap();
    project.start();
    assert_eq!((log.metadata().unwrap().uid(), mode(&log)), (0, 0o600));
    assert!(!fs::read_to_string(&log).unwrap().contains("theirs"));
}

#[test]
fn a_lock_that_is_no_file_is_named_and_left_alone() {
    let project = Project::new();
    project.write("precious", "as it was");
    fs::create_dir(project.root.join(".flow")).unwrap();
    let lock = project.file("api-server.lock");
    symlink(project.root.join("precious"), &lock).unwrap();
    let said = project.flow(&["api", "start", "PORT=0"]).expect(1);
    assert!(said.err.contains("is a symlink; remove it"), "{said:?}");
    assert_eq!(project.files(""), ["api-server.lock"]);
    assert_eq!(fs::read_to_string(project.root.join("precious")).unwrap(), "as it was");
    fs::remove_file(&lock).unwrap();
    fs::create_dir(&lock).unwrap();
    let said = project.flow(&["api", "start", "PORT=0"]).expect(1);
    assert!(said.err.contains("is a folder; remove it"), "{said:?}");
}

/// An open file with a lock of the kind.
fn locked(path: &Path, lock: fn(&File) -> io::Result<()>) -> File {
    let file = File::open(path).unwrap();
    lock(&file).unwrap();
    file
}

#[test]
fn a_lock_file_that_the_checkout_brought_is_replaced() {
    for (mode, lock) in
        [(0o644, File::lock_shared as fn(&File) -> _), (0o644, File::lock), (0o660, File::lock)]
    {
        let project = Project::new();
        fs::create_dir(project.root.join(".flow")).unwrap();
        let path = project.file("api-server.lock");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let _locked = locked(&path, lock);
        project.start();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        project.flow(&["api", "stop"]).expect(0);
    }
}

#[test]
fn a_lock_that_another_program_holds_is_named_soon() {
    let project = Project::new();
    project.start();
    let path = project.file("api-server.lock");
    project.flow(&["api", "stop"]).expect(0);
    let file = File::options().write(true).create_new(true).mode(0o600).open(&path).unwrap();
    drop(file);
    let _locked = locked(&path, File::lock_shared);
    let begun = Instant::now();
    let said = project.flow(&["api", "start", "PORT=0"]).expect(1);
    figure("held_lock_named_after_ms", begun.elapsed().as_millis());
    let pid = format!("(pid {})", std::process::id());
    assert!(said.err.contains(&pid) && said.err.contains("api-server.lock"), "{said:?}");
    assert!(said.err.contains("end it and start again"), "{said:?}");
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
        assert!(
            said.contains("missing or were replaced; stopping") && said.contains("stopped"),
            "{said}"
        );
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
        says("the runtime files are missing");
        fs::rename(&away, moved).unwrap();
        says("in place again");
        assert_eq!(server.get("/api").status, 200);
    }
    // Missing at nearly every check, and restored in between.
    for _ in 0..scaled(20, 40) {
        fs::rename(&flow, project.root.join("x")).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        fs::rename(project.root.join("x"), &flow).unwrap();
    }
    assert!(is_alive(server.pid) && server.accepts());
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
    let git = |words: &[&str]| git(&project.root, words);
    git(&["init", "-q"]);
    git(&["add", "."]);
    let before = (contents(&project.root), git(&["status", "--porcelain"]));
    let server = project.start();
    server.get("/api/status");
    // git may rewrite its index, so the files are compared first.
    let during = contents(&project.root);
    assert_eq!((during, git(&["status", "--porcelain"])), before);
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(git(&["status", "--porcelain"]), before.1);
    assert!(project.file(".gitignore").exists());
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
