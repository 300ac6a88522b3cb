//! Verifies the description of a pull request, for `flow skill verify pr-description`.

use std::collections::HashMap;

use crate::generator::skill::Finding;
use crate::input::notation::outside_fences;
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
            add(*number, format!("the section {name} is empty: fill it, or take it out"));
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
    found.sort_by_key(|finding| finding.line);
    found
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
            add(number, format!("this entry stands on line {first} already"));
        }
        if line.starts_with("- [ ]") {
            add(number, format!("not ticked: {text}; tick it with what shows it, or take it out"));
        } else if line.starts_with("- [x]") && !line.ends_with(')') {
            add(number, format!("ticked without what shows it: {text}; add it in parentheses"));
        }
        let is_failed = text.ends_with(": failed") || text.contains(": failed (");
        if is_testing(section) && is_failed {
            add(number, format!("a test failed: {text}"));
        }
    }
}
