//! Text and names in Mermaid diagrams. A label is escaped only where Mermaid would read it as syntax.

use std::collections::HashSet;

use super::{is_number, unused_with};

/// The position of a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelContext {
    /// Between double quotes, in a flowchart or as a comment or a relation of an entity diagram.
    Quoted,
    /// Between double quotes, as the name of an entity, where Mermaid accepts neither `%` nor `\`.
    Entity,
    /// On the rest of a line of a sequence diagram, where `#` and `;` end it.
    Line,
}

/// Directions of a diagram: `direction LR` is a statement anywhere on a line.
const DIRECTIONS: [&str; 5] = ["TB", "BT", "LR", "RL", "TD"];

/// Keywords that cannot be ids, in lower case.
const RESERVED: &str = "accdescr acctitle activate actor alt and as autonumber box br break bt \
    call class classdef click create critical deactivate default destroy details direction else \
    end erdiagram flowchart graph href interpolate link links linkstyle loop lr many note off \
    one opt option over par par_over participant properties rect rl sequencediagram style \
    subgraph tb td title to u v zero only";

/// Escapes a label.
pub fn label(text: &str, place: LabelContext) -> String {
    let text = text.trim();
    let mut safe = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let spot = Spot { text, before: &text[..at], rest: &text[at + c.len_utf8()..], place };
        match c {
            '\n' => safe.push_str("<br/>"),
            '\u{2028}' | '\u{2029}' | '\t' => safe.push(' '),
            _ if c.is_control() => {}
            _ if spot.is_syntax(c) => safe.push_str(&code(c)),
            _ => safe.push(c),
        }
    }
    // An empty label is a syntax error; this space is kept.
    if safe.trim().is_empty() { code('\u{a0}') } else { safe }
}

/// A character as Mermaid's entity code.
fn code(c: char) -> String {
    match c {
        '"' => "#quot;".to_owned(),
        '<' => "#lt;".to_owned(),
        '>' => "#gt;".to_owned(),
        '&' => "#amp;".to_owned(),
        _ => format!("#{};", u32::from(c)),
    }
}

/// A character with its surroundings.
struct Spot<'a> {
    text: &'a str,
    before: &'a str,
    rest: &'a str,
    place: LabelContext,
}

impl Spot<'_> {
    /// Whether Mermaid, or the Markdown in its labels, reads a character as syntax here.
    fn is_syntax(&self, c: char) -> bool {
        let is_line = self.place == LabelContext::Line;
        let is_start = self.before.is_empty();
        let next = self.rest.chars().next();
        match c {
            '"' => !is_line,
            '<' | '>' | '`' | '\\' => true,
            ';' => is_line,
            '#' => {
                is_line
                    || is_code(self.rest)
                    || is_start && self.rest.trim_start_matches('#').starts_with(' ')
            }
            '&' => is_code(self.rest.strip_prefix('#').unwrap_or(self.rest)),
            '%' => {
                self.place == LabelContext::Entity
                    || next == Some('%')
                    || self.before.ends_with('%')
            }
            '$' => next == Some('$') || self.before.ends_with('$'),
            '*' => is_start && next == Some(' ') || self.text.matches('*').count() > 1,
            '~' => self.text.contains("~~"),
            '_' => self.is_edge_of_word() && self.text.matches('_').count() > 1,
            '+' | '-' => is_start && (next == Some(' ') || next == Some(c)),
            '.' | ')' => is_number(self.before) && next.is_none_or(char::is_whitespace),
            '[' => ["](", "][", "]:"].iter().any(|link| self.text.contains(link)),
            ':' => {
                self.is_styled() || self.rest.starts_with("fa-") || is_line && is_wrap(self.before)
            }
            ' ' => self.is_direction(),
            _ => false,
        }
    }

    /// Whether an underscore is at the edge of a word rather than inside.
    fn is_edge_of_word(&self) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !is_word(self.before.chars().next_back()) || !is_word(self.rest.chars().next())
    }

    /// Whether Mermaid looks for a style statement in the line, and cuts it at its last code.
    fn is_styled(&self) -> bool {
        self.before.contains("style") || self.before.contains("classDef")
    }

    /// Whether a space would complete a direction statement.
    fn is_direction(&self) -> bool {
        let word =
            self.before.len().checked_sub("direction".len()).and_then(|at| self.before.get(at..));
        let after = self.rest.trim_start().get(..2).unwrap_or_default();
        word.is_some_and(|word| word.eq_ignore_ascii_case("direction"))
            && DIRECTIONS.iter().any(|direction| direction.eq_ignore_ascii_case(after))
    }
}

/// Whether a text continues like an entity code: word characters, then a semicolon.
fn is_code(rest: &str) -> bool {
    let after = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    after.len() < rest.len() && after.starts_with(';')
}

/// Whether a colon here would make a statement about wrapping a message.
fn is_wrap(before: &str) -> bool {
    before.is_empty() || before == "wrap" || before == "nowrap"
}

/// The ids of one diagram: each is derived from a name as far as Mermaid allows, and unique.
#[derive(Debug, Default)]
pub struct Ids {
    taken: HashSet<String>,
}

impl Ids {
    /// A new id for a name.
    pub fn make(&mut self, name: &str) -> String {
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
        if super::lists(RESERVED, &plain.to_ascii_lowercase()) {
            plain.push('_');
        }
        unused_with("_", &plain, |id| self.taken.insert(id.to_ascii_lowercase()))
    }
}
