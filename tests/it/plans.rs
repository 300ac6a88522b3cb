//! Plans of other tools while a server runs: followed as they change, refused beyond a limit, never served by half.
//! `tests/cases/formats` shows what is read of their files, and what a setting adds.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use flow::store::plan_files::CUT;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::Value;

use crate::support::{Project, Server, wait_until};

const TASKS: &str = "# Tasks: login\n\n## Phase 1: Setup\n\n- [x] T001 Create the table\n- [ ] T002 [P] [US1] Write \
                     the form in `src/form.rs`\n";
const OPEN: &str = "- [ ] T002";
const DONE: &str = "- [x] T002";

/// A project of spec-kit with one feature of two tasks.
fn feature() -> Project {
    let project = Project::new();
    project
        .write("specs/001-login/spec.md", "# Feature Specification: Login\n\n**Status**: Draft\n");
    project.write("specs/001-login/tasks.md", TASKS);
    project
}

fn ask(project: &Project, path: &str) -> Value {
    let ran = project.flow(&["api", "get", path]);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|record| record["id"].as_str().unwrap()).collect()
}

fn state_of(server: Server, id: &str) -> Value {
    let id = id.replace('/', "%2F");
    server.get(&format!("/api/tasks/{id}")).json()["state"].take()
}

#[test]
fn an_id_with_a_slash_is_named_in_place_of_a_path() {
    let project = feature();
    project.write(
        ".taskmaster/tasks/tasks.json",
        r#"{"tasks": [{"id": 5, "title": "Search the books", "status": "pending"}]}"#,
    );
    let server = project.start();
    for path in ["/api/tasks/spec-kit:001-login/T002", "/api/spec-kit:001-login/T002"] {
        let answer = server.get(path);
        let body = answer.json();
        let encoded = "/api/tasks/spec-kit:001-login%2FT002";
        assert_eq!((answer.status, &body["record"]), (404, &encoded.into()), "{body}");
        assert!(body["error"].as_str().unwrap().contains(encoded), "{body}");
    }
    let origins = server.get("/api/origins/spec-kit:001-login/T002").json();
    assert_eq!(origins["record"], "/api/origins/spec-kit:001-login%2FT002");
    let unknown = server.get("/api/tasks/spec-kit:001-login/T009").json();
    assert!(unknown["record"].is_null() && unknown["endpoints"].is_array(), "{unknown}");
    let running = project.flow(&["api", "get", "tasks/spec-kit:001-login/T002"]).expect(0);
    assert!(running.out.contains("Write the form"), "{running:?}");
    project.flow(&["api", "stop"]).expect(0);
    for path in ["/api/tasks/spec-kit:001-login/T002", "spec-kit:001-login/T002"] {
        assert_eq!(ask(&project, path)["id"], "spec-kit:001-login/T002", "{path}");
    }
    project.flow(&["api", "get", "tasks/spec-kit:001-login/T009"]).expect(1);
    let story = ["skill", "acceptance-criteria-generator", "--from-story", "task-master:master/5"];
    assert!(project.flow(&story).expect(0).out.contains("Search the books"));
}

#[test]
fn a_changed_box_is_served_and_an_untouched_file_is_not_read_again() {
    let project = feature();
    project.write("specs/002-logout/spec.md", "# Logout\n");
    project.write("specs/002-logout/tasks.md", "- [ ] T001 Remove the session\n");
    let server = project.start();
    assert_eq!(state_of(server, "001-login/T002"), "queued");
    project.write("specs/001-login/tasks.md", &TASKS.replace(OPEN, DONE));
    wait_until("the box is ticked", || state_of(server, "001-login/T002") == "completed");
    assert_eq!(server.get("/api/stories/001-login").json()["status"], "done");
    let activity = server.get("/api/activity").json();
    let listed = ids(&activity["activity"]);
    assert!(!listed.contains(&"002-logout") && listed.contains(&"001-login/T002"), "{activity}");
    project.write("specs/003-more/spec.md", "# More\n");
    project.write("specs/003-more/tasks.md", "- [ ] T001 Begin\n");
    wait_until("a new feature", || state_of(server, "003-more/T001") == "queued");
    fs::remove_dir_all(project.root.join("specs/002-logout")).unwrap();
    wait_until("a removed feature", || server.get("/api/tasks/002-logout%2FT001").status == 404);
    project.flow(&["api", "stop"]).expect(0);
}

