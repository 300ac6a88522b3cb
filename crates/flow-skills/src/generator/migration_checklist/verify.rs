//! Verifies a migration checklist, for `flow skill verify migration-checklist`.

use crate::generator::skill::Finding;
use crate::input::notation::headings;

/// The phases, in their order.
const PHASES: [&str; 5] = [
    "1. Pre-migration steps",
    "2. Execution",
    "3. Validation",
    "4. Rollback plan",
    "5. Post-migration verification",
];
/// The beginning of the line on a phase's rollback.
const ROLLBACK: &str = "Rollback of this phase:";

/// Checks that each phase exists, in order, with steps and its rollback.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        Finding::untitled(text, "# Migration checklist: …").into_iter().collect();
    let lines: Vec<&str> = text.lines().collect();
    let all: Vec<_> = headings(text).filter(|(_, level, _)| *level == 2).collect();
    let mut last = 0;
    for phase in PHASES {
        let Some(at) = all.iter().position(|(.., name)| *name == phase) else {
            found.push(Finding::new(1, format!("a phase is missing: add `## {phase}`")));
            continue;
        };
        let line = all[at].0;
        let end = all.get(at + 1).map_or(lines.len(), |(line, ..)| line - 1);
        let body = lines.get(line..end).unwrap_or_default();
        let mut add = |what: String| found.push(Finding::new(line, what));
        if at < last {
            add("the phases are out of order".to_owned());
        }
        last = at;
        if !body.iter().any(|line| line.starts_with("- [")) {
            add("the phase has no steps: add `- [ ] …`".to_owned());
        }
        let is_said =
            |line: &&str| line.strip_prefix(ROLLBACK).is_some_and(|rest| !rest.trim().is_empty());
        if !body.iter().any(is_said) {
            add(format!("the phase does not say how it is rolled back: add `{ROLLBACK} …`"));
        }
    }
    found.extend(Finding::left_open(text));
    found.sort_by_key(|finding| finding.line);
    found
}
