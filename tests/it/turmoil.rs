//! Starts and stops that hinder each other, and shells that leave a start too little: each ends with a result or with one
//! sentence that says what to do, and nothing is left behind.

use std::process::{Command, Stdio};
use std::thread;

use crate::support::{FLOW, Project, Ran, Server};
use crate::tools::{figure, scaled};

#[test]
fn loops_of_start_and_stop_at_once() {
    let project = Project::new();
    let rounds = scaled(12, 100);
    let refused: usize = thread::scope(|scope| {
        let loops: Vec<_> =
            (0..6).map(|_| scope.spawn(|| start_and_stop(&project, rounds))).collect();
        loops.into_iter().map(|one| one.join().unwrap()).sum()
    });
    figure("starts_that_were_stopped", refused);
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(project.files("api-server"), ["api-server.log"]);
    project.start();
}

/// How many starts were stopped before they were ready.
fn start_and_stop(project: &Project, rounds: usize) -> usize {
    let mut refused = 0;
    for _ in 0..rounds {
        let start = project.flow(&["api", "start", "PORT=0"]);
        if start.code != 0 {
            assert!(start.code == 1 && start.err.contains("stopped during its start"), "{start:?}");
            refused += 1;
        }
        let stop = project.flow(&["api", "stop"]);
        assert_eq!(stop.code, 0, "{stop:?}");
    }
    refused
}

/// Runs the program by a shell, where `$0` is the binary.
fn by_shell(project: &Project, script: &str) -> Ran {
    let mut shell = Command::new("sh");
    shell.args(["-c", script, *FLOW]).current_dir(&project.root);
    shell
        .env("FLOW_RUNTIME_DIR", &project.runtime)
        .env("XDG_STATE_HOME", project.state())
        .stdin(Stdio::null())
        .output()
        .unwrap()
        .into()
}

#[test]
fn a_limit_of_file_sizes_is_named_before_anything_is_made() {
    let project = Project::new();
    let said = by_shell(&project, "ulimit -f 0; exec \"$0\" api start PORT=0").expect(1);
    assert!(said.err.contains("ulimit -f") && said.err.contains("raise the limit"), "{said:?}");
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    assert!(!project.root.join(".flow").exists() && !project.runtime.exists());
    // A soft limit is raised.
    let started =
        by_shell(&project, "ulimit -S -f 0; exec \"$0\" api start PORT=0 --json").expect(0);
    assert_eq!(Server::from(&started.json()).get("/api").status, 200);
}

#[test]
fn too_little_memory_is_named_before_anything_is_made() {
    let project = Project::new();
    // The program built for tests is itself mapped into about 40 MiB.
    for mib in [56, 64, 127] {
        let script = format!("ulimit -v {}; exec \"$0\" api start PORT=0", mib * 1024);
        let said = by_shell(&project, &script).expect(1);
        assert!(said.err.contains("ulimit -v") && said.err.contains("raise the limit"), "{said:?}");
        assert_eq!(said.err.lines().count(), 1, "{said:?}");
        assert!(!project.root.join(".flow").exists() && !project.runtime.exists());
    }
    // Memory that suffices to begin may be too little for the state: then the daemon exits, and the message says so.
    let line = format!("{{\"text\":\"{}\"}}\n", "x".repeat(1 << 20));
    project.write("docs/09-agents/bus/log.jsonl", &line.repeat(140));
    let said = by_shell(&project, "ulimit -v 133000; exec \"$0\" api start PORT=0").expect(1);
    assert!(
        said.err.contains("exited before it was ready") && said.err.contains("ulimit -v"),
        "{said:?}"
    );
    assert_eq!(said.err.lines().count(), 1, "{said:?}");
    assert_eq!(project.files("api-server"), ["api-server.log"]);
    project.status().expect(3);
    assert_eq!(project.start().get("/api").status, 200);
}
