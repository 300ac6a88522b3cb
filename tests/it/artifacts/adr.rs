//! `adr-template`: records of any texts are clean Markdown with every section, and read back.

use std::path::Path;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::Fault;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge::markdown;
use super::making::{HOSTILE, context, make};

const SKILL: &str = "adr-template";

fn inputs() -> Vec<Value> {
    let mut inputs = vec![
        json!({"topic": "Use a queue"}),
        json!({"topic": "# Use a queue\n\nCalls time out."}),
        json!({"topic": "Use a queue. Calls time out.", "options": ["A", {"name": "B", "pros": ["p"]}], "chosen": "b"}),
        json!({"topic": "x".repeat(50_000), "chosen": "y", "status": "deprecated"}),
        json!({"topic": "Use a queue", "decision": "We use one.", "reason": "Calls time out."}),
        json!({"topic": "Use a queue", "reason": "Calls time out."}),
    ];
    for text in HOSTILE {
        inputs.push(json!({"topic": text}));
        inputs.push(json!({
            "topic": text, "context": text, "chosen": text, "reason": text, "consequences": [text, "a\nb"],
            "options": [{"name": text, "pros": [text], "cons": [text]}, {"name": format!("not {text}"), "cons": [text]}],
        }));
    }
    inputs
}

#[test]
fn records_are_clean_and_have_every_section() {
    let mut texts = vec![example_output(SKILL).artifacts[0].text.clone()];
    for input in inputs() {
        let output = make(SKILL, input).unwrap();
        let record = &output.artifacts[0];
        assert!(record.text.contains("\n\nDate: 2026-03-11\n\n## Status\n\n"), "{}", record.text);
        for section in ["Status", "Context", "Decision", "Consequences", "Alternatives"] {
            let heading = format!("\n## {section}\n");
            assert_eq!(record.text.matches(&heading).count(), 1, "{}", record.text);
        }
        assert_eq!(record.text.contains("\n\\<w"), !output.open.is_empty());
        assert!(
            !record.path.contains(['/', '\\', ' ']) && record.path.len() < 100,
            "{}",
            record.path
        );
        texts.push(record.text.clone());
    }
    markdown(&texts);
}

/// The record for some content.
fn read(text: &str) -> Result<String, Fault> {
    let skill = find(SKILL).unwrap();
    let request = Request { contents: vec![text.as_bytes().to_vec()], ..Request::default() };
    let given = skill.place(&request)?;
    Ok(skill.run(&given, &context(Path::new(".")))?.artifacts[0].text.clone())
}

#[test]
fn records_read_back() {
    let mut wrong = Vec::new();
    for input in inputs() {
        let record = make(SKILL, &input).unwrap().artifacts[0].text.clone();
        match read(&record) {
            Ok(again) if again == record => {}
            other => wrong.push(format!("{input}\n{record}\n{other:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
