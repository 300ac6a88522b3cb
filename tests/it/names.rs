//! The table of names says what is read: each spelling in it is, wherever the product uses its member.

use flow::files::Files;
use flow::model::names::Name;
use flow::model::record::Kind;
use flow::skill::project_state::state::Answers;
use serde_json::{Value, json};

use crate::support::{Project, Ran};

const STATUS: &str = "docs/09-agents/status.json";
const TASKS: &str = ".flow/state/task-dependencies.json";
const SESSIONS: &str = ".flow/sessions/registry.json";
const BUS: &str = "docs/09-agents/bus/log.jsonl";

/// The answer to a path, from the files.
fn get(project: &Project, path: &str) -> Value {
    let project = flow::project::Project::at(&project.root).unwrap();
    let (status, body) = Files::read_at_rest(&project).get(&format!("/api/{path}")).unwrap();
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

/// The record of a kind that has one member, written to its file and answered by the API.
fn answered(kind: Kind, name: &str, value: &Value) -> Value {
    let project = Project::new();
    let collection = kind.collection();
    let (file, text, path) = match kind {
        Kind::Message => (BUS, format!("{}\n", json!({name: value})), "bus/messages"),
        Kind::Task => (TASKS, json!({collection: {"X-1": {name: value}}}).to_string(), "tasks"),
        Kind::Session => {
            (SESSIONS, json!({collection: {"X-1": {name: value}}}).to_string(), "sessions")
        }
        _ => (STATUS, json!({collection: {"X-1": {name: value}}}).to_string(), collection),
    };
    project.write(file, &text);
    get(&project, path)[collection][0].clone()
}

#[test]
fn every_alias_is_served_under_its_documented_name() {
    for kind in Kind::ALL {
        for row in kind.filled() {
            let value: Value = serde_json::from_str(row.example).unwrap();
            for name in row.read {
                let record = answered(kind, name, &value);
                assert_eq!(record[row.documented()], value, "{kind:?} {name}");
            }
        }
    }
}

#[test]
fn every_example_of_the_table_is_json() {
    for row in Kind::ALL.iter().flat_map(|kind| kind.names()) {
        serde_json::from_str::<Value>(row.example)
            .unwrap_or_else(|error| panic!("{}: {error}", row.documented()));
    }
}

fn row(kind: Kind, documented: &str) -> &'static Name {
    kind.name(documented).unwrap_or_else(|| panic!("{kind:?} has no {documented}"))
}

#[test]
fn every_spelling_of_an_end_ends_a_session() {
    for documented in ["ended_at", "closed_at"] {
        for name in row(Kind::Session, documented).read {
            let project = Project::new();
            let session = json!({"1": {*name: "2026-03-02T09:00:00Z"}});
            project.write(SESSIONS, &json!({"sessions": session}).to_string());
            assert_eq!(get(&project, "sessions")["counts"]["active"], 0, "{name}");
        }
    }
}

#[test]
fn every_spelling_of_a_title_is_shown() {
    for documented in ["description", "title"] {
        for name in row(Kind::Task, documented).read {
            let project = Project::new();
            let tasks = json!({"t-1": {"state": "failed", *name: "Write it"}});
            project.write(TASKS, &json!({"tasks": tasks}).to_string());
            assert_eq!(get(&project, "attention")["items"][0]["title"], "Write it", "{name}");
        }
    }
    for name in row(Kind::Session, "nickname").read {
        let project = Project::new();
        let sessions = json!({"1": {*name: "alpha"}});
        project.write(SESSIONS, &json!({"sessions": sessions}).to_string());
        assert_eq!(get(&project, "agents")["agents"][0]["id"], "alpha", "{name}");
    }
}

#[test]
fn every_spelling_of_a_reason_and_of_its_time_is_given() {
    for (kind, file, path) in [(Kind::Story, STATUS, "stories"), (Kind::Task, TASKS, "tasks")] {
        let status = if kind == Kind::Story { "status" } else { "state" };
        for name in row(kind, "blocked_reason").read {
            let project = Project::new();
            let record = json!({status: "blocked", *name: "no key"});
            project.write(file, &json!({path: {"X-1": record}}).to_string());
            assert_eq!(get(&project, "attention")["items"][0]["reason"], "no key", "{name}");
        }
        for name in row(kind, "blocked_at").read.iter().chain(row(kind, "updated_at").read) {
            let project = Project::new();
            let record = json!({status: "blocked", *name: "2026-03-02"});
            project.write(file, &json!({path: {"X-1": record}}).to_string());
            let since = &get(&project, "attention")["items"][0]["since"];
            assert_eq!(since, "2026-03-02T00:00:00.000Z", "{name}");
        }
    }
}

#[test]
fn every_time_of_a_session_is_activity() {
    for documented in ["last_active", "updated_at", "started_at", "created_at"] {
        for name in row(Kind::Session, documented).read {
            let project = Project::new();
            let sessions = json!({"1": {"agent": "api", *name: 1_772_359_200}});
            project.write(SESSIONS, &json!({"sessions": sessions}).to_string());
            let seen = &get(&project, "agents")["agents"][0]["last_seen_at"];
            assert_eq!(seen, "2026-03-01T10:00:00.000Z", "{name}");
        }
    }
}

#[test]
fn skills_read_every_spelling_of_an_epics_goal_and_owner() {
    let epic = |name: &str, value: &str| {
        let project = Project::new();
        let files = json!({
            "epics": {"EP-1": {"title": "Search", name: value}},
            "stories": {"US-1": {"title": "Find", "epic_id": "EP-1", "status": "in-progress"}},
        });
        project.write(STATUS, &files.to_string());
        let words = ["skill", "epic-planner", "EP-1", "--now", "2026-03-02"];
        let Ran { out, .. } = project.flow(&words).expect(0);
        out
    };
    for (documented, value) in [("goal", "Readers find books"), ("owner", "ada")] {
        for name in row(Kind::Epic, documented).read {
            let page = epic(name, value);
            assert!(page.contains(value), "{name}:\n{page}");
        }
    }
}
