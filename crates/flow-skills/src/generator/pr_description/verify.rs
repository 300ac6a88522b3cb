//! Verifies the description of a pull request, for `flow skill verify pr-description`.

use std::collections::HashMap;

use super::ALL_PASS;
use super::input::{Criterion, Input};
use crate::generator::skill::Finding;
use crate::input::labels;
use crate::input::notation::outside_fences;
use crate::input::typed;
use crate::input::values::TextOr;
use crate::text::{heading, item};

/// The names of the section on tests.
const TESTING: [&str; 6] =
    ["testing", "tests", "test plan", "tested", "tested with", "how it was tested"];

/// Checks the title, summary and testing sections, that entries are unique, and that ticked boxes have evidence.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let lines: Vec<(usize, &str)> = outside_fences(text).collect();
    let headings: Vec<(usize, usize, String)> = lines
        .iter()
        .filter_map(|(number, line)| {
            heading(line.trim()).map(|(level, name)| (*number, level, name.to_lowercase()))
        })
        .collect();
    let mut found = Vec::new();
    let mut add = |line: usize, what: String| found.push(Finding { line, what });
    if headings.first().is_none_or(|(_, level, _)| *level != 1) {
        add(1, "the title is missing: begin with `# Title`".to_owned());
    }
    for (at, (number, level, name)) in headings.iter().enumerate() {
        let next = headings.get(at + 1);
        let end = next.map_or(usize::MAX, |(next, ..)| *next);
        let mut below = lines
            .iter()
            .filter(|(line, text)| *line > *number && *line < end && !text.trim().is_empty());
        let has_part = next.is_some_and(|(_, below, _)| below > level);
        if *level > 1 && !has_part && below.next().is_none() {
            add(*number, format!("the section {name} is empty: fill it, or remove it"));
        }
    }
    if !headings.iter().any(|(_, level, name)| *level == 2 && is_testing(name)) {
        add(
            1,
            "the section Testing is missing: say what was run, and whether it passed".to_owned(),
        );
    }
    found.extend(Finding::left_open(text));
    entries(&lines, &mut found);
    found.extend(unread(text));
    found.sort_by_key(|finding| finding.line);
    found
}

/// What the skill's own reader finds: a part that does not fit, and a box that the tests contradict.
fn unread(text: &str) -> Option<Finding> {
    let schema = typed::schema_of::<Input>();
    let read = labels::read_document(text, &schema).and_then(|read| typed::read(&read.fields));
    let input: Input = match read {
        Ok(input) => input,
        Err(fault) => return Some(Finding::of_fault(text, &fault)),
    };
    let failed = input.tests.iter().find(|test| test.0.passed == Some(false))?;
    let is_ticked =
        |given: &&TextOr<Criterion>| *given.0.text == *ALL_PASS && given.0.evidence.is_some();
    input.checklist.iter().find(is_ticked)?;
    let line = text.lines().position(|line| line.contains(ALL_PASS)).map_or(1, |at| at + 1);
    let what = format!("{ALL_PASS:?} is ticked, but {} failed", failed.0.command);
    Some(Finding::new(line, what))
}

fn is_testing(name: &str) -> bool {
    TESTING.contains(&name.to_lowercase().as_str())
}

/// Checks list items: duplicates, boxes, and failed tests.
fn entries(lines: &[(usize, &str)], found: &mut Vec<Finding>) {
    let mut add = |line: usize, what: String| found.push(Finding { line, what });
    let mut section = "";
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    for (number, line) in lines {
        let (number, line) = (*number, line.trim());
        if let Some((level, name)) = heading(line) {
            section = if level <= 2 { name } else { section };
            continue;
        }
        let Some(text) = item(line) else { continue };
        if let Some(first) = seen.insert((section, text), number) {
            add(number, format!("this entry is already on line {first}"));
        }
        if line.starts_with("- [ ]") {
            add(number, format!("not ticked: {text}; tick it with what shows it, or remove it"));
        } else if line.starts_with("- [x]") && !line.ends_with(')') {
            add(number, format!("ticked without what shows it: {text}; add it in parentheses"));
        }
        let is_failed = text.ends_with(": failed") || text.contains(": failed (");
        if is_testing(section) && is_failed {
            add(number, format!("a test failed: {text}"));
        }
    }
}
