//! Links out of the root, what is no file, and what may not be read.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use flow::project::Source;
use flow::store::snapshot::State;

use super::{Case, in_each_way, status};
use crate::live::{self, Live};
use crate::shell::git;
use crate::support::wait_until;
use crate::tools;

/// Waits until a source is in a state, and asserts that the last good content is served.
#[track_caller]
fn stays_as(case: &mut Case, state: State) {
    case.settles();
    wait_until("the state", || case.live.state(Source::Status) == state);
    case.settles();
    assert!(!case.live.is_ok());
    assert!(case.live.health(Source::Status).last_error.is_some());
}

#[test]
fn a_link_out_of_the_root_is_refused() {
    in_each_way(|case| {
        let outside = tempfile::tempdir().unwrap();
        live::write(&outside.path().join("status.json"), status("secret"));
        let path = case.live.file(Source::Status);
        case.live.write(Source::Status, status("good"));
        case.settles();
        fs::remove_file(&path).unwrap();
        case.settles();
        symlink(outside.path().join("status.json"), &path).unwrap();
        stays_as(case, State::Refused);
        assert!(case.live.text("/api/status").contains("state_invalid"));
        live::replace(&path, status("good again"));
        case.settles();
        // In one step, so that the last good is still there.
        symlink(outside.path().join("status.json"), path.with_extension("link")).unwrap();
        fs::rename(path.with_extension("link"), &path).unwrap();
        stays_as(case, State::Refused);
        assert!(case.live.text("/api/status").contains("good again"));
        live::write(&outside.path().join("status.json"), status("more of it"));
        stays_as(case, State::Refused);
        live::replace(&path, status("healed"));
        case.settles();
        wait_until("all is well", || case.live.is_ok());
    });
}

#[test]
fn a_folder_that_moved_out_of_the_root_is_refused() {
    in_each_way(|case| {
        let outside = tempfile::tempdir().unwrap();
        case.live.write(Source::Status, status("good"));
        case.settles();
        // The file itself does not change by this.
        fs::rename(case.live.path("docs"), outside.path().join("docs")).unwrap();
        symlink(outside.path().join("docs"), case.live.path("docs")).unwrap();
        wait_until("it is refused", || {
            if case.way == super::Way::Asked {
                case.live.sync();
            }
            case.live.state(Source::Status) == State::Refused
        });
        fs::remove_file(case.live.path("docs")).unwrap();
        fs::rename(outside.path().join("docs"), case.live.path("docs")).unwrap();
        case.settles();
        wait_until("all is well", || case.live.is_ok());
    });
}

