//! A changelog in the form of Keep a Changelog, as the lines of its file: its releases and their entries. Unchanged lines
//! keep their bytes.

use std::ops::Range;

use semver::Version;
use serde_json::json;

use super::super::changes::{Entry, Group};
use super::NAME;
use crate::input::values::Date;
use crate::output::Result;
use crate::runtime::engine;
use crate::text::{after, heading, title};

/// Titles of changelogs.
const TITLES: [&str; 3] = ["changelog", "change log", "changes"];
/// Groups of the changelogs that release-please and changesets write.
const FOREIGN: [&str; 6] = [
    "features",
    "bug fixes",
    "breaking changes",
    "major changes",
    "minor changes",
    "patch changes",
];

const MARKERS: [&str; 3] = ["- ", "* ", "+ "];

pub(super) struct File {
    /// Each line with its end.
    lines: Vec<String>,
    /// The line ending of new lines.
    end: &'static str,
}

/// A heading.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heading<'a> {
    pub(super) at: usize,
    pub(super) level: usize,
    pub(super) text: &'a str,
}

/// The section of a release.
#[derive(Debug, Clone)]
pub(super) struct Section {
    /// The lines of its heading and content, without the link definitions at the end of the file.
    pub(super) span: Range<usize>,
    /// Its first line below the heading.
    pub(super) body: usize,
    /// The subject of the section.
    pub(super) of: Of,
}

/// The text of a list item that begins its line.
pub(super) fn item(line: &str) -> Option<&str> {
    MARKERS.iter().find_map(|mark| line.strip_prefix(mark))
}

