//! A document as one model: a title, lines below it, and sections. A skill's table of [`Section`]s is what it writes, which
//! names a field has, and what `flow skill verify` looks for.
//!
//! ```text
//! # Use a queue            title
//!
//! Date: 2026-03-11         front
//!
//! ## Context               a section; a required one without a text shows its blank
//!
//! \<why a decision is needed>
//! ```

mod check;
mod read;
mod section;

use schemars::Schema;
use serde::Serialize;

pub use check::{Finding, Form, Questions, blanks, check, doubled};
pub use read::{Document, Line, Part, headings, outside_fences};
pub use section::{LEVEL, Section};

/// A document before it is written; the component `document` of `runtime/page.md.tera` writes it.
#[derive(Debug, Clone, Serialize)]
pub struct Page {
    /// Its title in Markdown.
    pub title: String,
    /// Paragraphs in Markdown between the title and the sections.
    pub front: Vec<String>,
    /// Its sections in their order.
    pub sections: Vec<Section>,
}

impl Page {
    /// What is not given, in words of the document.
    pub fn open(&self) -> Vec<String> {
        let open =
            self.sections.iter().filter(|section| section.required && section.body.is_none());
        open.map(|section| format!("{}: not given", section.heading.to_lowercase())).collect()
    }
}

/// Gives the fields of an input type the names of their sections, as labels.
pub fn label(schema: &mut Schema, sections: &[Section]) {
    let properties = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut);
    let Some(properties) = properties else { return };
    for section in sections {
        let Some(property) = properties.get_mut(section.key) else { continue };
        let is_field = section.heading.eq_ignore_ascii_case(&section.key.replace('_', " "));
        let heading = Some(section.heading).filter(|_| !is_field);
        let names: Vec<&str> = heading.into_iter().chain(section.aliases.iter().copied()).collect();
        if !names.is_empty() {
            property["x-labels"] = names.into();
        }
    }
}

/// The items of a list that are not blank, as Markdown.
pub fn bullets(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let items = items.into_iter().map(|item| item.as_ref().trim().to_owned());
    let items = items.filter(|item| !item.is_empty()).map(|item| format!("- {item}"));
    items.collect::<Vec<_>>().join("\n")
}

/// The text of a document with another body of a section; without the section, it is put below the title. Line ends stay.
pub fn replace(text: &str, section: &Section, body: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<&str> = text.lines().collect();
    let parts = Document::read(text).parts;
    let heading = format!("## {}", section.heading);
    if let Some(part) = parts.iter().find(|part| section.is_named(part.name)) {
        let (from, to) = (part.number, part.number + part.lines.len());
        let gap = (to < lines.len()).then_some("");
        lines.splice(from..to, [""].into_iter().chain(body.lines()).chain(gap));
    } else {
        let title = parts.iter().find(|part| part.level == 1).map_or(0, |title| title.number);
        lines.splice(title..title, ["", &heading, ""].into_iter().chain(body.lines()));
    }
    lines.join(end) + end
}
