//! `pr-description`: descriptions of any texts are clean Markdown, with every commit and criterion once.

use flow::skill::output::Output;
use serde_json::{Value, json};

use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, make};

const NAME: &str = "pr-description";
const SECTIONS: [&str; 6] =
    ["Summary", "Changes", "Testing", "Acceptance criteria", "Checklist", "Related issues"];

#[track_caller]
fn text(output: &Output) -> String {
    let text = output.artifacts[0].text.clone();
    let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let known: Vec<&str> =
        SECTIONS.into_iter().filter(|section| headings.contains(section)).collect();
    assert_eq!(headings, known, "{text}");
    for section in ["Summary", "Testing", "Checklist", "Related issues"] {
        assert!(headings.contains(&section), "{section}: {text}");
    }
    text
}

fn ticked(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("- [x] ")).collect()
}

#[test]
fn the_markdown_is_clean_and_everything_stands_once() {
    let mut texts = vec![text(&example_output(NAME))];
    assert_eq!(ticked(&texts[0]).len(), 5, "{}", texts[0]);
    for part in [
        "1f0c2ab94d",
        "77ab01c3e2",
        "9c41d7aa05",
        "b1c55e0f3a",
        "A reader with a passkey",
        "A browser without passkeys",
    ] {
        assert_eq!(texts[0].matches(part).count(), 1, "{part}");
    }
    let hostile: Vec<Value> = HOSTILE
        .iter()
        .map(|text| json!(format!("fix: {text}\n\n{text}\n\nRefs: #1 {text}")))
        .collect();
    let output = make(NAME, json!({
        "title": HOSTILE.join(" "), "summary": HOSTILE.join("\n\n# "), "commits": hostile, "criteria": HOSTILE,
        "tests": HOSTILE, "issues": HOSTILE,
    })).unwrap();
    texts.push(text(&output));
    let items = texts[1].lines().filter(|line| line.starts_with("- [")).count();
    assert_eq!(items, HOSTILE.len() + 3);
    assert_eq!(ticked(&texts[1]).len(), 0);
    for text in HOSTILE {
        texts.push(self::text(&make(NAME, json!({"summary": text})).unwrap()));
        let twice = json!({"commits": [text, text], "title": "T"});
        texts.push(self::text(&make(NAME, twice).unwrap()));
    }
    texts.push(text(&make(NAME, json!({"commits": ["feat!: a\n\nBREAKING CHANGE: b"]})).unwrap()));
    texts.push(text(&make(NAME, json!({"summary": "x".repeat(100_000)})).unwrap()));
    judge::markdown(&texts);
}
