//! The parts that each skill's artifact must have, whatever else is written or left out. `requirement.json` is the list of what was
//! asked for; a part that an artifact loses fails here by its name.

use serde::Deserialize;

use crate::support::Ran;
use crate::transcript::demo;

/// A skill, the words of its call, and the parts that its artifact must have. Each part is one of the texts between bars, in
/// any case.
#[derive(Deserialize)]
struct Row {
    skill: String,
    words: Vec<String>,
    parts: Vec<String>,
}

fn rows() -> Vec<Row> {
    serde_json::from_str(include_str!("requirement.json")).unwrap()
}

fn missing(ran: &Ran, parts: &[String]) -> Vec<String> {
    let text = format!("{}{}", ran.out, ran.err).to_lowercase();
    let is_there = |part: &&String| part.split('|').any(|name| text.contains(name));
    parts.iter().filter(|part| !is_there(part)).cloned().collect()
}

#[test]
fn each_artifact_has_the_parts_that_were_asked_for() {
    let project = demo();
    let mut faults = Vec::new();
    for Row { skill, words, parts } in rows() {
        let words = words.iter().map(String::as_str);
        let call = ["skill", &skill].into_iter().chain(words).chain(["--now", "2026-03-11"]);
        let call: Vec<&str> = call.collect();
        let ran = project.flow(&call);
        let missing = missing(&ran, &parts);
        if ran.code != 0 || !missing.is_empty() {
            faults.push(format!(
                "{skill}: exit {}, without {missing:?}\n{}{}",
                ran.code, ran.out, ran.err
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_table_names_every_skill() {
    let listed = demo().flow(&["skill", "list", "--json"]).expect(0).json();
    let listed = listed["skills"].as_array().or_else(|| listed.as_array()).unwrap().clone();
    assert_eq!(listed.len(), 23);
    let rows = rows();
    for skill in listed {
        let name = skill["name"].as_str().unwrap();
        assert!(rows.iter().any(|row| row.skill == name), "{name}");
    }
}
