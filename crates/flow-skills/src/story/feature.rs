//! Writes acceptance criteria as a Gherkin feature.

use super::scenario::article;
use super::scenario::{Criteria, Examples, Scenario, Step, worded};

/// Criteria as a feature.
pub fn write(criteria: &Criteria) -> String {
    let Criteria { story, description, scenarios } = criteria;
    let mut lines: Vec<String> = story.id.iter().map(|id| format!("@{id}")).collect();
    lines.push(format!("Feature: {}", story.title));
    lines.extend(story.role.iter().map(|role| format!("  As {}{role}", article(role))));
    lines.extend(story.want.iter().map(|want| format!("  I want {want}")));
    lines.extend(story.benefit.iter().map(|benefit| format!("  So that {benefit}")));
    lines.extend(description.iter().map(|text| format!("  {text}")));
    if !story.data.is_empty() {
        lines.push(String::new());
        lines.extend(story.data.iter().map(|data| format!("  Data: {data}")));
    }
    write_all(scenarios, &mut lines);
    lines.join("\n") + "\n"
}

/// Scenarios without their feature.
pub fn scenarios(scenarios: &[Scenario]) -> String {
    let mut lines = Vec::new();
    write_all(scenarios, &mut lines);
    let text = lines.join("\n");
    let bare = text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line));
    bare.collect::<Vec<_>>().join("\n").trim_start().to_owned()
}

fn write_all(scenarios: &[Scenario], lines: &mut Vec<String>) {
    // The background of a feature is that of its rules too.
    let outside = scenarios.first().filter(|first| first.rule.is_empty());
    let common = outside.map_or(0, |_| shared(scenarios));
    if let Some(first) = outside {
        write_background(&first.steps[..common], "  ", lines);
    }
    for group in scenarios.chunk_by(|one, next| one.rule == next.rule) {
        write_rule(group, common, lines);
    }
}

/// The scenarios of one rule, or of none, without the steps that all of the feature have in `common`.
fn write_rule(scenarios: &[Scenario], common: usize, lines: &mut Vec<String>) {
    let Some(first) = scenarios.first() else { return };
    let (mut indent, mut skipped) = ("  ", common);
    if let Some((name, description)) = first.rule.split_first() {
        lines.push(format!("\n  Rule: {name}"));
        lines.extend(description.iter().map(|text| format!("    {text}")));
        (indent, skipped) = ("    ", common.max(shared(scenarios)));
        write_background(&first.steps[common..skipped], indent, lines);
    }
    for scenario in scenarios {
        write_one(scenario, &scenario.steps[skipped..], indent, lines);
    }
}

/// How many steps of the first scenario's background all scenarios begin with: all of them, or none.
fn shared(scenarios: &[Scenario]) -> usize {
    let Some(first) = scenarios.first() else { return 0 };
    let background = &first.steps[..first.background.min(first.steps.len())];
    let have_it = scenarios.iter().all(|other| other.steps.starts_with(background));
    if have_it { background.len() } else { 0 }
}

fn write_background(steps: &[Step], indent: &str, lines: &mut Vec<String>) {
    if !steps.is_empty() {
        lines.push(format!("\n{indent}Background:"));
        write_steps(steps, indent, lines);
    }
}

fn write_one(scenario: &Scenario, steps: &[Step], indent: &str, lines: &mut Vec<String>) {
    let tags = std::iter::once(&scenario.id).chain(&scenario.tags);
    lines.push(format!("\n{indent}{}", tagged(tags)));
    let keyword = if scenario.examples.is_empty() { "Scenario" } else { "Scenario Outline" };
    lines.push(format!("{indent}{keyword}: {}", scenario.name).trim_end().to_owned());
    lines.extend(scenario.description.iter().map(|text| format!("{indent}  {text}")));
    write_steps(steps, indent, lines);
    for table in &scenario.examples {
        let Examples { name, tags, description, header, rows } = table;
        lines.push(String::new());
        if !tags.is_empty() {
            lines.push(format!("{indent}  {}", tagged(tags.iter())));
        }
        lines.push(format!("{indent}  Examples: {name}").trim_end().to_owned());
        lines.extend(description.iter().map(|text| format!("{indent}    {text}")));
        let rows = std::iter::once(header).chain(rows).filter(|cells| !cells.is_empty());
        lines.extend(rows.map(|cells| {
            let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
            format!("{indent}    | {} |", cells.join(" | "))
        }));
    }
}

fn write_steps(steps: &[Step], indent: &str, lines: &mut Vec<String>) {
    for (word, step) in worded(steps) {
        lines.push(format!("{indent}  {word} {}", step.text));
        let below = step.below.iter().map(|line| format!("{indent}    {line}"));
        lines.extend(below.map(|line| if line.trim().is_empty() { String::new() } else { line }));
    }
}

fn tagged<'a>(tags: impl Iterator<Item = &'a String>) -> String {
    tags.map(|tag| format!("@{tag}")).collect::<Vec<_>>().join(" ")
}

/// The text of a cell with the escapes of Gherkin.
fn escaped(cell: &str) -> String {
    cell.replace('\\', "\\\\").replace('|', "\\|").replace('\n', "\\n")
}
