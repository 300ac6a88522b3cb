//! Skills read a project's state at one moment. `tests/cases/from-story/server.in` shows that their output is the same from a
//! running server and from the files.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Map, Value, json};

use crate::support::Ran;
use crate::transcript::demo;

/// A server whose files are replaced all the time, and a skill that sends it several requests.
#[test]
fn an_artifact_is_of_one_moment() {
    let project = demo();
    let states = [3, 40].map(|count| {
        let stories: Map<String, Value> = (0..count)
            .map(|at| (format!("US-{at:04}"), json!({"title": "t", "status": "in-progress"})))
            .collect();
        json!({"stories": stories}).to_string()
    });
    project.write("docs/09-agents/status.json", &states[0]);
    project.start();
    let is_over = AtomicBool::new(false);
    let mut made = Vec::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            for state in states.iter().cycle() {
                project.write("docs/09-agents/next.json", state);
                let file = |name: &str| project.root.join("docs/09-agents").join(name);
                fs::rename(file("next.json"), file("status.json")).unwrap();
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        // Nothing may panic while the other thread is writing.
        let ask = |_| project.flow(&["skill", "status-report", "--json"]);
        made = (0..crate::tools::scaled(4, 8)).map(ask).collect::<Vec<Ran>>();
        is_over.store(true, Ordering::Relaxed);
    });
    for ran in made {
        let made = ran.expect(0).json();
        let data = &made["data"];
        let (all, listed) = (&data["metrics"]["stories_total"], &data["in_progress"]["count"]);
        assert_eq!(all, listed, "counts and lists are of one moment");
    }
}
