//! Verifies test cases, for `flow skill verify test-case-generator`.

use crate::page::{self, Document, Finding, Form, Part, Section};
use crate::story::check::check;
use crate::story::scenario::Scenario;
use crate::story::{document, gherkin};

const SECTIONS: &[Section; 4] = &[
    Section::named("Unit", &[]),
    Section::named("Integration", &[]),
    Section::named("End-to-end", &[]),
    Section::named("Trace", &[]),
];

/// Checks cases: their levels, steps and ids, and that the trace of criteria names them, and no others.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let Some((features, _)) = document::blocks(text) else {
        return vec![Finding::new(1, "there is no case: add a block of code with a scenario")];
    };
    let cases = match gherkin::read(&features, "cases") {
        Ok(read) => read.criteria.scenarios,
        Err(fault) => return vec![Finding::of_fault(text, &fault)],
    };
    page::check(text, &Form::new("# Test cases: …", SECTIONS), |document, findings| {
        findings.extend(check(text, &cases));
        trace(document, &cases, findings);
    })
}

/// Checks the rows of the trace: a criterion, its name, and the ids of its cases.
fn trace(document: &Document<'_>, cases: &[Scenario], findings: &mut Vec<Finding>) {
    let mut traced: Vec<String> = Vec::new();
    // The first row is the header.
    let rows = document.part(&SECTIONS[3]).into_iter().flat_map(|part| part.rows().skip(1));
    for (line, cells) in rows {
        let [criterion, _, ids, ..] = cells.as_slice() else { continue };
        let ids: Vec<&str> = ids.split(',').map(str::trim).filter(|id| !id.is_empty()).collect();
        let mut add = |what: String| findings.push(Finding::new(line, what));
        if ids.is_empty() {
            add(format!("{criterion} has no case"));
        }
        for id in ids {
            if !cases.iter().any(|case| case.id == id) {
                add(format!("there is no case {id}"));
            }
            traced.push(id.to_owned());
        }
    }
    let line = document.part(&SECTIONS[3]).map_or(1, |part: &Part<'_>| part.number);
    let untraced = cases.iter().filter(|case| !traced.contains(&case.id));
    findings.extend(untraced.map(|case| {
        let what = format!("the trace does not name {}: add it to its criterion", case.id);
        Finding::new(line, what)
    }));
}
