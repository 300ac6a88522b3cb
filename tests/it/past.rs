//! The past of a plan from git: what each commit changed is what `flow diff` says of it.
//! `tests/cases/history` shows what `flow history` prints, and what a server adds.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::random::Random;
use crate::shell::git;
use crate::support::{Project, STATUS, Server};
use crate::tools::scaled;

const PLAN: &str = "specs/001-search/tasks.md";

/// Commits everything, at a time in seconds after the beginning of 2026.
pub(crate) fn commit(root: &Path, seconds: u64) {
    git(root, &["add", "-A", "-f"]);
    let date = format!("{} +0000", 1_767_225_600 + seconds);
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty"]);
    command.args(["-m", "A step"]).current_dir(root).env("GIT_COMMITTER_DATE", &date);
    let done = command.env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

pub(crate) fn repository() -> Project {
    let project = Project::new();
    git(&project.root, &["init", "-q", "-b", "main"]);
    project
}

fn story(title: &str, status: &str) -> String {
    json!({"stories": {"US-1": {"title": title, "status": status}}}).to_string()
}

/// The known changes, oldest first.
fn history(project: &Project, words: &[&str]) -> Vec<Value> {
    let ran = project.flow(&[&["history", "--json"][..], words].concat()).expect(0);
    let mut changes = ran.json()["changes"].as_array().unwrap().clone();
    changes.reverse();
    changes
}

/// The changes that a server tells, oldest first.
pub(crate) fn activity(server: Server) -> Vec<Value> {
    let mut changes = server.activity("limit=10000");
    changes.reverse();
    changes
}

/// A project whose plan, in two formats and a file, was changed by this many commits by chance, with so many seconds between them.
pub(crate) fn changed_by_chance(commits: u64, pause: u64) -> Project {
    let project = repository();
    let root = &project.root;
    let mut dice = Random(5);
    let mut boxes: Vec<(u64, String, bool)> =
        (1..=9).map(|at| (at, format!("Write the part {at} in {} days", at * 3), false)).collect();
    let mut archived = 0;
    project.write(STATUS, &story("Search", "ready"));
    for step in 0..commits {
        match dice.below(8) {
            0 => {
                let at = boxes.iter().map(|(at, ..)| at).max().unwrap_or(&0) + 1;
                boxes.push((at, format!("Write the part {at} of {step}"), false));
            }
            1 if boxes.len() > 2 => drop(boxes.swap_remove(0)),
            2 => boxes[0].1 = format!("Write it in {step} days"),
            3 => {
                let status = dice.one(&["ready", "in-progress", "done", "blocked"]);
                project.write(STATUS, &story(&format!("Search {}", step / 20), status));
            }
            4 => {
                // It is whole again with the next change.
                project.write(STATUS, "{\"stories\": {");
            }
            5 => project.write("src/main.rs", &step.to_string()),
            6 if fs::exists(root.join(PLAN)).unwrap() => {
                archived += 1;
                fs::remove_file(root.join(PLAN)).unwrap();
                project.write(&format!("specs/9{archived:02}-old/spec.md"), "# Old\n");
                project.write(&format!("specs/9{archived:02}-old/tasks.md"), &checklist(&boxes));
            }
            _ => {
                let at = dice.below(boxes.len());
                boxes[at].2 ^= true;
            }
        }
        project.write("specs/001-search/spec.md", "# Search\n");
        project.write(PLAN, &checklist(&boxes));
        if step % 10 == 3 {
            // A merge, whose first parent is the commit before.
            git(root, &["checkout", "-q", "-b", &format!("b{step}")]);
            commit(root, step * pause);
            git(root, &["checkout", "-q", "main"]);
            git(root, &["merge", "-q", "--no-ff", "--no-commit", &format!("b{step}")]);
            commit(root, step * pause);
        } else {
            commit(root, step * pause);
        }
    }
    project
}

fn checklist(boxes: &[(u64, String, bool)]) -> String {
    let line = |(at, text, done): &(u64, String, bool)| {
        let mark = if *done { "x" } else { " " };
        format!("- [{mark}] T{at:03} {text}\n")
    };
    format!("# Tasks\n\n{}", boxes.iter().map(line).collect::<String>())
}

#[test]
fn each_commit_is_told_as_the_comparison_of_it_is() {
    let project = changed_by_chance(scaled(40, 400), 60);
    let root = &project.root;
    // Only formats that a setting names are read beside the files.
    project.write(".flow/config.json", r#"{"formats": ["spec-kit"]}"#);
    git(root, &["status"]);
    project.flow(&["history", "import"]).expect(0);
    let mut by_commit: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for mut change in history(&project, &[]) {
        let members = change.as_object_mut().unwrap();
        assert_eq!(members.remove("how"), Some(json!("git")));
        members.remove("at").unwrap();
        members.remove("summary").unwrap();
        members.remove("parent");
        if members["from"].is_null() || members["to"].is_null() {
            // The status of a whole record.
            members.remove("field");
        }
        let commit = members.remove("commit").unwrap().as_str().unwrap().to_owned();
        by_commit.entry(commit).or_default().push(change);
    }
    let commits = git(root, &["log", "--first-parent", "--reverse", "--format=%H"]);
    let commits: Vec<&str> = commits.lines().collect();
    let is_broken =
        |commit: &str| git(root, &["show", &format!("{commit}:{STATUS}")]) == "{\"stories\": {";
    let (mut compared, mut with_changes, mut after_broken) = (0, 0, 0);
    for pair in commits.windows(2) {
        // Of a broken file, what was read before it counts.
        if is_broken(pair[1]) {
            continue;
        }
        if is_broken(pair[0]) {
            after_broken += 1;
            continue;
        }
        let ran = project.flow(&["diff", pair[0], pair[1], "--json"]).expect(0);
        let expected = ran.json()["changes"].as_array().unwrap().clone();
        let found = by_commit.remove(pair[1]).unwrap_or_default();
        assert_eq!(found, expected, "{} {}", pair[0], pair[1]);
        compared += 1;
        with_changes += usize::from(!found.is_empty());
    }
    assert!(compared > 20 && with_changes > 12, "{compared} {with_changes}");
    assert!(after_broken > 1, "{after_broken}");
}
