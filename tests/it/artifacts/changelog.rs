//! `changelog-entry`, held against keep-a-changelog's parser.

use std::fs;

use flow::skill::output::Fault;
use serde_json::{Value, json};

use super::commits::repository;
use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, context, make, make_in};

const NAME: &str = "changelog-entry";
const GROUPS: [&str; 6] = ["Added", "Changed", "Fixed", "Deprecated", "Removed", "Security"];
/// Reads changelogs: for each its releases with version, date and changes, its address, or the error.
const JUDGE: &str = r"
import { parser } from 'keep-a-changelog';
import fs from 'node:fs';
const found = JSON.parse(fs.readFileSync(0, 'utf8')).map((text) => {
  try {
    const log = parser(text);
    return { url: log.url ?? null, releases: log.releases.map((r) => ({
      version: r.version ?? null,
      date: r.date ? r.date.toISOString().slice(0, 10) : null,
      link: r.getCompareLink(log) ?? null,
      changes: [...r.changes].flatMap(([type, all]) => all.map((c) => [type, c.title])),
    })) };
  } catch (error) { return { error: error.message }; }
});
console.log(JSON.stringify(found));
";
const FILE: &str = "# Changelog\n\nIntro.\n\n## [Unreleased]\n\n### Fixed\n\n- A leak\n\n### Notes\n\n- Kept\n\n\
## [1.2.0] - 2025-11-02\n\n### Added\n\n- One\n  over two lines\n\n## [1.0.0] - 2025-01-01\n\n- Bare\n\n\
[unreleased]: https://example.org/a/b/compare/v1.2.0...HEAD\n\
[1.2.0]: https://example.org/a/b/compare/v1.0.0...v1.2.0\n\
[1.0.0]: https://example.org/a/b/releases/tag/v1.0.0\n\
[other]: https://example.org/other\n";

/// The parser knows no headings but the six.
fn known(text: &str) -> String {
    text.replace("### Notes\n\n- Kept\n\n", "").replace("- Bare\n\n", "")
}