#[test]
fn the_same_path_in_another_worktree_is_served() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("main");
    live::write(&main.join(".flow/sessions/registry.json"), r#"{"sessions":{"main":{}}}"#);
    live::write(&main.join("docs/09-agents/status.json"), status("main"));
    git(&main, &["init", "-q", "-b", "one"]);
    git(&main, &["add", "docs"]);
    git(&main, &["commit", "-q", "-m", "one"]);
    git(&main, &["worktree", "add", "-q", "-b", "two", "../side"]);
    let side = folder.path().join("side");
    fs::create_dir_all(side.join(".flow")).unwrap();
    symlink("../../main/.flow/sessions", side.join(".flow/sessions")).unwrap();
    let live = Live::at(&side);
    let sessions = || live.text("/api/sessions");
    assert!(sessions().contains("\"main\""), "{}", live.text("/api/health"));
    live::replace(&main.join(".flow/sessions/registry.json"), r#"{"sessions":{"new":{}}}"#);
    live.sync();
    assert!(sessions().contains("\"new\""));
    assert!(live.is_ok());
    // Another path of that worktree is not the same file.
    live::write(&main.join("other.json"), r#"{"sessions":{"other":{}}}"#);
    fs::remove_file(side.join(".flow/sessions")).unwrap();
    fs::create_dir(side.join(".flow/sessions")).unwrap();
    symlink(main.join("other.json"), side.join(".flow/sessions/registry.json")).unwrap();
    live.sync();
    assert_eq!(live.state(Source::Sessions), State::Refused);
    assert!(!sessions().contains("\"other\""));
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn what_is_no_file_is_refused_without_a_hang() {
    in_each_way(|case| {
        let path = case.live.file(Source::Status);
        let new = path.with_extension("strange");
        let make: [fn(&Path); 5] = [
            fifo,
            |path| drop(UnixListener::bind(path).unwrap()),
            |path| symlink("/dev/zero", path).unwrap(),
            |path| symlink("/dev/tty", path).unwrap(),
            |path| symlink("strange-loop", path).unwrap(),
        ];
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink("strange-loop", path.with_file_name("strange-loop")).unwrap();
        for (n, make) in make.into_iter().enumerate() {
            live::replace(&path, status(&n.to_string()));
            case.settles();
            make(&new);
            fs::rename(&new, &path).unwrap();
            // A loop of links is nothing that could be looked at.
            stays_as(case, if n == 4 { State::Unreadable } else { State::Refused });
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        wait_until("it is refused", || {
            case.live.sync();
            case.live.state(Source::Status) == State::Refused
        });
        fs::remove_dir(&path).unwrap();
        live::write(&path, status("healed"));
        case.settles();
        assert!(case.live.is_ok());
    });
}

#[test]
fn a_fifo_in_the_place_of_the_log() {
    in_each_way(|case| {
        let path = case.live.file(Source::Bus);
        live::write(&path, "{\"n\":1}\n");
        case.settles();
        fifo(&path.with_extension("fifo"));
        fs::rename(path.with_extension("fifo"), &path).unwrap();
        wait_until("it is refused", || {
            case.live.sync();
            case.live.state(Source::Bus) == State::Refused
        });
        case.settles();
        live::replace(&path, "{\"n\":2}\n");
        case.settles();
    });
}

#[test]
fn a_fifo_in_the_place_of_what_git_left() {
    let outside = tempfile::tempdir().unwrap();
    live::write(&outside.path().join("status.json"), status("secret"));
    let live = Live::new();
    live.write(Source::Status, status("good"));
    live.agrees();
    let good = live.files();
    fifo(&live.path(".git"));
    let path = live.file(Source::Status);
    symlink(outside.path().join("status.json"), path.with_extension("link")).unwrap();
    fs::rename(path.with_extension("link"), &path).unwrap();
    wait_until("it is refused", || live.state(Source::Status) == State::Refused);
    live.sync();
    live.serves(&good);
}

#[test]
fn what_may_not_be_read_leaves_the_last_good_and_heals() {
    if nix::unistd::geteuid().is_root() {
        let name = "watching::strange::what_may_not_be_read_leaves_the_last_good_and_heals";
        let program = std::env::current_exe().unwrap();
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(program);
        let why = match other.args([name, "--exact"]).env("TMPDIR", "/tmp").output() {
            Ok(done) if String::from_utf8_lossy(&done.stdout).contains("running 1 test") => {
                assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
                return;
            }
            Ok(_) => "another user cannot run this test".to_owned(),
            Err(error) => error.to_string(),
        };
        return tools::not_here(&format!("modes mean nothing to root: {why}"));
    }
    in_each_way(|case| {
        let path = case.live.file(Source::Status);
        live::write(&path, status("good"));
        case.settles();
        let folder = path.parent().unwrap().to_path_buf();
        for locked in [&path, &folder] {
            let mode = fs::metadata(locked).unwrap().permissions();
            fs::set_permissions(locked, Permissions::from_mode(0o0)).unwrap();
            wait_until("it is unreadable", || case.live.state(Source::Status) == State::Unreadable);
            case.live.serves(&case.good);
            assert!(!case.live.is_ok());
            let why = case.live.health(Source::Status).last_error.unwrap();
            assert!(why.contains("denied") && !why.contains("/tmp"), "{why}");
            fs::set_permissions(locked, mode).unwrap();
            case.settles();
            wait_until("all is well", || case.live.is_ok());
        }
    });
}
