//! A CHANGELOG.md as lines in sections: read, given a section or entries, and written back. What is not touched stays
//! as it was.

mod links;

use semver::Version;
use serde_json::json;

use links::{Addresses, link};

use super::changelog_entry::{Entry, GROUPS, NAME};
use crate::fields::bad_text;
use crate::output::Result;
use crate::runtime::engine;

/// What is put in.
pub(super) struct Edit {
    /// The version; none is what is not released.
    pub(super) version: Option<Version>,
    pub(super) date: String,
    pub(super) entries: Vec<Entry>,
    /// The repository on the web.
    pub(super) url: Option<String>,
    /// Whether what is not released yet becomes the version.
    pub(super) releases: bool,
}

/// A section that begins with `## `.
struct Section {
    heading: String,
    /// The version as it is written; `None` is what is not released.
    label: Option<String>,
    lines: Vec<String>,
}

/// A changelog.
pub(super) struct File {
    crlf: bool,
    head: Vec<String>,
    sections: Vec<Section>,
    /// The link definitions and what is after them.
    links: Vec<String>,
}

/// Reads a changelog; empty text gives a new one.
pub(super) fn read(text: &str) -> Result<File> {
    let crlf = text.contains("\r\n");
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut file = File { crlf, head: Vec::new(), sections: Vec::new(), links: Vec::new() };
    if text.trim().is_empty() {
        let head = engine::render_own(NAME, "assets/template.head.tera", &json!({}))?;
        file.head = head.lines().map(str::to_owned).collect();
        return Ok(file);
    }
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    let text_end = lines.iter().rposition(|line| !line.is_empty() && link(line).is_none());
    let mut definitions = lines.split_off(text_end.map_or(0, |last| last + 1));
    definitions.retain(|line| !line.is_empty());
    file.links = definitions.into_iter().map(str::to_owned).collect();
    if !lines.iter().any(|line| line.starts_with("# ")) {
        let first = lines.first().copied().unwrap_or_default();
        return Err(bad_text("changelog", first, "a changelog whose title begins with \"# \""));
    }
    let mut fenced = false;
    for line in lines {
        fenced ^= line.trim_start().starts_with("```");
        match line.strip_prefix("## ") {
            Some(title) if !fenced => {
                let label = label(title);
                file.sections.push(Section { heading: line.to_owned(), label, lines: Vec::new() });
            }
            _ => match file.sections.last_mut() {
                Some(section) => section.lines.push(line.to_owned()),
                None => file.head.push(line.to_owned()),
            },
        }
    }
    Ok(file)
}

/// Titles that a changelog has, in lower case.
const TITLES: [&str; 2] = ["changelog", "change log"];
/// What may follow such a title, as in `Changelog of Shop`.
const AFTER_TITLE: [&str; 7] = [" for ", " of ", " - ", " – ", ": ", ":", " ("];

/// Whether a title says that a document is a changelog. A title that merely has the word in it does not.
fn is_title(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let rests = TITLES.iter().filter_map(|word| title.strip_prefix(word));
    rests
        .into_iter()
        .any(|rest| rest.is_empty() || AFTER_TITLE.iter().any(|after| rest.starts_with(after)))
}

/// The first word of a section's title, without its brackets, where it names what is not released, or a version with
/// nothing but a date or the like behind it.
fn release(title: &str) -> Option<&str> {
    let title = title.trim();
    let (word, rest) = match title.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => title.split_at(title.find(' ').unwrap_or(title.len())),
    };
    let rest = rest.trim_start();
    let is_date = |c: char| c.is_ascii_digit() || "-–—(/:,[".contains(c);
    let is_whole = rest.is_empty() || rest.starts_with(is_date);
    let parts = || word.trim_start_matches('v').split('.');
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let is_version = parts().count() > 1 && parts().all(is_number);
    let is_release = word.eq_ignore_ascii_case("unreleased") || is_version;
    (is_whole && is_release).then_some(word)
}

/// The version that a section's title names; `None` is what is not released.
fn label(title: &str) -> Option<String> {
    let first = || title.split(' ').next().unwrap_or_default();
    let word = release(title).unwrap_or_else(first);
    let is_unreleased = release(title).is_some() && word.eq_ignore_ascii_case("unreleased");
    (!is_unreleased).then(|| word.to_owned())
}

fn version_of(label: Option<&String>) -> Option<Version> {
    label.and_then(|label| Version::parse(label.trim_start_matches('v')).ok())
}

