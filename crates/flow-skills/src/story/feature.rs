//! Writes acceptance criteria as a Gherkin feature.

use super::scenario::article;
use super::scenario::{Criteria, Scenario, Step, worded};

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
    for (at, line) in scenario.examples.iter().enumerate() {
        let is_head = line.starts_with('@') || line.starts_with("Examples:");
        if is_head && !at.checked_sub(1).is_some_and(|at| scenario.examples[at].starts_with('@')) {
            lines.push(String::new());
        }
        lines.push(format!("{indent}{}{line}", if is_head { "  " } else { "    " }));
    }
}

fn write_steps(steps: &[Step], indent: &str, lines: &mut Vec<String>) {
    for (word, step) in worded(steps) {
        lines.push(format!("{indent}  {word} {}", step.text));
        let below = step.below.iter().map(|line| format!("{indent}    {line}"));
        lines.extend(below.map(|line| if line.trim().is_empty() { String::new() } else { line }));
    }
}

/// Tags as a line of a feature.
pub(super) fn tagged<'a>(tags: impl IntoIterator<Item = &'a String>) -> String {
    tags.into_iter().map(|tag| format!("@{tag}")).collect::<Vec<_>>().join(" ")
}
