//! The filters of templates: escaping for each target. A filter gives text that its target reads back as the value.

use std::fmt::Write as _;

use tera::{Kwargs, State, Tera};

/// Makes every filter known.
pub(super) fn register(tera: &mut Tera) {
    tera.register_filter("md", |text: &str, _: Kwargs, _: &State<'_>| markdown(text));
    tera.register_filter("mermaid", |text: &str, _: Kwargs, _: &State<'_>| mermaid(text));
    tera.register_filter("cell", |text: &str, _: Kwargs, _: &State<'_>| cell(text));
}

/// Text in a Markdown paragraph: what would become markup is escaped, and a line break becomes a space.
pub fn markdown(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => safe.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' => safe.extend(['\\', c]),
            _ if c.is_control() => {}
            _ => safe.push(c),
        }
    }
    safe
}

/// Text in a cell of a Markdown table.
pub fn cell(text: &str) -> String {
    markdown(text).replace('|', "\\|")
}

/// Text in a label of a Mermaid diagram, which stands in double quotes where that is allowed: what could be read as
/// markup is a code of Mermaid's own (`#35;`), and a line break is one there.
pub fn mermaid(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("<br/>"),
            _ if c.is_control() => {}
            // A digit or a hyphen at the beginning would become a list.
            '0'..='9' if safe.is_empty() => _ = write!(safe, "#{};", u32::from(c)),
            _ if c.is_ascii_punctuation() && !matches!(c, '_' | ',' | '/' | '?' | '!') => {
                _ = write!(safe, "#{};", u32::from(c));
            }
            _ => safe.push(c),
        }
    }
    if safe.trim().is_empty() { "#160;".to_owned() } else { safe }
}
