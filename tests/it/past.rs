//! The past of a plan from git: what each commit changed is what `flow diff` says of it, and nothing is told twice.
//! `tests/cases/history` shows what `flow history` prints.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::random::Random;
use crate::shell::git;
use crate::support::{Project, Server, contents, wait_until};
use crate::tools::scaled;

const STATUS: &str = "docs/09-agents/status.json";
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

/// Each change in a few words, oldest first.
fn told(changes: &[Value]) -> Vec<String> {
    let line = |change: &Value| {
        let words = ["id", "change", "from", "to", "how"].map(|name| change[name].as_str());
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    changes.iter().map(line).collect()
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
    let project = changed_by_chance(scaled(80, 400), 60);
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
    assert!(compared > 40 && with_changes > 25, "{compared} {with_changes}");
    assert!(after_broken > 1, "{after_broken}");
}

#[test]
fn the_first_start_reads_the_past_and_nothing_is_told_twice() {
    let project = repository();
    let root = &project.root;
    project.write(".gitignore", ".flow\n");
    for (at, status) in ["ready", "in-progress", "blocked"].iter().enumerate() {
        project.write(STATUS, &story("Sign in", status));
        commit(root, at as u64 * 60);
    }
    let before = contents(root);
    let server = project.start();
    wait_until("the past is there", || activity(server).len() == 3);
    let past = [
        "US-1 added ready git",
        "US-1 changed ready in-progress git",
        "US-1 changed in-progress blocked git",
    ];
    assert_eq!(told(&activity(server)), past);
    let attention = server.get("/api/attention?kind=plan_weakened,reopened").json();
    assert_eq!(attention["items"], json!([]), "the past raises nothing");

    // The page before the oldest of the past, and the record's own history, go over both.
    project.write(STATUS, &story("Sign in", "done"));
    commit(root, 99_000_000);
    let all = [&past[..], &["US-1 changed blocked done watched"]].concat();
    wait_until("it is told", || told(&activity(server)) == all);
    let mut cursor = String::new();
    let mut pages = Vec::new();
    loop {
        let page = server.get(&format!("/api/activity?limit=1{cursor}")).json();
        pages.extend(page["activity"].as_array().unwrap().clone());
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    pages.reverse();
    assert_eq!(told(&pages), all);
    let record = server.get("/api/stories/US-1/history").json();
    assert_eq!(told(record["history"].as_array().unwrap()), all);

    let weak = |server: Server| server.get("/api/activity?limit=1").json();
    let total = weak(server)["total"].clone();
    project.flow(&["history", "import"]).expect(0);
    project.flow(&["api", "stop"]).expect(0);
    assert_eq!(told(&history(&project, &[])), all);
    let server = project.start();
    wait_until("the past is there", || activity(server).len() == all.len());
    assert_eq!(weak(server)["total"], total);
    assert_eq!(weak(server)["forgotten"], 0);
    project.flow(&["api", "stop"]).expect(0);

    let state = |entry: (PathBuf, Vec<u8>)| entry.0;
    for path in contents(&project.state()).into_iter().map(state) {
        let mode = path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
    }
    let is_own = |path: &Path| {
        !path.to_string_lossy().contains("/.git/")
            && !path.ends_with(STATUS)
            && !path.to_string_lossy().contains("/.flow/")
    };
    let now = contents(root).into_iter().filter(|(path, _)| is_own(path)).count();
    let then = before.iter().filter(|(path, _)| is_own(path)).count();
    assert_eq!(now, then, "nothing is written into the project");
}

#[test]
fn what_was_pulled_while_it_was_recorded_is_no_past() {
    let origin = repository();
    origin.write(".gitignore", ".flow\n");
    for (at, status) in ["ready", "in-progress", "done"].iter().enumerate() {
        origin.write(STATUS, &story("Sign in", status));
        commit(&origin.root, at as u64 * 60);
    }
    let project = Project::new();
    let root = &project.root;
    fs::remove_dir_all(root).unwrap();
    let from = format!("file://{}", origin.root.display());
    git(root.parent().unwrap(), &["clone", "-q", &from, root.to_str().unwrap()]);
    git(root, &["reset", "-q", "--hard", "HEAD~1"]);
    // The log of HEAD has seconds.
    let since = Instant::now();
    wait_until("the second is over", || since.elapsed() > Duration::from_secs(2));
    let server = project.start();
    let past = ["US-1 added ready git", "US-1 changed ready in-progress git"];
    wait_until("the past is there", || activity(server).len() == 2);
    git(root, &["pull", "-q", "--ff-only"]);
    wait_until("it is told", || activity(server).len() == 3);
    project.flow(&["api", "stop"]).expect(0);
    // As if the first import had failed.
    let history = project.state().join("flow/history");
    let folder = fs::read_dir(history).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(folder.join("past")).unwrap();
    project.flow(&["history", "import"]).expect(0);
    let all = [&past[..], &["US-1 changed in-progress done checkout"]].concat();
    assert_eq!(told(&self::history(&project, &[])), all);
}

#[test]
fn reports_and_watch_know_what_was_taken_back_with_and_without_a_server() {
    let project = Project::new();
    let plan = |criteria: &[&str], status: &str| {
        json!({"stories": {
            "US-1": {"title": "Sign in", "status": status, "owner": "api", "acceptance_criteria": criteria},
            "US-2": {"title": "Sign out", "status": "ready", "owner": "ui"},
        }})
        .to_string()
    };
    project.write(STATUS, &plan(&["Answers 400", "Locks"], "ready"));
    let server = project.start();
    project.write(STATUS, &plan(&["Locks"], "ready"));
    wait_until("it is told", || activity(server).len() == 1);
    let line = "US-1: Weakened: criterion removed: \"Answers 400\"";
    let check = |when: &str| {
        for (skill, is_there) in [
            ("status-report", true),
            ("status-report owner=api", true),
            ("status-report US-1", true),
            ("status-report owner=ui", false),
            ("status-report since=2001-01-01 until=2001-01-02", false),
            ("handoff-note since=yesterday", true),
            ("retro-facilitator since=yesterday", true),
        ] {
            let words: Vec<&str> = std::iter::once("skill").chain(skill.split(' ')).collect();
            let ran = project.flow(&words).expect(0);
            let out = ran.out.replace('\\', "");
            assert_eq!(out.contains(line), is_there, "{when}: {skill}\n{out}");
        }
        let ran = project.flow(&["skill", "agent-brief", "US-1"]).expect(0);
        let part = ran.out.split("## Changes of the plan").nth(1).unwrap_or_default();
        assert!(part.contains("docs/09-agents/status.json:"), "{when}: {}", ran.out);
        let ran = project.flow(&["watch", "--once"]).expect(0);
        assert!(ran.out.contains("Weakened: criterion removed"), "{when}: {}", ran.out);
    };
    check("with a server");
    project.flow(&["api", "stop"]).expect(0);
    check("without one");
}

fn stories(stories: &Value) -> String {
    json!({"stories": stories}).to_string()
}

#[test]
fn what_is_imported_before_the_first_start_is_read_to_its_end_at_the_start() {
    for first in [&["history", "import"][..], &["diff", "--since-last"]] {
        let project = repository();
        project.write(".gitignore", ".flow\n");
        project.write(STATUS, &story("Sign in", "ready"));
        commit(&project.root, 0);
        project.flow(first).expect(0);
        let ran = project.flow(&["history", "--json"]).expect(0);
        assert_eq!(ran.json()["recorded_since"], Value::Null);
        project.write(STATUS, &story("Sign in", "done"));
        commit(&project.root, 60);
        let server = project.start();
        let all = ["US-1 added ready git", "US-1 changed ready done git"];
        wait_until("the past is there", || told(&activity(server)) == all);
    }
}

#[test]
fn what_was_never_committed_changes_no_earlier_number() {
    let project = repository();
    project.write(".gitignore", ".flow\n");
    project.write(
        STATUS,
        &stories(&json!({"US-1": {"status": "ready"}, "US-2": {"status": "ready"}})),
    );
    commit(&project.root, 0);
    let now = json!({"US-1": {"status": "done"}, "US-3": {"status": "ready"}, "US-4": {"status": "ready"}});
    project.write(STATUS, &stories(&now));
    let server = project.start();
    wait_until("the past is there", || activity(server).len() == 2);
    let bucket = server.get("/api/history").json()["buckets"][0].clone();
    assert_eq!((&bucket["open"], &bucket["done"]), (&json!(2), &json!(0)), "{bucket}");
}
