//! Verifies test cases, for `flow skill verify test-case-generator`.

use crate::page::{self, Document, Finding};
use crate::story::check::check;
use crate::story::{document, gherkin};
use crate::text::table;

/// Checks cases: their steps and ids, and that the trace of criteria names them, and no others.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let Some((features, rest)) = document::blocks(text) else {
        return vec![Finding::new(1, "there is no case: add a block of code with a scenario")];
    };
    let cases = match gherkin::read(&features, "cases") {
        Ok(read) => read.criteria.scenarios,
        Err(fault) => return vec![Finding::of_fault(text, &fault)],
    };
    let mut found = check(text, &cases);
    let mut traced: Vec<String> = Vec::new();
    for (at, line) in rest.lines().enumerate().filter(|(_, line)| line.starts_with("| AC-")) {
        let cells = table::cells(line);
        let ids = cells.get(2).map_or("", String::as_str).split(',').map(str::trim);
        let ids: Vec<&str> = ids.filter(|id| !id.is_empty()).collect();
        let mut add = |what: String| found.push(Finding::new(at + 1, what));
        if ids.is_empty() {
            add(format!("{} has no case", cells[0]));
        }
        for id in ids {
            if !cases.iter().any(|case| case.id == id) {
                add(format!("there is no case {id}"));
            }
            traced.push(id.to_owned());
        }
    }
    let untraced = cases.iter().filter(|case| !traced.contains(&case.id));
    found.extend(untraced.map(|case| {
        let what = format!("the trace does not name {}: add it to its criterion", case.id);
        Finding::new(1, what)
    }));
    found.extend(page::blanks(&Document::read(text)));
    found.sort_by_key(|finding| finding.line);
    found
}
