//! A changelog in the form of Keep a Changelog: its sections and their entries. Unchanged lines keep their bytes.

use semver::Version;
use serde_json::json;

use super::super::conventional::Group;
use super::NAME;
use crate::output::Result;
use crate::page::Document;
use crate::runtime::engine;
use crate::text::{after, title};

/// Titles of changelogs.
const TITLES: [&str; 3] = ["changelog", "change log", "changes"];

const MARKERS: [&str; 3] = ["- ", "* ", "+ "];

/// The text of a changelog; it is empty for a section alone.
#[derive(Default)]
pub(super) struct File {
    text: String,
}

/// The section of a release.
#[derive(Debug, Clone)]
pub(super) struct Section {
    /// The text of its heading.
    pub(super) heading: String,
    pub(super) kind: SectionKind,
    /// The lines below its heading, then those below each deeper heading.
    pub(super) parts: Vec<Part>,
}

/// A heading, and the lines up to the next one. Lines are counted from 0.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// The line of the heading.
    pub(super) at: usize,
    /// The line after its last one, without the link definitions at the end of the file.
    pub(super) end: usize,
    /// The heading of a group; `None` for the section itself and for a deeper heading.
    pub(super) name: Option<String>,
    /// The items of its list, each with its line.
    pub(super) items: Vec<(usize, String)>,
}

impl Part {
    pub(super) fn group(&self) -> Option<Group> {
        Group::named(self.name.as_deref()?)
    }
}

impl Section {
    /// The line of its heading.
    pub(super) fn at(&self) -> usize {
        self.parts.first().map_or(0, |part| part.at)
    }

    /// The line after its last one.
    pub(super) fn end(&self) -> usize {
        self.parts.last().map_or(0, |part| part.end)
    }

    pub(super) fn has_items(&self) -> bool {
        self.parts.iter().any(|part| !part.items.is_empty())
    }
}

impl File {
    /// Parses a changelog; an empty text gives a new one.
    pub(super) fn read(text: &str) -> Result<Self> {
        if text.trim().is_empty() {
            let text = engine::render_page(NAME, "assets/template.head.tera", &json!({}))?;
            return Ok(Self { text });
        }
        Ok(Self { text: text.to_owned() })
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Each line, without blanks at its end.
    pub(super) fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.text.lines().map(str::trim_end)
    }

    /// Replaces lines; the others stay as they are.
    pub(super) fn splice(&mut self, lines: std::ops::Range<usize>, new: &[String]) {
        let end = if self.text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut all: Vec<String> = self.text.split_inclusive('\n').map(str::to_owned).collect();
        let from = lines.start.min(all.len());
        if from == all.len()
            && let Some(last) = all.last_mut().filter(|last| !last.ends_with('\n'))
        {
            last.push_str(end);
        }
        let to = lines.end.clamp(from, all.len());
        all.splice(from..to, new.iter().map(|line| format!("{line}{end}")));
        self.text = all.concat();
    }

    /// The line after the last one that is no link definition.
    pub(super) fn body_end(&self) -> usize {
        let is_other = |line: &str| !line.is_empty() && link(line).is_none();
        let lines: Vec<&str> = self.lines().collect();
        lines.iter().rposition(|line| is_other(line)).map_or(0, |last| last + 1)
    }

