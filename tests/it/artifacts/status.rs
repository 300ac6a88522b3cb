//! The reports with a running server and without.

use super::logs::Raw;
use crate::support::Project;

#[test]
fn reports_are_the_same_with_a_server_and_without_and_count_as_it_does() {
    for (raw, story) in [(Raw::demo(), "US-0009"), (Raw::hostile(), "US-1")] {
        let project = Project::new();
        raw.write(|path, text| project.write(path, text));
        let calls = [
            &["status-report", "since 2026-03-10"][..],
            &["agent-brief", story],
            &["agent-brief", story, "agent=api"],
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
}
