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

use crate::text::block::below;
use section::LEVEL;

pub use check::Finding;
pub(crate) use check::{Form, Questions, blanks, check, doubled};
pub(crate) use read::{Document, Part, outside_fences};
pub(crate) use section::Section;
pub(crate) use words::{bullets, listed, paragraphs, titled};

/// A document before it is written; the component `document` of `runtime/page.md.tera` writes it.
#[derive(Debug, Serialize)]
pub(crate) struct Page {
    title: String,
    /// Paragraphs in Markdown between the title and the sections.
    front: Vec<String>,
    sections: Vec<Written>,
}

/// A section with its text in Markdown.
#[derive(Debug, Serialize)]
struct Written {
    heading: &'static str,
    text: String,
    is_blank: bool,
}

impl Page {
    /// A page with a text in Markdown for each section of a table. Without a text, a required section shows its blank, and
    /// another is left out.
    pub(crate) fn new<const N: usize>(
        title: String,
        front: Vec<String>,
        sections: &[Section; N],
        texts: [String; N],
    ) -> Self {
        let mut page = Self { title, front, sections: Vec::new() };
        for (section, text) in sections.iter().zip(texts) {
            let is_blank = text.trim().is_empty();
            if section.required || !is_blank {
                let text = if is_blank { section.blank.to_owned() } else { text };
                page.sections.push(Written { heading: section.heading, text, is_blank });
            }
        }
        page
    }

    /// What is not given, in words of the document.
    pub(crate) fn open(&self) -> Vec<String> {
        let blanks = self.sections.iter().filter(|section| section.is_blank);
        blanks.map(|section| format!("{}: not given", section.heading.to_lowercase())).collect()
    }
}

/// A text of the user's for a section, word for word; headings in it that would end the section become text.
pub(crate) fn section_text(text: &str) -> String {
    below(LEVEL, text)
}

/// The first heading in a text that would end its section, and the headings that may be there in its place.
pub(crate) fn foreign<'a>(text: &'a str, sections: &[Section]) -> Option<(&'a str, String)> {
    let mut parts = Document::read(text).parts.into_iter();
    let name = parts.find(|part| (1..=LEVEL).contains(&part.level))?.name;
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
            let mut names = section.aliases.to_vec();
            if !section.heading.eq_ignore_ascii_case(&section.key.replace('_', " ")) {
                names.insert(0, section.heading);
            }
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
