//! `pr-description`: every commit and criterion once, boxes ticked by evidence alone, and clean Markdown.

use std::path::Path;

use flow::skill::output::{Fault, Output};
use flow::skill::project_state::Context;
use flow::skill::project_state::state::State;
use serde_json::{Value, json};

use super::commits::repository;
use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, context, make, make_in};

const NAME: &str = "pr-description";
const SECTIONS: [&str; 5] = ["Summary", "Changes", "Testing", "Checklist", "Related issues"];

#[track_caller]
fn text(output: &Output) -> String {
    let text = output.artifacts[0].text.clone();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings[..5], SECTIONS, "{text}");
    text
}

fn ticked(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("- [x] ")).collect()
}

#[test]
fn the_markdown_is_clean_and_everything_stands_once() {
    let mut texts = vec![text(&example_output(NAME))];
    assert_eq!(ticked(&texts[0]).len(), 3, "{}", texts[0]);
    for part in [
        "1f0c2ab94d",
        "77ab01c3e2",
        "9c41d7aa05",
        "A reader with a passkey",
        "A browser without passkeys",
    ] {
        let before = texts[0].split("## Open questions").next().unwrap();
        assert_eq!(before.matches(part).count(), 1, "{part}");
    }
    let hostile: Vec<Value> = HOSTILE
        .iter()
        .map(|text| json!(format!("fix: {text}\n\n{text}\u{7}\n\nRefs: #1 {text}")))
        .collect();
    let output = make(NAME, json!({
        "title": HOSTILE.join(" "), "summary": HOSTILE.join("\n\n# "), "commits": hostile, "criteria": HOSTILE,
        "tests": HOSTILE, "issues": HOSTILE, "evidence": [{"criterion": 2, "evidence": HOSTILE.join("\n")}],
    })).unwrap();
    texts.push(text(&output));
    let items = texts[1].lines().filter(|line| line.starts_with("- [")).count();
    assert_eq!(items, HOSTILE.len() + 3);
    assert_eq!(ticked(&texts[1]).len(), 1);
    for text in HOSTILE {
        texts.push(self::text(&make(NAME, json!({"summary": text})).unwrap()));
        texts.push(self::text(&make(NAME, json!({"commits": [text, text]})).unwrap()));
    }
    texts.push(text(&make(NAME, json!({"commits": ["feat!: a\n\nBREAKING CHANGE: b"]})).unwrap()));
    texts.push(text(&make(NAME, json!({"summary": "x".repeat(100_000)})).unwrap()));
    judge::markdown(&texts);
}

#[test]
fn boxes_need_evidence() {
    let of = |fields: Value| {
        let output = make(NAME, fields).unwrap();
        (ticked(&text(&output)).len(), output.open.len())
    };
    assert_eq!(of(json!({"summary": "a"})), (0, 1));
    assert_eq!(of(json!({"summary": "a", "tests": ["cargo test"]})), (0, 0));
    assert_eq!(of(json!({"summary": "a", "tests": [{"command": "x", "passed": true}]})), (1, 0));
    let mixed = json!([{"command": "x", "passed": true}, {"command": "y", "passed": false}]);
    assert_eq!(of(json!({"summary": "a", "tests": mixed})), (0, 0));
    assert_eq!(of(json!({"commits": ["test: a", "docs: b"]})), (2, 1));
    assert_eq!(of(json!({"commits": ["feat!: a"]})), (0, 1));
    assert_eq!(of(json!({"commits": ["feat!: a\n\nBREAKING CHANGE: b"]})), (1, 1));
    let evidence = json!([{"criterion": "C  two", "evidence": "seen"}]);
    assert_eq!(
        of(json!({"summary": "a", "criteria": ["C one", "C two"], "evidence": evidence})),
        (1, 2)
    );
}

#[test]
fn a_story_and_a_range_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let git = repository(folder.path());
    for message in ["chore: start", "feat: one\n\nCloses #7", "Two `x` $(id) \u{1b}[31m"] {
        git(&["commit", "-q", "--allow-empty", "-m", message]);
    }
    let context = context(folder.path());
    let fields = json!({"from_story": "US-0001", "range": "HEAD~2..HEAD"});
    let output = make_in(NAME, fields, &context).unwrap();
    let text = text(&output);
    assert!(text.starts_with("# Basket survives a closed tab (US-0001)\n"), "{text}");
    assert!(
        text.contains("- feat: one (") && text.contains("- Two `x` \\$(id) \\[31m ("),
        "{text}"
    );
    assert!(text.contains("- Story US-0001\n- Closes #7\n"), "{text}");
    assert_eq!(output.data["criteria"].as_array().unwrap().len(), 2);
    judge::markdown(&[text]);
    let fault = make_in(NAME, json!({"from_story": "US-9999"}), &context).unwrap_err();
    assert!(matches!(fault, Fault::Bad { field, .. } if field == "from_story"));
}

#[test]
fn bad_input_is_named() {
    let field = |fields: Value| match make(NAME, fields) {
        Err(Fault::Missing { field, .. } | Fault::Bad { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(json!({})), "commits");
    assert_eq!(field(json!({"commits": []})), "commits");
    assert_eq!(field(json!({"commits": [" "]})), "commits[0]");
    assert_eq!(field(json!({"commits": [{"id": "a"}]})), "commits[0].message");
    assert_eq!(field(json!({"range": "-p"})), "range");
    assert_eq!(field(json!({"summary": "a\u{0}"})), "summary");
    assert_eq!(
        field(json!({"summary": "a", "tests": [{"command": "x", "passed": 1}]})),
        "tests[0].passed"
    );
    assert_eq!(
        field(json!({"summary": "a", "evidence": [{"criterion": 3, "evidence": "x"}]})),
        "evidence[0].criterion"
    );
    let nowhere = State::none("no project".into());
    let context = Context { state: nowhere, ..context(Path::new(".")) };
    let fault = make_in(NAME, json!({"from_story": "US-1"}), &context);
    assert!(matches!(fault, Err(Fault::Refused(_))));
}
