//! `story-skeleton`: what it writes reads back, its ids and dependencies hold against the project, its Markdown is clean.

use std::fs;
use std::path::Path;

use flow::project::Project;
use flow::skill::files::Files;
use flow::skill::input::Context;
use flow::skill::output::Fault;
use flow::skill::story::{Story, read};
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge::markdown;
use super::making::{HOSTILE, context, make, make_in};

/// A project with these stories.
fn project(folder: &Path, stories: &Value) -> Context {
    let path = folder.join("docs/09-agents/status.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, json!({"stories": stories}).to_string()).unwrap();
    let project = Project::open(Some(folder), folder, None).unwrap();
    Context { state: Files::read(&project).state(), ..context(folder) }
}

/// Inputs that try every field, and hostile texts in each.
fn inputs() -> Vec<Value> {
    let mut inputs = vec![
        json!({"topic": "Password reset"}),
        json!({"topic": "Reset my password."}),
        json!({"topic": "As users we want a list. It must be short. We met in May."}),
        json!({"topic": "Title: x\nRules: one\n- two\nPoints: 5\nStatus: Ready\nDepends on: US-0007\nNotes: n"}),
        json!({"topic": "?", "title": "Only a mark"}),
        json!({"topic": "x ".repeat(20_000)}),
    ];
    for text in HOSTILE {
        inputs.push(json!({"topic": text}));
        inputs.push(json!({
            "topic": "t", "title": text, "role": text, "want": text, "benefit": text, "rules": [text],
            "criteria": [text], "technical_notes": [text, "two\nlines"],
        }));
        inputs.push(json!({"topic": format!("As a {text} I want to see {text} so that {text}")}));
    }
    inputs
}

#[test]
fn what_is_written_reads_back_and_is_clean() {
    let mut texts = vec![example_output("story-skeleton").artifacts[0].text.clone()];
    for input in inputs() {
        let output =
            make("story-skeleton", input.clone()).unwrap_or_else(|e| panic!("{e}: {input}"));
        let story: Story = serde_json::from_value(output.data.clone()).unwrap();
        let text = output.artifacts[0].text.clone();
        assert_eq!(read::story(&text), story, "{text}");
        let again = make("story-skeleton", json!({"topic": text})).unwrap();
        assert_eq!(again.artifacts, output.artifacts);
        texts.push(text);
    }
    markdown(&texts);
}

#[test]
fn what_the_topic_does_not_say_is_a_question() {
    let output = make("story-skeleton", json!({"topic": "Password reset"})).unwrap();
    assert_eq!(output.open.len(), 5, "{:?}", output.open);
    let full = example_output("story-skeleton");
    assert!(full.open.is_empty(), "{:?}", full.open);
    assert_eq!(full.data["role"], "shopper");
    assert_eq!(full.data["rules"], json!(["A link expires after 30 minutes."]));
}

#[test]
fn the_id_is_the_next_and_dependencies_hold() {
    let folder = tempfile::tempdir().unwrap();
    let stories = json!({
        "US-0001": {"depends_on": []}, "US-0004": {"depends_on": ["US-0001"]},
        "US-0007": {"depends_on": ["US-0008"]}, "US-0008": {"depends_on": ["US-0007"]},
        "US-0003": {"depends_on": ["US-0009"]}
    });
    let here = project(folder.path(), &stories);
    let with =
        |on: &[&str]| make_in("story-skeleton", json!({"topic": "Pay", "dependencies": on}), &here);
    assert_eq!(with(&["US-0004"]).unwrap().data["id"], "US-0009");
    let refused = |on: &str, why: &str| {
        let fault = with(&[on]).unwrap_err();
        assert!(matches!(fault, Fault::Bad { .. }) && fault.to_string().contains(why), "{fault}");
    };
    refused("US-0002", "a story that the project has");
    refused("US-0009", "another story than this one");
    refused("US-0007", "US-0007 -> US-0008 -> US-0007");
    refused("US-0003", "US-0009 -> US-0003 -> US-0009");
    refused("nonsense", "such as US-0001");
}

#[test]
fn bad_input_is_named() {
    for (input, field) in [
        (json!({}), "topic"),
        (json!({"topic": " \n"}), "topic"),
        (json!({"topic": "\u{1b}"}), "topic"),
        (json!({"topic": "x", "points": -1}), "points"),
        (json!({"topic": "x", "status": "soon"}), "status"),
        (json!({"topic": "x", "id": "7"}), "id"),
        (json!({"topic": "x", "rules": [7]}), "rules[0]"),
    ] {
        let fault = make("story-skeleton", input).unwrap_err().to_string();
        assert!(fault.contains(&format!("{field:?}")), "{fault}");
    }
}