/// Runs it on a file, twice, and gives the file.
#[track_caller]
fn insert(file: &str, mut fields: Value) -> String {
    fields["changelog"] = file.into();
    let once = make(NAME, fields.clone()).unwrap().artifacts[0].text.clone();
    fields["changelog"] = once.as_str().into();
    let twice = make(NAME, fields).unwrap().artifacts[0].text.clone();
    assert_eq!(once, twice, "twice equals once");
    once
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

fn all() -> Value {
    GROUPS.iter().map(|group| json!({"type": group, "text": format!("A thing {group}")})).collect()
}

#[test]
fn every_heading_is_read() {
    let example = example_output(NAME).artifacts[0].text.clone();
    let new = insert(
        "",
        json!({"changes": all(), "version": "1.0.0", "url": "https://example.org/a/b.git"}),
    );
    let unreleased = insert("", json!({"changes": all()}));
    judge::markdown(&[example.clone(), new.clone(), unreleased.clone()]);
    let Some(found) = parse(&[example, new, unreleased]) else { return };
    let changes: Value = GROUPS
        .iter()
        .map(|group| json!([group.to_lowercase(), format!("A thing {group}")]))
        .collect();
    for at in [1, 2] {
        let mut read = found[at]["releases"][0]["changes"].as_array().unwrap().clone();
        let mut wanted = changes.as_array().unwrap().clone();
        read.sort_by_key(Value::to_string);
        wanted.sort_by_key(Value::to_string);
        assert_eq!(read, wanted);
    }
    assert_eq!(found[1]["releases"][0]["version"], "1.0.0");
    assert_eq!(found[1]["releases"][0]["date"], "2026-03-11");
    assert_eq!(
        found[0]["releases"][1]["link"],
        "[1.3.0]: https://example.org/team/project/compare/v1.2.0...v1.3.0"
    );
}

#[test]
fn hostile_texts_stay_one_entry_each() {
    let changes: Value = HOSTILE.iter().map(|text| json!({"type": "fix", "text": text})).collect();
    let breaking: Value = HOSTILE.iter().map(|text| json!({"type": "Changed", "text": format!("{text}\n## [9.9.9] - 2020-01-01\n{text}"), "breaking": true})).collect();
    let texts = [
        insert("", json!({"changes": changes})),
        insert(&known(FILE), json!({"changes": breaking, "version": "2.0.0"})),
    ];
    let section = make(NAME, json!({"changes": changes})).unwrap().artifacts[0].text.clone();
    judge::markdown(&[texts[0].clone(), format!("# T\n\n{section}")]);
    let Some(found) = parse(&texts) else { return };
    for found in &found {
        let release = &found["releases"]
            .as_array()
            .unwrap()
            .iter()
            .find(|r| r["version"].is_null() || r["version"] == "2.0.0");
        assert!(release.is_some());
    }
    assert_eq!(found[0]["releases"][0]["changes"].as_array().unwrap().len(), HOSTILE.len());
    assert_eq!(found[1]["releases"][1]["changes"].as_array().unwrap().len(), HOSTILE.len());
    assert_eq!(found[1]["releases"].as_array().unwrap().len(), 4);
}

#[test]
fn a_file_is_edited_and_its_links_follow() {
    let released = insert(FILE, json!({"version": "1.2.1"}));
    assert!(released.contains("## [Unreleased]\n\n## [1.2.1] - 2026-03-11\n\n### Fixed\n\n- A leak\n\n### Notes\n\n- Kept\n\n## [1.2.0]"), "{released}");
    assert!(released.contains("[unreleased]: https://example.org/a/b/compare/v1.2.1...HEAD\n[1.2.1]: https://example.org/a/b/compare/v1.2.0...v1.2.1\n[1.2.0]: https://example.org/a/b/compare/v1.0.0...v1.2.0\n"), "{released}");
    assert!(released.ends_with("[other]: https://example.org/other\n"));
    let between = insert(
        FILE,
        json!({"version": "1.1.0", "date": "2025-05-05", "changes": "Security: a hole\nFixed: x"}),
    );
    assert!(between.contains("[1.2.0]: https://example.org/a/b/compare/v1.1.0...v1.2.0\n[1.1.0]: https://example.org/a/b/compare/v1.0.0...v1.1.0\n"), "{between}");
    let merged = insert(
        FILE,
        json!({"version": "1.2.0", "changes": ["Added: One over two lines", "Added: Two", "Fixed: Three"]}),
    );
    assert!(
        merged.contains("- One\n  over two lines\n- Two\n\n### Fixed\n\n- Three\n\n## [1.0.0]"),
        "{merged}"
    );
    let windows = insert(&FILE.replace('\n', "\r\n"), json!({"changes": "Added: x"}));
    assert!(windows.contains("- x\r\n") && !windows.replace("\r\n", "").contains('\n'));
    parse(&[known(&released), known(&between), known(&merged)]);
}

#[test]
fn the_next_version_is_proposed() {
    let next = |latest: &str, changes: &str| {
        let file = format!("# Changelog\n\n## [{latest}] - 2025-01-01\n\n### Added\n\n- x\n");
        let fields = json!({"changes": changes, "version": "next", "changelog": file});
        make(NAME, fields).unwrap().data["version"].as_str().unwrap().to_owned()
    };
    assert_eq!(next("1.2.3", "Fixed: a"), "1.2.4");
    assert_eq!(next("1.2.3", "Security: a"), "1.2.4");
    assert_eq!(next("1.2.3", "fix: a\nfeat: b"), "1.3.0");
    assert_eq!(next("1.2.3", "feat!: b"), "2.0.0");
    assert_eq!(next("1.2.3", "Removed: b"), "2.0.0");
    assert_eq!(next("0.2.3", "feat!: b"), "0.3.0");
    assert_eq!(next("0.2.3", "feat: b"), "0.2.4");
}

#[test]
fn a_range_of_commits_is_entered() {
    let folder = tempfile::tempdir().unwrap();
    let git = repository(folder.path());
    let commit = |message: &str| git(&["commit", "-q", "--allow-empty", "-m", message]);
    commit("chore: start");
    git(&["tag", "v1.0.0"]);
    for message in [
        "feat(auth): sign in with a passkey",
        "fix: end the session\n\nBody `x`.",
        "refactor!: drop v1\n\nBREAKING CHANGE: use v2",
        "feat: deprecate GET /old",
        "docs: more",
        "Whatever \"$(id)\" `x`\u{1b}[31m",
    ] {
        commit(message);
    }
    let fields = json!({"range": "v1.0.0..HEAD", "version": "next", "path": "CHANGELOG.md"});
    let context = context(folder.path());
    assert!(
        matches!(make_in(NAME, fields.clone(), &context), Err(Fault::Bad { .. })),
        "no version is known"
    );
    fs::write(
        folder.path().join("CHANGELOG.md"),
        "# Changelog\n\n## [1.0.0] - 2025-01-01\n\n- x\n",
    )
    .unwrap();
    let output = make_in(NAME, fields, &context).unwrap();
    let text = &output.artifacts[0].text;
    assert!(
        text.contains("## [2.0.0] - 2026-03-11\n\n### Added\n\n- Sign in with a passkey\n\n"),
        "{text}"
    );
    assert!(text.contains("### Fixed\n\n- End the session\n\n### Deprecated\n\n- Deprecate GET /old\n\n### Removed\n\n- **Breaking:** Drop v1: use v2\n"), "{text}");
    assert_eq!((output.open.len(), output.notes.len()), (1, 1), "{output:?}");
    let fault = make_in(NAME, json!({"range": "--output=x"}), &context).unwrap_err();
    assert!(matches!(fault, Fault::Bad { field, .. } if field == "range"));
    let fault = make_in(NAME, json!({"range": "nothing..HEAD"}), &context).unwrap_err();
    assert!(matches!(fault, Fault::Refused(_)));
}

#[test]
fn bad_input_is_named() {
    let field = |fields: Value| match make(NAME, fields) {
        Err(Fault::Missing { field, .. } | Fault::Bad { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(json!({})), "changes");
    assert_eq!(field(json!({"changes": []})), "changes");
    assert_eq!(field(json!({"changes": [{"type": "Added"}]})), "changes[0].text");
    assert_eq!(field(json!({"changes": [{"text": "x"}]})), "changes[0].type");
    assert_eq!(field(json!({"changes": [{"type": "New", "text": "x"}]})), "changes[0].type");
    assert_eq!(field(json!({"changes": ["zyx"]})), "changes[0]");
    assert_eq!(field(json!({"changes": "fix: x", "version": "1.2"})), "version");
    assert_eq!(field(json!({"changes": "fix: x", "date": "2026-02-30"})), "date");
    assert_eq!(field(json!({"changes": "fix: x", "url": "javascript:x"})), "url");
    assert_eq!(field(json!({"changes": "fix: x", "changelog": "text"})), "changelog");
}
