//! `/api/worktrees` and the item `overlap`: what the copies of the plan in other worktrees have, and what two of them took each
//! by itself.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::live;
use crate::shell::git;
use crate::support::{Project, Server, contents, wait_until};
use crate::tools::{figure, scaled};

const STATUS: &str = "docs/09-agents/status.json";
const TASKS: &str = ".flow/state/task-dependencies.json";
const PLAN: &str = "specs/004-search/tasks.md";

/// A plan of stories with these statuses.
fn stories(statuses: &[(&str, &str)]) -> String {
    let story = |(id, status): &(&str, &str)| {
        ((*id).to_owned(), json!({"title": format!("Story {id}"), "status": status}))
    };
    let stories: serde_json::Map<String, Value> = statuses.iter().map(story).collect();
    serde_json::to_string_pretty(&json!({"stories": stories})).unwrap()
}

/// A registry of tasks, each with its state and a file that it names.
fn tasks(rows: &[(&str, &str, &str)]) -> String {
    let task = |(id, state, file): &(&str, &str, &str)| {
        let task = json!({"description": format!("Task {id}"), "state": state, "files": [file]});
        ((*id).to_owned(), task)
    };
    let tasks: serde_json::Map<String, Value> = rows.iter().map(task).collect();
    json!({"tasks": tasks}).to_string()
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "A step"]);
}

/// A repository whose plan is committed, and linked worktrees beside it, each on a branch of its name.
struct Repository {
    project: Project,
}

impl Repository {
    fn new(files: &[(&str, String)]) -> Self {
        let project = Project::named("shop");
        git(&project.root, &["init", "-q", "-b", "main"]);
        project.write(".gitignore", ".flow/api-server*\n");
        for (path, text) in files {
            project.write(path, text);
        }
        commit(&project.root);
        Self { project }
    }

    fn of_stories() -> Self {
        let ready = stories(&[("US-10", "ready"), ("US-11", "ready"), ("US-12", "ready")]);
        Self::new(&[(STATUS, ready), (TASKS, tasks(&[("T-1", "queued", "src/a.rs")]))])
    }

    /// A worktree that begins at a commit.
    fn worktree(&self, name: &str, at: &str) -> PathBuf {
        let path = self.project.root.with_file_name(name);
        git(&self.project.root, &["worktree", "add", "-q", "-b", name, path.to_str().unwrap(), at]);
        path
    }

