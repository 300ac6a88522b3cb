//! Writes scenarios, and the feature of a story, in Gherkin.

use super::scenario::Scenario;
use super::{Story, article};

/// The feature of a story with its scenarios.
pub(crate) fn write<'a>(
    story: &Story,
    scenarios: impl IntoIterator<Item = &'a Scenario>,
) -> String {
    let mut lines: Vec<String> = story.id.iter().map(|id| format!("@{id}")).collect();
    lines.push(format!("Feature: {}", story.title));
    lines.extend(narrative(story).map(|line| format!("  {line}")));
    if !story.data.is_empty() {
        lines.push(String::new());
        lines.extend(story.data.iter().map(|data| format!("  Data: {data}")));
    }
    lines.extend(scenarios.into_iter().map(|scenario| write_one(scenario, "  ")));
    lines.join("\n") + "\n"
}

/// The sentence of a story, each part on a line.
pub(crate) fn narrative(story: &Story) -> impl Iterator<Item = String> {
    let role = story.role.iter().map(|role| format!("As {}{role}", article(role)));
    let want = story.want.iter().map(|want| format!("I want {want}"));
    let benefit = story.benefit.iter().map(|benefit| format!("So that {benefit}"));
    role.chain(want).chain(benefit)
}

/// Scenarios without their feature.
pub(crate) fn scenarios(scenarios: &[Scenario]) -> String {
    let all: Vec<String> = scenarios.iter().map(|scenario| write_one(scenario, "")).collect();
    all.join("\n").trim_start().to_owned()
}

/// A scenario below an empty line.
fn write_one(scenario: &Scenario, indent: &str) -> String {
    let tags: Vec<String> = scenario.tags.iter().map(|tag| format!(" @{tag}")).collect();
    let tags = tags.concat();
    let keyword = if scenario.is_outline() { "Scenario Outline" } else { "Scenario" };
    let head = format!("{keyword}: {}", scenario.name);
    let mut text = format!("\n{indent}@{}{tags}\n{indent}{}", scenario.id, head.trim_end());
    for line in &scenario.steps {
        text.push('\n');
        if !line.is_empty() {
            text.extend([indent, "  ", line]);
        }
    }
    text
}
