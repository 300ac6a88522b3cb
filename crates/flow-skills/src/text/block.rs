//! Text of the user's of several lines as Markdown: paragraphs, lists, quotes, tables and fenced code stay.

use super::fence::Fence;
use super::md::escape;
use super::prose::prose;
use super::{heading, item, table};

/// The text of a section whose heading has a level: deeper headings stay, others become text.
pub(crate) fn below(level: usize, text: &str) -> String {
    let mut fence = Fence::default();
    text.lines().for_each(|line| _ = fence.holds(line));
    // A block that is not closed would take the rest of the document along.
    let are_closed = !fence.is_open();
    let mut writer = Writer { level, lines: Vec::new(), is_list: false, is_table: false };
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if are_closed && fence.holds(line) {
            writer.lines.push(line.to_owned());
        } else {
            writer.write(line, lines.peek().copied());
        }
    }
    writer.lines.join("\n")
}

struct Writer {
    level: usize,
    lines: Vec<String>,
    /// Whether an indented line continues an item.
    is_list: bool,
    is_table: bool,
}

impl Writer {
    fn write(&mut self, line: &str, next: Option<&str>) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.is_table = false;
            return self.blank();
        }
        let is_below_heading = self.lines.last().is_some_and(|last| self.is_heading(last));
        if is_below_heading {
            self.blank();
        }
        self.is_table = table::is_row(trimmed)
            && (self.is_table || next.is_some_and(|next| is_rule(next.trim())));
        if is_comment(trimmed) || self.is_table && is_rule(trimmed) {
            return self.lines.push(trimmed.to_owned());
        }
        if self.is_table {
            let cells = table::cells(trimmed);
            let cells = cells.iter().map(|cell| escape(cell)).collect::<Vec<_>>();
            return self.lines.push(format!("| {} |", cells.join(" | ")));
        }
        if let Some((level, name)) = heading(trimmed).filter(|(level, _)| *level > self.level) {
            self.blank();
            self.is_list = false;
            return self.lines.push(format!("{} {}", "#".repeat(level), prose(name)));
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let written = if let Some(quoted) = trimmed.strip_prefix("> ") {
            format!("> {}", prose(quoted))
        } else if let Some(item) = item(trimmed) {
            self.is_list = true;
            format!("{indent}{}{}", marker(trimmed), prose(item))
        } else {
            self.is_list &= !indent.is_empty();
            let indent = if self.is_list { indent } else { "" };
            format!("{indent}{}", prose(trimmed))
        };
        self.lines.push(written);
    }

    fn is_heading(&self, line: &str) -> bool {
        heading(line).is_some_and(|(level, _)| level > self.level)
    }

    /// One empty line, unless there is one.
    fn blank(&mut self) {
        if self.lines.last().is_some_and(|last| !last.is_empty()) {
            self.lines.push(String::new());
        }
    }
}

/// The marker of an item of a list.
fn marker(item: &str) -> String {
    let number = item.split(['.', ')']).next().and_then(|text| text.parse::<u32>().ok());
    let task = ["- [ ] ", "- [x] ", "- [X] "].into_iter().find(|task| item.starts_with(task));
    number.map_or_else(|| task.unwrap_or("- ").to_owned(), |number| format!("{number}. "))
}

/// Whether a line is a comment and nothing else.
fn is_comment(line: &str) -> bool {
    let inner = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    inner.is_some_and(|inner| !inner.contains("--") && !inner.contains('>'))
}

fn is_rule(line: &str) -> bool {
    table::is_row(line) && table::is_rule(&table::cells(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_text_stay() {
        let text = "Sizes:\n\n| a_b | c |\n| --- | :-: |\n| <x> | `d \\| e` |\n\n1. one\n   of it\n2. two\n- three\n\n\
            > a [long link](https://example.org) > b\n<!-- a note -->\n\n```sh\n# <no> heading\n```\n### Below\nend";
        let written = "Sizes:\n\n| a_b | c |\n| --- | :-: |\n| \\<x> | `d \\| e` |\n\n1. one\n   of it\n2. two\n- three\n\n\
            > a [long link](https://example.org) > b\n<!-- a note -->\n\n```sh\n# <no> heading\n```\n\n### Below\n\nend";
        assert_eq!(below(2, text), written);
        assert_eq!(below(2, &super::super::unescape(written)), written, "it reads back");
    }

    #[test]
    fn a_heading_that_would_end_the_section_is_text() {
        assert_eq!(below(2, "a\n## b\nc"), "a\n\\## b\nc");
        assert_eq!(below(6, "### b"), "\\### b");
        assert_eq!(below(6, "\n\n\na\n\n\nb"), "a\n\nb");
        assert_eq!(below(6, "| a | b"), "\\| a \\| b");
    }
}
