//! Which skill a finished document belongs to, by its title and the headings that only its kind has.

use super::skill::Skill;
use crate::input::forms::is_feature;
use crate::output::Output;
use crate::page::{self, Document};

/// What the documents of a skill have, and those of others do not.
struct Form {
    skill: &'static str,
    /// How the title begins.
    title: &'static str,
    headings: &'static [&'static str],
}

const fn form(skill: &'static str, title: &'static str, headings: &'static [&'static str]) -> Form {
    Form { skill, title, headings }
}

/// The first that fits counts.
const FORMS: [Form; 15] = [
    form("acceptance-criteria-generator", "Acceptance criteria", &[]),
    form("test-case-generator", "Test cases", &[]),
    form("tech-debt-register", "Technical debt", &[]),
    form("migration-checklist", "", &["1. Pre-migration steps"]),
    form("changelog-entry", "Changelog", &[]),
    form("deployment-guide-generator", "Deploy", &["Rollback"]),
    form("adr-template", "", &["Status", "Context", "Decision"]),
    form("pr-description", "", &["Summary", "Checklist"]),
    form("status-report", "Status report", &[]),
    form("retro-facilitator", "", &["Figures"]),
    form("blocker-analysis", "Blocker analysis", &[]),
    form("sprint-planner", "Sprint plan", &[]),
    form("handoff-note", "Handoff", &[]),
    form("agent-brief", "", &["Goal", "Scope"]),
    form("agent-brief", "Work of the ", &[]),
];

/// How a line of each story begins.
const OF_STORY: &str = "- **I want**";

/// The skill whose artifact a text is, if that can be told.
pub fn of(text: &str) -> Option<&'static Skill> {
    let name = match text.trim_start() {
        text if is_feature(text) => "acceptance-criteria-generator",
        text if text.starts_with("-- Migration") => "sql-schema-generator",
        _ => of_document(text)?,
    };
    super::find(name)
}

/// How many blanks the documents of an output have.
pub fn blanks(output: &Output) -> usize {
    let documents = output.artifacts.iter().filter(|artifact| artifact.kind == "markdown");
    documents.map(|artifact| page::blanks(&Document::read(&artifact.text)).len()).sum()
}

fn of_document(text: &str) -> Option<&'static str> {
    let document = Document::read(text);
    let title = document.title()?.name;
    let has =
        |heading: &str| document.parts.iter().any(|part| part.level == 2 && part.name == heading);
    for Form { skill, title: begin, headings } in &FORMS {
        if title.starts_with(begin) && headings.iter().all(|heading| has(heading)) {
            return Some(skill);
        }
    }
    if document.lines().any(|line| line.text.starts_with(OF_STORY)) {
        return Some("story-skeleton");
    }
    let is_wave = |name: &str| name.starts_with("Wave ");
    document.parts.iter().any(|part| is_wave(part.name)).then_some("epic-planner")
}
