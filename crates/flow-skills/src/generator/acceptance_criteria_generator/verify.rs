//! Verifies acceptance criteria, for `flow skill verify acceptance-criteria-generator`.

use crate::generator::skill::Finding;
use crate::input::notation::outside_fences;
use crate::story::document;
use crate::story::scenario::Scenario;

/// Checks criteria, in Markdown or as a feature: ids, steps, examples, and open questions.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let lines: Vec<(usize, &str)> = outside_fences(text).collect();
    let line_with = |part: &str| {
        lines
            .iter()
            .find(|(_, line)| !part.is_empty() && line.contains(part))
            .map_or(1, |(at, _)| *at)
    };
    let read = match document::criteria(text, "criteria") {
        Ok(read) => read,
        Err(fault) => return vec![Finding::of_fault(text, &fault)],
    };
    let mut found = Vec::new();
    let scenarios = &read.criteria.scenarios;
    if scenarios.is_empty() {
        found.push(Finding::new(1, "there is no criterion"));
    }
    for scenario in scenarios {
        let line = line_with(&format!("{}: {}", scenario.id, scenario.name));
        let line = if line == 1 { line_with(&scenario.name) } else { line };
        let faults = faults(scenario).into_iter();
        found.extend(faults.map(|what| Finding::new(line, format!("{}: {what}", scenario.id))));
    }
    found.extend(doubled(&lines));
    let asked = lines.iter().find(|(_, line)| line.trim_start().starts_with("# Open:"));
    found
        .extend(asked.map(|(line, _)| Finding::new(*line, "open questions are left: answer them")));
    found.extend(Finding::left_open(text));
    found.sort_by_key(|finding| finding.line);
    found
}

/// The faults of a criterion.
fn faults(scenario: &Scenario) -> Vec<String> {
    let mut found = Vec::new();
    if !scenario.has_then() {
        found.push("nothing follows: add a Then".to_owned());
    }
    for table in &scenario.examples {
        let (wanted, rows) = (table.header.len(), table.rows.iter().map(Vec::len));
        let odd = rows.filter(|cells| *cells != wanted);
        found.extend(
            odd.map(|cells| {
                format!("a row of the examples has {cells} cells, the header {wanted}")
            }),
        );
    }
    let columns: Vec<&String> = scenario.examples.iter().flat_map(|table| &table.header).collect();
    for name in scenario.steps.iter().flat_map(|step| placeholders(&step.text)) {
        if !columns.is_empty() && !columns.iter().any(|column| *column == name) {
            found.push(format!("<{name}> is not a column of the examples"));
        }
    }
    found
}

/// The names between angle brackets.
fn placeholders(step: &str) -> impl Iterator<Item = &str> {
    step.split('<').skip(1).filter_map(|part| part.split_once('>')).map(|(name, _)| name)
}

/// Duplicate ids of criteria.
fn doubled(lines: &[(usize, &str)]) -> Vec<Finding> {
    let ids = lines.iter().filter_map(|(line, text)| {
        let bare = text.trim().strip_prefix(['#', '@'])?.trim_start_matches(['#', '@', ' ']);
        let id = bare.split([' ', ':']).next()?;
        id.starts_with("AC-").then_some((*line, id))
    });
    let what = |id: &&str, first| format!("{id} is the id of the criterion in line {first} too");
    Finding::repeated(ids, what)
}
