//! Verifies a migration checklist, for `flow skill verify migration-checklist`.

use crate::page::{self, Finding, Form, Section};

/// The phases, in their order.
const PHASES: &[Section] = &[
    Section::named("1. Pre-migration steps", &[]),
    Section::named("2. Execution", &[]),
    Section::named("3. Validation", &[]),
    Section::named("4. Rollback plan", &[]),
    Section::named("5. Post-migration verification", &[]),
];
/// The beginning of the line on a phase's rollback.
const ROLLBACK: &str = "Rollback of this phase:";

/// Checks that each phase exists, in order, with steps and its rollback.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    page::check(text, &Form::new("# Migration checklist: …", PHASES), |document, findings| {
        let index = |name: &str| PHASES.iter().position(|phase| phase.is_named(name));
        let phases = document.parts.iter().filter_map(|part| Some((index(part.name)?, part)));
        let mut last = 0;
        for (at, part) in phases {
            let mut add = |what: String| findings.push(Finding::new(part.number, what));
            if at < last {
                add("the phases are out of order".to_owned());
            }
            last = at;
            if part.items().next().is_none() {
                add("the phase has no steps: add `- [ ] …`".to_owned());
            }
            let mut stated = part.prose().filter_map(|line| line.text.strip_prefix(ROLLBACK));
            if stated.all(|rollback| rollback.trim().is_empty()) {
                add(format!("the phase does not say how it is rolled back: add `{ROLLBACK} …`"));
            }
        }
    })
}
