//! Which skill a finished document belongs to, by its title and the headings that only its kind has.

use super::SKILLS;
use super::skill::Skill;
use crate::input::forms::is_feature;
use crate::output::Output;
use crate::page::{self, Document};

/// How the documents of a skill are told from others: the beginning of the title, and headings. The first that fits counts.
const DOCUMENTS: [(&str, &str, &[&str]); 14] = [
    ("acceptance-criteria-generator", "Acceptance criteria", &[]),
    ("test-case-generator", "Test cases", &[]),
    ("tech-debt-register", "Technical debt", &[]),
    ("migration-checklist", "", &["1. Pre-migration steps"]),
    ("changelog-entry", "Changelog", &[]),
    ("deployment-guide-generator", "Deploy", &["Rollback"]),
    ("adr-template", "", &["Status", "Context", "Decision"]),
    ("pr-description", "", &["Summary", "Checklist"]),
    ("status-report", "", &["Counts"]),
    ("retro-facilitator", "", &["Figures"]),
    ("blocker-analysis", "Blocker analysis", &[]),
    ("sprint-planner", "Sprint plan", &[]),
    ("handoff-note", "Handoff", &[]),
    ("agent-brief", "", &["Goal", "Scope"]),
];
/// How a line of each story begins.
const OF_STORY: &str = "- **I want**";

/// The skill whose artifact a text is, if that can be told.
pub fn of(text: &str) -> Option<&'static Skill> {
    let name = match text.trim_start() {
        text if is_feature(text) => "acceptance-criteria-generator",
        text if text.starts_with("-- Migration") => "sql-schema-generator",
        _ => named(text)?,
    };
    SKILLS.iter().find(|skill| skill.name == name)
}

/// How many blanks the documents of an output have.
pub fn blanks(output: &Output) -> usize {
    let documents = output.artifacts.iter().filter(|artifact| artifact.kind == "markdown");
    documents.map(|artifact| page::blanks(&Document::read(&artifact.text)).len()).sum()
}

fn named(text: &str) -> Option<&'static str> {
    let document = Document::read(text);
    let title = document.parts.iter().find(|part| part.level == 1)?.name;
    let has =
        |heading: &&str| document.parts.iter().any(|part| part.level == 2 && part.name == *heading);
    let is_it = |(_, begin, headings): &&(&str, &str, &[&str])| {
        title.starts_with(begin) && headings.iter().all(has)
    };
    if let Some((name, ..)) = DOCUMENTS.iter().find(is_it) {
        return Some(name);
    }
    if document.lines().any(|line| line.text.starts_with(OF_STORY)) {
        return Some("story-skeleton");
    }
    let is_wave = |name: &str| name.starts_with("Wave ");
    document.parts.iter().any(|part| is_wave(part.name)).then_some("epic-planner")
}
