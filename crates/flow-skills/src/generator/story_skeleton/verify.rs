//! Verifies a story, for `flow skill verify story-skeleton`.

use crate::generator::report;
use crate::generator::skill::Finding;
use crate::input::notation::outside_fences;
use crate::project_state::{Context, Snapshot};
use crate::story::{Story, data, limits, read};
use crate::text::{heading, item, plain};

/// Checks a story: its title and id, its required parts, its dependencies, and duplicate items.
pub(super) fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut add = |line: usize, what: &str| found.push(Finding::new(line, what));
    let mut story = Story::default();
    if let Err(fault) = read::text(&mut story, text, "story") {
        return vec![Finding::of_fault(text, &fault)];
    }
    let lines = || outside_fences(text);
    let line_with =
        |part: &str| lines().find(|(_, line)| line.contains(part)).map_or(1, |(at, _)| at);
    let first = lines().find_map(|(at, line)| Some((at, heading(line.trim())?)));
    match (first, &story.id) {
        (Some((at, (1, _))), None) => add(at, "the story has no id: begin with `# US-0001: Title`"),
        (Some((_, (1, _))), Some(_)) => {}
        _ => add(1, "the story has no title: begin with `# US-0001: Title`"),
    }
    let blanks: Vec<Finding> = Finding::blanks(text).collect();
    missing(&story).filter(|_| blanks.is_empty()).for_each(|what| add(1, what));
    if let Some(own) = story.dependencies.iter().find(|on| Some(*on) == story.id.as_ref()) {
        add(line_with("Depends on"), &format!("the story depends on itself ({own})"));
    }
    let snapshot =
        Snapshot::read(&context.state).ok().filter(|snapshot| !snapshot.stories.is_empty());
    for on in story.dependencies.iter().filter(|on| Some(*on) != story.id.as_ref()) {
        if snapshot.as_ref().is_some_and(|snapshot| snapshot.story(on).is_none()) {
            add(
                line_with(on),
                &format!("{on} is not in the project: correct the id, or remove it"),
            );
        }
    }
    if let Err(fault) = limits::check(&story) {
        add(1, &fault.to_string());
    }
    if let Err(fault) = data::model(&story.data, &story.title) {
        add(line_with("Data"), &fault.to_string());
    }
    for (number, line) in lines() {
        found.extend(report::placeholder(line).map(|what| {
            Finding::new(number, format!("{what} is a placeholder: replace it, or remove it"))
        }));
    }
    found.extend(blanks);
    found.extend(doubled(text));
    found.sort_by_key(|finding| finding.line);
    found
}

/// The required parts that a story lacks, worded as what to add.
fn missing(story: &Story) -> impl Iterator<Item = &'static str> {
    let parts = [
        (story.want.is_none(), "what is wanted is missing: add `- **I want** to …`"),
        (story.role.is_none(), "who wants it is missing: add `- **As a** …`"),
        (
            story.criteria.is_empty(),
            "acceptance criteria are missing: add `## Acceptance criteria`",
        ),
    ];
    parts.into_iter().filter(|(is_missing, _)| *is_missing).map(|(_, what)| what)
}

/// Duplicate list items.
fn doubled(text: &str) -> Vec<Finding> {
    let items = outside_fences(text).filter_map(|(at, line)| Some((at, plain(item(line)?))));
    let items = items.filter(|(_, item)| !item.is_empty());
    Finding::repeated(items, |_, first| format!("the same as line {first}"))
}