impl File {
    /// Why it cannot be read as a changelog; `None` where it can, as a new one can.
    ///
    /// A title that says changelog needs a section of a release, or no section yet; under any other title each section
    /// must be one.
    pub(super) fn misfit(&self) -> Option<String> {
        let title = self.head.iter().find_map(|line| line.strip_prefix("# ")).unwrap_or_default();
        let of_release =
            |section: &&Section| release(section.heading.trim_start_matches('#')).is_some();
        let (all, releases) =
            (self.sections.len(), self.sections.iter().filter(of_release).count());
        let fits = match releases {
            0 => all == 0 && is_title(title),
            _ => releases == all || is_title(title),
        };
        (!fits).then(|| {
            format!(
                "its title is {:?}, and {releases} of its {all} sections name a version or Unreleased",
                crate::text::title(title)
            )
        })
    }

    /// The newest version.
    pub(super) fn latest(&self) -> Option<Version> {
        self.sections.iter().filter_map(|section| version_of(section.label.as_ref())).max()
    }

    /// Whether it has a version.
    pub(super) fn has(&self, version: &Version) -> bool {
        self.sections
            .iter()
            .any(|section| version_of(section.label.as_ref()).as_ref() == Some(version))
    }

    /// The repository that its links of comparison lead to.
    pub(super) fn url(&self) -> Option<String> {
        let of = |line: &String| {
            let (_, address) = link(line)?;
            let (url, _) = address.split_once("/compare/")?;
            Some(url.trim_end_matches("/-").to_owned())
        };
        self.links.iter().find_map(of)
    }

    /// Whether something waits for a release.
    pub(super) fn can_release(&self) -> bool {
        !self.unreleased().is_empty()
    }

    /// What waits for a release.
    pub(super) fn unreleased(&self) -> Vec<Entry> {
        let found = self.sections.iter().find(|section| section.label.is_none());
        found.map(Section::entries).unwrap_or_default()
    }

    fn write(mut self) -> String {
        let mut blocks = vec![std::mem::take(&mut self.head)];
        for section in &mut self.sections {
            let mut block = vec![std::mem::take(&mut section.heading)];
            block.append(&mut section.lines);
            blocks.push(block);
        }
        blocks.push(self.links);
        let mut text = String::new();
        for block in blocks {
            let block = block.join("\n");
            let block = block.trim_matches('\n');
            if !block.is_empty() {
                text.push_str(if text.is_empty() { "" } else { "\n" });
                text.push_str(block);
                text.push('\n');
            }
        }
        if self.crlf { text.replace('\n', "\r\n") } else { text }
    }
}

impl Section {
    /// Its entries; what is under no known heading is left out.
    fn entries(&self) -> Vec<Entry> {
        let (mut group, mut entries) = (None, Vec::<Entry>::new());
        for line in &self.lines {
            let name = line.strip_prefix("### ").map(str::trim);
            if let Some(name) = name {
                group = GROUPS.iter().find(|known| known.eq_ignore_ascii_case(name)).copied();
            } else if let Some(text) = line.strip_prefix(['-', '*']) {
                let text = text.trim().to_owned();
                let breaking = text.starts_with("**Breaking");
                entries.extend(group.map(|group| Entry { group, text, breaking }));
            } else if let (Some(entry), false) = (entries.last_mut(), line.trim().is_empty()) {
                entry.text = format!("{} {}", entry.text, line.trim());
            }
        }
        entries
    }

    /// Puts entries in that it has not.
    fn add(&mut self, entries: &[Entry]) {
        for entry in entries {
            let had =
                self.entries().iter().any(|own| own.group == entry.group && own.text == entry.text);
            if !had {
                self.put(entry);
            }
        }
    }

    fn put(&mut self, entry: &Entry) {
        let rank = |line: &str| {
            let name = line.strip_prefix("### ")?.trim();
            GROUPS.iter().position(|group| group.eq_ignore_ascii_case(name))
        };
        let own = GROUPS.iter().position(|group| *group == entry.group);
        let item = format!("- {}", entry.text);
        let after = |from: usize, lines: &[String]| {
            let next = lines.iter().skip(from).position(|line| line.starts_with("### "));
            next.map_or(lines.len(), |next| from + next)
        };
        if let Some(heading) = self.lines.iter().position(|line| rank(line) == own) {
            let end = after(heading + 1, &self.lines);
            let block = self.lines.get(heading..end).unwrap_or_default();
            let last = block.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(0);
            let is_bare = last == 0;
            self.lines.insert(heading + last + 1, item);
            if is_bare {
                self.lines.insert(heading + 1, String::new());
            }
            return;
        }
        let place =
            self.lines.iter().position(|line| rank(line).is_some_and(|rank| Some(rank) > own));
        let place = place.unwrap_or(self.lines.len());
        let is_text = |line: Option<&String>| line.is_some_and(|line| !line.trim().is_empty());
        let mut block = vec![format!("### {}", entry.group), String::new(), item];
        if is_text(place.checked_sub(1).and_then(|before| self.lines.get(before))) {
            block.insert(0, String::new());
        }
        if is_text(self.lines.get(place)) {
            block.push(String::new());
        }
        self.lines.splice(place..place, block);
    }
}

