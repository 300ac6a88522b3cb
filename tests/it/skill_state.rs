//! Skills on a project's state: the same output from the running server and from the files, and from a single state.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use flow::skill::runtime::catalog;
use nix::sys::signal::Signal;
use serde_json::{Map, Value, json};

use crate::support::{Project, Ran, is_alive, send, wait_until};
use crate::transcript::demo;

/// Every skill on its example, and those that accept a story.
fn calls(project: &Project) -> Vec<Vec<String>> {
    let examples = catalog::names().map(|skill| {
        let example = format!("{skill}.json");
        project.write(&example, catalog::file(skill, "assets/example.json").unwrap());
        vec![skill.to_owned(), "--input".to_owned(), example]
    });
    let recorded = catalog::names()
        .filter(|skill| {
            let schema = catalog::file(skill, "assets/input.schema.json").unwrap();
            schema.contains("\"from_story\"")
        })
        .map(|skill| vec![skill.to_owned(), "--from-story".to_owned(), "US-0014".to_owned()]);
    let pictures = ["stories", "epics"];
    let pictures =
        pictures.map(|state| vec!["diagram-generator".to_owned(), format!("state={state}")]);
    examples.chain(recorded).chain(pictures).collect()
}

fn all(project: &Project) -> Vec<Ran> {
    let run = |words: Vec<String>| {
        let words: Vec<String> = ["skill".to_owned()]
            .into_iter()
            .chain(words)
            .chain(["--now", catalog::EXAMPLES_NOW, "--json"].map(str::to_owned))
            .collect();
        project.flow(&words).expect(0)
    };
    calls(project).into_iter().map(run).collect()
}

#[test]
fn every_artifact_is_the_same_with_and_without_the_server() {
    let project = demo();
    let without = all(&project);
    project.start();
    let with = all(&project);
    assert!(without.len() > catalog::names().count(), "some begin from a story");
    for (without, with) in without.iter().zip(&with) {
        assert_eq!(without.out, with.out);
    }
}

#[test]
fn a_server_that_hangs_or_has_died_is_passed_over() {
    let project = demo();
    let ask =
        || project.flow(&["skill", "story-skeleton", "--from-story", "US-0014"]).expect(0).out;
    let there = ask();
    project.start();
    let pid = u32::try_from(project.status().json()["pid"].as_u64().unwrap()).unwrap();
    send(pid, Signal::SIGSTOP);
    let hanging = ask();
    send(pid, Signal::SIGKILL);
    wait_until("the server is gone", || !is_alive(pid));
    assert_eq!((hanging, ask()), (there.clone(), there));
}

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
        made = (0..8).map(ask).collect::<Vec<Ran>>();
        is_over.store(true, Ordering::Relaxed);
    });
    for ran in made {
        let made = ran.expect(0).json();
        let data = &made["data"];
        let (all, listed) = (&data["metrics"]["stories_total"], &data["in_progress"]["count"]);
        assert_eq!(all, listed, "counts and lists are of one moment");
    }
}
