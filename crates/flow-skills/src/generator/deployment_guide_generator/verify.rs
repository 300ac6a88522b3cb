//! Verifies a deployment guide, for `flow skill verify deployment-guide-generator`.

use super::{NOTHING_TO_ROLL_BACK, OWN_CHECK};
use crate::page::{self, Document, Finding, Form, Part, Section};

const SECTIONS: &[Section] = &[
    Section::named("Steps", &[]),
    Section::named("Rollback", &[]),
    Section::named("Verification", &[]),
    Section::named("Troubleshooting", &[]),
];

/// Checks that each step has a command, a check and a rollback, in reverse order, and that no blank is left.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    page::check(text, &Form::new("# Deploy …", SECTIONS), steps)
}

fn steps(document: &Document<'_>, findings: &mut Vec<Finding>) {
    let steps = numbered(document, "Step ");
    let rollbacks = numbered(document, "Roll back step ");
    if steps.is_empty() {
        findings.push(Finding::new(1, "there are no steps: add `### Step 1: …` below `## Steps`"));
    }
    let end = format!("{NOTHING_TO_ROLL_BACK}.");
    let unchanged = document.lines().map(|line| line.text);
    let unchanged = unchanged.filter(|line| line.starts_with("Step") && line.ends_with(&end));
    let unchanged: Vec<&str> = unchanged.flat_map(|line| line.split([' ', ','])).collect();
    for (at, (number, part)) in steps.iter().enumerate() {
        let mut add = |what: String| findings.push(Finding::new(part.number, what));
        let wanted = (at + 1).to_string();
        if *number != wanted {
            add(format!("the number of this step must be {wanted}"));
        }
        let is_block = |line: &&str| line.starts_with("```") && line.ends_with("bash");
        let blocks = part.lines.iter().map(|line| line.text).filter(is_block).count();
        let is_own_check = part.prose().any(|line| line.text == OWN_CHECK);
        if blocks < if is_own_check { 1 } else { 2 } {
            add("this step needs a command and a check, each as a block of bash".to_owned());
        }
        let has_rollback = rollbacks.iter().any(|(number, _)| *number == wanted);
        if !has_rollback && !unchanged.contains(&wanted.as_str()) {
            add(format!(
                "this step has no rollback: add `### Roll back step {wanted}: …`, or `Step {wanted} has {end}`"
            ));
        }
    }
    let value = |number: &str| number.parse::<usize>().unwrap_or_default();
    let late = rollbacks.windows(2).filter(|pair| value(pair[1].0) >= value(pair[0].0));
    findings.extend(late.map(|pair| {
        let what = "rollbacks must stand in reverse order, the last step first";
        Finding::new(pair[1].1.number, what)
    }));
}

/// The sections of level 3 whose titles begin with `start` and a number, with the number.
fn numbered<'a>(document: &'a Document<'a>, start: &str) -> Vec<(&'a str, &'a Part<'a>)> {
    let parts = document.parts.iter().filter(|part| part.level == 3);
    let numbered = parts.filter_map(|part| {
        let (number, _) = part.name.strip_prefix(start)?.split_once(':')?;
        Some((number.trim(), part))
    });
    numbered.collect()
}
