//! Lists of changes or debts: one item per line or bullet, each with an optional `type:`, `type(scope):` or `type!:`.

use std::fmt;

use super::line::{Misfit, lines};
use crate::text;

/// An example of the form, for errors and help.
pub(crate) const EXAMPLE: &str = "fixed: a crash on an empty list";

/// Largest number of items.
const MOST: usize = 10_000;
/// The types that a dash may follow in place of a colon.
const HEADINGS: &str = "added changed fixed deprecated removed security";
/// Longest type, in characters.
const LONGEST_TYPE: usize = 24;

/// An item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its line, from 1.
    pub line: usize,
    /// Its type as written, such as `feat` or `Added`.
    pub kind: Option<String>,
    /// The scope in parentheses after the type.
    pub scope: Option<String>,
    /// Whether an exclamation mark precedes the colon.
    pub is_breaking: bool,
    /// Its text.
    pub text: String,
}

/// Whether a text is unambiguously a list: every line is a bullet or has a type.
pub(crate) fn is_unambiguous(text: &str) -> bool {
    // A document has headings, and YAML has indented lines without a bullet.
    let is_other = |line: &str| {
        text::heading(line).is_some() || line.starts_with(' ') && text::item(line).is_none()
    };
    let mut all = lines(text).peekable();
    all.peek().is_some()
        && !text.lines().any(is_other)
        && all.all(|(_, line)| {
            text::item(line).is_some()
                || parts(line)
                    .iter()
                    .all(|part| item(1, part).is_ok_and(|item| item.kind.is_some()))
        })
}

/// Reads a list. Semicolons separate items if a type follows each.
///
/// # Errors
/// When an item has a type but no text, or there are too many.
pub fn read(text: &str) -> Result<Vec<Item>, Misfit> {
    let mut items = Vec::new();
    for (line, text) in lines(text) {
        for part in parts(text::item(text).unwrap_or(text)) {
            let misfit = |why: &str| Misfit::new(line, part, why, EXAMPLE);
            if items.len() == MOST {
                return Err(misfit("is over the limit of 10000 items"));
            }
            items.push(item(line, part).map_err(misfit)?);
        }
    }
    Ok(items)
}

fn parts(line: &str) -> Vec<&str> {
    let parts: Vec<&str> = line.split(';').map(str::trim).filter(|part| !part.is_empty()).collect();
    if parts.len() > 1 && parts.iter().all(|part| head(part).is_some()) {
        parts
    } else {
        vec![line]
    }
}

/// What a text begins with: `type(scope)!: text`.
pub struct Head<'a> {
    /// The type, as written.
    pub kind: &'a str,
    /// The scope in parentheses.
    pub scope: Option<&'a str>,
    /// Whether an exclamation mark precedes the colon.
    pub is_breaking: bool,
    /// The text after the colon.
    pub text: &'a str,
}

/// The head of a text that has one.
pub fn head(part: &str) -> Option<Head<'_>> {
    let colon =
        || part.split_once(':').filter(|(_, text)| text.is_empty() || text.starts_with(' '));
    let (head, text) = dashed(part).or_else(colon)?;
    let (head, is_breaking) = head.strip_suffix('!').map_or((head, false), |head| (head, true));
    let (kind, scope) = match head.strip_suffix(')').and_then(|head| head.split_once('(')) {
        Some((kind, scope)) => (kind, Some(scope)),
        None => (head, None),
    };
    let is_kind = !kind.is_empty()
        && kind.len() <= LONGEST_TYPE
        && kind.chars().all(|c| c.is_ascii_alphabetic() || c == '-');
    is_kind.then_some(Head { kind, scope, is_breaking, text: text.trim() })
}

/// A heading of a changelog and the text behind a dash: `Added - dark mode`.
fn dashed(part: &str) -> Option<(&str, &str)> {
    let (word, rest) = part.split_once(' ')?;
    let text = ["- ", "– ", "— "].iter().find_map(|dash| rest.strip_prefix(dash))?;
    text::lists(HEADINGS, &word.to_lowercase()).then_some((word, text))
}

fn item(line: usize, part: &str) -> Result<Item, &'static str> {
    let Some(Head { kind, scope, is_breaking, text }) = head(part) else {
        let text = part.trim().to_owned();
        return Ok(Item { line, kind: None, scope: None, is_breaking: false, text });
    };
    if text.is_empty() {
        return Err("has a type but no text");
    }
    let (kind, scope) = (Some(kind.to_owned()), scope.map(str::to_owned));
    Ok(Item { line, kind, scope, is_breaking, text: text.to_owned() })
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(kind) = &self.kind else { return write!(f, "- {}", self.text) };
        let scope = self.scope.as_ref().map(|scope| format!("({scope})")).unwrap_or_default();
        write!(f, "- {kind}{scope}{}: {}", if self.is_breaking { "!" } else { "" }, self.text)
    }
}
