//! The width of the output, and texts that fit into it. Widths are terminal columns: a wide character takes two.

use std::fmt::Write as _;
use std::io;

use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Width if neither a terminal nor `COLUMNS` provides one.
const USUAL: usize = 80;
/// Smallest and largest width for which texts are laid out, in columns.
const NARROWEST: usize = 40;
const WIDEST: usize = 400;

/// The size of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Width in columns.
    pub(super) width: usize,
    /// Height in lines; `None` if the output is not a terminal.
    pub(super) height: Option<usize>,
}

impl Size {
    /// The size of standard output: the terminal's, else that of `COLUMNS`.
    pub(super) fn of_output() -> Self {
        let lines = terminal_size_of(io::stdout()).map(|(_, Height(lines))| usize::from(lines));
        let width = Self::known_width().unwrap_or(USUAL);
        Self { width, height: lines.filter(|lines| *lines > 0) }
    }

    /// The width of standard output, if the terminal or `COLUMNS` provides it.
    pub(super) fn known_width() -> Option<usize> {
        let width = match terminal_size_of(io::stdout()) {
            Some((Width(width), _)) => Some(usize::from(width)),
            None => std::env::var("COLUMNS").ok()?.parse().ok(),
        };
        width.filter(|width| *width > 0).map(|width| width.clamp(NARROWEST, WIDEST))
    }
}

/// A table of names with their descriptions, below a title; wrapped if there is a width.
pub(super) fn table<'a>(
    title: &str,
    rows: impl Iterator<Item = (&'a str, String)>,
    width: Option<usize>,
) -> String {
    let rows: Vec<(&str, String)> = rows.collect();
    let names = rows.iter().map(|(name, _)| name.width()).max().unwrap_or_default();
    let mut out = format!("{title}\n");
    for (name, text) in rows {
        let text = wrapped(&text, names + 4, width.unwrap_or(usize::MAX));
        let _ = writeln!(out, "  {} {text}", fit(name, names + 1));
    }
    out
}

/// A text with exactly this width: padded with spaces, or truncated with an ellipsis.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let mut fitted = cut(text, columns);
    let missing = columns.saturating_sub(fitted.width());
    fitted.extend(std::iter::repeat_n(' ', missing));
    fitted
}

/// A text with at most this width, truncated with an ellipsis.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.chars().take_while(|c| {
        used += c.width().unwrap_or_default();
        used <= columns
    });
    let mut kept: String = kept.collect();
    kept.truncate(kept.trim_end().len());
    if columns > 0 {
        kept.push('…');
    }
    kept
}

/// A text without the sequences of its colours.
pub(super) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// A text wrapped at its spaces, with each line but the first indented; the first also begins at column `indent`, after
/// existing text.
pub(super) fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = indent;
    for word in text.split(' ') {
        if column > indent && column + 1 + word.width() > width {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if column > indent {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.width();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_takes_the_columns_that_it_is_given() {
        assert_eq!(fit("ab", 4), "ab  ");
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("日本語", 4), "日… ");
        assert_eq!(cut("a bcd", 3), "a…");
        assert_eq!(cut("abc", 0), "");
        for columns in 0..9 {
            assert_eq!(fit("日本 é語x", columns).width(), columns);
        }
    }

    #[test]
    fn a_text_is_broken_at_its_spaces() {
        assert_eq!(wrapped("one two three", 2, 9), "one two\n  three");
        assert_eq!(wrapped("unbreakable x", 2, 5), "unbreakable\n  x");
    }
}
