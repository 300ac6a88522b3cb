//! Inserts a section or entries into a changelog. The only existing line that changes is the definition of the compare
//! link of the section above a new one.

use std::collections::HashSet;

use semver::Version;

use super::super::changes::{Entry, Group};
use super::file::{File, Of, Section, Style};
use super::links::{Addresses, link};

/// What is inserted.
pub(super) struct Edit {
    /// The version; `None` for unreleased changes.
    pub(super) version: Option<Version>,
    pub(super) date: String,
    pub(super) entries: Vec<Entry>,
    /// URL of the repository's web page.
    pub(super) url: Option<String>,
    /// Whether the unreleased changes become the version.
    pub(super) releases: bool,
}

impl Edit {
    /// The heading of the section.
    pub(super) fn heading(&self, style: &Style) -> String {
        let bracketed = |label: &str| {
            if style.has_brackets { format!("## [{label}]") } else { format!("## {label}") }
        };
        let Some(version) = &self.version else { return bracketed("Unreleased") };
        let label = bracketed(&format!("{}{version}", style.prefix));
        if style.has_parentheses {
            format!("{label} ({})", self.date)
        } else {
            format!("{label} - {}", self.date)
        }
    }

    /// Whether a section is the one for the entries.
    fn is_own(&self, section: &Section) -> bool {
        match &self.version {
            Some(version) => section.of.version().as_ref() == Some(version),
            None => section.of == Of::Unreleased,
        }
    }
}

/// The text of the file with the section or its entries inserted.
pub(super) fn insert(mut file: File, edit: &Edit) -> String {
    let is_new = !file.sections().iter().any(|section| edit.is_own(section));
    if is_new {
        begin(&mut file, edit);
    }
    for group in Group::ALL {
        add(&mut file, edit, group);
    }
    if is_new && let Some(url) = &edit.url {
        relink(&mut file, edit, url);
    }
    file.into_text()
}

/// Inserts the section's heading: above the unreleased changes that it takes over, else before the first older release.
fn begin(file: &mut File, edit: &Edit) {
    let heading = edit.heading(&file.style());
    let sections = file.sections();
    let waiting = sections.iter().find(|section| section.of == Of::Unreleased);
    if let Some(waiting) = waiting.filter(|_| edit.releases) {
        return file.put(waiting.span.start + 1, vec![String::new(), heading]);
    }
    let is_older = |section: &&Section| match (&edit.version, &section.of) {
        (_, Of::Other) => false,
        (None, _) => true,
        (Some(version), of) => of.version().is_some_and(|other| other < *version),
    };
    match sections.iter().find(is_older) {
        Some(older) => {
            let at = older.span.start;
            let is_close =
                |before: usize| file.lines().nth(before).is_some_and(|line| !line.is_empty());
            let close = at.checked_sub(1).is_some_and(is_close).then(String::new);
            file.put(at, close.into_iter().chain([heading, String::new()]).collect());
        }
        None => append(file, file.body_end(), vec![heading]),
    }
}

/// Appends lines after the last line before an index that is not empty, with an empty line on each side.
fn append(file: &mut File, end: usize, mut lines: Vec<String>) {
    let last = file.lines().take(end).rposition(|line| !line.is_empty());
    let at = last.map_or(0, |last| last + 1);
    if last.is_some() {
        lines.insert(0, String::new());
    }
    if file.lines().nth(at).is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    file.put(at, lines);
}

