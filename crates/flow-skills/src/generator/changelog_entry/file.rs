//! A changelog as the lines of its file: its releases and their entries. Unchanged lines keep their bytes.

use std::ops::Range;

use semver::Version;
use serde_json::json;

use super::super::changes::{Entry, Group};
use super::NAME;
use super::links::link;
use crate::output::Result;
use crate::runtime::engine;
use crate::text::{heading, title};

/// Titles of changelogs, in lower case.
const TITLES: [&str; 4] = ["changelog", "change log", "changes", "release notes"];
/// Text that may follow such a title, as in `Changelog of Shop`.
const AFTER_TITLE: [&str; 7] = [" for ", " of ", " - ", " – ", ": ", ":", " ("];

/// Markers of list items.
pub(super) const MARKERS: [&str; 3] = ["- ", "* ", "+ "];

/// A changelog.
pub(super) struct File {
    /// Each line with its end.
    lines: Vec<String>,
    /// The line ending of new lines.
    end: &'static str,
}

/// A section that begins with `## `, or with `# ` and a version, as some tools write major releases.
#[derive(Debug, Clone)]
pub(super) struct Section {
    /// The lines of its heading and content, without the link definitions at the end of the file.
    pub(super) span: Range<usize>,
    /// The subject of the section.
    pub(super) of: Of,
}

/// The subject of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Of {
    Unreleased,
    /// A version, as written.
    Version(String),
    /// Anything else, such as notes.
    Other,
}

impl Of {
    /// The version.
    pub(super) fn version(&self) -> Option<Version> {
        let Self::Version(label) = self else { return None };
        Version::parse(label.trim_start_matches('v')).ok()
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

/// The style of the headings of versions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub(super) has_brackets: bool,
    /// The prefix of the number.
    pub(super) prefix: &'static str,
    /// Whether the day is in parentheses.
    pub(super) has_parentheses: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self { has_brackets: true, prefix: "", has_parentheses: false }
    }
}

/// The subject of a heading with this text. Some tools write patches in lower case.
pub(super) fn of(heading: &str) -> Of {
    let heading = heading.trim();
    let small = heading.strip_prefix("<small>").and_then(|rest| rest.strip_suffix("</small>"));
    let heading = small.map_or(heading, str::trim);
    let split = match heading.strip_prefix('[') {
        Some(inner) => inner.split_once(']'),
        None => Some(heading.split_at(heading.find(' ').unwrap_or(heading.len()))),
    };
    let Some((word, rest)) = split else { return Of::Other };
    let rest = rest.trim_start();
    let is_date = |c: char| c.is_ascii_digit() || "-–—(/:,[".contains(c);
    let parts = || word.trim_start_matches('v').split('.');
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    if !(rest.is_empty() || rest.starts_with(is_date)) {
        Of::Other
    } else if word.eq_ignore_ascii_case("unreleased") {
        Of::Unreleased
    } else if parts().count() > 1 && parts().all(is_number) {
        Of::Version(word.to_owned())
    } else {
        Of::Other
    }
}

/// Whether a title is that of a changelog. A title that only contains the word is not.
fn is_title(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let mut rests = TITLES.iter().filter_map(|word| title.strip_prefix(word));
    rests.any(|rest| rest.is_empty() || AFTER_TITLE.iter().any(|after| rest.starts_with(after)))
}

impl File {
    /// Parses a changelog; an empty text gives a new one.
    ///
    /// # Errors
    /// When the template of a new changelog cannot be rendered.
    pub(super) fn read(text: &str) -> Result<Self> {
        let new;
        let text = if text.trim().is_empty() {
            new = engine::render_page(NAME, "assets/template.head.tera", &json!({}))?;
            new.as_str()
        } else {
            text
        };
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        Ok(Self { lines: text.split_inclusive('\n').map(str::to_owned).collect(), end })
    }

    /// The text with all edits.
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

    /// The headings outside of code and comments: line, level and text.
    pub(super) fn headings(&self) -> Vec<(usize, usize, &str)> {
        let (mut is_fenced, mut is_comment) = (false, false);
        let mut found = Vec::new();
        for (at, line) in self.lines().enumerate() {
            let was_comment = is_comment;
            is_comment = (is_comment || line.starts_with("<!--")) && !line.contains("-->");
            is_fenced ^= !was_comment && line.trim_start().starts_with("```");
            if let Some((level, text)) =
                heading(line).filter(|_| !is_fenced && !was_comment && !is_comment)
            {
                found.push((at, level, text));
            }
        }
        found
    }

    /// The index of the link definitions at the end: after the last line of another kind.
    pub(super) fn body_end(&self) -> usize {
        let is_other = |line: &str| !line.is_empty() && link(line).is_none();
        self.lines().rposition(is_other).map_or(0, |last| last + 1)
    }

