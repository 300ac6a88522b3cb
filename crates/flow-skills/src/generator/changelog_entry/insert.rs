//! Inserts a section or entries into a changelog. The only existing line that changes is the definition of the compare
//! link of the unreleased changes.

use std::collections::HashSet;

use semver::Version;

use super::super::conventional::Group;
use super::collect::Entry;
use super::file::{File, Section, SectionKind, link};

pub(super) struct Edit {
    /// The version; `None` for unreleased changes.
    pub(super) version: Option<Version>,
    pub(super) date: String,
    pub(super) entries: Vec<Entry>,
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
        match &self.version {
            Some(version) => file.release(version),
            None => file.pending(),
        }
    }
}

/// The text of the file with the section or its entries inserted.
pub(super) fn insert(mut file: File, edit: &Edit) -> String {
    let newest = edit.version.as_ref().filter(|version| Some(*version) > file.latest().as_ref());
    if edit.section(&file).is_none() {
        begin(&mut file, edit);
    }
    for group in Group::ALL {
        add(&mut file, edit, group);
    }
    if let Some(version) = newest {
        relink(&mut file, version);
    }
    file.into_text()
}

/// Inserts the section's heading: above the unreleased changes that it takes over, else before the first older release.
fn begin(file: &mut File, edit: &Edit) {
    let heading = edit.heading(file.is_linked());
    let sections = file.sections();
    if let Some(waiting) = file.pending().filter(|_| edit.releases) {
        let at = waiting.at() + 1;
        return file.splice(at..at, &[String::new(), heading]);
    }
    let is_older = |section: &&Section| match (&edit.version, &section.kind) {
        (_, SectionKind::Other) => false,
        (None, _) => true,
        (Some(version), kind) => kind.version().is_some_and(|other| other < *version),
    };
    match sections.iter().find(is_older).map(Section::at) {
        Some(at) => {
            let is_close = file.lines().take(at).last().is_some_and(|line| !line.is_empty());
            let above = is_close.then(String::new);
            let lines: Vec<String> = above.into_iter().chain([heading, String::new()]).collect();
            file.splice(at..at, &lines);
        }
        None => append(file, file.body_end(), vec![heading]),
    }
}

/// Appends lines after the last line before an index that is not empty, with an empty line on each side.
fn append(file: &mut File, end: usize, mut lines: Vec<String>) {
    let before: Vec<&str> = file.lines().take(end).collect();
    let at = before.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    if at > 0 {
        lines.insert(0, String::new());
    }
    if file.lines().nth(at).is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    file.splice(at..at, &lines);
}

/// Adds the entries of a group that the section lacks.
fn add(file: &mut File, edit: &Edit, group: Group) {
    let Some(section) = &edit.section(file) else { return };
    let parts = || section.parts.iter().filter(|part| part.group() == Some(group));
    let mut listed: HashSet<&str> =
        parts().flat_map(|part| &part.items).map(|(_, item)| item.as_str()).collect();
    let marker = file.marker();
    let entries = edit.entries.iter().filter(|entry| entry.group == group);
    let entries = entries.filter(|entry| listed.insert(&entry.text));
    let items: Vec<String> = entries.map(|entry| format!("{marker}{}", entry.text)).collect();
    if items.is_empty() {
        return;
    }
    if let Some(part) = parts().next() {
        if part.items.is_empty() {
            return append(file, part.end, items);
        }
        let before: Vec<&str> = file.lines().take(part.end).collect();
        let at = before.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        return file.splice(at..at, &items);
    }
    let mut lines = [vec![format!("### {group}"), String::new()], items].concat();
    match section.parts.iter().find(|part| part.group().is_some_and(|other| other > group)) {
        Some(next) => {
            lines.push(String::new());
            file.splice(next.at..next.at, &lines);
        }
        None => append(file, section.end(), lines),
    }
}

/// Lets the compare link of the unreleased changes begin at the newest version, which gets a link of its own:
/// `[unreleased]: …/compare/v1.2.0...HEAD` becomes two.
fn relink(file: &mut File, version: &Version) {
    let links = file.lines().enumerate().find_map(|(at, line)| {
        let (label, address) =
            link(line).filter(|(label, _)| label.eq_ignore_ascii_case("unreleased"))?;
        let (base, range) = address.split_once("/compare/")?;
        let older = range.strip_suffix("...HEAD")?;
        let tag = format!("{}{version}", if older.starts_with('v') { "v" } else { "" });
        let unreleased = format!("[{label}]: {base}/compare/{tag}...HEAD");
        Some((at, [unreleased, format!("[{version}]: {base}/compare/{older}...{tag}")]))
    });
    if let Some((at, lines)) = links {
        file.splice(at..at + 1, &lines);
    }
}
