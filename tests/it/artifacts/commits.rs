//! `commit-message-formatter`, checked by commitlint's conventional configuration, with warnings as errors, but that for empty lines before footers.

use serde_json::{Value, json};

use super::golden::example_output;
use super::hostile;
use super::judge;
use super::making::make;

const NAME: &str = "commit-message-formatter";
/// Lints messages, ignoring none; prints for each the errors, and the parsed parts.
const JUDGE: &str = include_str!("../../judges/lint_commits.mjs");

/// Runs the skill, and runs it again on its own message.
#[track_caller]
fn message(fields: &Value) -> String {
    let output = make(NAME, fields.clone()).unwrap_or_else(|e| panic!("{fields}: {e}"));
    let text = output.artifacts[0].text.clone();
    let again = make(NAME, json!({ "description": text })).unwrap();
    assert_eq!(again.data, output.data, "{fields}");
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{text:?}");
    text
}

#[track_caller]
fn lint(messages: &[String]) {
    if judge::find("node_modules/@commitlint/load").is_none() {
        return;
    }
    let found = judge::node(JUDGE, &json!([messages, &["Fix: A.".to_owned()][..]].concat()));
    assert_ne!(found[messages.len()], json!([]), "the judge can say no");
    for (message, found) in messages.iter().zip(found.as_array().unwrap()) {
        assert_eq!(found, &json!([]), "{message}");
    }
}

#[test]
fn every_type_and_option_passes() {
    let mut messages = vec![example_output(NAME).artifacts[0].text.clone()];
    for kind in [
        "feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore",
        "revert",
    ] {
        messages.push(message(&json!({"description": "do a thing", "type": kind})));
        messages.push(message(&json!({
            "description": "do a thing: with (parts) #12", "type": kind, "scope": "api/v2#3",
            "body": "Why.\n\nSee #3 there.\nAnd more.\n\nRefs: #12\n\
                Co-authored-by: A <a@example.org>\nSee-also: x\n y",
            "breaking": true,
        })));
    }
    messages.extend(hostile::inputs(NAME).iter().map(message));
    lint(&messages);
}
