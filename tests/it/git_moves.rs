//! What git does to the files of a plan while it is watched is told as such and raises nothing; what somebody does is told, also
//! if it is committed at once.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::random::Random;
use crate::shell::git;
use crate::support::{Project, Server, wait_until};
use crate::tools::scaled;

const PLAN: &str = "specs/001-search/tasks.md";
const LAST: &str = "specs/001-search/spec.md";

fn plan(done: usize, more: &str) -> String {
    let mut text = "# Tasks\n\n## Phase 1\n\n".to_owned();
    for at in 1..=12 {
        let mark = if at <= done { "x" } else { " " };
        writeln!(text, "- [{mark}] T{at:03} Write the part number {at}").unwrap();
    }
    text + more
}

fn write(project: &Project, text: &str) {
    fs::write(project.root.join(PLAN), text).unwrap();
}

/// A project with a plan on three branches.
fn repository() -> Project {
    let project = Project::new();
    let root = &project.root;
    git(root, &["init", "-q", "-b", "main"]);
    project.write(".gitignore", ".flow\n");
    project.write(LAST, "# Feature Specification: Search\n");
    project.write(PLAN, &plan(0, ""));
    commit(root);
    for (branch, done) in [("one", 3), ("two", 7)] {
        git(root, &["checkout", "-q", "-b", branch, "main"]);
        write(&project, &plan(done, &format!("- [ ] T1{done}0 Try the branch {branch}\n")));
        commit(root);
    }
    git(root, &["checkout", "-q", "-b", "without", "main"]);
    git(root, &["rm", "-q", PLAN]);
    commit(root);
    git(root, &["checkout", "-q", "main"]);
    project
}

fn commit(root: &Path) {
    git(root, &["add", "-A"]);
    git(root, &["commit", "-q", "-m", "A step"]);
}

fn alarms(server: Server) -> Value {
    let kinds = "/api/attention?kind=plan_weakened,plan_contradiction,reopened";
    server.get(kinds).json()["items"].take()
}

/// How each change was made that the server has seen, newest first.
fn told(server: Server) -> Vec<String> {
    let answer = server.get("/api/activity?limit=10000").json();
    let rows = answer["activity"].as_array().unwrap().iter();
    let seen = rows.filter(|row| row["how"] != "git");
    seen.map(|row| format!("{} {}", row["how"].as_str().unwrap(), row["change"].as_str().unwrap()))
        .collect()
}

/// Waits until the boxes that are served are those of the file, and the change is told.
#[track_caller]
fn settle(project: &Project, server: Server) {
    let of_answer = || {
        let answer = server.get("/api/tasks").json();
        let line = |task: &Value| {
            let done = task["state"] == "completed";
            format!("{done} {}", task["title"].as_str().unwrap_or_default())
        };
        let mut lines: Vec<String> = answer["tasks"].as_array().unwrap().iter().map(line).collect();
        lines.sort();
        lines
    };
    let on_disk = || {
        let text = fs::read_to_string(project.root.join(PLAN)).unwrap_or_default();
        let line = |line: &str| {
            let (mark, rest) = line.strip_prefix("- [")?.split_once("] ")?;
            Some(format!("{} {}", mark == "x", rest.split_once(' ')?.1))
        };
        let mut lines: Vec<String> = text.lines().filter_map(line).collect();
        lines.sort();
        lines
    };
    wait_until("the plan is served", || of_answer() == on_disk());
}

#[test]
fn switches_merges_rebases_and_stashes_raise_nothing() {
    let project = repository();
    let root = &project.root;
    let server = project.start();
    let mut dice = Random(11);
    let mut steps = [0; 4];
    for step in 0..scaled(25, 50) {
        let branch = ["main", "one", "two", "without"][dice.below(4)];
        let what = dice.below(4);
        steps[what] += 1;
        match what {
            0 => _ = git(root, &["checkout", "-q", branch]),
            1 => {
                git(root, &["checkout", "-q", "-B", "trial", "main"]);
                git(
                    root,
                    &["merge", "-q", "-X", "theirs", "-m", "merge", ["one", "two"][dice.below(2)]],
                );
            }
            2 => {
                git(root, &["checkout", "-q", "-B", "trial", "one"]);
                git(root, &["rebase", "-q", "-X", "theirs", "two"]);
            }
            _ => {
                git(root, &["checkout", "-q", "main"]);
                settle(&project, server);
                write(&project, &plan(0, &format!("- [ ] T9{step:02} Found in the step {step}\n")));
                settle(&project, server);
                git(root, &["stash", "-q"]);
                settle(&project, server);
                git(root, &["stash", "pop", "-q"]);
                settle(&project, server);
                git(root, &["checkout", "-q", "-f", "main"]);
                // Discarding an edit is a change that somebody makes, and here one that takes a task back.
                write(&project, &plan(0, &format!("- [x] T9{step:02} Found in the step {step}\n")));
            }
        }
        settle(&project, server);
        git(root, &["checkout", "-q", "-f", branch]);
        settle(&project, server);
    }
    assert!(steps.iter().all(|count| *count > 2), "{steps:?}");
    wait_until("the last change is told", || !told(server).is_empty());
    let told = told(server);
    let made_by = |how: &str| told.iter().filter(|line| line.starts_with(how)).count();
    assert!(made_by("checkout") > 25 && made_by("watched") > 2, "{told:?}");
    assert_eq!(alarms(server), Value::Array(Vec::new()));
}

#[test]
fn what_somebody_takes_back_is_told_even_if_it_is_committed_at_once() {
    let project = repository();
    let root = &project.root;
    let server = project.start();
    git(root, &["checkout", "-q", "two"]);
    settle(&project, server);
    wait_until("it is told", || !told(server).is_empty());
    assert_eq!(alarms(server), Value::Array(Vec::new()));
    // Committed before the server can read it, and a branch is made of it.
    write(&project, &plan(7, ""));
    commit(root);
    git(root, &["checkout", "-q", "-b", "three"]);
    wait_until("it is told", || !alarms(server).as_array().unwrap().is_empty());
    let raised = alarms(server);
    assert_eq!(
        (&raised[0]["reason"], &raised[0]["how"]),
        (&"removed while it was \"queued\"".into(), &"watched".into()),
        "{raised}"
    );
    // git changes the branch while no server runs, and somebody another file.
    project.flow(&["api", "stop"]).expect(0);
    git(root, &["checkout", "-q", "-f", "main"]);
    project.write("specs/002-more/spec.md", "# Feature Specification: More\n");
    let server = project.start();
    let told_now = told(server);
    assert!(
        told_now[0].starts_with("while_stopped added") || told_now[0].starts_with("checkout"),
        "{told_now:?}"
    );
    let how = |how: &str| told_now.iter().filter(|line| line.starts_with(how)).count();
    assert!(how("checkout") > 2 && how("while_stopped") == 1, "{told_now:?}");
    assert_eq!(alarms(server).as_array().unwrap().len(), 1, "{}", alarms(server));
    git(root, &["checkout", "-q", "three"]);
    settle(&project, server);
    // git brings it back.
    git(root, &["checkout", "-q", "HEAD~1"]);
    wait_until("it is restored", || alarms(server).as_array().unwrap().is_empty());
    assert!(told(server)[0].starts_with("checkout added"), "{:?}", told(server));
}
