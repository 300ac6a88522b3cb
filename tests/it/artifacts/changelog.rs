//! `changelog-entry`, checked by keep-a-changelog's parser.

use std::fs;
use std::path::Path;

use flow::skill::generator::find;
use flow::skill::input::place::Request;
use flow::skill::output::{Fault, Output};
use serde_json::{Value, json};

use super::commits::repository;
use super::golden::example_output;
use super::judge;
use super::making::{HOSTILE, context, make, make_in, nowhere};

const NAME: &str = "changelog-entry";
const GROUPS: [&str; 6] = ["Added", "Changed", "Fixed", "Deprecated", "Removed", "Security"];
/// Reads changelogs: for each one its releases with version, date and changes, and its address, or the error.
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

/// The text with only the six headings that the parser supports.
fn known(text: &str) -> String {
    text.replace("### Notes\n\n- Kept\n\n", "").replace("- Bare\n\n", "")
}

/// Runs the skill on a file, twice, and returns the file. An empty text stands for a missing file.
#[track_caller]
pub(super) fn insert(file: &str, mut fields: Value) -> String {
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

/// The output for content and `key=value` words.
fn said(text: &str, pairs: &[(&str, &str)], folder: &Path) -> Result<Output, Fault> {
    let skill = find(NAME).unwrap();
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    let request = Request {
        contents: vec![text.as_bytes().to_vec()],
        pairs: pairs.iter().map(owned).collect(),
        ..Request::default()
    };
    skill.run(&skill.place(&request)?, &context(folder))
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
fn the_changelog_of_this_project_is_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("CHANGELOG.md");
    let text = fs::read_to_string(file).unwrap();
    judge::markdown(std::slice::from_ref(&text));
    let Some(found) = parse(&[text]) else { return };
    let releases = found[0]["releases"].as_array().unwrap();
    assert_eq!(releases[0]["version"], Value::Null, "the first release is the unreleased one");
    assert!(!releases[0]["changes"].as_array().unwrap().is_empty());
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
fn a_changelog_in_another_form_is_left_as_it_is_with_the_form_that_is_wanted() {
    for (text, why) in [
        ("Changelog\n=========\n\n1.0.0\n-----\n\n- a\n", "it has no title"),
        ("## 0.7.0\n\n- One\n", "it has no title"),
        (
            "# [1.0.0](https://example.org/a) (2026-01-02)\n\n### Features\n\n* a\n",
            "it has no title",
        ),
        (
            "# Changelog\n\n## [1.0.0](https://example.org/a) (2026-01-02)\n\n### Bug Fixes\n\n* a\n",
            "\"Bug Fixes\" is a heading of another tool",
        ),
        (
            "# Changelog\n\n## 1.0.0\n\n### Minor Changes\n\n- a\n",
            "\"Minor Changes\" is a heading of another tool",
        ),
        ("# Changelog\n\n## 1.0.0 - 2026-01-02\n\n- a\n", "below no headings such as `### Added`"),
        (
            "# Changelog\n\n## Version 1.0.0 (2026-01-02)\n\n### Added\n\n- a\n",
            "none of its sections",
        ),
        ("# Table of contents\n\n## 1.0.0\n\n- a\n", "\"Table of contents\""),
    ] {
        let fields = json!({"changelog": text, "changes": "Added: x"});
        let fault = make(NAME, fields).unwrap_err().to_string();
        assert!(
            fault.contains(why) && fault.contains("Keep a Changelog: `# Changelog`"),
            "{fault}"
        );
    }
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
        "docs(security): how to report",
        "ci: cache",
        "test(auth): cover it",
        "fix(security): close a hole",
        "Add a map",
        "Whatever \"$(id)\" `x`\u{1b}[31m",
    ] {
        commit(message);
    }
    let section = "## [2.0.0] - 2026-03-11\n\n### Added\n\n- **auth:** Sign in with a passkey\n- Deprecate GET /old\n\n\
        ### Changed\n\n- **Breaking:** Drop v1: use v2\n\n### Fixed\n\n- End the session\n\n### Security\n\n- Close a hole\n";
    let words = [("version", "next"), ("path", "CHANGELOG.md")];
    // The tag determines the version if there is no changelog yet.
    let new = said("v1.0.0..HEAD", &words, folder.path()).unwrap();
    assert!(new.artifacts[0].text.ends_with(&format!("\n\n{section}")), "{new:?}");
    let file = "# Changelog\n\n## [1.0.0] - 2025-01-01\n\n### Added\n\n- X\n";
    fs::write(folder.path().join("CHANGELOG.md"), file).unwrap();
    let context = context(folder.path());
    let output = said("v1.0.0..HEAD", &words, folder.path()).unwrap();
    let expected = file.replace("## [1.0.0]", &format!("{section}\n## [1.0.0]"));
    assert_eq!(output.artifacts[0].text, expected);
    assert_eq!(output.notes, ["left out, since users do not see them: 1 ci, 2 docs, 1 test"]);
    assert_eq!(output.open.len(), 2, "{:?}", output.open);
    assert!(
        output.open[0].starts_with("type of commit ") && output.open[0].contains("(add changes=")
    );
    let only_docs = make_in(NAME, json!({"range": "HEAD~7..HEAD~6"}), &context).unwrap_err();
    assert!(
        only_docs.to_string().contains("users do not see")
            && only_docs.to_string().contains("1 docs"),
        "{only_docs}"
    );
    let fault = make_in(NAME, json!({"range": "--output=x"}), &context).unwrap_err();
    assert!(matches!(fault, Fault::Bad { field, .. } if field == "range"));
    let fault = make_in(NAME, json!({"range": "nothing..HEAD"}), &context).unwrap_err();
    assert!(matches!(fault, Fault::Refused(_)));
}

#[test]
fn without_changes_the_commits_since_the_last_version_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let git = repository(folder.path());
    let commit = |message: &str| git(&["commit", "-q", "--allow-empty", "-m", message]);
    let of = |fields: Value| {
        let output = make_in(NAME, fields, &context(folder.path()))?;
        Ok::<_, Fault>(output.artifacts[0].text.clone())
    };
    commit("feat: a list");
    assert!(matches!(of(json!({})), Err(Fault::Missing { field, .. }) if field == "changes"));
    git(&["tag", "v1.0.0"]);
    assert!(matches!(of(json!({})), Err(Fault::Refused(_))));
    commit("feat: a map");
    assert_eq!(of(json!({})).unwrap(), "## [Unreleased]\n\n### Added\n\n- A map\n");
    let next = of(json!({"version": "next", "path": "CHANGELOG.md"})).unwrap();
    assert!(next.ends_with("## [1.1.0] - 2026-03-11\n\n### Added\n\n- A map\n"), "{next}");
    // A section of the version, or one to release, is the file's own.
    commit("feat: a chart");
    assert_eq!(of(json!({"version": "1.1.0", "changelog": next})).unwrap(), next);
    let pending = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Y\n";
    let released = of(json!({"version": "1.1.0", "changelog": pending})).unwrap();
    assert!(released.ends_with("## [1.1.0] - 2026-03-11\n\n### Added\n\n- Y\n"), "{released}");
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
    let sentence = said("Fixed a crash.", &[], Path::new(".")).unwrap_err().to_string();
    assert_eq!(
        sentence,
        "the field \"changes\", line 1: \"Fixed a crash.\" has no type; the form is `Changed: Fixed a crash` (docs/notation.md)"
    );
    let second = said("Added: a\nImproved: b", &[], Path::new(".")).unwrap_err().to_string();
    assert!(second.contains("line 2") && second.contains("one of Added, Changed"), "{second}");
}

