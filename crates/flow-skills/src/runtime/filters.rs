//! The filters of templates: escaping for each target, such that the target reads back the value.

use tera::{Kwargs, State, Tera};

use crate::text::mermaid::{LabelContext, label};

/// Registers every filter.
pub(super) fn register(tera: &mut Tera) {
    tera.register_filter("md", |text: &str, _: Kwargs, _: &State<'_>| markdown(text));
    tera.register_filter("mermaid", |text: &str, _: Kwargs, _: &State<'_>| {
        label(text, LabelContext::Quoted)
    });
    tera.register_filter("cell", |text: &str, _: Kwargs, _: &State<'_>| cell(text));
}

/// Text in a Markdown paragraph: markup is escaped, and a line break becomes a space.
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
