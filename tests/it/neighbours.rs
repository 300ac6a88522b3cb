//! What else there is on the machine: a second project of the same user, and other users, each with their own servers.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use crate::namespace::Namespace;
use crate::support::{FLOW, Project, Ran, Server, free_port, get};
use crate::tools::{is_root, skip};

/// Numbers of users that hardly anybody has; containers often know those below 65,536 only.
const FIRST_USER: u32 = 40_000;
const USERS: u32 = 20_000;

/// A user of this machine with a home folder, a project in it, and what such a user's environment says.
pub(crate) struct User {
    pub(crate) id: u32,
    home: PathBuf,
    pub(crate) project: PathBuf,
    _folder: tempfile::TempDir,
}

impl User {
    /// A new one; `None`, and said why, where there can be none.
    #[track_caller]
    pub(crate) fn new() -> Option<Self> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        if !is_root() {
            return None;
        }
        let number = std::process::id() * 16 + MADE.fetch_add(1, Ordering::Relaxed);
        let id = FIRST_USER + number % USERS;
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        let project = home.join("project");
        fs::create_dir_all(project.join("docs/09-agents")).unwrap();
        fs::write(project.join("docs/09-agents/status.json"), "{\"stories\":{}}").unwrap();
        let status = "project/docs/09-agents/status.json";
        for path in [".", "project", "project/docs", "project/docs/09-agents", status] {
            chown(home.join(path), Some(id), Some(id)).unwrap();
        }
        let user = Self { id, home, project, _folder: folder };
        if user.command(&user.project).arg("--version").output().is_err() {
            skip("another user cannot reach the program that is tested");
            return None;
        }
        Some(user)
    }

    /// The program as this user, in a folder, with a plain environment.
    fn command(&self, at: &Path) -> Command {
        let mut command = Command::new(*FLOW);
        command.env_clear().env("HOME", &self.home).current_dir(at).uid(self.id).gid(self.id);
        command
    }

    #[track_caller]
    pub(crate) fn flow(&self, words: &[&str]) -> Ran {
        Ran::from(self.command(&self.project).args(words).output().unwrap())
    }

    /// A file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.project.join(path);
        let folder = path.parent().unwrap();
        if !folder.exists() {
            fs::create_dir(folder).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).unwrap();
        }
        fs::write(&path, text).unwrap();
        for made in [folder, &path] {
            chown(made, Some(self.id), Some(self.id)).unwrap();
        }
    }

    /// Settings under which a start finds its port free.
    pub(crate) fn settings_with_a_free_port(&self) {
        self.write(".flow/config.json", &format!("{{\"port\": {}}}", free_port()));
    }

    fn start(&self) -> Server {
        Server::from(&self.flow(&["api", "start", "PORT=0", "--json"]).expect(0).json())
    }

    /// Where this user's servers are registered when the environment says nothing.
    fn registry(&self) -> PathBuf {
        PathBuf::from(format!("/tmp/flow-{}", self.id))
    }
}

impl Drop for User {
    fn drop(&mut self) {
        self.flow(&["api", "stop"]);
        let _ = fs::remove_dir_all(self.registry());
    }
}

/// How many servers a list has.
fn count(listed: &Ran) -> Value {
    listed.json()["count"].clone()
}

#[test]
fn a_server_is_seen_and_stopped_by_its_user_alone() {
    let (Some(one), Some(other)) = (User::new(), User::new()) else { return };
    let server = one.start();
    let theirs = other.start();
    for user in [&one, &other] {
        let listed = user.flow(&["api", "list", "--json"]).expect(0).json();
        assert_eq!(listed["count"], 1, "{listed}");
        assert_eq!(listed["daemons"][0]["project"].as_str(), user.project.to_str());
    }
    // In the folder of the other user, and with that folder named.
    for action in ["status", "stop", "start", "restart", "logs"] {
        let there = Ran::from(other.command(&one.project).args(["api", action]).output().unwrap());
        let named = other.flow(&["api", action, "--project", one.project.to_str().unwrap()]);
        for ran in [there.expect(1), named.expect(1)] {
            let said = format!(
                "error: {} belongs to another user, uid {}, and flow runs as uid {}; run it as the owner, or change the owner\n",
                one.project.display(),
                one.id,
                other.id
            );
            assert_eq!((ran.err, ran.out.as_str()), (said, ""), "{action}");
        }
    }
    let stopped = other.flow(&["api", "stop", "--all"]).expect(0);
    assert_eq!(stopped.out.lines().count(), 1, "{stopped:?}");
    assert!(!theirs.accepts() && server.accepts());
    assert_eq!(get(server.port, "/api").status, 200, "reading over HTTP asks for no user");
    let nothing = other.flow(&["api", "stop", "--all"]).expect(0);
    assert_eq!(nothing.out, "no server of this user is running\n");
    assert_eq!(one.flow(&["api", "stop", "--all"]).expect(0).out.lines().count(), 1);
    assert!(!server.accepts());
}