    /// The sections, in their order.
    pub(super) fn sections(&self) -> Vec<Section> {
        let parts = Document::read(&self.text).parts;
        let ends = parts.iter().skip(1).map(|part| part.number - 1).chain([self.body_end()]);
        let mut sections: Vec<Section> = Vec::new();
        let mut is_in = false;
        for (part, end) in parts.iter().zip(ends).skip(1) {
            is_in = part.level == 2 || is_in && part.level > 2;
            if part.level == 2 {
                let (heading, kind) = (part.name.to_owned(), SectionKind::of_heading(part.name));
                sections.push(Section { heading, kind, parts: Vec::new() });
            }
            let Some(section) = sections.last_mut().filter(|_| is_in) else { continue };
            let at = part.number - 1;
            let mut items: Vec<(usize, String)> = Vec::new();
            for line in part.lines.iter().filter(|line| line.number <= end) {
                if let Some(text) = item(line.text) {
                    items.push((line.number - 1, text.trim().to_owned()));
                } else if let (Some((_, item)), false) =
                    (items.last_mut(), line.text.trim().is_empty())
                {
                    item.push(' ');
                    item.push_str(line.text.trim());
                }
            }
            let name = (part.level == 3).then(|| part.name.to_owned());
            section.parts.push(Part { at, end: end.max(at + 1), name, items });
        }
        sections
    }

    /// The section that is not released.
    pub(super) fn pending(&self) -> Option<Section> {
        self.sections().into_iter().find(|section| section.kind == SectionKind::Unreleased)
    }

    /// The section of a version.
    pub(super) fn release(&self, version: &Version) -> Option<Section> {
        let mut sections = self.sections().into_iter();
        sections.find(|section| section.kind.version().as_ref() == Some(version))
    }

    /// Why it is not a changelog in the form of Keep a Changelog; `None` if it is, as a new one is.
    pub(super) fn misfit(&self) -> Option<String> {
        let document = Document::read(&self.text);
        let first = document.parts.get(1);
        if !first.is_some_and(|part| part.level == 1 && after(part.name, &TITLES).is_some()) {
            let first = title(first.map_or("", |part| part.name));
            return Some(format!("it has no title `# Changelog` but {first:?}"));
        }
        let sections = self.sections();
        let known: Vec<&Section> =
            sections.iter().filter(|section| section.kind != SectionKind::Other).collect();
        if known.is_empty() && !sections.is_empty() {
            let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '+'));
            let number = |section: &&Section| {
                section.heading.split(is_end).any(|word| version(word).is_some())
            };
            return Some(match sections.iter().find(number) {
                Some(section) => format!(
                    "its line {} names a version in another form: `## {}`",
                    section.at() + 1,
                    title(&section.heading)
                ),
                None => "none of its sections names a version or Unreleased".to_owned(),
            });
        }
        let has_groups = || {
            let mut parts = known.iter().flat_map(|section| &section.parts);
            parts.any(|part| part.group().is_some())
        };
        (known.iter().any(|section| section.has_items()) && !has_groups())
            .then(|| format!("its entries are below none of the headings {}", Group::names()))
    }

    pub(super) fn latest(&self) -> Option<Version> {
        self.sections().iter().filter_map(|section| section.kind.version()).max()
    }

    /// Whether its versions are in brackets, which link definitions make links; those of a new file are.
    pub(super) fn is_linked(&self) -> bool {
        let mut versions =
            self.sections().into_iter().filter(|section| section.kind.version().is_some());
        versions.next().is_none_or(|section| section.heading.starts_with('['))
    }

    /// The marker of its list items.
    pub(super) fn marker(&self) -> &'static str {
        let marker = |line: &str| MARKERS.into_iter().find(|mark| line.starts_with(mark));
        self.lines().find_map(marker).unwrap_or("- ")
    }
}

/// The text of a list item that begins its line.
fn item(line: &str) -> Option<&str> {
    MARKERS.iter().find_map(|mark| line.strip_prefix(mark))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SectionKind {
    Unreleased,
    /// A version, as written.
    Version(String),
    /// Anything else, such as notes, or a version in another form than Keep a Changelog's.
    Other,
}

impl SectionKind {
    /// The kind by the text of the heading: `[Unreleased]`, `[1.2.0] - 2026-01-31`, `1.2.0`.
    fn of_heading(text: &str) -> Self {
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

    /// The name of the section.
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

/// A link definition's label and URL.
pub(super) fn link(line: &str) -> Option<(&str, &str)> {
    let (label, address) = line.strip_prefix('[')?.split_once("]:")?;
    Some((label, address.trim()))
}
