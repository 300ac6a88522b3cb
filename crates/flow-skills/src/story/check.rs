//! What is wrong with scenarios, on the lines of their document.

use super::scenario::Scenario;
use crate::page::Finding;
use crate::text::{item, table};

/// The faults of scenarios: no outcome, blanks, examples that do not match, and duplicate ids.
pub fn check(text: &str, scenarios: &[Scenario]) -> Vec<Finding> {
    let lines = text.lines().enumerate();
    let ids: Vec<(usize, &str)> =
        lines.filter_map(|(at, line)| Some((at + 1, id(line)?))).collect();
    let mut findings = Vec::new();
    for scenario in scenarios {
        let tagged = ids.iter().find(|(_, id)| *id == scenario.id).map(|(line, _)| *line);
        let named =
            || text.lines().position(|line| line.ends_with(&scenario.name)).map(|at| at + 1);
        let line = tagged.or_else(named).unwrap_or(1);
        let faults = faults(scenario).into_iter();
        findings.extend(faults.map(|what| Finding::new(line, format!("{}: {what}", scenario.id))));
    }
    findings.extend(Finding::repeated(ids.into_iter(), |id, first| {
        format!("{id} is the id of the one in line {first} too")
    }));
    findings.sort_by(|a, b| (a.line, &a.what).cmp(&(b.line, &b.what)));
    findings
}

/// The id in a line of tags, or of a rule in a list.
fn id(line: &str) -> Option<&str> {
    let tag = line.trim().strip_prefix('@').and_then(|rest| rest.split([' ', '@']).next());
    let rule = || Some(item(line)?.split_once(": ")?.0);
    let id = tag.or_else(rule)?;
    (id.starts_with("AC-") || id.starts_with("TC-")).then_some(id)
}

fn faults(scenario: &Scenario) -> Vec<String> {
    let mut faults = Vec::new();
    if !scenario.has_then() {
        faults.push("nothing follows: add a Then".to_owned());
    }
    let mut columns: Vec<String> = Vec::new();
    let mut header = None;
    for line in &scenario.examples {
        let cells = table::cells(line);
        match header.filter(|_| table::is_row(line)) {
            Some(wanted) if cells.len() != wanted => faults.push(format!(
                "a row of the examples has {} cells, the header {wanted}",
                cells.len()
            )),
            Some(_) => {}
            None => {
                header = table::is_row(line).then_some(cells.len());
                columns.extend(cells.into_iter().filter(|_| header.is_some()));
            }
        }
    }
    for name in scenario.steps.iter().flat_map(|step| placeholders(&step.text)) {
        if columns.is_empty() && name.contains(' ') {
            faults.push(format!("<{name}> is a blank: fill it in, or remove the scenario"));
        } else if !columns.is_empty() && !columns.iter().any(|column| column == name) {
            faults.push(format!("<{name}> is not a column of the examples"));
        }
    }
    faults
}

/// The names between angle brackets.
fn placeholders(step: &str) -> impl Iterator<Item = &str> {
    step.split('<').skip(1).filter_map(|part| part.split_once('>')).map(|(name, _)| name)
}
