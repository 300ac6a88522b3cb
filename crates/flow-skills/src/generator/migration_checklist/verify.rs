//! Verifies a migration checklist, for `flow skill verify migration-checklist`.

use std::collections::HashSet;

use crate::generator::skill::Finding;
use crate::text::{heading, item};

/// The phases, in their order.
const PHASES: [&str; 5] = [
    "Pre-migration steps",
    "Execution",
    "Validation",
    "Rollback plan",
    "Post-migration verification",
];
/// The beginning of the line on a phase's rollback.
const ROLLBACK: &str = "Rollback of this phase:";

#[derive(Debug, Default)]
struct Phase {
    line: usize,
    name: String,
    boxes: usize,
    /// The texts of the lines on its rollback.
    rollbacks: Vec<String>,
    /// The tables whose rows are counted in it.
    counted: HashSet<String>,
}

/// Checks that each phase exists, in order, with steps and its rollback, and that what is counted before is counted
/// after.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut add = |line: usize, what: String| found.push(Finding { line, what });
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if heading(first).is_none_or(|(level, _)| level != 1) {
        add(1, "the title is missing: begin with `# Move data from … to …`".to_owned());
    }
    let phases = phases(text);
    for (at, name) in PHASES.iter().enumerate() {
        let wanted = at + 1;
        match phases.iter().position(|phase| phase.name.eq_ignore_ascii_case(name)) {
            None => add(1, format!("the phase {name} is missing: add `## {wanted}. {name}`")),
            Some(place) if place != at => {
                add(phases[place].line, format!("the phase {name} must be number {wanted}"));
            }
            Some(_) => {}
        }
    }
    for phase in &phases {
        let Phase { line, name, boxes, rollbacks, .. } = phase;
        if name.eq_ignore_ascii_case("open questions") {
            continue;
        }
        if *boxes == 0 {
            add(*line, format!("the phase {name} has no steps: add `- [ ] …`"));
        }
        match rollbacks.as_slice() {
            [] => add(
                *line,
                format!("the phase {name} does not say how it is rolled back: add `{ROLLBACK} …`"),
            ),
            [only] if only.is_empty() => {
                add(*line, format!("the rollback of the phase {name} is empty"));
            }
            _ => {}
        }
    }
    if let [before, _, after, ..] = phases.as_slice() {
        let mut lost: Vec<&String> = before.counted.difference(&after.counted).collect();
        lost.sort();
        for table in lost.into_iter().filter(|_| !after.counted.is_empty()) {
            add(after.line, format!("{table} is counted before and not after"));
        }
    }
    found.extend(Finding::left_open(text));
    found.sort_by_key(|finding| finding.line);
    found
}

/// The sections of level 2, by their names without numbers.
fn phases(text: &str) -> Vec<Phase> {
    let mut phases: Vec<Phase> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some((2, name)) = heading(line) {
            let bare =
                name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
            phases.push(Phase { line: at + 1, name: bare.to_owned(), ..Phase::default() });
        }
        let Some(phase) = phases.last_mut() else { continue };
        if item(line).is_some() && line.starts_with("- [") {
            phase.boxes += 1;
        } else if let Some(rest) = line.strip_prefix(ROLLBACK) {
            phase.rollbacks.push(rest.trim().to_owned());
        } else if let Some(rest) = line.strip_prefix("SELECT '") {
            phase
                .counted
                .extend(rest.split_once("' AS table_name").map(|(table, _)| table.to_owned()));
        }
    }
    phases
}
