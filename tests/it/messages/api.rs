//! Messages of starting, stopping and querying a server, of `watch` and `explain`, and of the man pages.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use nix::sys::signal::Signal;

use super::scene::Scene;
use super::{Case, case};
use crate::support::{is_alive, send, wait_until};

const STATUS: &str = "docs/09-agents/status.json";
const LOG: &str = "docs/09-agents/bus/log.jsonl";
/// The four files.
const FOUR: &[(&str, &str)] = &[
    (STATUS, "{}"),
    (LOG, ""),
    (".flow/sessions/registry.json", "{}"),
    (".flow/state/task-dependencies.json", "{}"),
];
const ONE: &[(&str, &str)] = &[(STATUS, r#"{"stories": {"US-1": {"title": "A first story"}}}"#)];

pub(super) const CASES: &[Case] = &[
    case("A project without files", "flow api start PORT=0", 0),
    case("A project with some of the four files", "flow api start PORT=0", 0).files(ONE),
    case("A file that is not JSON", "flow api start PORT=0", 0).files(&[
        (STATUS, "{\"stories\": {\n\"US-1\": {]}}"),
        (LOG, ""),
        (".flow/sessions/registry.json", "{}"),
        (".flow/state/task-dependencies.json", "{}"),
    ]),
    case("A record that may not be read as meant", "flow api start PORT=0", 0).files(&[
        (STATUS, r#"{"stories": {"US-1": {"titel": "A first story"}}}"#),
        (LOG, ""),
        (".flow/sessions/registry.json", "{}"),
        (".flow/state/task-dependencies.json", "{}"),
    ]),
    case("A linked git worktree without files", "cd ../linked && flow api start PORT=0", 0).files(FOUR).with(|scene| {
        scene.shell(
            "git init -q && git -c user.name=x -c user.email=x@localhost commit -q --allow-empty -m x && \
             git worktree add -q ../linked",
        );
    }),
    case("A `.flow` folder that others can write to", "flow api start PORT=0", 0).files(FOUR).with(|scene| {
        fs::set_permissions(scene.project.root.join(".flow"), Permissions::from_mode(0o775)).unwrap();
    }),
    case("A server that crashed before", "flow api start PORT=0", 0).files(FOUR).with(|scene| {
        let server = scene.start();
        send(server.pid, Signal::SIGKILL);
        wait_until("it is gone", || !is_alive(server.pid));
    }),
    case("A runtime folder that others can write to", "flow api start PORT=0", 0).files(FOUR).with(|scene| {
        fs::create_dir(&scene.project.runtime).unwrap();
        fs::set_permissions(&scene.project.runtime, Permissions::from_mode(0o777)).unwrap();
    }),
    case("A runtime folder that is a relative path", "flow api start", 2)
        .with(|scene| scene.variable("FLOW_RUNTIME_DIR", "run")),
    case("A port that another project of yours has", "flow api start PORT=$PORT", 1)
        .with(Scene::start_other),
    case("The same with a settings file", "flow api start PORT=$PORT", 1)
        .files(&[(".flow/config.json", r#"{"limits": {"records": 1000}}"#)])
        .with(Scene::start_other),
    case("A port that a process of another user has", "flow api start PORT=$PORT", 1)
        .with(Scene::hold_port)
        .by_another(),
    case("A port that only root may use", "flow api start PORT=79", 1).by_another(),
    case("A port that differs from the running server's", "flow api start PORT=3457", 1).with(|scene| _ = scene.start()),
    case("A symlink in place of `.flow`", "flow api start", 1)
        .with(|scene| symlink("elsewhere", scene.project.root.join(".flow")).unwrap()),
    case("A file in place of `.flow`", "flow api start", 1).files(&[(".flow", "a file")]),
    case("A symlink in place of the lock", "flow api start", 1).with(|scene| {
        fs::create_dir(scene.project.root.join(".flow")).unwrap();
        symlink("elsewhere", scene.project.file("api-server.lock")).unwrap();
    }),
    case("A project that is not writable", "flow api start", 1)
        .with(|scene| fs::set_permissions(scene.root(), Permissions::from_mode(0o500)).unwrap())
        .by_another(),
    case("A file size limit of the shell", "ulimit -f 1; flow api start", 1),
    case("A memory limit of the shell", "ulimit -v 100000; flow api start", 1),
    case("`status` without a running server", "flow api status", 3),
    case("`status` after a crash", "flow api status", 3).with(|scene| {
        let server = scene.start();
        send(server.pid, Signal::SIGKILL);
        wait_until("it is gone", || !is_alive(server.pid));
    }),
    case("`status` of a server that hangs", "flow api status", 4).with(Scene::halt),
    case("`stop` of a server that hangs", "flow api stop", 1).with(Scene::halt),
    case("`stop` without a running server", "flow api stop", 0),
    case("`stop --all` without running servers", "flow api stop --all", 0),
    case("`stop --all` with one that hangs", "flow api stop --all", 1).with(Scene::halt),
    case("`restart`", "flow api restart", 0).files(FOUR).with(|scene| _ = scene.start()),
    case("`logs` before the first start", "flow api logs", 1),
    case("`get` without a server", "flow api get stories", 0).files(ONE),
    case("`get` of a resource that requires a server", "flow api get activity", 1),
    case("`get` of a record that does not exist", "flow api get stories/US-9", 1).files(ONE),
    case("`get` with a parameter that does not exist", "flow api get 'stories?state=done'", 1).files(ONE),
    case("`explain` of an id that is misspelt", "flow explain US-11", 1).files(ONE),
    case("`explain` where a file is broken", "flow explain US-1", 1).files(&[(STATUS, "{")]),
    case("`explain` of a line that does not exist", "flow explain bus:7", 1)
        .files(&[(LOG, "{\"id\": \"m1\"}\n")]),
    case("`explain` without files", "flow explain US-1", 1),
    case("Man pages over a file that is not one of flow's", "flow man man", 1).files(&[("man/flow.1", "my own page")]),
    case("Man pages to a path that cannot be a folder", "flow man /dev/null/man", 1),
    case("An output that cannot be written", "flow api get metrics > /dev/full", 1).files(ONE),
];