fn heading(edit: &Edit) -> String {
    match &edit.version {
        Some(version) => format!("## [{version}] - {}", edit.date),
        None => "## [Unreleased]".to_owned(),
    }
}

/// The section alone.
pub(super) fn section(edit: &Edit) -> Result<String> {
    let groups: Vec<_> = GROUPS
        .iter()
        .map(|group| {
            let texts = edit.entries.iter().filter(|entry| entry.group == *group);
            json!({"name": group, "texts": texts.map(|entry| &entry.text).collect::<Vec<_>>()})
        })
        .filter(|group| group["texts"].as_array().is_some_and(|texts| !texts.is_empty()))
        .collect();
    let data = json!({"heading": heading(edit), "groups": groups});
    engine::render_own(NAME, "assets/template.md.tera", &data)
}

/// The file with the section or its entries put in, and its links brought up to date.
pub(super) fn insert(mut file: File, edit: &Edit) -> String {
    let label = edit.version.as_ref().map(Version::to_string);
    let is_own = |section: &Section| match &edit.version {
        Some(version) => version_of(section.label.as_ref()).as_ref() == Some(version),
        None => section.label.is_none(),
    };
    let found = file.sections.iter().position(is_own);
    let at = found.unwrap_or_else(|| {
        let is_older = |section: &Section| match (&edit.version, version_of(section.label.as_ref()))
        {
            (None, _) => true,
            (Some(_), None) => section.label.is_some(),
            (Some(version), Some(other)) => other < *version,
        };
        let at = file.sections.iter().position(is_older).unwrap_or(file.sections.len());
        let section =
            Section { heading: heading(edit), label: label.clone(), lines: vec![String::new()] };
        file.sections.insert(at, section);
        at
    });
    let waiting = file.sections.iter_mut().find(|section| section.label.is_none());
    let moved = match waiting {
        // All of its lines, also those under headings that are not known here.
        Some(waiting) if edit.releases && found.is_none() => std::mem::take(&mut waiting.lines),
        _ => Vec::new(),
    };
    if let Some(section) = file.sections.get_mut(at) {
        if !moved.is_empty() {
            section.lines = moved;
        }
        section.add(&edit.entries);
    }
    relink(&mut file, edit, (at, found.is_none()));
    file.write()
}

/// Links of comparison for the section that was put in and the one above it; a link that is there for another stays.
fn relink(file: &mut File, edit: &Edit, (at, is_new): (usize, bool)) {
    let Some(url) = &edit.url else { return };
    let addresses = Addresses::of(url, &file.links);
    let mut links = Vec::new();
    for (place, section) in file.sections.iter().enumerate() {
        if section.label.as_deref().is_some_and(|label| !is_version(label)) {
            continue;
        }
        let name = name(section);
        let is_own =
            |line: &&String| link(line).is_some_and(|(label, _)| label.eq_ignore_ascii_case(name));
        let older = file.sections.iter().skip(place + 1).filter_map(|next| next.label.as_deref());
        let older = older.into_iter().find(|label| is_version(label));
        let Some(made) = addresses.between(older, section.label.as_deref()) else { continue };
        let is_near = is_new && place <= at && (section.label.is_none() || place + 1 >= at);
        match file.links.iter().find(is_own) {
            Some(line) if !is_near => links.push(line.clone()),
            _ => links.push(format!("[{name}]: {made}")),
        }
    }
    let names: Vec<&str> = file.sections.iter().map(name).collect();
    let is_other = |line: &&String| {
        link(line)
            .is_none_or(|(label, _)| !names.iter().any(|name| label.eq_ignore_ascii_case(name)))
    };
    links.extend(file.links.iter().filter(is_other).cloned());
    file.links = links;
}

/// What links call a section.
fn name(section: &Section) -> &str {
    section.label.as_deref().unwrap_or("unreleased")
}

fn is_version(label: &str) -> bool {
    label.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit())
}
