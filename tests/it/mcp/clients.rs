//! The official clients in Python and TypeScript, on the program's standard streams: each lists, reads, watches, calls
//! each tool and gets a prompt, and checks what tools give against their schemas.

use std::process::Command;

use serde_json::{Value, json};

use crate::artifacts::judge::{find, folder, said};
use crate::support::{FLOW, Project};
use crate::transcript::demo;

/// What each client must have seen.
fn expected() -> Value {
    json!({
        "server": "flow",
        "tools": ["get_project_status", "list_attention", "list_agents", "list_records", "get_record", "what_changed",
            "explain_record", "list_skills", "describe_skill", "run_skill"],
        "called": ["get_project_status", "list_attention", "list_agents", "list_records", "get_record", "what_changed",
            "explain_record", "list_skills", "describe_skill", "run_skill"],
        "refused": "the field \"limit\" is 501, but must be a whole number from 0 to 500",
        "resources": 12,
        "templates": 4,
        "story": "US-0014",
        "prompts": 23,
        "prompt": "Output of flow's skill status-report; no file is written yet.",
        "updated": "flow://stories/US-0014",
    })
}

#[track_caller]
fn check(project: &Project, client: &mut Command) {
    client.arg(*FLOW).arg(&project.root).current_dir(folder());
    client.env("FLOW_RUNTIME_DIR", &project.runtime).env("XDG_STATE_HOME", project.state());
    let text = said(client);
    let last = text.lines().last().unwrap_or_default();
    let seen: Value = serde_json::from_str(last).unwrap_or_else(|e| panic!("{e}: {text}"));
    assert_eq!(seen, expected());
}

#[test]
fn the_python_client_reads_calls_and_watches() {
    let Some(python) = find("venv/bin/python") else { return };
    for revision in ["2025-11-25", "2026-07-28"] {
        let project = demo();
        check(&project, Command::new(&python).args(["mcp_client.py", revision]));
    }
}

#[test]
fn the_typescript_client_reads_calls_and_watches() {
    if find("node_modules/@modelcontextprotocol/sdk/package.json").is_none() {
        return;
    }
    let project = demo();
    check(&project, Command::new("node").arg("mcp_client.mjs"));
}
