//! Verifies the description of a pull request, for `flow skill verify pr-description`.

use std::collections::HashMap;

use crate::generator::skill::Finding;
use crate::input::notation::{headings, outside_fences};
use crate::text::{heading, item};

/// The names of the section on tests.
const TESTING: [&str; 6] =
    ["testing", "tests", "test plan", "tested", "tested with", "how it was tested"];

/// Checks the title, summary and testing sections, that entries are unique, and that ticked boxes have evidence.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if headings(text).next().is_none_or(|(_, level, _)| level != 1) {
        found.push(Finding::new(1, "the title is missing: begin with `# Title`"));
    }
    let lines: Vec<(usize, &str)> = outside_fences(text).collect();
    let mut all = headings(text).peekable();
    while let Some((number, level, name)) = all.next() {
        let (end, inner, _) = all.peek().copied().unwrap_or((usize::MAX, 0, ""));
        let is_below = |line: usize| line > number && line < end;
        let is_filled = lines.iter().any(|(line, text)| is_below(*line) && !text.trim().is_empty());
        if level > 1 && inner <= level && !is_filled {
            let name = name.to_lowercase();
            let what = format!("the section {name} is empty: fill it, or remove it");
            found.push(Finding::new(number, what));
        }
    }
    if !headings(text).any(|(_, level, name)| level == 2 && is_testing(name)) {
        let what = "the section Testing is missing: say what was run, and whether it passed";
        found.push(Finding::new(1, what));
    }
    found.extend(Finding::blanks(text));
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
