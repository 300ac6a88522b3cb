//! What git does to the files takes nothing back. `tests/cases/revision` shows that a commit is answered like a checkout, and
//! the words with which `flow diff` and `--at` name states.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::random::Random;
use crate::shell::git;
use crate::support::{Project, Ran};

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
        assert!(ran.out.starts_with("No plan changes"), "{step}: {ran:?}");
    }
    assert!(steps.iter().all(|count| *count > 5), "{steps:?}");
}
