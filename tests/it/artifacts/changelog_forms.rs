//! `changelog-entry` in changelogs of other forms than Keep a Changelog: headings, plain lists, breaking changes.

use flow::skill::generator::find;
use serde_json::json;

use super::changelog::insert;
use super::making::{make, nowhere};

const NAME: &str = "changelog-entry";

/// Changelogs in other forms than Keep a Changelog: each as it was, and with one entry put in.
#[test]
fn an_entry_takes_the_form_of_the_file() {
    for (file, expected) in [
        (
            // Titles that are underlined, and what waits for a release is to be done.
            "TBD\n===\nNotes.\n\n\n15.2.0 (2026-07-15)\n===================\nBug fixes:\n\n* One\n",
            "TBD\n===\nNotes.\n\n* Added: a map\n\n\n15.2.0 (2026-07-15)\n===================\nBug fixes:\n\n* One\n",
        ),
        (
            "Changelog\n=========\n\n2.0.19\n------\n\n### Overview\n- One\n",
            "Changelog\n=========\n\nUnreleased\n----------\n\n### Added\n\n- a map\n\n2.0.19\n------\n\n### Overview\n- One\n",
        ),
        (
            // Releases of level 1, and groups of level 2 that have other names.
            "# unreleased\n\n## Features\n\n* One\n\n# 0.9.1.0\n\n## Bug fixes\n* Two\n",
            "# unreleased\n\n## Features\n\n* One\n* a map\n\n# 0.9.1.0\n\n## Bug fixes\n* Two\n",
        ),
        (
            "# v2.0 (In progress)\n\n# v1.0 (_2026-08-13_)\n\n## ✨ What's New ✨\n\n### Login\n\n- One\n",
            "# v2.0 (In progress)\n\n## ✨ What's New ✨\n\n- a map\n\n# v1.0 (_2026-08-13_)\n\n## ✨ What's New ✨\n\n### Login\n\n- One\n",
        ),
        (
            "## 🌱 [4.1.1](https://example.org) (2025-03-03)\n\n### Bug Fixes\n\n* One\n",
            "## Unreleased\n\n### Features\n\n* a map\n\n## 🌱 [4.1.1](https://example.org) (2025-03-03)\n\n### Bug Fixes\n\n* One\n",
        ),
    ] {
        assert_eq!(insert(file, json!({"changes": "Added: a map"})), expected);
    }
    // A line below another text underlines nothing, and neither does one in code.
    let list = "# Individual crates\n\n- [one](one/CHANGELOG.md)\n\n```\n1.0.0\n-----\n```\n";
    let fields = json!({"changes": "Added: a map", "changelog": list});
    assert!(make(NAME, fields).unwrap_err().to_string().contains("Individual crates"));
}

#[test]
fn a_changelog_of_plain_lists_stays_one() {
    let file = "# Changelog\n\n## Version 1.2.0 (2024-01-02)\n\n- Search by author\n- Faster start\n\n## Version 1.1.0 (2023-01-02)\n\n- First\n";
    let entry = insert(
        file,
        json!({"changes": "feat!: rename --out to --output\nfix: a crash\nRemove v1", "version": "2.0.0", "date": "2024-02-01"}),
    );
    let section = "## Version 2.0.0 (2024-02-01)\n\n- **Breaking:** Rename --out to --output\n- Fixed: A crash\n- Remove v1\n\n## Version 1.2.0";
    assert_eq!(entry, file.replace("## Version 1.2.0", section));
    let more = insert(file, json!({"changes": "Fixed: a crash", "version": "1.1.0"}));
    assert_eq!(more, format!("{file}- Fixed: a crash\n"));
    let verify = find(NAME).unwrap().verify.unwrap();
    assert_eq!(verify(&entry, &nowhere()), []);
    // Items without types are released by a stated version only.
    let pending = file.replace("## Version 1.2.0", "## Unreleased\n\n- New\n\n## Version 1.2.0");
    let version = |version: &str| make(NAME, json!({"changelog": pending, "version": version}));
    let released = version("1.3.0").unwrap().artifacts[0].text.clone();
    let heading = "## Unreleased\n\n## Version 1.3.0 (2026-03-11)\n\n- New\n";
    assert_eq!(released, pending.replace("## Unreleased\n\n- New\n", heading));
    assert!(version("next").unwrap_err().to_string().contains("\"changes\" is missing"));
}

#[test]
fn the_headings_of_versions_and_breaking_changes_are_read() {
    for start in ["Version 1.2.0", "version 1.2.0", "Release 1.2.0", "Version [1.2.0]", "v1.2.0"] {
        let file = format!(
            "# Changelog\n\n## {start} (2024-01-02)\n\n### ⚠ BREAKING CHANGES\n\n- a\n\n### Fixed\n\n- b\n"
        );
        let verify = find(NAME).unwrap().verify.unwrap();
        assert_eq!(verify(&file, &nowhere()), [], "{file}");
        let fields = json!({"changes": "fix: c", "version": "1.2.1", "date": "2024-01-03"});
        let heading = format!(
            "## {} (2024-01-03)\n\n### Fixed\n\n- c\n\n## ",
            start.replace("1.2.0", "1.2.1")
        );
        assert_eq!(insert(&file, fields), file.replacen("## ", &heading, 1));
    }
    let changes = "### BREAKING CHANGES\n\n- a\n\n### Fixed\n\n- b\n";
    let section = make(NAME, json!({"changes": changes})).unwrap().artifacts[0].text.clone();
    assert!(
        section.ends_with("### Changed\n\n- **Breaking:** a\n\n### Fixed\n\n- b\n"),
        "{section}"
    );
    // What a section says that it breaks asks for a major version.
    let file = "# Changelog\n\n## Unreleased\n\n### BREAKING CHANGES\n\n- a\n\n## 1.2.0 - 2024-01-02\n\n### Fixed\n\n- b\n";
    let released = make(NAME, json!({"changelog": file, "version": "next"})).unwrap();
    assert!(released.artifacts[0].text.contains("\n## 2.0.0 - "), "{released:?}");
}
