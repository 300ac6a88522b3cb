//! Inserts a section or entries into a changelog. The only existing line that changes is the definition of the compare
//! link of the section above a new one.

use std::collections::HashSet;

use semver::Version;

use super::super::changes::{Entry, Group};
use super::file::Of;
use super::file::{Addresses, link};
use super::file::{File, Heading, Section, item};

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
    /// The section's heading.
    pub(super) fn heading(&self, is_linked: bool) -> String {
        let name = self.version.as_ref().map_or("Unreleased".to_owned(), Version::to_string);
        let name = if is_linked { format!("[{name}]") } else { name };
        let day = self.version.as_ref().map(|_| format!(" - {}", self.date));
        format!("## {name}{}", day.unwrap_or_default())
    }

    /// The section that the entries go into.
    fn section(&self, file: &File) -> Option<Section> {
        let Some(version) = &self.version else { return file.pending() };
        let mut sections = file.sections().into_iter();
        sections.find(|section| section.of.version().as_ref() == Some(version))
    }
}

/// The text of the file with the section or its entries inserted.
pub(super) fn insert(mut file: File, edit: &Edit) -> String {
    let is_new = edit.section(&file).is_none();
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
    let heading = vec![edit.heading(file.is_linked())];
    let sections = file.sections();
    let waiting = sections.iter().find(|section| section.of == Of::Unreleased);
    if let Some(waiting) = waiting.filter(|_| edit.releases) {
        return file.put(waiting.body, [vec![String::new()], heading].concat());
    }
    let is_older = |section: &&Section| match (&edit.version, &section.of) {
        (_, Of::Other) => false,
        (None, _) => true,
        (Some(version), of) => of.version().is_some_and(|other| other < *version),
    };
    match sections.iter().find(is_older) {
        Some(older) => {
            let at = older.span.start;
            let is_close = file.lines().take(at).next_back().is_some_and(|line| !line.is_empty());
            let above = is_close.then(String::new);
            file.put(at, above.into_iter().chain(heading).chain([String::new()]).collect());
        }
        None => append(file, file.body_end(), heading),
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
    let Some(section) = &edit.section(file) else { return };
    let listed = file.items(section).into_iter();
    let listed = listed.filter(|(name, _)| name.and_then(Group::named) == Some(group));
    let mut listed: HashSet<String> = listed.map(|(_, item)| item).collect();
    let entries = edit.entries.iter().filter(|entry| entry.group == group).map(Entry::line);
    let marker = file.marker(section.span.end);
    let entries = entries.filter(|line| listed.insert(line.clone()));
    let items: Vec<String> = entries.map(|line| format!("{marker}{line}")).collect();
    if items.is_empty() {
        return;
    }
    let groups = file.groups(section);
    let known = |heading: &Heading<'_>| Group::named(heading.text.trim());
    let Some(place) = groups.iter().position(|heading| known(heading) == Some(group)) else {
        let next = groups.iter().find(|heading| known(heading).is_some_and(|known| known > group));
        let next = next.map(|heading| heading.at);
        let mut lines = [vec![format!("### {}", group.name()), String::new()], items].concat();
        let Some(next) = next else { return append(file, section.span.end, lines) };
        lines.push(String::new());
        return file.put(next, lines);
    };
    let top = groups[place].at + 1;
    let end = groups.get(place + 1).map_or(section.span.end, |next| next.at);
    add_items(file, top, end, items);
}

/// Adds items to the list between two lines.
fn add_items(file: &mut File, top: usize, end: usize, items: Vec<String>) {
    // Below a deeper heading stands what belongs to that.
    let deeper = file.headings().into_iter().find(|heading| (top..end).contains(&heading.at));
    let end = deeper.map_or(end, |heading| heading.at);
    let last = file.lines().take(end).rposition(|line| !line.is_empty()).unwrap_or(top);
    if file.lines().take(end).skip(top).any(|line| item(line).is_some()) {
        file.put(last + 1, items);
    } else {
        append(file, end.max(top), items);
    }
}

/// Defines the compare link of the new section, and changes that of the section above to begin there.
fn relink(file: &mut File, edit: &Edit, url: &str) {
    let sections: Vec<Section> =
        file.sections().into_iter().filter(|section| section.of != Of::Other).collect();
    let start = edit.section(file).map(|section| section.span.start);
    let Some(at) = sections.iter().position(|section| Some(section.span.start) == start) else {
        return;
    };
    let versions =
        |from: usize| sections.iter().skip(from).find_map(|section| section.of.version());
    let addresses = Addresses::of(url, file.lines());
    let is_linked = file.is_linked();
    let is_compared = |line: &str| link(line).is_some_and(|(_, to)| to.contains("/compare/"));
    // The section above is now compared with the new one.
    if let Some(above) = at.checked_sub(1).map(|above| &sections[above]) {
        let name = above.of.label().unwrap_or_default();
        let address = addresses.between(edit.version.as_ref(), above.of.version().as_ref());
        match (definition(file, name), address) {
            (Some(at), Some(address)) if file.lines().nth(at).is_some_and(is_compared) => {
                let line = file.lines().nth(at).unwrap_or_default();
                let label = line.split(']').next().unwrap_or_default().to_owned();
                file.replace(at, &format!("{label}]: {address}"));
            }
            (None, Some(address)) if above.of == Of::Unreleased && is_linked => {
                define(file, &sections, at - 1, &format!("[{name}]: {address}"));
            }
            _ => {}
        }
    }
    let name = sections[at].of.label().unwrap_or_default();
    let address = addresses.between(versions(at + 1).as_ref(), edit.version.as_ref());
    if let Some(address) = address
        && is_linked
        && definition(file, name).is_none()
    {
        define(file, &sections, at, &format!("[{name}]: {address}"));
    }
}

fn definition(file: &File, label: &str) -> Option<usize> {
    file.lines().position(|line| {
        link(line).is_some_and(|(label_of_line, _)| label_of_line.eq_ignore_ascii_case(label))
    })
}

/// Inserts a link definition, in the order of the sections.
fn define(file: &mut File, sections: &[Section], at: usize, line: &str) {
    let of = |section: &Section| definition(file, section.of.label()?);
    let below = sections.iter().skip(at + 1).find_map(of);
    let above = || Some(sections.iter().take(at).rev().find_map(of)? + 1);
    let behind_links = || {
        let (at, last) = file.lines().enumerate().rfind(|(_, line)| !line.is_empty())?;
        link(last).map(|_| at + 1)
    };
    match below.or_else(above).or_else(behind_links) {
        Some(at) => file.put(at, vec![line.to_owned()]),
        None => append(file, usize::MAX, vec![line.to_owned()]),
    }
}
