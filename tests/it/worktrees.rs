//! The limits of reading the plans of other worktrees. `tests/cases/worktrees` shows what `/api/worktrees` and the item `overlap` say.

use serde_json::{Value, json};

use crate::live;
use crate::shell::git;
use crate::support::{Project, STATUS, Server, wait_until};
use crate::tools::{figure, of_status, scaled};

/// A repository with this plan, and so many linked worktrees beside it.
fn repository(plan: &str, count: usize) -> Project {
    let project = Project::named("shop");
    git(&project.root, &["init", "-q", "-b", "main"]);
    project.write(".gitignore", ".flow/\n");
    project.write(STATUS, plan);
    git(&project.root, &["add", "-A"]);
    git(&project.root, &["commit", "-q", "-m", "A step"]);
    for at in 0..count {
        let name = format!("w{at:02}");
        let path = project.root.with_file_name(&name);
        git(&project.root, &["worktree", "add", "-q", "-b", &name, path.to_str().unwrap()]);
    }
    project
}

/// The other worktrees, once all of them are read.
fn others(server: Server, count: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    wait_until("the worktrees are read", || {
        let answer = server.get("/api/worktrees").json();
        rows.clone_from(answer["worktrees"].as_array().unwrap());
        assert_eq!(answer["count"], rows.len());
        rows.retain(|row| row["served"] == false);
        rows.len() == count && rows.iter().all(|row| row["state"] != "changing")
    });
    rows
}

#[test]
fn only_the_worktrees_that_were_written_last_are_read_within_the_limits() {
    let project = repository(r#"{"stories":{"US-10":{"status":"ready"}}}"#, 34);
    let done = r#"{"stories":{"US-10":{"status":"done"}}}"#;
    live::replace(&project.root.with_file_name("w00").join(STATUS), done);
    let server = project.start();
    let rows = others(server, 32);
    assert_eq!(rows[0]["name"], "w00", "the one that was written last comes first");
    let answer = server.get("/api/worktrees").json();
    assert_eq!(answer["left_out"], 2);
    assert!(
        answer["note"].as_str().unwrap().starts_with("2 more worktrees are not read: at most 32")
    );
}

/// The same with plans of 10 MB, of which six are read.
#[test]
fn worktrees_with_plans_of_ten_megabytes_stay_within_the_limits() {
    let count = scaled(7, 32);
    let title = "x".repeat(1_000);
    let story = |at: usize| (format!("US-{at}"), json!({"title": title, "status": "ready"}));
    let large: serde_json::Map<String, Value> = (0..10_000).map(story).collect();
    let project = repository(&json!({"stories": large}).to_string(), count);
    let server = project.start();
    let rows = others(server, 6);
    let peak = of_status(server.pid, "VmHWM:");
    figure("worktrees_memory_kib", peak);
    assert!(peak < 700 << 10, "{peak} KiB for {rows:?}");
    assert_eq!(server.get("/api/worktrees").json()["left_out"], count - 6);
}
