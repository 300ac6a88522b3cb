//! Plans of other tools: found without a setting, followed as they change, and served beside the project's own files only
//! when a setting asks for it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant, UNIX_EPOCH};

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
fn a_plan_is_served_without_a_setting() {
    let project = feature();
    let tasks = ask(&project, "/api/tasks");
    assert_eq!(ids(&tasks["tasks"]), ["001-login/T001", "001-login/T002"]);
    assert_eq!(
        (&tasks["stats"]["by_state"]["completed"], &tasks["stats"]["by_state"]["queued"]),
        (&1.into(), &1.into())
    );
    let second = &tasks["tasks"][1];
    assert_eq!((&second["format"], &second["story_id"]), (&"spec-kit".into(), &"001-login".into()));
    let stories = ask(&project, "/api/stories");
    assert_eq!(ids(&stories["stories"]), ["001-login"]);
    assert_eq!(stories["stories"][0]["tasks_total"], 2);
    assert_eq!(stories["stories"][0]["tasks_completed"], 1);
    let health = ask(&project, "/api/health");
    assert_eq!(
        (&health["status"], &health["checks"]["spec-kit"]),
        (&"ok".into(), &"present".into())
    );
    assert_eq!(health["sources"]["spec-kit"]["files"], 2);
    let origins = ask(&project, "/api/origins/001-login%2FT002");
    let origin = &origins["origins"][0];
    assert_eq!((&origin["file"], &origin["line"]), (&"specs/001-login/tasks.md".into(), &6.into()));
    let missing = project.flow(&["api", "get", "/api/status"]);
    assert!(missing.err.contains("spec-kit") || missing.out.contains("spec-kit"), "{missing:?}");
    let doctor = project.flow(&["doctor"]);
    assert!(doctor.code == 0 && doctor.err.contains("spec-kit"), "{doctor:?}");
    let explained = project.flow(&["explain", "001-login/T002"]).expect(0);
    assert!(explained.out.contains("specs/001-login/tasks.md:6"), "{explained:?}");
}

