//! The one reader of Markdown documents: headings with the lines below them, list items and rows of tables, outside of code.

use super::section::Section;
use crate::text::fence::Fence;
use crate::text::{after, heading, item, plain, table};

/// A document, divided at its headings.
#[derive(Debug)]
pub(crate) struct Document<'a> {
    /// The text before the first heading, which has level 0, and a part for each heading.
    pub(crate) parts: Vec<Part<'a>>,
}

/// A heading and the lines below it, up to the next heading of any level.
#[derive(Debug, Default)]
pub(crate) struct Part<'a> {
    /// The line of the heading, from 1.
    pub(crate) number: usize,
    /// Its level; 0 before the first heading.
    pub(crate) level: usize,
    pub(crate) name: &'a str,
    pub(crate) lines: Vec<Line<'a>>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    /// Whether it is in a block of code or in a comment, or begins or ends a block.
    pub(crate) is_code: bool,
}

impl<'a> Document<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let mut parts = vec![Part::default()];
        for line in lines(text) {
            let headed = heading(line.text.trim()).filter(|_| !line.is_code);
            match (headed, parts.last_mut()) {
                (Some((level, name)), _) => {
                    parts.push(Part { number: line.number, level, name, lines: Vec::new() });
                }
                (None, Some(part)) => part.lines.push(line),
                (None, None) => {}
            }
        }
        Self { parts }
    }

    /// The heading of level 1, with the lines below it.
    pub(crate) fn title(&self) -> Option<&Part<'a>> {
        self.parts.iter().find(|part| part.level == 1)
    }

    pub(crate) fn part(&self, section: &Section) -> Option<&Part<'a>> {
        self.parts.iter().find(|part| section.is_named(part.name))
    }

    /// The lines outside of code that begin with a label, each with the text behind it.
    pub(crate) fn labelled(&self, label: &str) -> impl Iterator<Item = (usize, &'a str)> {
        self.lines().filter_map(move |line| Some((line.number, after(line.text.trim(), &[label])?)))
    }

    /// The texts of headings and of lines outside of code, each with its line.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.parts.iter().flat_map(|part| {
            let lines = part.prose().map(|line| (line.number, line.text));
            std::iter::once((part.number, part.name)).chain(lines)
        })
    }

    /// The lines that are neither headings nor code.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        self.parts.iter().flat_map(Part::prose)
    }
}

impl<'a> Part<'a> {
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.text.trim().is_empty())
    }

    /// Its first line outside of code that has a text.
    pub(crate) fn first(&self) -> Option<Line<'a>> {
        self.prose().find(|line| !line.text.trim().is_empty())
    }

    /// Its lines outside of code.
    pub(crate) fn prose(&self) -> impl Iterator<Item = Line<'a>> {
        self.lines.iter().copied().filter(|line| !line.is_code)
    }

    /// The lines that are items of lists, each with the text of the item.
    pub(crate) fn items(&self) -> impl Iterator<Item = (Line<'a>, &'a str)> {
        self.prose().filter_map(|line| Some((line, item(line.text)?)))
    }

    /// The cells of its tables below their headers, without Markdown's escapes.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, Vec<String>)> {
        let rows = self.prose().filter(|line| table::is_row(line.text.trim()));
        let cells = rows.map(|line| (line.number, table::cells(line.text)));
        let cells = cells.filter(|(_, cells)| !table::is_rule(cells));
        cells.map(|(number, cells)| (number, cells.iter().map(|cell| plain(cell)).collect()))
    }
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let (mut fence, mut is_comment) = (Fence::default(), false);
    text.trim_start_matches('\u{feff}').lines().enumerate().map(move |(at, text)| {
        let is_code = is_comment || fence.holds(text);
        let begins = !is_code && text.starts_with("<!--");
        is_comment = (is_comment || begins) && !text.contains("-->");
        Line { number: at + 1, text, is_code }
    })
}

/// The lines outside of code, each with its number from 1.
pub(crate) fn outside_fences(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(text).filter(|line| !line.is_code).map(|line| (line.number, line.text))
}
