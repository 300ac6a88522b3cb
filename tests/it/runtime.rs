//! The runtime files: created by other users, locked, or removed. `tests/cases/api` shows those that a crash left, links, and modes
//! of their folder.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{Project, is_alive, is_portable, wait_until};
use crate::tools::{figure, is_root, scaled};

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
    assert!(
        said.err.contains(&pid) != is_portable() && said.err.contains("api-server.lock"),
        "{said:?}"
    );
    assert!(said.err.contains("end it and start again"), "{said:?}");
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
