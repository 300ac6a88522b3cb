//! The lines of a notation, and the error of a line that does not fit.

use crate::output::Fault;

/// Longest part that an error shows, in characters.
pub(super) const SHOWN: usize = 80;

/// Why a text does not fit its notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The line, from 1.
    pub line: usize,
    /// The part that does not fit.
    pub part: String,
    /// The fault of the part.
    pub why: String,
    /// The form, with the user's own words if possible.
    pub example: String,
}

impl Misfit {
    /// The part of a line that does not fit, and the form.
    pub fn new(line: usize, part: &str, why: impl Into<String>, example: &str) -> Self {
        Self { line, part: part.to_owned(), why: why.into(), example: example.to_owned() }
    }

    /// The error of the field `field`.
    pub fn fault(self, field: &str) -> Fault {
        let Self { line, part, why, example } = self;
        let cut = part.char_indices().nth(SHOWN).map(|(at, _)| at);
        let part = cut.map_or(part.clone(), |at| format!("{}…", &part[..at]));
        Fault::Notation { field: field.to_owned(), line, part, why, example }
    }
}

/// The lines that are neither empty nor comments (`#`), each with its number from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    numbered(text).map(|(number, line)| (number, line.trim()))
}

/// The same lines with their indentation.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    numbered.filter(|(_, line)| !matches!(line.trim_start().chars().next(), None | Some('#')))
}
