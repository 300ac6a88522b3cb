//! Verifies acceptance criteria, for `flow skill verify acceptance-criteria-generator`.

use crate::page::Finding;
use crate::story::check::check;
use crate::story::document;

/// Checks criteria, in Markdown or as a feature: ids, steps, examples, and blanks.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let scenarios = match document::criteria(text, "criteria") {
        Ok(read) => read.criteria.scenarios,
        Err(fault) => return vec![Finding::of_fault(text, &fault)],
    };
    if scenarios.is_empty() {
        return vec![Finding::new(1, "there is no criterion")];
    }
    check(text, &scenarios)
}
