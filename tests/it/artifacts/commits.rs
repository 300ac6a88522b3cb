//! `commit-message-formatter`, checked by commitlint's conventional configuration, with warnings as errors.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, make};

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
            "body": "Why.\n\nSee #3 there.\nAnd more.", "breaking": true,
            "footers": ["Refs: #12", "Co-authored-by: A <a@example.org>", "See-also: x\ny"],
        })));
    }
    for text in HOSTILE {
        messages.push(message(&json!({"description": text, "type": "fix"})));
        messages.push(message(&json!({
            "description": "x", "type": "fix", "body": format!("{text}\n{text}\n\n{text}"),
            "breaking": text, "footers": [format!("Note: {text}")],
        })));
    }
    for text in
        ["README is read", "OpenAPI is written", "Add it.", "ÄNDERN", "B", "2nd try", "a. b..."]
    {
        messages.push(message(&json!({"description": text, "type": "docs"})));
    }
    for text in [
        "Fix the API for UTF-8. Tokens were dropped. Closes #42.\n\nBREAKING CHANGE: use tokens",
        "fix a crash (closes org/app#42)",
        "add e.g. v1.5 of #42",
        "fix: a crash. It closes #42",
    ] {
        messages.push(message(&json!({ "description": text })));
    }
    let long = "word ".repeat(400);
    messages.push(message(&json!({"description": "x", "type": "fix", "body": long})));
    let body = "one\nbreaking change ahead\n* BREAKING-CHANGE too\nends #1\nfixes #2, closes #3";
    messages.push(message(&json!({"description": "x", "type": "fix", "body": body})));
    messages.push(message(
        &json!({"description": "Add a login form.\n\nIt was asked for.\n\nRefs #4"}),
    ));
    lint(&messages);
}

#[test]
fn the_parts_are_read_back() {
    let fields = json!({
        "description": "sign in", "type": "feat", "scope": "auth", "body": "Why.\n\nMore.",
        "breaking": true, "footers": ["Refs: #1", "Reviewed-by: A"],
    });
    let output = make(NAME, fields.clone()).unwrap();
    assert!(output.notes.is_empty(), "{:?}", output.notes);
    let again = make(NAME, json!({"description": output.artifacts[0].text})).unwrap().data;
    let parts = fields.as_object().unwrap().iter().filter(|(name, _)| *name != "footers");
    for (name, value) in parts {
        assert_eq!(&again[name], value, "{name}");
    }
}

/// A git repository with one commit.
pub(crate) fn repository(folder: &Path) -> impl Fn(&[&str]) + '_ {
    let git = move |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        command.args(["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z");
        command.env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z");
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    };
    git(&["init", "-q"]);
    git
}
