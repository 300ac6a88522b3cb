//! The table of names says what is read: each spelling in it is, wherever the product uses its member.

use flow::files::Files;
use flow::model::name::Name;
use flow::model::record::Kind;
use flow::skill::project_state::state::Answers;
use serde_json::{Value, json};

use crate::support::{Project, Ran, SESSIONS, STATUS, TASKS};

const BUS: &str = "docs/09-agents/bus/log.jsonl";

/// The answer to a path, from the files.
fn get(project: &Project, path: &str) -> Value {
    let project = flow::project::Project::at(&project.root).unwrap();
    let (status, body) = Files::read_at_rest(&project).get(&format!("/api/{path}")).unwrap();
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

/// A project with one record of a kind, and the path that lists it.
fn with_record(kind: Kind, record: &Value) -> (Project, &'static str) {
    let project = Project::new();
    let collection = kind.collection();
    let (file, path) = match kind {
        Kind::Message => (BUS, "bus/messages"),
        Kind::Task => (TASKS, collection),
        Kind::Session => (SESSIONS, collection),
        _ => (STATUS, collection),
    };
    let document = json!({collection: {"X-1": record}});
    let text = if kind == Kind::Message { record } else { &document };
    project.write(file, &format!("{text}\n"));
    (project, path)
}

#[test]
fn every_example_is_json_and_every_alias_is_served_under_its_documented_name() {
    for kind in Kind::ALL {
        for row in kind.names() {
            serde_json::from_str::<Value>(row.example).unwrap();
        }
        for row in kind.filled() {
            let value: Value = serde_json::from_str(row.example).unwrap();
            for name in row.read {
                let (project, path) = with_record(kind, &json!({*name: value}));
                let record = &get(&project, path)[kind.collection()][0];
                assert_eq!(record[row.documented()], value, "{kind:?} {name}");
            }
        }
    }
}

fn row(kind: Kind, documented: &str) -> &'static Name {
    kind.name(documented).unwrap_or_else(|| panic!("{kind:?} has no {documented}"))
}

/// The kind and its documented names, the other members of the record, the value under each spelling, and what an answer then
/// has at a place.
const USES: &str = r#"[
  ["sessions", ["ended_at", "closed_at"], {}, "2026-03-02", "sessions", "/counts/active", 0],
  ["sessions", ["nickname"], {}, "alpha", "agents", "/agents/0/id", "alpha"],
  ["sessions", ["last_active", "updated_at", "started_at", "created_at"], {"agent": "api"}, 1772359200,
    "agents", "/agents/0/last_seen_at", "2026-03-01T10:00:00.000Z"],
  ["tasks", ["description", "title"], {"state": "failed"}, "Write it", "attention", "/items/0/title", "Write it"],
  ["tasks", ["blocked_reason"], {"state": "blocked"}, "no key", "attention", "/items/0/reason", "no key"],
  ["tasks", ["blocked_at", "updated_at"], {"state": "blocked"}, "2026-03-02",
    "attention", "/items/0/since", "2026-03-02T00:00:00.000Z"],
  ["stories", ["blocked_reason"], {"status": "blocked"}, "no key", "attention", "/items/0/reason", "no key"],
  ["stories", ["blocked_at", "updated_at"], {"status": "blocked"}, "2026-03-02",
    "attention", "/items/0/since", "2026-03-02T00:00:00.000Z"]
]"#;

#[test]
fn every_spelling_is_read_wherever_its_member_is_used() {
    type Use = (String, Vec<String>, Value, Value, String, String, Value);
    let uses: Vec<Use> = serde_json::from_str(USES).unwrap();
    for (collection, documented, others, value, path, place, expected) in uses {
        let kind = Kind::ALL.into_iter().find(|kind| kind.collection() == collection).unwrap();
        for name in documented.iter().flat_map(|documented| row(kind, documented).read) {
            let mut record = others.clone();
            record[*name] = value.clone();
            let answer = get(&with_record(kind, &record).0, &path);
            assert_eq!(answer.pointer(&place), Some(&expected), "{kind:?} {name}");
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