    /// The sections, in their order.
    pub(super) fn sections(&self) -> Vec<Section> {
        let headings: Vec<_> =
            self.headings().into_iter().filter(|(_, level, _)| *level <= 2).collect();
        let end = self.body_end();
        let ends = headings.iter().skip(1).map(|(at, ..)| *at).chain([end]);
        let of_level = headings
            .iter()
            .zip(ends)
            .filter(|((_, level, text), _)| *level == 2 || of(text) != Of::Other);
        of_level
            .map(|((at, _, text), end)| Section { span: *at..end.max(at + 1), of: of(text) })
            .collect()
    }

    /// The headings of level 3 in a section, each with its line.
    pub(super) fn groups(&self, section: &Section) -> Vec<(usize, &str)> {
        let inside = |at: &usize| section.span.contains(at);
        let all = self.headings().into_iter().filter(|(at, level, _)| *level == 3 && inside(at));
        all.map(|(at, _, text)| (at, text)).collect()
    }

    /// Why it cannot be read as a changelog; `None` if it can, as a new one can.
    ///
    /// With a changelog's title it needs a section of a release, or no section; with any other title each section must
    /// be a release. Without a title it must begin with a release, and half of its sections must be releases.
    pub(super) fn misfit(&self) -> Option<String> {
        let headings = self.headings();
        let sections = self.sections();
        let all = sections.len();
        let releases = sections.iter().filter(|section| section.of != Of::Other).count();
        let Some((_, _, name)) =
            headings.first().filter(|(_, level, text)| *level == 1 && of(text) == Of::Other)
        else {
            let begins = sections.first().is_some_and(|section| section.of != Of::Other);
            let fits = begins && 2 * releases >= all;
            return (!fits).then(|| "it has no title `# Changelog`".to_owned());
        };
        let fits = match releases {
            0 => all == 0 && is_title(name),
            _ => releases == all || is_title(name),
        };
        (!fits).then(|| {
            format!(
                "its title is {:?}, and {releases} of its {all} sections name a version or Unreleased",
                title(name)
            )
        })
    }

    /// The newest version.
    pub(super) fn latest(&self) -> Option<Version> {
        self.sections().iter().filter_map(|section| section.of.version()).max()
    }

    /// Whether it has a version.
    pub(super) fn has(&self, version: &Version) -> bool {
        self.sections().iter().any(|section| section.of.version().as_ref() == Some(version))
    }

    /// The style of the headings of versions, from the first one.
    pub(super) fn style(&self) -> Style {
        let sections = self.sections();
        let first = sections.iter().find(|section| matches!(section.of, Of::Version(_)));
        let line = first.and_then(|section| self.lines().nth(section.span.start));
        let Some(text) = line.map(|line| line.trim_start_matches(['#', ' '])) else {
            return Style::default();
        };
        Style {
            has_brackets: text.starts_with('['),
            prefix: if text.trim_start_matches('[').starts_with('v') { "v" } else { "" },
            has_parentheses: text.ends_with(')') && text.contains(" ("),
        }
    }

    /// The marker of list items: that of the last item before a line, else of the first item.
    pub(super) fn marker(&self, before: usize) -> &'static str {
        let marker = |line: &str| MARKERS.into_iter().find(|mark| line.starts_with(mark));
        let near = self.lines().take(before).filter_map(marker).next_back();
        near.or_else(|| self.lines().find_map(marker)).unwrap_or("- ")
    }

    /// The unreleased entries.
    pub(super) fn unreleased(&self) -> Vec<Entry> {
        let sections = self.sections();
        let found = sections.iter().find(|section| section.of == Of::Unreleased);
        found.map(|section| self.entries(section)).unwrap_or_default()
    }

    /// The entries of a section; those under an unknown heading are left out.
    pub(super) fn entries(&self, section: &Section) -> Vec<Entry> {
        let mut group = None;
        let mut items: Vec<(Group, String)> = Vec::new();
        for line in self.lines().take(section.span.end).skip(section.span.start + 1) {
            if let Some(name) = line.strip_prefix("### ") {
                group = Group::named(name.trim());
            } else if let Some(text) = MARKERS.iter().find_map(|mark| line.strip_prefix(mark)) {
                items.extend(group.map(|group| (group, text.trim().to_owned())));
            } else if let (Some(_), Some((_, item)), false) =
                (group, items.last_mut(), line.trim().is_empty())
            {
                item.push(' ');
                item.push_str(line.trim());
            }
        }
        items.iter().map(|(group, item)| Entry::read(*group, item)).collect()
    }
}
