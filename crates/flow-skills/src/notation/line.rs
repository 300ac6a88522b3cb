//! The lines of a notation, and the error of a line that does not fit.

use crate::output::Fault;
pub use crate::output::Misfit;

/// Longest part that an error shows, in characters.
pub(super) const SHOWN: usize = 80;

impl Misfit {
    /// The part of a line that does not fit, and the form.
    pub fn new(line: usize, part: &str, why: impl Into<String>, example: &str) -> Self {
        Self { line, part: part.to_owned(), why: why.into(), example: example.to_owned() }
    }

    /// The error of the field `field`.
    pub fn fault(self, field: &str) -> Fault {
        let cut = self.part.char_indices().nth(SHOWN).map(|(at, _)| at);
        let part = cut.map_or(self.part.clone(), |at| format!("{}…", &self.part[..at]));
        Fault::Notation { field: field.to_owned(), misfit: Self { part, ..self } }
    }
}

/// The lines that are neither empty nor comments (`#`, but not the number of an issue as in `#12`), each with its number from 1.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    numbered(text).map(|(number, line)| (number, line.trim()))
}

/// The same lines with their indentation.
pub(super) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let numbered = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    numbered.filter(|(_, line)| !line.trim().is_empty() && !is_comment(line.trim_start()))
}

/// Whether a line is a comment. Only the number of an issue is told apart: `#KEY=value` and `#User(id)` are lines that were
/// taken out.
fn is_comment(line: &str) -> bool {
    line.strip_prefix('#').is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a slash begins a pattern rather than a path.
fn is_pattern(text: &str, at: usize) -> bool {
    text.get(..at).is_some_and(|before| before.trim_end().ends_with("pattern"))
}

/// Whether what follows `<` shows that it opens no type.
fn is_operand(c: char) -> bool {
    matches!(c, '-' | '=' | ' ' | '0'..='9')
}

/// The parts of a text between separators that are outside of brackets, quotes and slashes.
pub fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut quote = None;
    let mut start = 0;
    let mut before = ' ';
    // A brace that is not closed is a character.
    let last_close = text.rfind('}');
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if open == c && before != '\\' => quote = None,
            // An apostrophe inside a word does not open a quote.
            None if matches!(c, '"' | '\'') && !before.is_alphanumeric() => quote = Some(c),
            None if c == '/' && before == ' ' && is_pattern(text, at) => quote = Some(c),
            // An arrow and a comparison are no brackets.
            None if c == '<' && text[at + 1..].starts_with(is_operand)
                || c == '>' && before == '-' => {}
            None if matches!(c, '(' | '<' | '[') || c == '{' && Some(at) < last_close => depth += 1,
            None if matches!(c, ')' | '>' | ']' | '}') => depth = depth.saturating_sub(1),
            None if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
        before = c;
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}