#[test]
fn the_port_of_another_user_is_told_with_that_user() {
    let (Some(one), Some(other)) = (User::new(), User::new()) else { return };
    let server = one.start();
    let port = format!("PORT={}", server.port);
    let ran = other.flow(&["api", "start", &port]).expect(1);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(
        lines[0],
        format!(
            "error: port {} is taken by a process of another user, uid {}",
            server.port, one.id
        )
    );
    let run = lines[1].strip_prefix("  run: ").unwrap();
    assert!(run.starts_with(*FLOW) && lines[2].contains("to keep that port, write {"), "{ran:?}");
    assert!(!other.project.join(".flow").exists(), "nothing is left");
    let words: Vec<&str> = run.split(' ').skip(1).collect();
    other.flow(&words).expect(0);
}

#[test]
fn a_folder_that_another_user_made_for_this_users_registry_is_not_used() {
    let (Some(one), Some(other)) = (User::new(), User::new()) else { return };
    fs::create_dir(one.registry()).unwrap();
    chown(one.registry(), Some(other.id), Some(other.id)).unwrap();
    let ran = one.flow(&["api", "start", "PORT=0"]).expect(0);
    let note = format!(
        "note: flow api list will not show this server: {} belongs to another user, uid {}; rename or remove it; set FLOW_RUNTIME_DIR to a folder that only you can write to\n",
        one.registry().display(),
        other.id
    );
    assert!(ran.err.contains(&note), "{ran:?}");
    assert_eq!(fs::read_dir(one.registry()).unwrap().count(), 0);
    one.flow(&["api", "status"]).expect(0);
}

#[test]
fn a_registry_below_a_link_is_not_read() {
    let Some(one) = User::new() else { return };
    one.start();
    // The entries are the user's own; another user could have placed the link.
    let moved = one.home.join("moved");
    fs::rename(one.registry(), &moved).unwrap();
    assert_eq!(count(&one.flow(&["api", "list", "--json"]).expect(0)), 0);
    symlink(&moved, one.registry()).unwrap();
    assert_eq!(count(&one.flow(&["api", "list", "--json"]).expect(0)), 0);
    fs::remove_file(one.registry()).unwrap();
    fs::rename(&moved, one.registry()).unwrap();
    assert_eq!(count(&one.flow(&["api", "list", "--json"]).expect(0)), 1);
}

#[test]
fn servers_are_registered_in_the_session_s_runtime_folder_else_in_tmp() {
    let Some(user) = User::new() else { return };
    let session = user.home.join("run");
    fs::create_dir(&session).unwrap();
    chown(&session, Some(user.id), Some(user.id)).unwrap();
    let run = |session: Option<&Path>, words: &[&str]| {
        let mut command = user.command(&user.project);
        command.args(words).envs(session.map(|session| ("XDG_RUNTIME_DIR", session)));
        Ran::from(command.output().unwrap())
    };
    let entries = |folder: &Path| fs::read_dir(folder.join("daemons")).map_or(0, Iterator::count);
    let (in_session, in_tmp) = (session.join("flow"), user.registry());
    let nowhere = user.home.join("nowhere");
    for (at, expected) in [
        (Some(session.as_path()), &in_session),
        (None, &in_tmp),
        (Some(nowhere.as_path()), &in_tmp),
        (Some(Path::new("relative")), &in_tmp),
    ] {
        run(at, &["api", "start", "PORT=0"]).expect(0);
        assert_eq!(entries(expected), 1, "{at:?}");
        assert_eq!(entries(&in_session) + entries(&in_tmp), 1, "{at:?}");
        let mode = expected.metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode, 0o700, "{at:?}");
        assert_eq!(count(&run(at, &["api", "list", "--json"]).expect(0)), 1, "{at:?}");
        // A cron job starts without a session, and a shell lists with one.
        let listed = run(Some(&session), &["api", "list", "--json"]).expect(0);
        assert_eq!(count(&listed), 1, "{at:?}");
        run(at, &["api", "stop", "--all"]).expect(0);
        assert_eq!(entries(expected), 0, "{at:?}");
    }
    assert!(!user.project.join("relative").exists() && !nowhere.exists());
}

#[test]
fn a_server_of_a_session_is_listed_by_a_job_without_one() {
    let project = Project::new();
    let Some(mut inside) = Namespace::as_root(&project) else { return };
    // The user's runtime folder is of the namespace alone.
    let made =
        "mount -t tmpfs -o mode=755 tmpfs /run && mkdir -p /run/user/0 && chmod 700 /run/user/0";
    if !inside.may(made) {
        return;
    }
    let flow = |more: &str| format!("env -u FLOW_RUNTIME_DIR {more} \"$FLOW\" api");
    let session = flow("XDG_RUNTIME_DIR=/run/user/0");
    inside.must(&format!("{session} start PORT=0"));
    inside.must("ls /run/user/0/flow/daemons/*");
    let listed = inside.must(&format!("{} list", flow("-u XDG_RUNTIME_DIR")));
    assert!(listed.contains(project.root.to_str().unwrap()), "{listed}");
    inside.must(&format!("{session} stop"));
}