#[test]
fn half_of_a_file_is_never_served() {
    let boxes = |done: usize| {
        (1..=400).fold(String::new(), |text, n| {
            let mark = if n <= done { 'x' } else { ' ' };
            format!("{text}- [{mark}] T{n:03} Write part {n} of it\n")
        })
    };
    let project = feature();
    let path = project.root.join("specs/001-login/tasks.md");
    fs::write(&path, boxes(0)).unwrap();
    let server = project.start();
    let counts = || {
        let story = server.get("/api/stories/001-login").json();
        (story["tasks_total"].clone(), story["tasks_completed"].clone())
    };
    for done in 1..=8 {
        let text = boxes(done);
        let mut file = if done % 2 == 0 {
            OpenOptions::new().write(true).truncate(true).open(&path).unwrap()
        } else {
            // As an editor that keeps a copy: the file is moved away and created again.
            fs::rename(&path, path.with_extension("md~")).unwrap();
            fs::File::create(&path).unwrap()
        };
        let (mut written, mut longest_pause, mut parts) = (Instant::now(), Duration::ZERO, 0);
        for piece in text.as_bytes().chunks(2048) {
            file.write_all(piece).unwrap();
            longest_pause = longest_pause.max(written.elapsed());
            written = Instant::now();
            parts += usize::from(counts().0 != 400);
        }
        drop(file);
        longest_pause = longest_pause.max(written.elapsed());
        wait_until("the whole file", || counts() == (400.into(), done.into()));
        // On a busy machine the writer may pause for longer than the store waits.
        assert!(parts == 0 || longest_pause >= CUT, "a part of the file is served");
    }
    project.flow(&["api", "stop"]).expect(0);
}

#[test]
fn a_file_that_cannot_be_read_keeps_its_records_and_is_named() {
    let project = feature();
    project.write("specs/002-logout/spec.md", "# Logout\n");
    project.write("specs/002-logout/tasks.md", "- [ ] T001 Remove the session\n");
    let server = project.start();
    let path = project.root.join("specs/001-login/tasks.md");
    fs::write(&path, [TASKS.as_bytes(), b"- [ ] T003 \xff\n"].concat()).unwrap();
    wait_until("the file is reported", || {
        server.get("/api/health").json()["checks"]["spec-kit"] == "invalid"
    });
    assert_eq!(state_of(server, "001-login/T002"), "queued", "its last valid content");
    let problems = server.get("/api/problems").json();
    let first = &problems["problems"][0];
    assert_eq!(
        (&first["file"], &first["level"]),
        (&"specs/001-login/tasks.md".into(), &"invalid".into())
    );
    assert!(first["reason"].as_str().unwrap().contains("UTF-8"), "{problems}");
    let attention = server.get("/api/attention?kind=source_degraded").json();
    assert_eq!(attention["items"][0]["source"], "spec-kit", "{attention}");
    project.write("specs/002-logout/tasks.md", "- [x] T001 Remove the session\n");
    wait_until("the others go on", || state_of(server, "002-logout/T001") == "completed");
    project.write("specs/001-login/tasks.md", TASKS);
    wait_until("it heals", || server.get("/api/health").json()["status"] == "ok");
    project.flow(&["api", "stop"]).expect(0);
}