#[test]
fn without_dependencies_nothing_is_ready_and_its_number_is_stated() {
    let project = feature();
    project.write(
        "specs/001-login/tasks.md",
        &format!("{TASKS}- [ ] T003 Test it (depends on T001)\n- [ ] T004 Write the page\n"),
    );
    let ready = ask(&project, "/api/tasks?ready=true");
    assert_eq!(
        (ids(&ready["tasks"]), &ready["ready_unknown"]),
        (vec!["001-login/T003"], &2.into())
    );
    assert_eq!(ready["tasks"][0]["ready"], true);
    let others = ask(&project, "/api/tasks?ready=false");
    assert_eq!(
        (ids(&others["tasks"]), &others["ready_unknown"]),
        (vec!["001-login/T001"], &2.into())
    );
    let found = ask(&project, "/api/tasks?ready=true&q=page");
    assert_eq!((&found["count"], &found["ready_unknown"]), (&0.into(), &1.into()));
    let all = ask(&project, "/api/tasks");
    assert!(all["ready_unknown"].is_null() && all["tasks"][1]["ready"].is_null(), "{all}");
    assert_eq!(ask(&project, "/api/stories?ready=true")["ready_unknown"], 1);
    project.write(
        ".taskmaster/tasks/tasks.json",
        r#"{"tasks": [{"id": 5, "title": "Search the books", "status": "pending"}]}"#,
    );
    fs::remove_dir_all(project.root.join("specs")).unwrap();
    let stories = ask(&project, "/api/stories?ready=true");
    assert_eq!(
        (ids(&stories["stories"]), &stories["ready_unknown"]),
        (vec!["master/5"], &Value::Null)
    );
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
fn beside_the_projects_own_files_a_plan_is_read_by_a_setting_only() {
    let project = feature();
    let status = r#"{"stories":{"US-1":{"title":"One","status":"ready"}},"epics":{}}"#;
    project.write("docs/09-agents/status.json", status);
    let alone = Project::new();
    alone.write("docs/09-agents/status.json", status);
    let body = |project: &Project, path: &str| project.flow(&["api", "get", path]).out;
    let same_time =
        fs::metadata(alone.root.join("docs/09-agents/status.json")).unwrap().modified().unwrap();
    let file = fs::File::options()
        .write(true)
        .open(project.root.join("docs/09-agents/status.json"))
        .unwrap();
    file.set_modified(same_time).unwrap();
    for path in
        ["/api/stories", "/api/tasks", "/api/epics", "/api/metrics", "/api/status", "/api/problems"]
    {
        assert_eq!(body(&project, path), body(&alone, path), "{path}");
    }
    assert_eq!(ask(&project, "/api/health")["formats_not_read"], serde_json::json!(["spec-kit"]));
    project.write(".flow/config.json", r#"{"formats": ["Spec-Kit"]}"#);
    let stories = ask(&project, "/api/stories");
    assert_eq!(ids(&stories["stories"]), ["US-1", "spec-kit:001-login"]);
    let task = ask(&project, "/api/tasks/spec-kit:001-login%2FT002");
    assert_eq!(task["story_id"], "spec-kit:001-login");
    assert_eq!(body(&project, "/api/status").trim_end(), status, "the file as it is");
    let origin = ask(&project, "/api/origins/US-1");
    assert_eq!(
        (&origin["origins"][0]["source"], &origin["origins"][0]["line"]),
        (&"status".into(), &1.into())
    );
    project.write(".flow/config.json", r#"{"formats": ["speckit"]}"#);
    let refused = project.flow(&["api", "get", "/api/stories"]).expect(2);
    assert!(refused.err.contains("speckit") && refused.err.contains("openspec"), "{refused:?}");
}

#[test]
fn agileflows_markdown_adds_what_its_status_json_does_not_have() {
    let project = Project::new();
    let status = r#"{"stories":{"US-1":{"title":"One","status":"ready"}},"epics":{}}"#;
    project.write("docs/09-agents/status.json", status);
    project.write("docs/05-epics/EP-1.md", "---\nepic_id: EP-1\ntitle: Access\n---\n");
    let story = |id: &str, more: &str| {
        format!("---\nstory_id: {id}\nepic: EP-1\nstatus: done\n{more}---\n")
    };
    project.write("docs/06-stories/EP-1/US-1-one.md", &story("US-1", ""));
    project.write("docs/06-stories/EP-1/US-2-two.md", &story("US-2", "dependencies: [US-1]\n"));
    assert_eq!(ids(&ask(&project, "/api/stories")["stories"]), ["US-1"], "only a setting names it");
    project.write(".flow/config.json", r#"{"formats": ["agileflow-md"]}"#);
    let stories = ask(&project, "/api/stories");
    assert_eq!(ids(&stories["stories"]), ["US-1", "US-2"]);
    let [one, two] = [&stories["stories"][0], &stories["stories"][1]];
    assert_eq!((&one["status"], &two["status"]), (&"ready".into(), &"done".into()));
    assert_eq!(
        (&two["epic_id"], &two["waits_for"]),
        (&"EP-1".into(), &serde_json::json!(["US-1"]))
    );
    let source =
        |id: &str| ask(&project, &format!("/api/origins/{id}"))["origins"][0]["source"].clone();
    assert_eq!((source("US-1"), source("US-2")), ("status".into(), "agileflow-md".into()));
    let explained = project.flow(&["explain", "US-1"]).expect(0).out;
    assert_eq!(explained.matches("a record of agileflow-md, not served").count(), 1, "{explained}");
    assert_eq!(explained.matches("status ").count(), 1, "{explained}");
    assert_eq!(ask(&project, "/api/problems")["count"], 0);
    project.write("docs/06-stories/US-3.md", "---\nstatus: [\n---\n");
    let problem = &ask(&project, "/api/problems")["problems"][0];
    assert_eq!(
        (&problem["file"], &problem["line"]),
        (&"docs/06-stories/US-3.md".into(), &2.into())
    );
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
fn a_new_user_sees_the_progress_of_the_plan() {
    let project = feature();
    project.write("specs/002-done/spec.md", "# Done\n");
    project.write("specs/002-done/tasks.md", "- [x] T001 Begin\n");
    wait_until("the line, once the files are settled", || {
        let line = project.flow(&["statusline"]).expect(0).out;
        line == "001-login: 1 of 2 done · not served\n"
    });
    let shown = project.flow(&["watch", "--once"]).expect(0).out;
    assert!(shown.contains("001-login: 1 of 2 done"), "{shown}");
    assert!(shown.contains("Open in the plan  1\n 001-login 1 of 2      Login"), "{shown}");
    assert!(!shown.contains("Agents"), "{shown}");
    let agents = Project::new();
    agents.write(
        "backlog/tasks/task-1 - Find.md",
        "---\nid: TASK-1\ntitle: Find\nstatus: In Progress\nassignee: ['@api']\n---\n",
    );
    agents.write("backlog/config.yml", "project_name: demo\n");
    let shown = agents.flow(&["watch", "--once"]).expect(0).out;
    assert!(shown.contains("Agents  1") && shown.contains("0 of 1 stories done"), "{shown}");
}

#[test]
fn an_export_has_its_age_on_every_view() {
    let project = Project::new();
    project
        .write(".beads/issues.jsonl", "{\"id\":\"bd-1\",\"title\":\"Find\",\"status\":\"open\"}\n");
    let file =
        OpenOptions::new().write(true).open(project.root.join(".beads/issues.jsonl")).unwrap();
    file.set_modified(UNIX_EPOCH + Duration::from_hours(490_920)).unwrap();
    let health = ask(&project, "/api/health");
    assert_eq!(health["sources"]["beads"]["exported_at"], "2026-01-02T00:00:00.000Z");
    let shown = project.flow(&["watch", "--once", "--now", "2026-01-19"]).expect(0).out;
    assert!(shown.contains("beads: exported 17 d ago (.beads/issues.jsonl)"), "{shown}");
    let report = project.flow(&["skill", "status-report", "--now", "2026-01-19"]).expect(0).out;
    assert!(report.contains("The export of beads is of 2026-01-02."), "{report}");
}

#[test]
fn a_report_says_once_what_a_plan_does_not_state() {
    let project = feature();
    let report = project.flow(&["skill", "status-report"]).expect(0);
    let states =
        "The plan is read from spec-kit. It states no owner, no size and no time of completion.";
    assert_eq!(report.out.matches(states).count(), 1, "{report:?}");
    assert!(!report.out.contains("not recorded") && !report.out.contains("bus log"), "{report:?}");
    let blockers = project.flow(&["skill", "blocker-analysis"]).expect(0);
    let unknown = "Not known to be ready: 1 open story, whose format states no dependencies.";
    assert!(blockers.out.contains(unknown) && !blockers.out.contains("- Ready:"), "{blockers:?}");
    let diagram = project.flow(&["skill", "diagram-generator", "state=stories"]).expect(0);
    assert_eq!(diagram.out.matches(states).count(), 1, "{diagram:?}");
    assert!(diagram.out.contains("[\"001-login: Login (in-progress)\"]"), "{diagram:?}");
    let epics = project.flow(&["skill", "diagram-generator", "state=epics"]).expect(2);
    assert!(epics.err.contains("the project has no epics; state=stories draws"), "{epics:?}");
}

#[test]
fn of_several_files_of_which_one_is_read_the_others_are_named() {
    let project = Project::new();
    let status = "development_status:\n  epic-1: in-progress\n  1-1-find: done\n";
    project.write("docs/old/sprint-status.yaml", status);
    project.write("_bmad-output/new/sprint-status.yaml", "development_status:\n  1-2-sort: done\n");
    assert_eq!(ids(&ask(&project, "/api/stories")["stories"]), ["1-2-sort"]);
    let problem = &ask(&project, "/api/problems")["problems"][0];
    assert_eq!(
        (&problem["file"], &problem["level"]),
        (&"docs/old/sprint-status.yaml".into(), &"note".into())
    );
    let doctor = project.flow(&["doctor"]).expect(1);
    assert_eq!(
        doctor.out.matches("docs/old/sprint-status.yaml is not read").count(),
        1,
        "{doctor:?}"
    );
    project.write("_bmad/bmm/config.yaml", "sprint_artifacts: '{project-root}/docs/old'\n");
    assert_eq!(ids(&ask(&project, "/api/stories")["stories"]), ["1-1-find"]);
}

#[test]
fn only_the_users_own_settings_hide_a_plan() {
    let project = feature();
    project.write(".flow/config.json", r#"{"formats": []}"#);
    assert_eq!(ask(&project, "/api/stories")["count"], 1, "a checkout cannot hide its plan");
    let settings = project.runtime.with_file_name("config").join("flow/config.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, r#"{"formats": []}"#).unwrap();
    assert_eq!(ask(&project, "/api/stories")["count"], 0);
    assert_eq!(ask(&project, "/api/health")["formats_not_read"], serde_json::json!(["spec-kit"]));
}

#[test]
fn two_formats_add_up_and_their_ids_carry_their_names() {
    let project = feature();
    project.write("openspec/changes/add-search/proposal.md", "# Change: Add search\n");
    project.write(
        "openspec/changes/add-search/tasks.md",
        "## 1. Index\n- [x] 1.1 Build it\n- [ ] 1.2 Test it\n",
    );
    let stories = ask(&project, "/api/stories");
    let mut found = ids(&stories["stories"]);
    found.sort_unstable();
    assert_eq!(found, ["openspec:add-search", "spec-kit:001-login"]);
    let task = ask(&project, "/api/tasks/openspec:add-search%2F1.2");
    assert_eq!(
        (&task["state"], &task["story_id"]),
        (&"queued".into(), &"openspec:add-search".into())
    );
}

#[test]
fn no_link_leads_out_of_the_project() {
    let project = feature();
    let outside = project.root.with_file_name("outside");
    fs::create_dir_all(outside.join("009-secret")).unwrap();
    fs::write(outside.join("009-secret/tasks.md"), "- [ ] T001 A secret\n").unwrap();
    fs::write(outside.join("009-secret/spec.md"), "# Secret\n").unwrap();
    std::os::unix::fs::symlink(outside.join("009-secret"), project.root.join("specs/009-secret"))
        .unwrap();
    std::os::unix::fs::symlink(
        outside.join("009-secret/tasks.md"),
        project.root.join("specs/001-login/plan.md"),
    )
    .unwrap();
    fs::create_dir_all(project.root.join("specs/008-linked")).unwrap();
    fs::write(project.root.join("specs/008-linked/spec.md"), "# Linked\n").unwrap();
    std::os::unix::fs::symlink(
        outside.join("009-secret/tasks.md"),
        project.root.join("specs/008-linked/tasks.md"),
    )
    .unwrap();
    let tasks = ask(&project, "/api/tasks");
    assert_eq!(ids(&tasks["tasks"]), ["001-login/T001", "001-login/T002"], "{tasks}");
    let problems = ask(&project, "/api/problems");
    assert_eq!(problems["problems"][0]["file"], "specs/008-linked/tasks.md", "{problems}");
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
fn a_formats_own_words_have_their_meaning_in_its_records_only() {
    let project = Project::new();
    let task = |id: u8, status: &str| {
        format!(
            r#"{{"id": {id}, "title": "Task {id}", "status": "{status}", "dependencies": [], "subtasks": []}}"#
        )
    };
    let tasks =
        format!(r#"{{"master": {{"tasks": [{}, {}]}}}}"#, task(1, "pending"), task(2, "done"));
    project.write(".taskmaster/tasks/tasks.json", &tasks);
    let metrics = ask(&project, "/api/metrics");
    assert_eq!(
        (&metrics["stories"]["by_status"]["ready"], &metrics["stories_completed"]),
        (&1.into(), &1.into()),
        "{metrics}"
    );
    assert_eq!(
        ask(&project, "/api/stories")["stories"][0]["status"],
        "pending",
        "the word as it is written"
    );
    project.write(".taskmaster/tasks/tasks.json", "{\"master\": {\"tasks\": [}");
    project.write("docs/09-agents/status.json", r#"{"stories": {"US-1": {"status": "pending"}}}"#);
    let metrics = ask(&project, "/api/metrics");
    assert_eq!(
        (&metrics["stories"]["by_status"]["pending"], &metrics["stories"]["by_status"]["ready"]),
        (&1.into(), &0.into())
    );
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

#[test]
fn a_checklist_that_a_setting_names_is_read() {
    let project = Project::new();
    project.write("docs/TODO.md", "# Release\n\n- [x] Write the notes\n- [ ] Tag it\n");
    project.write(".flow/config.json", r#"{"checklists": ["docs/TODO.md"]}"#);
    let tasks = ask(&project, "/api/tasks");
    assert_eq!(
        (&tasks["count"], &tasks["stats"]["by_state"]["completed"]),
        (&2.into(), &1.into()),
        "{tasks}"
    );
    project.write(".flow/config.json", r#"{"checklists": ["../TODO.md"]}"#);
    let refused = project.flow(&["api", "get", "/api/tasks"]).expect(2);
    assert!(refused.err.contains("../TODO.md"), "{refused:?}");
}
