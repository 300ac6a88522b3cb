//! Verifies a story, for `flow skill verify story-skeleton`.

use crate::page::{self, Document, Finding, Form};
use crate::project_state::{Context, Snapshot};
use crate::story::{Story, data, limits, read};

/// Checks a story: its title and id, its required parts, its dependencies, and duplicate items.
pub(super) fn verify(text: &str, context: &Context) -> Vec<Finding> {
    let mut story = Story::default();
    if let Err(fault) = read::text(&mut story, text, "story") {
        return vec![Finding::of_fault(text, &fault)];
    }
    page::check(text, &Form::new("# US-0001: Title", &[]), |document, findings| {
        let is_complete = findings.is_empty();
        findings.extend(page::doubled(document));
        faults(&story, document, context, findings);
        let missing = missing(&story).filter(|_| is_complete);
        findings.extend(missing.map(|what| Finding::new(1, what)));
    })
}

fn faults(story: &Story, document: &Document<'_>, context: &Context, findings: &mut Vec<Finding>) {
    let mut add = |line: usize, what: &str| findings.push(Finding::new(line, what));
    let line_with = |part: &str| {
        document.texts().find(|(_, line)| line.contains(part)).map_or(1, |(line, _)| line)
    };
    let title = document.parts.iter().find(|part| part.level == 1);
    if let Some(title) = title.filter(|_| story.id.is_none()) {
        add(title.number, "the story has no id: begin with `# US-0001: Title`");
    }
    let snapshot = Snapshot::read(&context.state).ok();
    let snapshot = snapshot.filter(|snapshot| !snapshot.stories.is_empty());
    for on in &story.dependencies {
        if Some(on) == story.id.as_ref() {
            add(line_with("Depends on"), &format!("the story depends on itself ({on})"));
        } else if snapshot.as_ref().is_some_and(|snapshot| snapshot.story(on).is_none()) {
            let what = format!("{on} is not in the project: correct the id, or remove it");
            add(line_with(on), &what);
        }
    }
    if let Err(fault) = limits::check(story) {
        add(1, &fault.to_string());
    }
    if let Err(fault) = data::model(&story.data, &story.title) {
        add(line_with("Data"), &fault.to_string());
    }
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
