//! `changelog-entry`, checked by keep-a-changelog's parser.

use std::fs;

use serde_json::{Value, json};

use super::judge;
use super::making::{HOSTILE, context, make, make_in};
use crate::tools;

const NAME: &str = "changelog-entry";
const GROUPS: [&str; 6] = ["Added", "Changed", "Fixed", "Deprecated", "Removed", "Security"];
/// Reads changelogs: for each one its releases with version, date and changes, and its address, or the error.
const JUDGE: &str = include_str!("../../judges/read_changelogs.mjs");
const FILE: &str = "# Changelog\n\nIntro.\n\n## [Unreleased]\n\n### Fixed\n\n- A leak\n\n### Notes\n\n- Kept\n\n\
## [1.2.0] - 2025-11-02\n\n### Added\n\n- One\n  over two lines\n\n## [1.0.0] - 2025-01-01\n\n- Bare\n\n\
[unreleased]: https://example.org/a/b/compare/v1.2.0...HEAD\n\
[1.2.0]: https://example.org/a/b/compare/v1.0.0...v1.2.0\n\
[1.0.0]: https://example.org/a/b/releases/tag/v1.0.0\n\
[other]: https://example.org/other\n";

/// The text with only the six headings that the parser supports.
fn known(text: &str) -> String {
    text.replace("### Notes\n\n- Kept\n\n", "").replace("- Bare\n\n", "")
}

/// Runs the skill on a file, twice, and returns the file. An empty text stands for a missing file.
#[track_caller]
fn insert(file: &str, mut fields: Value) -> String {
    let folder = tempfile::tempdir().unwrap();
    fields["path"] = "LOG.md".into();
    let run = |text: &str| {
        fs::write(folder.path().join("LOG.md"), text).unwrap();
        make_in(NAME, fields.clone(), &context(folder.path())).unwrap().artifacts[0].text.clone()
    };
    let once = run(file);
    assert_eq!(once, run(&once), "twice equals once");
    only_adds(file, &once);
    once
}

/// Asserts that only definitions of compare links change, and that no line is removed.
#[track_caller]
fn only_adds(before: &str, after: &str) {
    let mut left = after.split_inclusive('\n');
    let mut lines = before.split_inclusive('\n').filter(|line| !line.contains("/compare/"));
    let lost = lines.find(|line| {
        let is_it = |other: &str| other == *line || other.trim_end() == *line;
        !left.by_ref().any(is_it)
    });
    assert_eq!(lost, None, "a line of\n{before}\nis not in\n{after}");
}

#[track_caller]
fn parse(texts: &[String]) -> Option<Vec<Value>> {
    judge::find("node_modules/keep-a-changelog")?;
    let found = judge::node(JUDGE, &json!(texts)).as_array().unwrap().clone();
    for (text, found) in texts.iter().zip(&found) {
        assert!(found.get("error").is_none(), "{found}\n{text}");
    }
    Some(found)
}

#[test]
fn every_heading_is_read() {
    let changes: Value = GROUPS.map(|group| format!("{group}: A thing {group}")).to_vec().into();
    let new = json!({"changes": changes, "version": "1.0.0"});
    let texts = [insert("", new), insert("", json!({"changes": changes}))];
    judge::markdown(&texts);
    let change = |group: &str| json!([group.to_lowercase(), format!("A thing {group}")]);
    let mut wanted = GROUPS.map(change);
    wanted.sort_by_key(Value::to_string);
    for found in parse(&texts).into_iter().flatten() {
        let mut read = found["releases"][0]["changes"].as_array().unwrap().clone();
        read.sort_by_key(Value::to_string);
        assert_eq!(read, wanted);
    }
}

#[test]
fn the_changelog_of_this_project_is_one() {
    let text = tools::text("CHANGELOG.md");
    judge::markdown(std::slice::from_ref(&text));
    let Some(found) = parse(&[text]) else { return };
    let releases = found[0]["releases"].as_array().unwrap();
    assert_eq!(releases[0]["version"], Value::Null, "the first release is the unreleased one");
    assert!(!releases[0]["changes"].as_array().unwrap().is_empty());
}

#[test]
fn hostile_texts_stay_one_entry_each() {
    let changes: Value = HOSTILE.iter().map(|text| format!("fix: {text}")).collect();
    let breaking: Value = HOSTILE
        .iter()
        .map(|text| format!("Changed!: {text}\n## [9.9.9] - 2020-01-01\n{text}"))
        .collect();
    let texts = [
        insert("", json!({"changes": changes})),
        insert(&known(FILE), json!({"changes": breaking, "version": "2.0.0"})),
    ];
    let section = make(NAME, json!({"changes": changes})).unwrap().artifacts[0].text.clone();
    judge::markdown(&[texts[0].clone(), format!("# T\n\n{section}")]);
    let Some(found) = parse(&texts) else { return };
    assert_eq!(found[0]["releases"][0]["changes"].as_array().unwrap().len(), HOSTILE.len());
    assert_eq!(found[1]["releases"][1]["changes"].as_array().unwrap().len(), HOSTILE.len());
    assert_eq!(found[1]["releases"].as_array().unwrap().len(), 4);
}

#[test]
fn a_file_that_is_edited_is_read() {
    let fields = [
        json!({"version": "1.2.1"}),
        json!({"version": "1.1.0", "date": "2025-05-05", "changes": "Security: a hole\nFixed: x"}),
        json!({"version": "1.2.0", "changes": ["Added: One over two lines", "Added: Two", "Fixed: Three"]}),
    ];
    parse(&fields.map(|fields| known(&insert(FILE, fields))));
}
