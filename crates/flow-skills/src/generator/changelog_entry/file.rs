//! A changelog as the lines of its file: its releases and their entries. Unchanged lines keep their bytes.

use std::ops::Range;

use semver::Version;
use serde_json::json;

use super::super::changes::{Entry, Group};
use super::NAME;
use super::heading::{Of, is_pending, of, worded};
use super::links::link;
use super::style::{Day, Label, Style};
use crate::output::Result;
use crate::runtime::engine;
use crate::text::{heading, title};

/// Titles of changelogs, in lower case.
const TITLES: [&str; 4] = ["changelog", "change log", "changes", "release notes"];
/// Text that may follow such a title, as in `Changelog of Shop`.
const AFTER_TITLE: [&str; 7] = [" for ", " of ", " - ", " – ", ": ", ":", " ("];

const MARKERS: [&str; 3] = ["- ", "* ", "+ "];

pub(super) struct File {
    /// Each line with its end.
    lines: Vec<String>,
    /// The line ending of new lines.
    end: &'static str,
}

/// A heading, `## Text` or a text that is underlined.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heading<'a> {
    pub(super) at: usize,
    pub(super) level: usize,
    pub(super) text: &'a str,
    is_underlined: bool,
}

impl Heading<'_> {
    /// The line behind it.
    pub(super) const fn end(&self) -> usize {
        if self.is_underlined { self.at + 2 } else { self.at + 1 }
    }
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

/// The level of a heading from the line below it.
fn underline(line: &str) -> Option<usize> {
    let is_all = |mark| line.len() >= 3 && line.chars().all(|c| c == mark);
    if is_all('=') { Some(1) } else { is_all('-').then_some(2) }
}

