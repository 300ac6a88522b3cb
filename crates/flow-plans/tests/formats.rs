//! What holds for every format: names, places, and texts of any kind.

use std::collections::HashSet;

use flow_plans::{FORMATS, Format, OwnFile, join};

/// A path that each format owns.
const PATHS: &[(&str, &str)] = &[
    ("spec-kit", "specs/001-a/tasks.md"),
    ("openspec", "openspec/changes/a/tasks.md"),
    ("kiro", ".kiro/specs/a/tasks.md"),
    ("task-master", ".taskmaster/tasks/tasks.json"),
    ("backlog.md", "backlog/tasks/a.md"),
    ("bmad", "_bmad-output/sprint-status.yaml"),
    ("gsd", ".planning/ROADMAP.md"),
    ("ccpm", ".claude/epics/a/1.md"),
    ("ralph", "prd.json"),
    ("beads", ".beads/issues.jsonl"),
    ("agileflow-md", "docs/06-stories/US-1.md"),
];

fn formats() -> impl Iterator<Item = (&'static dyn Format, &'static str)> {
    FORMATS.iter().copied().zip(PATHS).map(|(format, (name, path))| {
        assert_eq!(format.name(), *name);
        (format, *path)
    })
}

#[test]
fn each_format_has_a_name_and_owns_files_below_its_places() {
    assert_eq!((FORMATS.len(), formats().count()), (PATHS.len(), PATHS.len()));
    let names: HashSet<_> = FORMATS.iter().map(|format| format.name()).collect();
    assert_eq!(names.len(), FORMATS.len());
    for (format, path) in formats() {
        assert!(format.owns(path), "{path}");
        let is_below = |place: &&&str| {
            path == **place || path.strip_prefix(**place).is_some_and(|rest| rest.starts_with('/'))
        };
        let place = format.places().iter().find(is_below);
        let mut folder = path;
        while let (Some((outer, _)), Some(place)) = (folder.rsplit_once('/'), place) {
            folder = outer;
            assert!(folder.len() <= place.len() || format.enters(folder), "{path}: {folder}");
        }
        assert!(place.is_some(), "{path}");
        assert_eq!(format.select(&[OwnFile { path, modified: None }], &|_| None).read, [path]);
        assert!(!format.owns("README.md") && !format.owns("") && !format.owns("/"));
    }
}

#[test]
fn any_text_is_read() {
    let nested = "[".repeat(100_000);
    let boxes = "- [ ] T001 a `b/` (depends on T1, T2)\n".repeat(10_000);
    let texts = [
        "",
        "\u{feff}",
        "\r\n",
        "---",
        "---\n---\n",
        "- [",
        "- [ ]",
        "- [é] ü",
        "**",
        "# ",
        "`",
        "{",
        "{}",
        "[]",
        "null",
        "a: b",
        "---\na: &x [*x]\n---\n",
        "{\"tasks\": [{\"id\": {}}], \"userStories\": [{\"id\": []}]}",
        &nested,
        &boxes,
    ];
    for (format, path) in formats() {
        for text in texts {
            let read = format.read(path, text);
            assert!(read.fault.is_none() || read.parts.is_empty(), "{path}: {text:.20}");
            let lines = text.lines().count().max(1) as u64;
            let plan = join(format, [read.clone(), read].iter());
            let records = plan.epics.iter().chain(&plan.stories).chain(&plan.tasks);
            for record in records {
                assert!((1..=lines).contains(&record.line), "{path}: {}", record.id);
            }
        }
    }
}
