//! The body and the footers of a message, formatted so that commitlint's parser reads them as intended.

use super::super::conventional::{Footer, Message};
use crate::output::{Result, bad_text};

/// Longest line, in columns: commitlint's limit.
pub(super) const TOO_LONG: usize = 100;
/// Width of wrapped lines, in columns.
const WRAPPED: usize = 72;

/// The body with long lines wrapped, and an empty line before each line that commitlint's parser takes for the
/// beginning of the footers.
pub(super) fn wrapped(body: &str, notes: &mut Vec<String>) -> Result<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in body.lines() {
        if is_too_long(line) {
            lines.extend(wrap(line)?);
            notes.push(format!("wrapped a line of the body over {TOO_LONG} columns"));
        } else {
            lines.push(line.to_owned());
        }
    }
    if let Some(at) = lines.iter().position(|line| opens_footers(line))
        && lines[..at].last().is_some_and(|before| !before.is_empty())
    {
        let line = &lines[at];
        notes.push(format!("put an empty line before {line:?}, which reads as a footer"));
        lines.insert(at, String::new());
    }
    Ok(lines.join("\n"))
}

/// Whether commitlint refuses a line for its length. It accepts a line of any length that contains a URL.
fn is_too_long(line: &str) -> bool {
    width(line) > TOO_LONG && !line.contains("://")
}

/// Whether a line begins with an issue reference or a breaking change.
fn opens_footers(line: &str) -> bool {
    let start = line.trim_start_matches([' ', '\t', '|', '*']).to_ascii_uppercase();
    let names_issue =
        |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "-_".contains(c));
    start.starts_with("BREAKING CHANGE")
        || start.starts_with("BREAKING-CHANGE")
        || line.split('#').skip(1).any(names_issue)
}

fn wrap(line: &str) -> Result<Vec<String>> {
    let mut lines = vec![String::new()];
    for word in line.split_whitespace() {
        if width(word) > TOO_LONG {
            return Err(bad_text("body", word, "words of at most 100 columns"));
        }
        match lines.last_mut() {
            Some(last) if last.is_empty() => last.push_str(word),
            Some(last) if width(last) + 1 + width(word) <= WRAPPED => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    Ok(lines)
}

/// Sorts the footers: first those that a linter takes for the beginning of the footers, so that they follow an empty
/// line.
pub(super) fn order_footers(message: &mut Message) -> Result<()> {
    let rank = |footer: &Footer| {
        let line = format!("{}: {}", footer.token, footer.value);
        u8::from(!footer.is_breaking()) + u8::from(!opens_footers(&line))
    };
    message.footers.sort_by_key(rank);
    for (at, footer) in message.footers.iter().enumerate() {
        let indent = " ".repeat(footer.token.len() + 2);
        if footer.value.lines().any(|line| is_too_long(&format!("{indent}{line}"))) {
            let wanted = "lines of at most 100 columns with the token";
            return Err(bad_text(&format!("footers[{at}]"), &footer.value, wanted));
        }
    }
    Ok(())
}

/// Columns as linters count them, in UTF-16 units.
pub(super) fn width(text: &str) -> usize {
    text.encode_utf16().count()
}
