//! Verifies test cases, for `flow skill verify test-case-generator`.

use std::collections::HashMap;

use crate::generator::skill::Finding;
use crate::input::notation::outside_fences;
use crate::text::{after, heading, item, table};

/// A case of the document.
struct Case<'a> {
    line: usize,
    id: &'a str,
    criterion: Option<&'a str>,
    has_then: bool,
}

/// A row of the trace.
struct Row {
    line: usize,
    criterion: String,
    cases: Vec<String>,
}

/// Checks cases: each has a criterion of the trace and an expected outcome, each criterion of the trace has existing
/// cases, and one of them is negative.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let (cases, rows) = (cases(text), trace(text));
    let mut found: Vec<Finding> = Finding::left_open(text).into_iter().collect();
    let mut add = |line: usize, what: String| found.push(Finding { line, what });
    if cases.is_empty() {
        add(1, "there is no case: begin each with `### TC-C1-P1 (positive): Name`".to_owned());
    }
    if rows.is_empty() {
        add(1, "the trace is missing: add a table `| criterion | name | cases |`".to_owned());
    }
    let mut lines: HashMap<&str, usize> = HashMap::new();
    for case in &cases {
        if let Some(first) = lines.insert(case.id, case.line) {
            add(case.line, format!("{} is the id of the case in line {first} too", case.id));
        }
        let criterion = case.criterion.unwrap_or_default();
        match rows.iter().find(|row| row.criterion == criterion) {
            _ if criterion.is_empty() => {
                add(case.line, format!("{} has no criterion: add `- Criterion: AC-…`", case.id));
            }
            None => add(case.line, format!("the trace does not have {criterion} of {}", case.id)),
            Some(row) if !row.cases.iter().any(|id| id == case.id) => {
                add(row.line, format!("{criterion} does not name its case {}", case.id));
            }
            Some(_) => {}
        }
        if !case.has_then {
            add(case.line, format!("{}: nothing follows: add a Then", case.id));
        }
    }
    for row in &rows {
        let own = |id: &String| cases.iter().find(|case| case.id == id);
        for id in row.cases.iter().filter(|id| own(id).is_none()) {
            add(row.line, format!("there is no case {id}"));
        }
        if row.cases.is_empty() {
            add(row.line, format!("{} has no case", row.criterion));
        }
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// The cases of a document.
fn cases(text: &str) -> Vec<Case<'_>> {
    let mut found: Vec<Case> = Vec::new();
    let mut is_open = false;
    for (line, raw) in outside_fences(text) {
        if let Some((_, name)) = heading(raw.trim()) {
            let id = name.split([' ', ':']).next().unwrap_or_default();
            is_open = id.starts_with("TC-");
            if is_open {
                found.push(Case { line, id, criterion: None, has_then: false });
            }
            continue;
        }
        let (Some(bare), Some(case)) = (item(raw), found.last_mut().filter(|_| is_open)) else {
            continue;
        };
        case.criterion = after(bare, &["Criterion: "]).map(str::trim).or(case.criterion);
        case.has_then |= bare.starts_with("**Then** ") || bare.starts_with("Then ");
    }
    found
}

/// The rows of the trace.
fn trace(text: &str) -> Vec<Row> {
    let mut is_open = false;
    let mut found = Vec::new();
    for (line, raw) in outside_fences(text) {
        if let Some((_, name)) = heading(raw.trim()) {
            is_open = name.eq_ignore_ascii_case("trace");
        }
        let cells = table::cells(raw);
        let [criterion, _, ids] = cells.as_slice() else { continue };
        if is_open && criterion != "criterion" && !table::is_rule(&cells) {
            let ids = ids.split(',').map(str::trim).filter(|id| !id.is_empty() && *id != "-");
            found.push(Row {
                line,
                criterion: criterion.clone(),
                cases: ids.map(str::to_owned).collect(),
            });
        }
    }
    found
}