    fn write(&self, name: &str, file: &str, text: &str) {
        live::replace(&self.project.root.with_file_name(name).join(file), text);
    }
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

fn row(server: Server, name: &str) -> Value {
    let answer = server.get("/api/worktrees").json();
    let rows = answer["worktrees"].as_array().unwrap();
    rows.iter().find(|row| row["name"] == name).cloned().unwrap_or_default()
}

fn overlaps(server: Server) -> Vec<Value> {
    let mut answer = server.get("/api/attention?kind=overlap").json();
    serde_json::from_value(answer["items"].take()).unwrap()
}

#[test]
fn three_worktrees_are_listed_with_what_each_has_by_meaning() {
    let boxes = |done: usize| {
        let line = |at: usize| {
            format!("- [{}] T{at:03} Write part {at}\n", if at <= done { "x" } else { " " })
        };
        format!("# Tasks\n\n## Phase 1\n\n{}", (1..=12).map(line).collect::<String>())
    };
    let spec = "# Feature Specification: Search\n".to_owned();
    let repository = Repository::new(&[(PLAN, boxes(0)), ("specs/004-search/spec.md", spec)]);
    let project = &repository.project;
    repository.worktree("004-search", "main");
    let inside = project.root.join(".trees/pay");
    git(&project.root, &["worktree", "add", "-q", "-b", "pay", inside.to_str().unwrap()]);
    let server = project.start();
    others(server, 2);
    repository.write("004-search", PLAN, &boxes(5));
    wait_until("the boxes are counted", || row(server, "004-search")["changes"]["done"] == 5);
    let found = row(server, "004-search");
    let commit = git(&project.root, &["rev-parse", "HEAD"]);
    assert_eq!(found["path"], "../004-search");
    assert_eq!((&found["branch"], &found["commit"]), (&json!("004-search"), &json!(commit[..10])));
    assert_eq!(found["progress"]["done"], 5, "{found}");
    assert_eq!(found["progress"]["total"], 12, "{found}");
    assert!(found["last_write"].is_string() && found["reason"].is_null(), "{found}");
    assert_eq!(row(server, "pay")["path"], ".trees/pay");
    assert_eq!(row(server, "pay")["changes"]["done"], 0);
    let own = row(server, "shop");
    assert_eq!((&own["served"], &own["path"]), (&json!(true), &json!(".")));
    // A promise that is taken back, another branch, and a worktree that goes.
    repository.write("004-search", PLAN, &boxes(5).replace("- [ ] T012 Write part 12\n", ""));
    git(&inside, &["checkout", "-q", "--detach"]);
    git(&inside, &["commit", "-q", "--allow-empty", "-m", "A step"]);
    wait_until("the removed box is counted", || {
        row(server, "004-search")["changes"]["removed"] == 1
    });
    let moved = git(&inside, &["rev-parse", "HEAD"]);
    wait_until("the branch is left", || row(server, "pay")["branch"].is_null());
    wait_until("the commit is shown", || row(server, "pay")["commit"] == moved[..10]);
    fs::remove_dir_all(project.root.with_file_name("004-search")).unwrap();
    assert_eq!(others(server, 1)[0]["name"], "pay");
    git(&project.root, &["worktree", "remove", "--force", inside.to_str().unwrap()]);
    git(&project.root, &["worktree", "prune"]);
    wait_until("none is left", || server.get("/api/worktrees").json()["count"] == 0);
    let answer = server.get("/api/worktrees");
    assert_eq!(answer.header("etag"), None);
    assert!(answer.json()["note"].is_string());
    // The events named the answer.
    let all = server.get("/api/changes?since=0000000000000000-0&wait=0").json();
    assert!(all["resources"].as_array().unwrap().contains(&json!("/api/worktrees")), "{all}");
}

#[test]
fn nothing_is_listed_without_git_and_no_answer_has_a_path_of_the_machine() {
    let project = Project::new();
    project.write(STATUS, &stories(&[("US-10", "ready")]));
    let server = project.start();
    let answer = server.get("/api/worktrees").json();
    assert_eq!((&answer["worktrees"], &answer["left_out"]), (&json!([]), &json!(0)));
    assert!(answer["note"].is_string(), "{answer}");
    let repository = Repository::of_stories();
    repository.worktree("a", "main");
    let server = repository.project.start();
    others(server, 1);
    let text = String::from_utf8(server.get("/api/worktrees").body).unwrap();
    let parent = repository.project.root.parent().unwrap();
    assert!(!text.contains(parent.to_str().unwrap()), "{text}");
    assert_eq!(server.get("/api/worktrees?x=1").status, 400);
}

#[test]
fn a_copy_that_cannot_be_read_says_why_and_a_hostile_one_is_not_read() {
    let repository = Repository::of_stories();
    let (project, a) = (&repository.project, repository.worktree("a", "main"));
    let b = repository.worktree("b", "main");
    fs::remove_dir_all(b.join("docs")).unwrap();
    fs::remove_dir_all(b.join(".flow")).unwrap();
    repository.write("a", STATUS, "{");
    // A folder that refers to the repository which does not refer to it, one in its list that refers to another repository,
    // and a worktree whose plan is a link to another user's secret.
    let stranger = Repository::new(&[(STATUS, stories(&[("US-99", "done")]))]);
    let elsewhere = stranger.worktree("elsewhere", "main");
    let list = project.root.join(".git/worktrees");
    for (name, git) in [("x", elsewhere.join(".git")), ("y", stranger.project.root.join(".git"))] {
        fs::create_dir(list.join(name)).unwrap();
        fs::write(list.join(name).join("gitdir"), git.to_str().unwrap()).unwrap();
        fs::write(list.join(name).join("commondir"), "../..").unwrap();
        fs::write(list.join(name).join("HEAD"), "ref: refs/heads/../../../../../etc/passwd")
            .unwrap();
    }
    let c = repository.worktree("c", "main");
    fs::remove_file(c.join(STATUS)).unwrap();
    std::os::unix::fs::symlink(stranger.project.root.join(STATUS), c.join(STATUS)).unwrap();
    let before = contents(&a);
    let server = project.start();
    others(server, 3);
    wait_until("the invalid file is told", || row(server, "a")["state"] == "partly_read");
    let reason = row(server, "a")["reason"].to_string();
    assert!(reason.contains("docs/09-agents/status.json: "), "{reason}");
    assert_eq!(
        (&row(server, "b")["state"], &row(server, "b")["changes"]),
        (&json!("missing"), &Value::Null)
    );
    wait_until("the link is refused", || row(server, "c")["state"] == "partly_read");
    let text = String::from_utf8(server.get("/api/worktrees").body).unwrap();
    assert!(!text.contains("elsewhere") && !text.contains("passwd"), "{text}");
    assert_eq!(row(server, "c")["changes"]["added"], 0, "{text}");
    assert_eq!(contents(&a), before);
}

#[test]
fn only_the_worktrees_that_were_written_last_are_read_within_the_limits() {
    let repository = Repository::of_stories();
    for at in 0..34 {
        repository.worktree(&format!("w{at:02}"), "main");
    }
    repository.write("w00", STATUS, &stories(&[("US-10", "done")]));
    let server = repository.project.start();
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
    let repository = Repository::new(&[(STATUS, json!({"stories": large}).to_string())]);
    for at in 0..count {
        repository.worktree(&format!("w{at:02}"), "main");
    }
    let server = repository.project.start();
    let rows = others(server, 6);
    let status = fs::read_to_string(format!("/proc/{}/status", server.pid)).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let peak: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    figure("worktrees_memory_kib", peak);
    assert!(peak < 700 << 10, "{peak} KiB for {rows:?}");
    assert_eq!(server.get("/api/worktrees").json()["left_out"], count - 6);
}

/// What each of two worktrees does to a plan, and whether that is an overlap.
struct Pair {
    name: &'static str,
    /// Whether two worktrees took the same.
    is_told: bool,
    make: fn(&Repository),
}

fn ready_but(id: &str, status: &str) -> String {
    let of =
        |one: &'static str| (one, if one == id { status.to_owned() } else { "ready".to_owned() });
    let rows = ["US-10", "US-11", "US-12"].map(of);
    stories(&rows.each_ref().map(|(id, status)| (*id, status.as_str())))
}

const PAIRS: [Pair; 15] = [
    Pair {
        name: "both complete the same story, one commits it",
        is_told: true,
        make: |at| {
            at.write("a", STATUS, &ready_but("US-10", "done"));
            at.write("b", STATUS, &ready_but("US-10", "done"));
            commit(&at.project.root.with_file_name("a"));
        },
    },
    Pair {
        name: "both take the same story",
        is_told: true,
        make: |at| {
            at.write("a", STATUS, &ready_but("US-10", "in-progress"));
            at.write("b", STATUS, &ready_but("US-10", "in-progress"));
        },
    },
    Pair {
        name: "one takes what the other has completed",
        is_told: true,
        make: |at| {
            at.write("a", STATUS, &ready_but("US-10", "done"));
            at.write("b", STATUS, &ready_but("US-10", "in-progress"));
        },
    },
    Pair {
        name: "tasks in progress name the same file",
        is_told: true,
        make: |at| {
            let old = ("T-1", "queued", "src/a.rs");
            at.write("a", TASKS, &tasks(&[old, ("T-2", "running", "./src/pay.rs")]));
            at.write("b", TASKS, &tasks(&[old, ("T-3", "running", "src/pay.rs")]));
        },
    },
    Pair {
        name: "both run the same task",
        is_told: true,
        make: |at| {
            for name in ["a", "b"] {
                at.write(name, TASKS, &tasks(&[("T-1", "running", "src/a.rs")]));
            }
        },
    },
    Pair { name: "nobody does anything", is_told: false, make: |_| {} },
    Pair {
        name: "each takes another story",
        is_told: false,
        make: |at| {
            at.write("a", STATUS, &ready_but("US-10", "in-progress"));
            at.write("b", STATUS, &ready_but("US-11", "done"));
        },
    },
    Pair {
        name: "a branch begins at the other one's commit",
        is_told: false,
        make: |at| {
            let (a, b) = (at.project.root.with_file_name("a"), at.project.root.with_file_name("b"));
            at.write("a", STATUS, &ready_but("US-10", "done"));
            commit(&a);
            git(&b, &["reset", "-q", "--hard", "a"]);
            at.write(
                "b",
                STATUS,
                &ready_but("US-10", "done").replace("Story US-12", "Story twelve"),
            );
        },
    },
    Pair {
        name: "a branch merges the other one",
        is_told: false,
        make: |at| {
            let (a, b) = (at.project.root.with_file_name("a"), at.project.root.with_file_name("b"));
            at.write("a", STATUS, &ready_but("US-10", "done"));
            commit(&a);
            fs::write(b.join("notes.md"), "x").unwrap();
            commit(&b);
            git(&b, &["merge", "-q", "--no-edit", "a"]);
        },
    },
    Pair {
        name: "the served copy is behind a branch from which both began",
        is_told: false,
        make: |at| {
            let [a, b] = ["a", "b"].map(|name| at.project.root.with_file_name(name));
            at.write("a", STATUS, &ready_but("US-10", "in-progress"));
            commit(&a);
            git(&at.project.root, &["branch", "next", "a"]);
            git(&b, &["reset", "-q", "--hard", "next"]);
            at.write("a", STATUS, &ready_but("US-10", "done"));
        },
    },
    Pair {
        name: "the served copy has completed it too",
        is_told: false,
        make: |at| {
            for name in ["a", "b", "shop"] {
                at.write(name, STATUS, &ready_but("US-10", "done"));
            }
        },
    },
    Pair {
        name: "the plan is made in the main copy and given to one worktree",
        is_told: false,
        make: |at| {
            at.write("shop", STATUS, &ready_but("US-10", "in-progress"));
            at.write("a", STATUS, &ready_but("US-10", "in-progress"));
        },
    },
    Pair {
        name: "tasks of one folder, of which one is done",
        is_told: false,
        make: |at| {
            let old = ("T-1", "queued", "src/a.rs");
            at.write("a", TASKS, &tasks(&[old, ("T-2", "running", "src/")]));
            at.write(
                "b",
                TASKS,
                &tasks(&[old, ("T-3", "running", "src/"), ("T-4", "completed", "src/b.rs")]),
            );
        },
    },
    Pair {
        name: "one id is another story in each",
        is_told: false,
        make: |at| {
            at.write("a", STATUS, &ready_but("US-10", "done").replace("Story US-10", "Pay"));
            at.write("b", STATUS, &ready_but("US-10", "done").replace("Story US-10", "Search"));
        },
    },
    Pair {
        name: "both take something back",
        is_told: false,
        make: |at| {
            for name in ["a", "b"] {
                at.write(name, STATUS, &stories(&[("US-10", "blocked"), ("US-11", "cancelled")]));
            }
        },
    },
];

#[test]
fn what_two_worktrees_took_is_told_and_what_they_have_in_common_is_not() {
    for Pair { name, is_told, make } in PAIRS {
        let repository = Repository::of_stories();
        for worktree in ["a", "b"] {
            repository.worktree(worktree, "main");
        }
        make(&repository);
        let server = repository.project.start();
        others(server, 2);
        if is_told {
            wait_until(name, || overlaps(server).len() == 1);
            let item = overlaps(server).remove(0);
            assert_eq!(item["worktrees"], json!(["a", "b"]), "{name}: {item}");
            assert!(item["key"].as_str().unwrap().starts_with("overlap:"), "{name}: {item}");
            assert_eq!(row(server, "a")["overlap"], item["ids"], "{name}: {item}");
        }
        let found = overlaps(server);
        assert_eq!(!found.is_empty(), is_told, "{name}: {found:?}");
    }
}

#[test]
fn an_overlap_is_told_while_both_work_and_ends_when_one_gives_way() {
    let repository = Repository::of_stories();
    for worktree in ["a", "b"] {
        repository.worktree(worktree, "main");
    }
    let server = repository.project.start();
    others(server, 2);
    repository.write("a", STATUS, &ready_but("US-10", "in-progress"));
    repository.write("b", STATUS, &ready_but("US-10", "in-progress"));
    wait_until("it is told", || !overlaps(server).is_empty());
    let item = overlaps(server).remove(0);
    assert_eq!(item["reason"], "in progress in a, b");
    assert_eq!((&item["id"], &item["label"]), (&json!("US-10"), &json!("overlap")));
    repository.write("b", STATUS, &ready_but("US-11", "in-progress"));
    wait_until("it ends", || overlaps(server).is_empty());
}

#[test]
fn a_new_record_or_story_gets_no_number_of_another_worktree() {
    let repository = Repository::of_stories();
    let project = &repository.project;
    let a = repository.worktree("a", "main");
    fs::create_dir_all(project.root.join("docs/adr")).unwrap();
    fs::create_dir_all(a.join("docs/adr")).unwrap();
    fs::write(project.root.join("docs/adr/0001-use-git.md"), "# 1. Use git\n").unwrap();
    fs::write(a.join("docs/adr/0004-use-a-queue.md"), "# 4. Use a queue\n").unwrap();
    repository.write("a", STATUS, &stories(&[("US-0010", "ready"), ("US-0041", "ready")]));
    let made = |words: &[&str]| project.flow(&[&["skill"], words].concat()).expect(0).out;
    let record = made(&["adr-template", "Use a cache"]);
    assert!(record.contains("0005-use-a-cache") || record.contains("# 5. "), "{record}");
    let story = made(&["story-skeleton", "Search orders"]);
    assert!(story.contains("US-0042"), "{story}");
    // Also through a server.
    project.start();
    let story = made(&["story-skeleton", "Search orders"]);
    assert!(story.contains("US-0042"), "{story}");
}
