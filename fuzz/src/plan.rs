//! A file of another tool's plan: the first byte chooses the format and the length one of its files; the plan has unique
//! ids, and lines that the file has.

use std::collections::HashSet;

use crate::{choice, within_limits};
use flow_plans::{FORMATS, join};

const PATHS: &[&[&str]] = &[
    &["specs/001-a/tasks.md", "specs/001-a/spec.md"],
    &["openspec/changes/a/tasks.md", "openspec/changes/archive/2026-01-02-a/proposal.md"],
    &[".kiro/specs/a/tasks.md"],
    &[".taskmaster/tasks/tasks.json"],
    &["backlog/tasks/a.md", "backlog/config.yml"],
    &["_bmad-output/sprint-status.yaml", "_bmad-output/1-1-a.md"],
    &[".planning/ROADMAP.md", ".planning/STATE.md", ".planning/phases/01-a/01-01-PLAN.md"],
    &[".claude/epics/a/1.md"],
    &["prd.json"],
    &[".beads/issues.jsonl"],
    &["docs/06-stories/US-1.md", "docs/05-epics/EP-1.md"],
];

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((first, text)) = choice(data) else { return };
    let Ok(text) = std::str::from_utf8(&text) else { return };
    let at = first % FORMATS.len();
    let format = FORMATS[at];
    let path = PATHS[at][text.len() % PATHS[at].len()];
    within_limits(|| {
        let plan = join(format, [format.read(path, text)].iter());
        let lines = text.split('\n').count() as u64;
        for records in [&plan.epics, &plan.stories, &plan.tasks] {
            let ids: HashSet<_> = records.iter().map(|record| record.id.as_str()).collect();
            assert_eq!(ids.len(), records.len(), "an id is not unique");
            assert!(records.iter().all(|record| record.line <= lines), "a line that is none");
        }
    });
}