#[test]
fn content_and_words_go_together() {
    let here = Path::new(".");
    let output =
        said("- Added: a\n- fix(api): b\nVersion: 1.0.0\n", &[("date", "2026-01-02")], here);
    let expected = "## [1.0.0] - 2026-01-02\n\n### Added\n\n- a\n\n### Fixed\n\n- **api:** B\n";
    assert_eq!(output.unwrap().artifacts[0].text, expected);
    // A changelog from a pipe is treated like the file.
    let released =
        said(&FILE.replace("Intro.", "Version: none"), &[("version", "1.2.1")], here).unwrap();
    assert!(released.artifacts[0].text.contains("Version: none\n"), "{released:?}");
    assert!(
        released.artifacts[0].text.contains("## [1.2.1] - 2026-03-11\n\n### Fixed\n\n- A leak\n")
    );
    let message =
        said("feat(api)!: drop v1\n\nIt was old.\n\nBREAKING CHANGE: use v2", &[], here).unwrap();
    assert!(
        message.artifacts[0]
            .text
            .ends_with("### Changed\n\n- **Breaking (api):** Drop v1: use v2\n"),
        "{message:?}"
    );
}

/// Blank lines, trailing spaces, other bullets, comments and code are unchanged.
#[test]
fn an_inserted_line_changes_no_other() {
    let file = "\u{feff}# Change Log\n\n\n<!-- ## [9.9.9] -->\n## Unreleased\n### Fixed  \n* a  \n\n\n```md\n## [8.0.0]\n```\n\
        ## 1.1.0 - 2025-02-02\n\n\n### Added\n* b\n\n\n## 1.0.0 - 2025-01-01\n* c\n\n\n[x]: https://example.org/x  \n\n\n[y]: <z>";
    let entry = insert(file, json!({"changes": "Fixed: d"}));
    assert_eq!(entry, file.replace("```\n## 1.1.0", "```\n* d\n## 1.1.0"));
    let release = insert(file, json!({"version": "1.2.0"}));
    assert_eq!(
        release,
        file.replace("## Unreleased\n", "## Unreleased\n\n## 1.2.0 - 2026-03-11\n")
    );
    let added =
        insert(file, json!({"changes": "Added: e", "version": "1.0.1", "date": "2025-01-05"}));
    let section = "## 1.0.1 - 2025-01-05\n\n### Added\n\n* e\n\n## 1.0.0";
    assert_eq!(added, file.replace("## 1.0.0", section));
    let unended = insert(
        "# Changelog\n\n## [1.0.0] - 2025-01-01\n\n### Fixed\n\n- a",
        json!({"changes": "Fixed: b", "version": "1.0.0"}),
    );
    assert!(unended.ends_with("### Fixed\n\n- a\n- b\n"), "{unended}");
}

#[test]
fn a_section_alone_is_verified_and_a_text_is_no_changelog() {
    let verify = find(NAME).unwrap().verify.unwrap();
    let section = make(NAME, json!({"changes": all()})).unwrap().artifacts[0].text.clone();
    assert_eq!(verify(&section, &nowhere()), []);
    let found = verify("Text\n", &nowhere());
    assert_eq!(found[0].what, "the title is missing: begin with `# Changelog`");
}
