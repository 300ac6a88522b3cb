//! The reports on projects with hostile texts, and on large ones: clean Markdown with at most 200 rows of each list.

use flow::skill::output::Output;
use serde_json::{Value, json};

use super::boards::{chain, project};
use super::judge::markdown;
use super::logs::Raw;
use super::making::{HOSTILE, Input, make, make_in, run_once};
use crate::tools::scaled;

/// Each report with the fields that a project of any records has.
fn reports() -> Vec<(&'static str, Value)> {
    vec![
        ("status-report", json!({"since": "1 year"})),
        ("blocker-analysis", json!({})),
        ("agent-brief", json!({"task": HOSTILE[5], "agent": HOSTILE[4]})),
        ("handoff-note", json!({})),
        ("retro-facilitator", json!({})),
        ("sprint-planner", json!({"capacity": 300})),
        ("tech-debt-register", json!({"items": debts()})),
    ]
}

fn debts() -> Vec<Value> {
    let scored = |text| json!({"title": text, "impact": 1, "urgency": 1, "effort": 3});
    let bare = |text| json!({"title": format!("{text}\n{text}")});
    HOSTILE.iter().flat_map(|text| [scored(text), bare(text)]).collect()
}

/// Asserts that the artifacts are not too long, and that they are Markdown without a fault.
fn are_clean(outputs: &[Output]) {
    let texts = outputs.iter().flat_map(|output| &output.artifacts).map(|one| one.text.clone());
    let texts: Vec<String> = texts.collect();
    assert!(texts.iter().all(|text| text.len() < 200_000));
    markdown(&texts);
}

#[test]
fn hostile_records_give_clean_markdown() {
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let raw = Raw::hostile();
    let all = raw.open(folders[0].path());
    let note = Raw::of_log(&[json!({"type": "note"})]).open(folders[1].path());
    let mut outputs = vec![
        make_in("status-report", json!({}), &note).unwrap(),
        make_in("epic-planner", json!({"epic": "EP-1"}), &all).unwrap(),
    ];
    for (skill, fields) in reports() {
        outputs.push(make_in(skill, fields, &all).unwrap());
    }
    for id in raw.tasks["tasks"].as_object().unwrap().keys() {
        let fields = json!({"task": id, "agent": HOSTILE[5]});
        outputs.push(make_in("agent-brief", fields, &all).unwrap());
    }
    for text in HOSTILE {
        // A word of time at its end is the time of the note.
        if !text.ends_with(" now") {
            let fields = json!({"about": format!("agent {text}")});
            outputs.push(make_in("handoff-note", fields, &all).unwrap());
        }
        outputs.push(make_in("status-report", json!({"epic": text}), &all).unwrap());
        // A title that is a line of a list is not a title.
        let list = format!("{text}\n{text}\n- {text} (2)\n  - {text}\n- x after 1");
        outputs.extend(make("epic-planner", json!({"epic": list})));
    }
    are_clean(&outputs);
}

#[test]
fn thousands_of_stories_end_at_two_hundred_rows() {
    let count = scaled(400, 10_000);
    let mut all = Vec::new();
    for first in [None, Some(count - 1)] {
        let folder = tempfile::tempdir().unwrap();
        let here = project(folder.path(), &chain(count, first));
        // Once: that the same input gives the same bytes is shown by smaller ones.
        let make = |skill: &str, fields: Value| {
            let Value::Object(fields) = fields else { panic!("{fields}") };
            run_once(skill, &Input { fields, upstream: None }, &here).unwrap()
        };
        let mut outputs = vec![make("epic-planner", json!({"epic": "EP-0001"}))];
        outputs.extend(reports().into_iter().map(|(skill, fields)| make(skill, fields)));
        let analysis = &outputs[2];
        let path = &analysis.data["critical_path"]["length"];
        let whole = [format!("{count} points in {count} stories"), "0 points in 0 stories".into()];
        assert_eq!(path, &whole[usize::from(first.is_some())]);
        let is_cut = |output: &Output| {
            output.artifacts[0].text.contains(&format!("\n{} more are not listed.\n", count - 200))
        };
        assert!(outputs.iter().filter(|output| is_cut(output)).count() >= 2);
        let said = outputs[0].artifacts[0].text.contains("Only the first 200 waves are listed.");
        assert_eq!(said, first.is_none());
        all.extend(outputs);
    }
    are_clean(&all);
}
