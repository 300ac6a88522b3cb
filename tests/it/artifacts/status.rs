//! The reports of a project with hostile texts, with a running server and without. `tests/cases/from-story/server.in` has the
//! other skills.

use super::logs::Raw;
use crate::support::Project;

#[test]
fn reports_are_the_same_with_a_server_and_without_and_count_as_it_does() {
    let project = Project::new();
    Raw::hostile().write(|path, text| project.write(path, text));
    let calls = [
        &["status-report", "since 2026-03-10"][..],
        &["agent-brief", "US-1"],
        &["agent-brief", "US-1", "agent=api"],
        &["handoff-note"],
        &["retro-facilitator", "until=2026-03-10"],
    ];
    let run = |call: &[&str]| {
        let words = [&["skill", "--json", "--now", "2026-03-11"], call].concat();
        project.flow(&words).expect(0)
    };
    let alone = calls.map(|call| run(call).out);
    let server = project.start();
    assert_eq!(alone, calls.map(|call| run(call).out));
    let metrics = &run(calls[0]).json()["data"]["metrics"];
    assert_eq!(metrics.to_string().as_bytes(), server.get("/api/metrics").body);
}
