//! Writes acceptance criteria as a Gherkin feature.

use super::scenario::article;
use super::scenario::{Criteria, Scenario, worded};

/// Criteria as a feature.
pub fn write(criteria: &Criteria) -> String {
    let Criteria { story, scenarios } = criteria;
    let mut lines: Vec<String> = story.id.iter().map(|id| format!("@{id}")).collect();
    lines.push(format!("Feature: {}", story.title));
    lines.extend(story.role.iter().map(|role| format!("  As {}{role}", article(role))));
    lines.extend(story.want.iter().map(|want| format!("  I want {want}")));
    lines.extend(story.benefit.iter().map(|benefit| format!("  So that {benefit}")));
    if !story.data.is_empty() {
        lines.push(String::new());
        lines.extend(story.data.iter().map(|data| format!("  Data: {data}")));
    }
    for scenario in scenarios {
        write_one(scenario, "  ", &mut lines);
    }
    lines.join("\n") + "\n"
}

/// Scenarios without their feature.
pub fn scenarios(scenarios: &[Scenario]) -> String {
    let mut lines = Vec::new();
    for scenario in scenarios {
        write_one(scenario, "", &mut lines);
    }
    lines.join("\n").trim_start().to_owned()
}

fn write_one(scenario: &Scenario, indent: &str, lines: &mut Vec<String>) {
    let tags = std::iter::once(&scenario.id).chain(&scenario.tags);
    lines.push(format!("\n{indent}{}", tagged(tags)));
    let keyword = if scenario.examples.is_empty() { "Scenario" } else { "Scenario Outline" };
    lines.push(format!("{indent}{keyword}: {}", scenario.name).trim_end().to_owned());
    for (word, step) in worded(&scenario.steps) {
        lines.push(format!("{indent}  {word} {}", step.text));
        let below = step.below.iter().map(|line| format!("{indent}    {line}"));
        lines.extend(below.map(|line| if line.trim().is_empty() { String::new() } else { line }));
    }
    for (at, line) in scenario.examples.iter().enumerate() {
        let is_head = line.starts_with('@') || line.starts_with("Examples:");
        if is_head && !at.checked_sub(1).is_some_and(|at| scenario.examples[at].starts_with('@')) {
            lines.push(String::new());
        }
        lines.push(format!("{indent}{}{line}", if is_head { "  " } else { "    " }));
    }
}

/// Tags as a line of a feature.
pub(super) fn tagged<'a>(tags: impl IntoIterator<Item = &'a String>) -> String {
    tags.into_iter().map(|tag| format!("@{tag}")).collect::<Vec<_>>().join(" ")
}
