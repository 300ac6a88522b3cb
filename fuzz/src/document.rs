//! Documents in Markdown and Gherkin: labels, stories, criteria, changelogs and decision records, by their own readers
//! and on the ways of the skills. They are read or refused, quickly and on a small stack.

use std::fs;

use crate::{Call, choice, context, folder, run, within_limits};
use flow_skills::generator::SKILLS;
use flow_skills::input::labels;
use flow_skills::input::recognise;
use flow_skills::story::{Story, document, read};

const CALLS: &[Call] = &[
    Call { skill: "acceptance-criteria-generator", field: None, options: &[] },
    Call { skill: "acceptance-criteria-generator", field: None, options: &[("format", "feature")] },
    Call { skill: "test-case-generator", field: None, options: &[("format", "gherkin")] },
    Call { skill: "test-case-generator", field: None, options: &[("format", "pytest")] },
    Call { skill: "story-skeleton", field: None, options: &[] },
    Call { skill: "epic-planner", field: None, options: &[] },
    Call { skill: "adr-template", field: None, options: &[] },
    Call {
        skill: "changelog-entry",
        field: Some("changelog"),
        options: &[("changes", "Fixed: a crash")],
    },
    Call {
        skill: "changelog-entry",
        field: Some("changelog"),
        options: &[("changes", "Fixed: a crash"), ("version", "next")],
    },
    Call { skill: "migration-checklist", field: None, options: &[] },
    Call { skill: "deployment-guide-generator", field: None, options: &[] },
    Call { skill: "pr-description", field: None, options: &[] },
];

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((first, text)) = choice(data) else { return };
    within_limits(|| match first % (CALLS.len() + 4) {
        0 => drop(std::str::from_utf8(&text).map(readers)),
        1 => drop(std::str::from_utf8(&text).map(all_labels)),
        2 => recorded(&text),
        3 => verified(&text),
        other => run(&CALLS[other - 4], &text),
    });
}

fn readers(text: &str) {
    let _ = document::criteria(text, "criteria");
    let _ = read::text(&mut Story::default(), text, "topic");
    let _ = recognise::recognise(text, &[]);
}

/// The labels of every skill.
fn all_labels(text: &str) {
    for skill in SKILLS {
        let _ = labels::read(text, &skill.schema(), true);
    }
}

/// A decision record of the project that is superseded.
fn recorded(text: &[u8]) {
    let records = folder().join("docs/adr");
    fs::create_dir_all(&records).expect("no folder");
    fs::write(records.join("0001-old.md"), text).expect("not written");
    let options = &[("supersedes", "1")];
    run(&Call { skill: "adr-template", field: None, options }, b"Use something new");
    fs::remove_dir_all(folder()).expect("not removed");
}

/// An artifact that is checked.
fn verified(text: &[u8]) {
    let Ok(text) = std::str::from_utf8(text) else { return };
    let lines = text.lines().count().max(1);
    let context = context();
    for verify in SKILLS.iter().filter_map(|skill| skill.verify) {
        for finding in verify(text, &context) {
            assert!((1..=lines).contains(&finding.line), "{finding:?} of {lines} lines");
        }
    }
}
