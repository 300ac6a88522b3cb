//! A commit is answered like a checkout of it, and what git does to the files takes nothing back. `tests/cases/revision` shows
//! the words with which `flow diff` and `--at` name states.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::random::Random;
use crate::shell::git;
use crate::support::{Project, Ran};

const STATUS: &str = "docs/09-agents/status.json";
const LOG: &str = "docs/09-agents/bus/log.jsonl";
const TASKS: &str = "specs/001-login/tasks.md";

/// A project in a repository.
struct Repository(Project);

impl Repository {
    fn new() -> Self {
        let project = Project::new();
        git(&project.root, &["init", "-q", "-b", "main"]);
        Self(project)
    }

    fn git(&self, words: &[&str]) -> String {
        git(&self.0.root, words)
    }

    /// Commits everything on a day of January 2026.
    fn commit(&self, day: u32) {
        self.git(&["add", "-A"]);
        let mut command = Command::new("git");
        let date = format!("2026-01-{day:02}T12:00:00Z");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]);
        command.args(["commit", "-q", "--allow-empty", "-m", &date]).current_dir(&self.0.root);
        command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        assert!(command.status().unwrap().success());
    }

    /// The story US-1 with so many criteria.
    fn story(&self, criteria: usize) {
        let list: Vec<String> = (0..criteria).map(|at| format!("Rule {at} holds")).collect();
        let stories = serde_json::json!({"stories": {"US-1": {
            "title": "Sign in", "status": "ready", "acceptance_criteria": list,
        }}});
        self.0.write(STATUS, &stories.to_string());
    }

    fn at(&self, path: &str, revision: &str) -> Ran {
        self.0.flow(&["api", "get", path, "--at", revision])
    }

    fn diff(&self, words: &[&str]) -> Ran {
        self.0.flow(&[&["diff", "--exit-code"], words].concat())
    }
}

fn body(ran: &Ran) -> Value {
    let mut body: Value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {ran:?}"));
    if let Some(body) = body.as_object_mut() {
        body.remove("timestamp");
    }
    body
}

#[test]
fn a_commit_is_answered_like_a_checkout_of_it() {
    let repository = Repository::new();
    let project = &repository.0;
    project.write(".flow/config.json", r#"{"formats": ["spec-kit", "task-master", "openspec"]}"#);
    project.write(".gitignore", ".flow/\n");
    project.write("specs/001-login/spec.md", "# Login\n");
    for day in 1..=4 {
        repository.story(day as usize);
        project.write(
            LOG,
            &format!("{{\"id\": \"m{day}\", \"from\": \"api\", \"type\": \"status\"}}\n"),
        );
        let mark = if day > 2 { "x" } else { " " };
        project.write(
            TASKS,
            &format!("# Tasks\n\n- [{mark}] T001 Create the table\n- [ ] T00{day} Next\n"),
        );
        project.write("openspec/changes/add-x/tasks.md", &format!("## 1. A\n- [ ] 1.{day} Do\n"));
        project.write("openspec/changes/add-x/proposal.md", "# Add x\n");
        // Broken in one commit, moved in another.
        let tasks =
            if day == 2 { "{" } else { r#"{"master": {"tasks": [{"id": 1, "title": "One"}]}}"# };
        project.write(".taskmaster/tasks/tasks.json", tasks);
        if day == 4 {
            fs::rename(project.root.join("specs/001-login"), project.root.join("specs/002-login"))
                .unwrap();
        }
        repository.commit(day);
    }
    let paths = [
        "status",
        "stories",
        "stories/US-1",
        "stories/none",
        "epics",
        "tasks",
        "messages",
        "sessions",
        "metrics",
        "tasks?fields=id,title&limit=2",
        "stories?nosuch=1",
        "tasks/001-login%2FT001",
    ];
    let commits = repository.git(&["log", "--format=%H"]);
    assert_eq!(commits.lines().count(), 4);
    for commit in commits.lines() {
        let there = Project::new();
        let archive =
            Command::new("git").args(["archive", commit]).current_dir(&project.root).output();
        let unpacked = crate::support::fed(
            Command::new("tar").args(["-x", "-C"]).arg(&there.root),
            &archive.unwrap().stdout,
        );
        assert!(unpacked.status.success());
        fs::create_dir(there.root.join(".flow")).unwrap();
        fs::copy(project.file("config.json"), there.file("config.json")).unwrap();
        let tasks = body(&repository.at("tasks", commit));
        assert!(tasks["count"].as_u64().unwrap() >= 3, "{tasks}");
        for path in paths {
            let (ours, theirs) = (repository.at(path, commit), there.flow(&["api", "get", path]));
            assert_eq!(
                (body(&ours), ours.code),
                (body(&theirs), theirs.code),
                "{path} at {commit}"
            );
        }
    }
    let body: Value = serde_json::from_str(&repository.at("stories", "HEAD~1").out).unwrap();
    assert_eq!(body["timestamp"], "2026-01-03T12:00:00.000Z");
}

/// Branches of the same plan with work of their own, and fifty times what people do with git. Nobody takes anything back.
#[test]
fn what_git_does_to_the_files_is_no_weakening() {
    let repository = Repository::new();
    let project = &repository.0;
    let plan = |done: usize, more: &str| {
        let boxes = (1..=6).map(|at| {
            let mark = if at <= done { "x" } else { " " };
            format!("- [{mark}] T{at:03} Write the part number {at}\n")
        });
        project.write(TASKS, &format!("# Tasks\n\n{}{more}", boxes.collect::<String>()));
    };
    plan(0, "");
    project.write("specs/001-login/spec.md", "# Login\n");
    repository.commit(1);
    assert_eq!(body(&repository.at("tasks", "HEAD"))["tasks"].as_array().unwrap().len(), 6);
    for (branch, done) in [("one", 2), ("two", 4)] {
        repository.git(&["checkout", "-q", "-b", branch, "main"]);
        plan(done, &format!("\n## Of {branch}\n\n- [ ] T1{done}0 Try the branch {branch}\n"));
        repository.commit(2);
    }
    repository.git(&["checkout", "-q", "main"]);
    let mut dice = Random(7);
    let mut steps = [0; 4];
    for step in 0..50 {
        let branch = ["main", "one", "two"][dice.below(3)];
        let what = dice.below(4);
        steps[what] += 1;
        match what {
            0 => _ = repository.git(&["checkout", "-q", branch]),
            1 => _ = repository.git(&["merge", "-q", "-X", "theirs", "-m", "merge", branch]),
            2 => _ = repository.git(&["rebase", "-q", "-X", "theirs", branch]),
            _ => {
                let path = project.root.join(TASKS);
                let text = fs::read_to_string(&path).unwrap();
                fs::write(&path, format!("{text}- [ ] T9{step:02} Found in step {step}\n"))
                    .unwrap();
                repository.diff(&[]).expect(0);
                repository.git(&["stash", "-q"]);
                repository.diff(&[]).expect(0);
                repository.git(&["stash", "pop", "-q"]);
                repository.commit(3);
            }
        }
        let ran = repository.diff(&[]).expect(0);
        assert!(ran.out.starts_with("No change"), "{step}: {ran:?}");
    }
    assert!(steps.iter().all(|count| *count > 5), "{steps:?}");
}
