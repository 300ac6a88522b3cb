//! Verifies the description of a pull request, for `flow skill verify pr-description`.

use super::SECTIONS;
use crate::page::{self, Document, Finding, Form, LEVEL};

/// Checks the title and the sections, that entries are unique, and that ticked boxes have evidence.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    page::check(text, &Form::new("# Title", SECTIONS), entries)
}

/// Checks list items: duplicates, boxes, and failed tests.
fn entries(document: &Document<'_>, findings: &mut Vec<Finding>) {
    findings.extend(page::doubled(document));
    for part in &document.parts {
        for (line, text) in part.items() {
            let mut add = |what: String| findings.push(Finding::new(line.number, what));
            let box_or_item = line.text.trim();
            if box_or_item.starts_with("- [ ]") {
                add(format!("not ticked: {text}; tick it with what shows it, or remove it"));
            } else if box_or_item.starts_with("- [x]") && !box_or_item.ends_with(')') {
                add(format!("ticked without what shows it: {text}; add it in parentheses"));
            }
            let is_failed = text.ends_with(": failed") || text.contains(": failed (");
            if is_failed && part.level == LEVEL && SECTIONS[2].is_named(part.name) {
                add(format!("a test failed: {text}"));
            }
        }
    }
}
