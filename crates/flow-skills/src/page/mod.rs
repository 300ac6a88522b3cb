//! A document as one model: a title, lines below it, and sections. A skill's table of `Section`s is what it writes, which
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
mod words;

use schemars::Schema;
use schemars::transform::Transform;
use serde::Serialize;

pub use check::Finding;
pub(crate) use check::{Form, Questions, blanks, check, doubled};
pub(crate) use read::{Document, Part, headings, outside_fences};
pub(crate) use section::{LEVEL, Section};
pub(crate) use words::{bullets, listed, paragraphs, titled};

/// A document before it is written; the component `document` of `runtime/page.md.tera` writes it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Page {
    pub(crate) title: String,
    /// Paragraphs in Markdown between the title and the sections.
    pub(crate) front: Vec<String>,
    pub(crate) sections: Vec<Section>,
}

impl Page {
    /// The page, whose paragraphs below the title are `label: text` for each text that is given.
    pub(crate) fn new(title: String, front: &[(&str, String)], sections: Vec<Section>) -> Self {
        let front = front.iter().filter(|(_, text)| !text.is_empty());
        let front = front.map(|(label, text)| format!("{label}: {text}")).collect();
        Self { title, front, sections }
    }

    /// What is not given, in words of the document.
    pub(crate) fn open(&self) -> Vec<String> {
        let open =
            self.sections.iter().filter(|section| section.required && section.body.is_none());
        open.map(|section| format!("{}: not given", section.heading.to_lowercase())).collect()
    }
}

/// The first heading in a text that would end its section, and the headings that may be there in its place.
pub(crate) fn foreign<'a>(text: &'a str, sections: &[Section]) -> Option<(&'a str, String)> {
    let (_, _, name) = headings(text).find(|(_, level, _)| *level <= LEVEL)?;
    let names: Vec<&str> = sections.iter().map(|section| section.heading).collect();
    Some((
        name,
        format!("a section of the document ({}), or a heading of level 3 in one", names.join(", ")),
    ))
}

/// Gives the fields of an input type the names of their sections, as labels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Labels(pub(crate) &'static [Section]);

impl Transform for Labels {
    fn transform(&mut self, schema: &mut Schema) {
        let properties = schema.get_mut("properties").and_then(serde_json::Value::as_object_mut);
        let Some(properties) = properties else { return };
        for section in self.0 {
            let Some(property) = properties.get_mut(section.key) else { continue };
            let is_field = section.heading.eq_ignore_ascii_case(&section.key.replace('_', " "));
            let heading = Some(section.heading).filter(|_| !is_field);
            let names: Vec<&str> =
                heading.into_iter().chain(section.aliases.iter().copied()).collect();
            if !names.is_empty() {
                property["x-labels"] = names.into();
            }
        }
    }
}

/// The text of a document with another body of one of its sections. Line ends stay.
pub(crate) fn replace(text: &str, part: &Part<'_>, body: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<&str> = text.lines().collect();
    let (from, to) = (part.number, part.number + part.lines.len());
    let gap = (to < lines.len()).then_some("");
    lines.splice(from..to, [""].into_iter().chain(body.lines()).chain(gap));
    lines.join(end) + end
}