/// Whether a title is that of a changelog. A title that only contains the word is not.
fn is_title(title: &str) -> bool {
    let title = title.trim().to_lowercase();
    let mut rests = TITLES.iter().filter_map(|word| title.strip_prefix(word));
    rests.any(|rest| rest.is_empty() || AFTER_TITLE.iter().any(|after| rest.starts_with(after)))
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
        let (mut is_fenced, mut is_comment, mut is_below_text) = (false, false, false);
        let mut found = Vec::new();
        let mut lines = self.lines().enumerate().peekable();
        while let Some((at, line)) = lines.next() {
            let was_comment = is_comment;
            is_comment = (is_comment || line.starts_with("<!--")) && !line.contains("-->");
            is_fenced ^= !was_comment && line.trim_start().starts_with("```");
            let is_plain = !is_fenced && !was_comment && !is_comment;
            let below = lines.peek().and_then(|(_, below)| underline(below));
            let is_text = line.starts_with(|c: char| c.is_alphanumeric() || c == '[');
            if let Some((level, text)) = heading(line).filter(|_| is_plain) {
                found.push(Heading { at, level, text, is_underlined: false });
            } else if let Some(level) = below.filter(|_| is_plain && is_text && !is_below_text) {
                found.push(Heading { at, level, text: line, is_underlined: true });
            }
            is_below_text = !line.is_empty();
        }
        found
    }

    /// The index of the link definitions at the end: after the last line of another kind.
    pub(super) fn body_end(&self) -> usize {
        let is_other = |line: &str| !line.is_empty() && link(line).is_none();
        self.lines().rposition(is_other).map_or(0, |last| last + 1)
    }

    /// The headings, and the level of those of releases: 1 where no release has a heading of level 2. Tools write major
    /// releases with level 1 and others with 2.
    fn leveled(&self) -> (Vec<Heading<'_>>, usize) {
        let headings = self.headings();
        let has = |wanted| {
            let mut own = headings.iter().filter(|heading| heading.level == wanted);
            own.any(|heading| of(heading.text) != Of::Other)
        };
        let level = if has(1) && !has(2) { 1 } else { 2 };
        (headings, level)
    }

    /// The sections, in their order.
    pub(super) fn sections(&self) -> Vec<Section> {
        let (mut headings, level) = self.leveled();
        headings.retain(|heading| heading.level <= level);
        let end = self.body_end();
        let ends = headings.iter().skip(1).map(|heading| heading.at).chain([end]);
        let is_title = |(at, heading): (usize, &Heading<'_>)| {
            of(heading.text) == Of::Other && (heading.level < level || level == 1 && at == 0)
        };
        let own = headings.iter().enumerate().zip(ends);
        own.filter(|(numbered, _)| !is_title(*numbered))
            .map(|((_, heading), end)| Section {
                span: heading.at..end.max(heading.end()),
                body: heading.end(),
                of: of(heading.text),
            })
            .collect()
    }

    /// The headings of the groups in a section.
    pub(super) fn groups(&self, section: &Section) -> Vec<Heading<'_>> {
        let (mut all, level) = self.leveled();
        all.retain(|heading| heading.level == level + 1 && section.span.contains(&heading.at));
        all
    }

    /// The heading of a new group: its text is what the file calls the group elsewhere, else what the tool of its other
    /// groups calls it.
    pub(super) fn group(&self, group: Group) -> String {
        let (mut all, level) = self.leveled();
        all.retain(|heading| heading.level == level + 1);
        let own = all.iter().find(|heading| Group::of_heading(heading.text) == Some(group));
        let has = |name: &str| all.iter().any(|heading| heading.text.trim() == name);
        let usual = match group {
            Group::Added if has("Bug Fixes") => "Features",
            Group::Fixed if has("Features") => "Bug Fixes",
            _ => group.name(),
        };
        format!("{} {}", "#".repeat(level + 1), own.map_or(usual, |heading| heading.text))
    }

    /// The section that is not released: by its name, else the first one whose heading says so behind its version.
    pub(super) fn pending(&self) -> Option<Section> {
        let sections = self.sections();
        let named = sections.iter().find(|section| section.of == Of::Unreleased);
        let first = sections.first().filter(|section| {
            let heading = self.lines().nth(section.span.start).unwrap_or_default();
            heading.rsplit(['-', '–', '—', '(']).next().is_some_and(is_pending)
        });
        named.or(first).cloned()
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
        let first = headings.first();
        let titled = first.filter(|heading| heading.level == 1 && of(heading.text) == Of::Other);
        let Some(Heading { text: name, .. }) = titled else {
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

    pub(super) fn latest(&self) -> Option<Version> {
        self.sections().iter().filter_map(|section| section.of.version()).max()
    }

    pub(super) fn has(&self, version: &Version) -> bool {
        self.sections().iter().any(|section| section.of.version().as_ref() == Some(version))
    }

    /// The style of the headings of versions, from the first one.
    pub(super) fn style(&self) -> Style {
        let (all, level) = self.leveled();
        let is_release = |heading: &&Heading<'_>| {
            heading.level <= level && matches!(of(heading.text), Of::Version(_))
        };
        let Some(Heading { text, is_underlined, .. }) = all.iter().find(is_release) else {
            return Style::default();
        };
        let (word, text) = worded(text);
        Style {
            level,
            word,
            is_underlined: *is_underlined,
            label: match text.strip_prefix('[') {
                Some(rest) if rest.contains("](") => Label::Linked,
                Some(_) => Label::Defined,
                None => Label::Plain,
            },
            prefix: if text.trim_start_matches('[').starts_with('v') { "v" } else { "" },
            day: match text.split_once(' ') {
                None => Day::Absent,
                Some((_, rest)) if rest.starts_with('(') && rest.ends_with(')') => Day::Parentheses,
                Some(_) => Day::Dashed,
            },
        }
    }

    /// The marker of list items: that of the last item before a line, else of the first item.
    pub(super) fn marker(&self, before: usize) -> &'static str {
        let marker = |line: &str| MARKERS.into_iter().find(|mark| line.starts_with(mark));
        let near = self.lines().take(before).filter_map(marker).next_back();
        near.or_else(|| self.lines().find_map(marker)).unwrap_or("- ")
    }

    /// Whether its entries begin in lower case: most of those that begin with a letter, after their scope.
    pub(super) fn is_lower(&self) -> bool {
        let first = |item| Entry::read(Group::Changed, item).text.chars().next();
        let firsts = self.lines().filter_map(item).filter_map(first);
        let firsts: Vec<char> = firsts.filter(|c| c.is_alphabetic()).collect();
        let lower = firsts.iter().filter(|first| first.is_lowercase()).count();
        2 * lower > firsts.len()
    }

    /// Whether its releases are plain lists, without headings of groups.
    pub(super) fn is_plain(&self) -> bool {
        let (all, level) = self.leveled();
        let has_item = |section: &Section| {
            let mut own = self.lines().take(section.span.end).skip(section.body);
            section.of != Of::Other && own.any(|line| item(line).is_some())
        };
        all.iter().all(|heading| heading.level != level + 1) && self.sections().iter().any(has_item)
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
        items.filter_map(|(name, item)| Entry::below(name?, &item)).collect()
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
