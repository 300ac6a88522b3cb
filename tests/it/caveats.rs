//! What may not be read as meant: each view says it, and none says that nothing is wrong.

use std::fs;
use std::time::{Duration, SystemTime};

use crate::support::Project;

pub(crate) const STATUS: &str = "docs/09-agents/status.json";

/// Mistakes of a newcomer: nine suspicious members of six records, one of them a record in lower case, and one story without
/// an id.
pub(crate) const MISTAKES: &str = r#"{
  "epics": {
    "EP-1": {"title": "Checkout", "status": "in-progress", "stories": {
      "US-1": {"title": "Pay by card", "status": "ready", "depends_on": "us-4"}
    }},
    "EP-2": {"title": "Search", "Status": "done"}
  },
  "stories": [
    {"id": "US-2", "name": "Refund", "state": "ready", "assignee": "bob", "depends_on": ["US-99", true]},
    {"id": "US-3", "title": "Invoice", "status": "blokced", "onwer": "eve"},
    {"title": "Receipt", "status": "blocked"},
    {"id": "US-4", "title": "Ship", "status": "ready", "created_at": "yesterday", "requires": ["US-3"]}
  ],
  "userStories": {"US-9": {"title": "Lost"}},
  "us-10": {"title": "lower case"}
}
"#;
/// A project with this status file, which nobody is writing any more.
fn project(status: &str) -> Project {
    let project = Project::named("shop");
    project.write(STATUS, status);
    age(&project, STATUS);
    project
}

/// Makes a file one that was written a minute ago.
pub(crate) fn age(project: &Project, file: &str) {
    let file = fs::File::options().append(true).open(project.root.join(file)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_mins(1)).unwrap();
}

#[test]
fn metrics_count_what_is_suspicious() {
    let project = project(MISTAKES);
    let server = project.start();
    let text = String::from_utf8(server.get("/metrics").body).unwrap();
    for (source, count) in [("status", 9), ("bus", 0)] {
        let line = format!("flow_source_suspicious_records{{source=\"{source}\"}} {count}\n");
        assert!(text.contains(&line), "{line}{text}");
    }
}
