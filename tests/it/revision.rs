//! The state of a project in a commit: `flow api get PATH --at REV`, and the words with which `flow diff` names two states.

use std::fs;
use std::path::Path;
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

    /// The numbers of criteria that were removed between two states.
    fn removed(&self, words: &[&str]) -> usize {
        let ran = self.0.flow(&[&["diff", "--json"], words].concat()).expect(0);
        let changes = ran.json()["changes"].as_array().unwrap().clone();
        changes.iter().filter(|change| change["change"] == "removed").count()
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

#[test]
fn what_follows_from_more_than_the_files_is_refused() {
    let repository = Repository::new();
    repository.story(1);
    repository.commit(1);
    for path in ["activity", "agents", "attention", "problems", "health", "changes", "events"] {
        let ran = repository.at(path, "HEAD").expect(1);
        assert_eq!(body(&ran)["code"], "not_at_revision", "{path}");
    }
    assert_eq!(body(&repository.at("nosuch", "HEAD").expect(1))["code"], "not_found");
    assert!(repository.at("stories", "nosuch").expect(2).err.contains("\"nosuch\""));
    // Only `get` has the option.
    assert!(repository.0.flow(&["api", "status", "--at", "HEAD"]).expect(2).err.contains("get"));
}

#[test]
fn a_folder_of_a_repository_is_a_project() {
    let repository = Repository::new();
    let project = &repository.0;
    project
        .write("shop/docs/09-agents/status.json", r#"{"stories": {"US-2": {"title": "Below"}}}"#);
    project
        .write("shop2/docs/09-agents/status.json", r#"{"stories": {"US-3": {"title": "Beside"}}}"#);
    repository.commit(1);
    let ran =
        project.flow(&["api", "get", "stories", "--at", "HEAD", "--project", "shop"]).expect(0);
    assert_eq!(body(&ran)["stories"][0]["id"], "US-2");
    assert_eq!(body(&ran)["stories"].as_array().unwrap().len(), 1);
}

#[test]
fn links_in_a_commit_are_not_followed() {
    let repository = Repository::new();
    let project = &repository.0;
    project.write("elsewhere.json", r#"{"stories": {"US-9": {}}}"#);
    std::os::unix::fs::symlink("../../elsewhere.json", project.root.join(STATUS)).unwrap();
    repository.commit(1);
    assert_eq!(
        body(&repository.at("stories", "HEAD").expect(0))["stories"],
        Value::Array(Vec::new())
    );
}

#[test]
fn words_name_two_states() {
    let repository = Repository::new();
    for (day, criteria) in [(1, 9), (2, 7), (3, 6)] {
        repository.story(criteria);
        repository.commit(day);
    }
    repository.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    repository.story(4);
    repository.commit(4);
    repository.story(1);
    assert_eq!(repository.removed(&[]), 3, "the last commit and the files");
    assert_eq!(repository.removed(&["main"]), 6, "from where main and the branch parted");
    assert_eq!(repository.removed(&["main", "side"]), 2);
    assert_eq!(repository.removed(&["main..side"]), 2);
    assert_eq!(repository.removed(&["main...side"]), 3);
    assert_eq!(repository.removed(&["HEAD~2.."]), 5);
    assert_eq!(repository.removed(&["2026-01-02"]), 6, "up to the end of a day");
    assert_eq!(repository.removed(&["2026-01-02T11:00:00Z"]), 8);
    assert_eq!(repository.removed(&["2026-01-01", "2026-01-02"]), 2);
    // A name comes before a time, and `@` forces the time.
    repository.git(&["branch", "2026-01-02", "main"]);
    assert_eq!(repository.removed(&["2026-01-02", "side"]), 2);
    assert_eq!(repository.removed(&["@2026-01-02", "side"]), 3);
    // What git reads as an option or a path is neither.
    for word in ["--output=x", "-p", "HEAD:docs", "HEAD^{tree}", "side\nmain", ""] {
        let ran = repository.0.flow(&["diff", "--", word]);
        assert_eq!(ran.code, 2, "{word:?}: {ran:?}");
    }
    assert!(!repository.0.root.join("x").exists());
}

#[test]
fn a_clone_tells_an_honest_branch_from_one_that_takes_back() {
    let upstream = Repository::new();
    upstream.story(3);
    upstream.0.write(
        "openspec/changes/add-x/tasks.md",
        "## 1. A\n- [x] 1.1 Do this\n- [x] 1.2 Do that\n",
    );
    upstream.0.write("openspec/changes/add-x/proposal.md", "# Add x\n");
    upstream.0.write("openspec/changes/archive/.keep", "");
    upstream.0.write(".flow/config.json", r#"{"formats": ["openspec"]}"#);
    upstream.commit(1);
    let clone = |name: &str, more: &[&str]| {
        let from = format!("file://{}", upstream.0.root.display());
        let words = [&["clone", "-q"], more, &[&from, name]].concat();
        git(upstream.0.root.parent().unwrap(), &words);
        upstream.0.root.with_file_name(name)
    };
    let judge = |at: &Path| {
        let mut command = upstream.0.command();
        Ran::from(
            command.current_dir(at).args(["diff", "origin/main", "--exit-code"]).output().unwrap(),
        )
    };
    let at = clone("work", &[]);
    // Main moves on, and takes back what is not this branch's doing.
    upstream.story(1);
    upstream.commit(2);
    git(&at, &["fetch", "-q"]);
    judge(&at).expect(0);
    // What is done goes to the archive.
    fs::create_dir_all(at.join("openspec/changes/archive")).unwrap();
    fs::rename(
        at.join("openspec/changes/add-x"),
        at.join("openspec/changes/archive/2026-01-03-add-x"),
    )
    .unwrap();
    let ran = judge(&at).expect(0);
    assert!(ran.out.contains("Archived"), "{ran:?}");
    git(&at, &["add", "-A"]);
    git(&at, &["commit", "-q", "-m", "archive"]);
    judge(&at).expect(0);
    // A merge of main, which takes back, is main's doing.
    git(&at, &["merge", "-q", "-m", "merge", "origin/main"]);
    judge(&at).expect(0);
    fs::write(at.join(STATUS), r#"{"stories": {}}"#).unwrap();
    let ran = judge(&at).expect(1);
    assert!(ran.out.starts_with("Removed  US-1"), "{ran:?}");
    fs::write(at.join(STATUS), r#"{"stories": {"#).unwrap();
    judge(&at).expect(2);
    // Without the common commit nothing can be told.
    upstream.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    upstream.commit(3);
    let shallow = clone("shallow", &["--depth", "1", "--no-single-branch", "-b", "side"]);
    let ran = judge(&shallow).expect(2);
    assert!(ran.err.contains("fetch-depth: 0"), "{ran:?}");
}

#[test]
fn a_partial_clone_is_named() {
    let upstream = Repository::new();
    upstream.story(1);
    upstream.commit(1);
    upstream.git(&["config", "uploadpack.allowFilter", "true"]);
    let from = format!("file://{}", upstream.0.root.display());
    let parent = upstream.0.root.parent().unwrap();
    git(parent, &["clone", "-q", "--filter=blob:none", "--no-checkout", &from, "partial"]);
    let partial = parent.join("partial");
    let diff = || {
        let mut command = upstream.0.command();
        Ran::from(command.current_dir(&partial).args(["diff", "HEAD", "HEAD"]).output().unwrap())
    };
    let ran = diff().expect(2);
    let remedy = ran.err.trim_end().split("fetch it with: git ").nth(1).unwrap_or_default();
    git(&partial, &remedy.split(' ').collect::<Vec<_>>());
    diff().expect(0);
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
