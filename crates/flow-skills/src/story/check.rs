//! What is wrong with scenarios, on the lines of their document.

use super::scenario::Scenario;
use crate::page::Finding;
use crate::text::{blank, item};

/// The faults of scenarios: no outcome, blanks, and duplicate ids.
pub(crate) fn check(text: &str, scenarios: &[Scenario]) -> Vec<Finding> {
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
    if scenario.steps_from("Then").is_empty() {
        faults.push("nothing follows: add a Then".to_owned());
    }
    // In an outline, a name between brackets is a column of its examples.
    let blanks = scenario.steps.iter().filter(|_| !scenario.is_outline());
    let blanks = blanks.filter_map(|line| blank(line));
    faults.extend(
        blanks.map(|blank| format!("{blank} is a blank: fill it in, or remove the scenario")),
    );
    faults
}
