//! Text and names in Mermaid diagrams. A label is escaped only where Mermaid would read it as syntax.

use std::collections::HashSet;

use super::{is_number, lists, unused_with};

/// The position of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LabelContext {
    /// Between double quotes.
    Quoted,
    /// On the rest of a line of a sequence diagram, where `#` and `;` end it.
    Line,
}

/// Keywords that cannot be ids, in lower case.
const RESERVED: &str = "accdescr acctitle activate actor alt and as autonumber box br break bt \
    call class classdef click create critical deactivate default destroy details direction else \
    end erdiagram flowchart graph href interpolate link links linkstyle loop lr many note off \
    one opt option over par par_over participant properties rect rl sequencediagram style \
    subgraph tb td title to u v zero only";

pub(crate) fn label(text: &str, place: LabelContext) -> String {
    let text = text.trim();
    let mut safe = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let (before, rest) = (&text[..at], &text[at + c.len_utf8()..]);
        match c {
            '\n' => safe.push_str("<br/>"),
            '\u{2028}' | '\u{2029}' | '\t' => safe.push(' '),
            _ if c.is_control() => {}
            _ if is_syntax(c, before, rest, place) => safe.push_str(&code(c)),
            _ => safe.push(c),
        }
    }
    // An empty label is a syntax error; this space is kept.
    if safe.trim().is_empty() { code('\u{a0}') } else { safe }
}

fn code(c: char) -> String {
    match c {
        '"' => "#quot;".to_owned(),
        '<' => "#lt;".to_owned(),
        '>' => "#gt;".to_owned(),
        '&' => "#amp;".to_owned(),
        _ => format!("#{};", u32::from(c)),
    }
}

/// Whether Mermaid, or the Markdown in its labels, may read a character as syntax here.
fn is_syntax(c: char, before: &str, rest: &str, place: LabelContext) -> bool {
    let is_line = place == LabelContext::Line;
    let is_start = before.is_empty();
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    match c {
        '"' => !is_line,
        ';' => is_line,
        '<' | '>' | '`' | '\\' | '#' | '&' | '%' | '$' | '*' | '~' | '[' => true,
        '_' => !is_word(before.chars().next_back()) || !is_word(rest.chars().next()),
        '+' | '-' => is_start,
        '.' | ')' => is_number(before) && rest.chars().next().is_none_or(char::is_whitespace),
        // A style statement, an icon, or a message that is wrapped.
        ':' => {
            let is_wrap = is_start || before == "wrap" || before == "nowrap";
            ["style", "classDef"].iter().any(|word| before.contains(word))
                || rest.starts_with("fa-")
                || is_line && is_wrap
        }
        // Before one of the directions, the word makes a statement.
        ' ' => {
            let start = before.len().checked_sub("direction".len());
            let word = start.and_then(|at| before.get(at..)).unwrap_or_default();
            let after = rest.trim_start().get(..2).unwrap_or_default();
            word.eq_ignore_ascii_case("direction")
                && lists("tb bt lr rl td", &after.to_ascii_lowercase())
        }
        _ => false,
    }
}

/// The ids of one diagram: each is derived from a name as far as Mermaid allows, and unique.
#[derive(Debug, Default)]
pub(crate) struct Ids {
    taken: HashSet<String>,
}

impl Ids {
    pub(crate) fn make(&mut self, name: &str) -> String {
        let mut plain = String::new();
        for c in name.chars() {
            if c.is_ascii_alphanumeric() || c == '_' {
                plain.push(c);
            } else if !plain.is_empty() && !plain.ends_with('_') {
                plain.push('_');
            }
        }
        let mut plain = plain.trim_matches('_').to_owned();
        if !plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
            plain.insert(0, 'n');
        }
        if lists(RESERVED, &plain.to_ascii_lowercase()) {
            plain.push('_');
        }
        unused_with("_", &plain, |id| self.taken.insert(id.to_ascii_lowercase()))
    }
}