impl File {
    /// Parses a changelog; an empty text gives a new one.
    pub(super) fn read(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            let new = engine::render_page(NAME, "assets/template.head.tera", &json!({}))?;
            return Self::read(&new);
        }
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Ok(Self { lines: text.split_inclusive('\n').map(str::to_owned).collect(), end })
    }

    pub(super) fn into_text(self) -> String {
        self.lines.concat()
    }

    /// Each line, without its line ending and without a byte order mark.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.lines.iter().map(|line| line.trim_start_matches('\u{feff}').trim_end())
    }

    /// Inserts lines before the line at an index.
    pub(super) fn put(&mut self, at: usize, lines: Vec<String>) {
        if at == self.lines.len()
            && let Some(last) = self.lines.last_mut().filter(|last| !last.ends_with('\n'))
        {
            last.push_str(self.end);
        }
        let ended = lines.into_iter().map(|line| line + self.end);
        self.lines.splice(at..at, ended);
    }

    /// Replaces the text of a line; its line ending is kept.
    pub(super) fn replace(&mut self, at: usize, text: &str) {
        if let Some(line) = self.lines.get_mut(at) {
            let end = line.len() - line.trim_end_matches(['\r', '\n']).len();
            *line = format!("{text}{}", &line[line.len() - end..]);
        }
    }

    /// The headings outside of code and comments.
    pub(super) fn headings(&self) -> Vec<Heading<'_>> {
        let (mut is_fenced, mut is_comment) = (false, false);
        let mut headings = Vec::new();
        for (at, line) in self.lines().enumerate() {
            let was_comment = is_comment;
            is_comment = (is_comment || line.starts_with("<!--")) && !line.contains("-->");
            is_fenced ^= !was_comment && line.trim_start().starts_with("```");
            let is_plain = !is_fenced && !was_comment && !is_comment;
            let heading = heading(line).filter(|_| is_plain);
            headings.extend(heading.map(|(level, text)| Heading { at, level, text }));
        }
        headings
    }

    /// The index of the link definitions at the end: after the last line of another kind.
    pub(super) fn body_end(&self) -> usize {
        let is_other = |line: &str| !line.is_empty() && link(line).is_none();
        self.lines().rposition(is_other).map_or(0, |last| last + 1)
    }

    /// The sections, in their order.
    pub(super) fn sections(&self) -> Vec<Section> {
        let mut headings = self.headings();
        headings.retain(|heading| heading.level <= 2);
        let ends = headings.iter().skip(1).map(|heading| heading.at).chain([self.body_end()]);
        let releases = headings.iter().zip(ends).filter(|(heading, _)| heading.level == 2);
        releases
            .map(|(heading, end)| Section {
                span: heading.at..end.max(heading.at + 1),
                body: heading.at + 1,
                of: Of::heading(heading.text),
            })
            .collect()
    }

    /// The headings of the groups in a section.
    pub(super) fn groups(&self, section: &Section) -> Vec<Heading<'_>> {
        let mut all = self.headings();
        all.retain(|heading| heading.level == 3 && section.span.contains(&heading.at));
        all
    }

    /// The section that is not released.
    pub(super) fn pending(&self) -> Option<Section> {
        self.sections().into_iter().find(|section| section.of == Of::Unreleased)
    }

    /// Why it is not a changelog in the form of Keep a Changelog; `None` if it is, as a new one is.
    pub(super) fn misfit(&self) -> Option<String> {
        let headings = self.headings();
        let sections = self.sections();
        let releases = sections.iter().filter(|section| section.of != Of::Other).count();
        let is_title =
            |heading: &&Heading<'_>| heading.level == 1 && after(heading.text, &TITLES).is_some();
        if !headings.first().as_ref().is_some_and(is_title) {
            let first = headings.first().map_or("", |heading| heading.text);
            return Some(format!("it has no title `# Changelog` but {:?}", title(first)));
        }
        let is_foreign = |heading: &&Heading<'_>| {
            let name = heading.text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
            heading.level == 3 && FOREIGN.contains(&name.as_str())
        };
        if let Some(foreign) = headings.iter().find(is_foreign) {
            return Some(format!("{:?} is a heading of another tool", foreign.text));
        }
        let is_plain = headings.iter().all(|heading| heading.level != 3)
            && sections
                .iter()
                .any(|section| section.of != Of::Other && !self.items(section).is_empty());
        if is_plain {
            return Some("its entries are below no headings such as `### Added`".to_owned());
        }
        (releases == 0 && !sections.is_empty())
            .then(|| "none of its sections names a version or Unreleased".to_owned())
    }

    pub(super) fn latest(&self) -> Option<Version> {
        self.sections().iter().filter_map(|section| section.of.version()).max()
    }

    pub(super) fn has(&self, version: &Version) -> bool {
        self.sections().iter().any(|section| section.of.version().as_ref() == Some(version))
    }

    /// Whether its versions are in brackets, which link definitions make links; those of a new file are.
    pub(super) fn is_linked(&self) -> bool {
        let mut all = self.headings().into_iter().filter(|heading| heading.level == 2);
        let first = all.find(|heading| matches!(Of::heading(heading.text), Of::Version(_)));
        first.is_none_or(|heading| heading.text.starts_with('['))
    }

    /// The marker of list items: that of the last item before a line, else of the first item.
    pub(super) fn marker(&self, before: usize) -> &'static str {
        let marker = |line: &str| MARKERS.into_iter().find(|mark| line.starts_with(mark));
        let near = self.lines().take(before).filter_map(marker).next_back();
        near.or_else(|| self.lines().find_map(marker)).unwrap_or("- ")
    }

    /// Whether there are unreleased items, with or without a heading.
    pub(super) fn has_pending(&self) -> bool {
        self.pending().is_some_and(|section| !self.items(&section).is_empty())
    }

    pub(super) fn unreleased(&self) -> Vec<Entry> {
        self.pending().map(|section| self.entries(&section)).unwrap_or_default()
    }

    /// The entries of a section; those under an unknown heading are left out.
    pub(super) fn entries(&self, section: &Section) -> Vec<Entry> {
        let items = self.items(section).into_iter();
        let entry = |(name, item): (Option<&str>, String)| {
            Some(Entry::read(Group::named(name?.trim())?, &item))
        };
        items.filter_map(entry).collect()
    }

    /// The items of a section, each with the heading of its group.
    pub(super) fn items(&self, section: &Section) -> Vec<(Option<&str>, String)> {
        let groups = self.groups(section);
        let mut name = None;
        let mut items: Vec<(Option<&str>, String)> = Vec::new();
        let lines = self.lines().enumerate().take(section.span.end).skip(section.body);
        for (at, line) in lines {
            if let Some(heading) = groups.iter().find(|heading| heading.at == at) {
                name = Some(heading.text);
            } else if let Some(text) = item(line) {
                items.push((name, text.trim().to_owned()));
            } else if let (Some((_, item)), false) = (items.last_mut(), line.trim().is_empty()) {
                item.push(' ');
                item.push_str(line.trim());
            }
        }
        items
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Of {
    Unreleased,
    /// A version, as written.
    Version(String),
    /// Anything else, such as notes, or a version in another form than Keep a Changelog's.
    Other,
}

impl Of {
    /// What a heading is of; its text is given: `[Unreleased]`, `[1.2.0] - 2026-01-31`, `1.2.0`.
    pub(super) fn heading(text: &str) -> Self {
        let (name, day) = text.split_once(" - ").unwrap_or((text, ""));
        let name = name.trim();
        let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let is_day = day.is_empty() || day.starts_with(|c: char| c.is_ascii_digit());
        if inner.eq_ignore_ascii_case("unreleased") && day.is_empty() {
            Self::Unreleased
        } else if is_day && version(inner).is_some() {
            Self::Version(inner.to_owned())
        } else {
            Self::Other
        }
    }

    pub(super) fn version(&self) -> Option<Version> {
        let Self::Version(label) = self else { return None };
        version(label)
    }

    /// The label of the section's link.
    pub(super) fn label(&self) -> Option<&str> {
        match self {
            Self::Unreleased => Some("unreleased"),
            Self::Version(label) => Some(label),
            Self::Other => None,
        }
    }
}

fn version(label: &str) -> Option<Version> {
    Version::parse(label.trim_start_matches('v')).ok()
}

/// What is wrong with the day of a version's heading.
pub(super) fn wrong_day(text: &str) -> Option<String> {
    let Some((_, day)) = text.split_once(" - ") else {
        return Some("is missing: add ` - 2026-01-31`".to_owned());
    };
    let day = day.split(' ').next().unwrap_or_default();
    Date::new(day).err().map(|wanted| format!("is {day:?}, but must be {wanted}"))
}

/// A link definition's label and URL.
pub(super) fn link(line: &str) -> Option<(&str, &str)> {
    let (label, address) = line.strip_prefix('[')?.split_once("]:")?;
    Some((label, address.trim()))
}

/// The URLs of a forge's pages for comparisons and tags.
pub(super) struct Addresses {
    url: String,
    compare: &'static str,
    tag: &'static str,
    /// Prefix of the version in tags.
    prefix: &'static str,
}

impl Addresses {
    /// The URLs below `url`; existing links show how tags are written.
    pub(super) fn of<'a>(url: &str, lines: impl Iterator<Item = &'a str>) -> Self {
        let is_gitlab = url.contains("gitlab");
        let compare = if is_gitlab { "/-/compare/" } else { "/compare/" };
        let tag = if is_gitlab { "/-/tags/" } else { "/releases/tag/" };
        let mut ranges = lines.filter_map(|line| Some(link(line)?.1.split_once("/compare/")?.1));
        let is_bare = ranges.any(|range| !range.starts_with('v'));
        Self { url: url.to_owned(), compare, tag, prefix: if is_bare { "" } else { "v" } }
    }

    /// The URL of the changes of a version, or of unreleased changes, since the older version.
    pub(super) fn between(
        &self,
        older: Option<&Version>,
        newer: Option<&Version>,
    ) -> Option<String> {
        let Self { url, compare, tag, prefix } = self;
        let to = newer.map(|version| format!("{prefix}{version}"));
        let Some(older) = older else { return Some(format!("{url}{tag}{}", to?)) };
        let to = to.as_deref().unwrap_or("HEAD");
        Some(format!("{url}{compare}{prefix}{older}...{to}"))
    }
}

/// The URL of the repository in the compare links among lines.
pub(super) fn repository<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<String> {
    lines.find_map(|line| {
        let (url, _) = link(line)?.1.split_once("/compare/")?;
        Some(url.trim_end_matches("/-").to_owned())
    })
}
