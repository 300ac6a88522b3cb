//! Skills on a project's state: the same bytes from the running server and from the files, and of one moment.

use flow::skill::catalog;
use nix::sys::signal::Signal;

use crate::support::{Project, Ran, is_alive, send, wait_until};
use crate::transcript::demo;

/// Every skill on its example, and those that begin from a story.
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
    examples.chain(recorded).collect()
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
fn a_story_of_the_project_is_where_a_skill_begins() {
    let project = demo();
    let begin = |skill: &str| {
        project.flow(&["skill", skill, "--from-story", "US-0014", "--json"]).expect(0).json()
    };
    let story = begin("story-skeleton");
    assert_eq!(story["data"]["title"], "Order confirmation mail");
    assert_eq!(story["data"]["points"], 3);
    assert_eq!(story["data"]["status"], "in-progress");
    assert_eq!(story["data"]["dependencies"][0], "US-0006");
    let ids = |envelope: &serde_json::Value, list: &str| {
        let list = envelope["data"][list].as_array().unwrap().clone();
        list.iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(ids(&begin("acceptance-criteria-generator"), "scenarios").contains(&"AC-C2".into()));
    assert_eq!(ids(&begin("test-case-generator"), "criteria"), ["AC-C1", "AC-C2"]);
    let request = begin("pr-description");
    let text = request["artifacts"][0]["text"].as_str().unwrap();
    assert!(text.contains("US-0014") && text.contains("- [ ] Sent once for each order"), "{text}");
}

#[test]
fn what_cannot_be_begun_from_says_so() {
    let project = demo();
    let unknown = project.flow(&["skill", "story-skeleton", "--from-story", "US-9"]).expect(2);
    assert!(unknown.err.contains("\"from_story\" is \"US-9\""), "{unknown:?}");
    assert!(unknown.err.contains("US-0001"), "some that are there are named: {unknown:?}");
    let hostile = project.flow(&["skill", "story-skeleton", "--from-story", "../../x?a=1#"]);
    assert!(hostile.expect(2).err.contains("\"from_story\" is"));
    let none = project.flow(&["skill", "adr-template", "x", "--from-story", "US-0001"]).expect(2);
    assert!(none.err.contains("\"from_story\" is not known"), "{none:?}");
    project.write(".flow/config.json", "{\"prot\": 1}");
    let broken = project.flow(&["skill", "story-skeleton", "--from-story", "US-0001"]).expect(2);
    assert!(broken.err.contains("config.json"), "{broken:?}");
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
