//! Verifies a changelog, or a section of one, for `flow skill verify changelog-entry`.

use std::collections::HashSet;

use semver::Version;

use super::super::changes::Group;
use super::file::link;
use super::file::{File, Heading, Section, item};
use super::file::{Of, wrong_day};
use crate::page::Finding;

/// Checks the title, the releases and their order, the headings and their entries, and the links.
pub(super) fn verify(text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if text.trim().is_empty() {
        return vec![Finding::new(1, "there is no changelog: the text is empty")];
    }
    let file = match File::read(text) {
        Ok(file) => file,
        Err(fault) => return vec![Finding::new(1, fault.to_string())],
    };
    // A section alone begins with its own heading.
    if file.headings().first().is_none_or(|heading| heading.level > 2) {
        add(&mut findings, 0, "the title is missing: begin with `# Changelog`");
    }
    let sections = file.sections();
    order(&sections, &mut findings);
    for section in &sections {
        release(&file, section, &mut findings);
        groups(&file, section, &mut findings);
    }
    links(&file, &sections, &mut findings);
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Adds a finding on a line, counted from 0.
fn add(findings: &mut Vec<Finding>, at: usize, what: impl Into<String>) {
    findings.push(Finding::new(at + 1, what));
}

/// Checks that Unreleased comes first, then each version once, newest first.
fn order(sections: &[Section], findings: &mut Vec<Finding>) {
    let mut before: Option<Version> = None;
    let mut known = HashSet::new();
    for (place, section) in sections.iter().enumerate() {
        let at = section.span.start;
        let label = section.of.label();
        if let Some(label) = label.filter(|label| !known.insert(*label)) {
            add(findings, at, format!("{label} has a section already: put both together"));
        } else if section.of == Of::Unreleased && place > 0 {
            add(findings, at, "Unreleased must be the first section");
        }
        let Some(version) = section.of.version() else { continue };
        if let Some(above) = before.as_ref().filter(|above| **above < version) {
            add(
                findings,
                at,
                format!("{version} is below {above}: the newest version comes first"),
            );
        }
        before = Some(version);
    }
}

/// Checks a section's heading: a version with its day, or Unreleased.
fn release(file: &File, section: &Section, findings: &mut Vec<Finding>) {
    let at = section.span.start;
    let text = file.lines().nth(at).unwrap_or_default().trim_start_matches(['#', ' ']);
    let label = match &section.of {
        Of::Unreleased => return,
        Of::Other => {
            let what = format!(
                "{text:?} is neither a version nor Unreleased: write `## [1.2.0] - 2026-01-31`"
            );
            return add(findings, at, what);
        }
        Of::Version(label) => label,
    };
    if let Some(what) = wrong_day(text) {
        add(findings, at, format!("the day of {label} {what}"));
    }
}

/// Checks that the headings of a section are known, unique and not empty, and that its entries are unique and below
/// one.
fn groups(file: &File, section: &Section, findings: &mut Vec<Finding>) {
    let groups = file.groups(section);
    let mut known = HashSet::new();
    let ends = groups.iter().skip(1).map(|next| next.at).chain([section.span.end]);
    for (heading, end) in groups.iter().zip(ends) {
        let Heading { at, text: name, .. } = *heading;
        if Group::named(name.trim()).is_none() {
            add(findings, at, format!("{name:?} is none of {}", Group::names()));
        } else if !known.insert(name.to_lowercase()) {
            add(findings, at, format!("{name} occurs twice in this section: merge both"));
        }
        let mut items = HashSet::new();
        for (line, text) in file.lines().enumerate().take(end).skip(heading.at + 1) {
            if item(text).is_some_and(|item| !items.insert(item)) {
                add(findings, line, "this entry occurs twice");
            }
        }
        if items.is_empty() {
            add(findings, at, format!("{name} has no entry: add one, or take the heading out"));
        }
    }
    if section.of == Of::Other {
        return;
    }
    let first = groups.first().map_or(section.span.end, |heading| heading.at);
    let lines = file.lines().enumerate().take(first).skip(section.body);
    for (line, _) in lines.filter(|(_, text)| item(text).is_some()) {
        add(findings, line, format!("this entry is under none of {}", Group::names()));
    }
}

/// Finds compare links that do not lead to their version.
fn links(file: &File, sections: &[Section], findings: &mut Vec<Finding>) {
    for (at, line) in file.lines().enumerate() {
        let Some((label, address)) = link(line) else { continue };
        let Some((_, range)) = address.split_once("/compare/") else { continue };
        let is_it = |known: &str| known.eq_ignore_ascii_case(label);
        let mut labels = sections.iter().filter_map(|section| section.of.label());
        let bare = |revision: &str| revision.trim_start_matches('v').to_owned();
        let leads = range.rsplit_once("...").is_some_and(|(_, end)| bare(end) == bare(label));
        if !labels.any(is_it) {
            add(findings, at, format!("the link {label} has no section"));
        } else if !leads && !is_it("unreleased") && label != "HEAD" {
            add(findings, at, format!("the link {label} does not lead to {label}: {range}"));
        }
    }
}
