//! Verifies acceptance criteria, for `flow skill verify acceptance-criteria-generator`.

use crate::input::recognise::is_feature;
use crate::page::{self, Finding, Form};
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
    if is_feature(text) {
        return check(text, &scenarios);
    }
    page::check(text, &Form::new("# Acceptance criteria: …", &[]), |_, findings| {
        findings.extend(check(text, &scenarios));
    })
}