/// Adds the entries of a group that the section lacks.
fn add(file: &mut File, edit: &Edit, group: Group) {
    let sections = file.sections();
    let Some(section) = sections.iter().find(|section| edit.is_own(section)) else { return };
    let mut there: HashSet<String> = file
        .entries(section)
        .into_iter()
        .filter(|entry| entry.group == group)
        .map(|entry| entry.line())
        .collect();
    let own = edit.entries.iter().filter(|entry| entry.group == group).map(Entry::line);
    let marker = file.marker(section.span.end);
    let items: Vec<String> = own
        .filter(|line| there.insert(line.clone()))
        .map(|line| format!("{marker}{line}"))
        .collect();
    if items.is_empty() {
        return;
    }
    let groups: Vec<(usize, Option<Group>)> =
        file.groups(section).into_iter().map(|(at, name)| (at, Group::named(name))).collect();
    let end = section.span.end;
    let Some(place) = groups.iter().position(|(_, known)| *known == Some(group)) else {
        let heading = format!("### {}", group.name());
        let mut lines = vec![heading, String::new()];
        lines.extend(items);
        return match groups.iter().find(|(_, known)| known.is_some_and(|known| known > group)) {
            Some((next, _)) => {
                lines.push(String::new());
                file.put(*next, lines);
            }
            None => append(file, end, lines),
        };
    };
    let (heading, _) = groups[place];
    let end = groups.get(place + 1).map_or(end, |(next, _)| *next);
    let last = file.lines().take(end).rposition(|line| !line.is_empty()).unwrap_or(heading);
    if last == heading {
        append(file, heading + 1, items);
    } else {
        file.put(last + 1, items);
    }
}

/// Defines the compare link of the new section, and changes that of the section above to begin there.
fn relink(file: &mut File, edit: &Edit, url: &str) {
    let sections: Vec<Section> =
        file.sections().into_iter().filter(|section| section.of != Of::Other).collect();
    let Some(own) = sections.iter().position(|section| edit.is_own(section)) else { return };
    let versions =
        |from: usize| sections.iter().skip(from).find_map(|section| section.of.version());
    let addresses = Addresses::of(url, file.lines());
    let style = file.style();
    let is_compared = |line: &str| link(line).is_some_and(|(_, to)| to.contains("/compare/"));
    // The section above is now compared with the new one.
    if let Some(above) = own.checked_sub(1).map(|above| &sections[above]) {
        let name = above.of.label().unwrap_or_default();
        let address = addresses.between(edit.version.as_ref(), above.of.version().as_ref());
        match (definition(file, name), address) {
            (Some(at), Some(address)) if file.lines().nth(at).is_some_and(is_compared) => {
                let line = file.lines().nth(at).unwrap_or_default();
                let label = line.split(']').next().unwrap_or_default().to_owned();
                file.replace(at, &format!("{label}]: {address}"));
            }
            (None, Some(address)) if above.of == Of::Unreleased && style.has_brackets => {
                define(file, &sections, own - 1, &format!("[{name}]: {address}"));
            }
            _ => {}
        }
    }
    let name = sections[own].of.label().unwrap_or_default();
    let address = addresses.between(versions(own + 1).as_ref(), edit.version.as_ref());
    if let Some(address) = address
        && style.has_brackets
        && definition(file, name).is_none()
    {
        define(file, &sections, own, &format!("[{name}]: {address}"));
    }
}

/// The line of a link definition.
fn definition(file: &File, label: &str) -> Option<usize> {
    file.lines().position(|line| link(line).is_some_and(|(own, _)| own.eq_ignore_ascii_case(label)))
}

/// Inserts a link definition, in the order of the sections.
fn define(file: &mut File, sections: &[Section], own: usize, line: &str) {
    let of = |section: &Section| definition(file, section.of.label()?);
    if let Some(below) = sections.iter().skip(own + 1).find_map(of) {
        return file.put(below, vec![line.to_owned()]);
    }
    if let Some(above) = sections.iter().take(own).rev().find_map(of) {
        return file.put(above + 1, vec![line.to_owned()]);
    }
    let has_links =
        file.lines().rfind(|line| !line.is_empty()).is_some_and(|line| link(line).is_some());
    if has_links {
        let last = file.lines().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        file.put(last, vec![line.to_owned()]);
    } else {
        let end = file.lines().len();
        append(file, end, vec![line.to_owned()]);
    }
}
