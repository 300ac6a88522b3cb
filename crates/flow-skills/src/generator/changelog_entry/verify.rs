//! Verifies a changelog, or a section of one, for `flow skill verify changelog-entry`.

use std::collections::HashSet;

use super::super::conventional::Group;
use super::file::{File, Section, SectionKind};
use crate::input::values::Date;
use crate::page::{Document, Finding, doubled};

/// Checks the title, the releases and their order, and the headings and their entries.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    if text.trim().is_empty() {
        return vec![Finding::new(1, "there is no changelog: the text is empty")];
    }
    let file = match File::read(text) {
        Ok(file) => file,
        Err(fault) => return vec![Finding::new(1, fault.to_string())],
    };
    let document = Document::read(text);
    let mut findings = doubled(&document);
    // A section alone begins with its own heading.
    if document.parts.get(1).is_none_or(|part| part.level > 2) {
        findings.push(Finding::new(1, "the title is missing: begin with `# Changelog`"));
    }
    let sections = file.sections();
    order(&sections, &mut findings);
    for section in &sections {
        release(section, &mut findings);
        groups(section, &mut findings);
    }
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Checks that Unreleased comes first, then each version once, newest first.
fn order(sections: &[Section], findings: &mut Vec<Finding>) {
    let mut before = None;
    let mut known = HashSet::new();
    for (place, section) in sections.iter().enumerate() {
        let mut add = |what: String| findings.push(Finding::new(section.at() + 1, what));
        if let Some(label) = section.kind.label().filter(|label| !known.insert(*label)) {
            add(format!("{label} has a section already: put both together"));
        } else if section.kind == SectionKind::Unreleased && place > 0 {
            add("Unreleased must be the first section".to_owned());
        }
        let Some(version) = section.kind.version() else { continue };
        if let Some(above) = before.filter(|above| *above < version) {
            add(format!("{version} is below {above}: the newest version comes first"));
        }
        before = Some(version);
    }
}

/// Checks a section's heading: a version with its day, or Unreleased.
fn release(section: &Section, findings: &mut Vec<Finding>) {
    let Section { heading, kind, .. } = section;
    let mut add = |what: String| findings.push(Finding::new(section.at() + 1, what));
    let label = match kind {
        SectionKind::Unreleased => return,
        SectionKind::Other => {
            return add(format!(
                "{heading:?} is neither a version nor Unreleased: write `## [1.2.0] - 2026-01-31`"
            ));
        }
        SectionKind::Version(label) => label,
    };
    let Some((_, day)) = heading.split_once(" - ") else {
        return add(format!("the day of {label} is missing: add ` - 2026-01-31`"));
    };
    let day = day.split(' ').next().unwrap_or_default();
    if let Err(wanted) = Date::new(day) {
        add(format!("the day of {label} is {day:?}, but must be {wanted}"));
    }
}

/// Checks that the headings of a section are known, unique and not empty, and that its entries are below one.
fn groups(section: &Section, findings: &mut Vec<Finding>) {
    let mut known = HashSet::new();
    for part in &section.parts {
        let mut add = |at: usize, what: String| findings.push(Finding::new(at + 1, what));
        let Some(name) = &part.name else {
            if part.at == section.at() && section.kind != SectionKind::Other {
                for (line, _) in &part.items {
                    add(*line, format!("this entry is under none of {}", Group::names()));
                }
            }
            continue;
        };
        if part.group().is_none() {
            add(part.at, format!("{name:?} is none of {}", Group::names()));
        } else if !known.insert(name.to_lowercase()) {
            add(part.at, format!("{name} occurs twice in this section: merge both"));
        }
        if part.items.is_empty() {
            add(part.at, format!("{name} has no entry: add one, or take the heading out"));
        }
    }
}