#[test]
fn what_exceeds_the_limit_of_records_is_named_and_the_rest_is_served() {
    let project = feature();
    project.write(".flow/config.json", r#"{"limits":{"records":1000}}"#);
    let boxes = |count: usize| "- [ ] a\n".repeat(count);
    project.write(".kiro/specs/find/tasks.md", &boxes(1_500));
    // Nothing was served of the file, so there is no earlier version.
    let doctor = project.flow(&["doctor"]).expect(1);
    // Lines are wrapped.
    let words: Vec<&str> =
        doctor.err.split_whitespace().chain(doctor.out.split_whitespace()).collect();
    let said = ".kiro/specs/find/tasks.md (kiro) is not read: left out: with it, the plans have more than 1000 records and reports";
    assert!(words.join(" ").contains(said), "{doctor:?}");
    let server = project.start();
    let health = server.get("/api/health").json();
    let source = &health["sources"]["kiro"];
    assert_eq!(
        (&source["state"], &source["records"], &source["loaded_at"], &health["status"]),
        (&"too_large".into(), &0.into(), &Value::Null, &"degraded".into())
    );
    let problems = server.get("/api/problems").json();
    let problem = &problems["problems"][0];
    assert_eq!(
        (&problem["level"], &problem["file"]),
        (&"invalid".into(), &".kiro/specs/find/tasks.md".into())
    );
    assert_eq!(server.get("/api/tasks?limit=1").json()["total"], 2);
    // What fits is served, and stays when it grows beyond.
    let total =
        |server: &Server| server.get("/api/tasks?limit=1").json()["total"].as_u64().unwrap();
    project.write(".kiro/specs/find/tasks.md", &boxes(900));
    wait_until("the smaller file is served", || total(&server) == 902);
    project.write(".kiro/specs/other/tasks.md", &boxes(200));
    let state =
        |server: &Server| server.get("/api/health").json()["sources"]["kiro"]["state"].take();
    wait_until("the second file is refused", || state(&server) == "too_large");
    assert_eq!(total(&server), 902);
    project.write(".kiro/specs/find/tasks.md", &boxes(1_500));
    wait_until("both are refused", || {
        let problems = server.get("/api/problems").json();
        problems["problems"].as_array().unwrap().len() == 2
    });
    assert_eq!(total(&server), 902, "the last content that could be read is served");
    // Both are read once they are within the limit together.
    project.write(".kiro/specs/find/tasks.md", &boxes(100));
    wait_until("the file that was refused is read", || total(&server) == 302);
    assert_eq!(state(&server), "present");
}

#[test]
fn a_file_that_appears_beside_a_plan_is_reported_and_hides_nothing() {
    let project = feature();
    let server = project.start();
    let api = server.get("/api");
    assert_eq!(api.json()["formats"], serde_json::json!(["spec-kit"]));
    assert_eq!(server.get("/api/problems").json()["count"], 0);
    project.write(".flow/sessions/registry.json", r#"{"sessions": {"1": {"status": "active"}}}"#);
    wait_until("the session", || server.get("/api/sessions").json()["counts"]["total"] == 1);
    let problem = &server.get("/api/problems").json()["problems"][0];
    assert_eq!((&problem["source"], &problem["level"]), (&"sessions".into(), &"note".into()));
    assert!(problem["reason"].as_str().unwrap().contains("spec-kit"), "{problem}");
    assert_eq!(server.get("/api/tasks").json()["count"], 2);
    let doctor = project.flow(&["doctor"]).expect(1);
    assert!(doctor.out.contains("spec-kit is read only if"), "{doctor:?}");
    project.flow(&["api", "stop"]).expect(0);
    assert!(ask(&project, "/api")["formats"].is_null());
    project.write(".flow/config.json", r#"{"formats": ["spec-kit"]}"#);
    assert_eq!(ask(&project, "/api/problems")["count"], 0);
}

#[test]
fn what_cannot_be_searched_is_named_and_does_not_count_as_absent() {
    let project = feature();
    let outside = Project::new();
    outside.write("changes/add-search/tasks.md", "- [ ] 1.1 Secret\n");
    project.write("openspec/project.md", "# Project\n");
    symlink(outside.root.join("changes"), project.root.join("openspec/changes")).unwrap();
    project.write(".kiro/specs", "a file in place of the folder\n");
    fs::create_dir_all(project.root.join(".taskmaster/tasks")).unwrap();
    mkfifo(&project.root.join(".taskmaster/tasks/tasks.json"), Mode::S_IRWXU).unwrap();
    let doctor = project.flow(&["doctor"]).expect(1);
    // Lines are wrapped.
    let words: Vec<&str> =
        doctor.err.split_whitespace().chain(doctor.out.split_whitespace()).collect();
    let said = words.join(" ");
    for sentence in [
        "openspec/changes (openspec) is not read: a symlink that points outside the project",
        ".kiro/specs (kiro) is not read: not a folder",
        ".taskmaster/tasks/tasks.json (task-master) is not read: not a regular file",
    ] {
        assert!(said.contains(sentence), "{sentence}: {said}");
    }
    let server = project.start();
    let health = || server.get("/api/health").json();
    assert_eq!(health()["sources"]["openspec"]["state"], "refused");
    assert_eq!(server.get("/api/tasks?limit=1").json()["total"], 2, "what can be read is served");
    // A folder in its place is followed again.
    fs::remove_file(project.root.join("openspec/changes")).unwrap();
    project.write("openspec/changes/add-search/tasks.md", "- [ ] 1.1 Write it\n");
    wait_until("the folder is searched", || health()["sources"]["openspec"]["state"] == "present");
    assert_eq!(server.get("/api/tasks?limit=1").json()["total"], 3);
}

#[test]
fn a_thousand_files_are_followed_at_the_cost_of_one() {
    let project = Project::new();
    for n in 0..500 {
        project.write(&format!("specs/{n:03}-part/spec.md"), &format!("# Part {n}\n"));
        project.write(
            &format!("specs/{n:03}-part/tasks.md"),
            "- [ ] T001 One\n- [ ] T002 Two\n- [x] T003 Three\n",
        );
    }
    let begun = Instant::now();
    let server = project.start();
    crate::tools::figure("plan_start_1000_files_ms", begun.elapsed().as_secs_f64() * 1000.0);
    let mut longest = Duration::ZERO;
    for n in 0..20 {
        let begun = Instant::now();
        project.write(
            &format!("specs/{n:03}-part/tasks.md"),
            "- [x] T001 One\n- [ ] T002 Two\n- [x] T003 Three\n",
        );
        wait_until("the box is ticked", || {
            state_of(server, &format!("{n:03}-part/T001")) == "completed"
        });
        longest = longest.max(begun.elapsed());
    }
    crate::tools::figure("plan_change_of_1000_files_longest_ms", longest.as_secs_f64() * 1000.0);
    assert_eq!(server.get("/api/tasks?limit=0").json()["stats"]["by_state"]["completed"], 520);
    project.flow(&["api", "stop"]).expect(0);
}

#[test]
fn a_change_that_is_archived_is_moved_and_not_lost() {
    let project = Project::new();
    project.write("openspec/changes/add-search/proposal.md", "# Change: Add search\n");
    project.write(
        "openspec/changes/add-search/tasks.md",
        "## 1. Index\n- [x] 1.1 Build it\n- [ ] 1.2 Test it\n",
    );
    let server = project.start();
    assert_eq!(state_of(server, "add-search/1.2"), "queued");
    let changes = project.root.join("openspec/changes");
    fs::create_dir_all(changes.join("archive")).unwrap();
    fs::rename(changes.join("add-search"), changes.join("archive/2026-01-02-add-search")).unwrap();
    wait_until("the archived change", || server.get("/api/stories/add-search").status == 404);
    let activity = server.get("/api/activity").json();
    let rows = activity["activity"].as_array().unwrap();
    assert!(
        rows.iter().all(|row| row["change"] != "removed" && row["change"] != "added"),
        "{activity}"
    );
    let archived = server.get("/api/activity?change=archived").json();
    assert_eq!(ids(&archived["activity"]), ["2026-01-02-add-search"], "{archived}");
    let attention = server.get("/api/attention").json();
    assert_eq!(attention["counts"]["plan_weakened"], 0, "{attention}");
    project.flow(&["api", "stop"]).expect(0);
}

#[test]
fn an_archived_task_is_no_loss_and_a_deleted_one_is() {
    let project = Project::new();
    project.write(
        "backlog/config.yml",
        "project_name: demo\nstatuses: [\"To Do\", \"Doing\", \"Shipped\"]\n",
    );
    for (id, status) in [(1, "To Do"), (2, "Doing"), (3, "Shipped")] {
        let text =
            format!("---\nid: TASK-{id}\ntitle: Task {id}\nstatus: {status}\n---\n\nText.\n");
        project.write(&format!("backlog/tasks/task-{id} - Task-{id}.md"), &text);
    }
    let server = project.start();
    let metrics = server.get("/api/metrics").json();
    assert_eq!(
        (&metrics["stories_total"], &metrics["stories_completed"]),
        (&3.into(), &1.into()),
        "{metrics}"
    );
    let backlog = project.root.join("backlog");
    fs::create_dir_all(backlog.join("archive/tasks")).unwrap();
    fs::rename(
        backlog.join("tasks/task-1 - Task-1.md"),
        backlog.join("archive/tasks/task-1 - Task-1.md"),
    )
    .unwrap();
    wait_until("the archived task", || server.get("/api/stories/TASK-1").status == 404);
    fs::remove_file(backlog.join("tasks/task-2 - Task-2.md")).unwrap();
    wait_until("the deleted task", || server.get("/api/stories/TASK-2").status == 404);
    let row = |change: &str| {
        let answer = server.get(&format!("/api/activity?change={change}")).json();
        ids(&answer["activity"]).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        (row("archived"), row("removed")),
        (vec!["TASK-1".to_owned()], vec!["TASK-2".to_owned()])
    );
    assert_eq!(server.get("/api/attention").json()["counts"]["plan_weakened"], 1);
    project.flow(&["api", "stop"]).expect(0);
}
