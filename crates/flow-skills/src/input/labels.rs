//! Reads labels: `Label: text` on a line, or as a sentence of a text of one line, or a Markdown heading with text below it, sets
//! the field of that name.
//!
//! The labels are those of the skill's own input: the names of properties, and the `x-labels` of their schemas. A
//! document's title sets the field with `x-title`: its first heading if no other has its level or a higher one, else the
//! first of level 1. What stands under the heading of a field is its text, up to the next heading of that level or the
//! heading of another field. All other text is kept word for word; if a label sets the
//! field that it would go to, it goes to the field with `x-rest`.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::coerce::coerce;
use super::keywords::{COMMAS, TITLE};
use super::typed::{property, types};
use crate::output::{Fault, Result};
use crate::page::{Document, Part};
use crate::text::{front_matter, indent, is_blank, item, plain, sentences, unescape};

/// The fields that labels set, and the text without a label.
#[derive(Debug, Default, PartialEq)]
pub struct Labelled {
    /// The fields by name.
    pub fields: Map<String, Value>,
    /// The line of the text, from 1, on which each of them begins.
    pub lines: HashMap<String, usize>,
    /// The rest of the text, word for word.
    pub rest: String,
}

impl Labelled {
    /// A fault of a field, with the line of its text.
    pub fn located(&self, fault: Fault) -> Fault {
        let line = match &fault {
            Fault::Bad { field, .. } => {
                self.lines.get(field.split(['.', '[']).next().unwrap_or(field))
            }
            _ => None,
        };
        match line {
            Some(line) => Fault::At { line: *line, fault: Box::new(fault) },
            None => fault,
        }
    }
}

/// Reads the labels of a text; with `is_markdown`, the escapes of Markdown are removed from all texts.
///
/// # Errors
/// When the text of a label cannot be converted to its field's type.
pub fn read(text: &str, schema: &Value, is_markdown: bool) -> Result<Labelled> {
    // The front matter is metadata of another tool.
    let (_, body) = front_matter(text).unwrap_or(("", text));
    let before = text[..text.len() - body.len()].matches('\n').count();
    let body = &*on_lines(body, schema);
    let mut properties = schema["properties"].as_object().into_iter().flatten();
    let title = properties.find(|(_, property)| property[TITLE] == true);
    let title = title.map(|(field, _)| field.as_str());
    let parts = Document::read(body).parts;
    // A heading below a text is one of its parts.
    let begins = parts.iter().take_while(|part| part.level == 0).all(is_empty);
    let mut levels = parts.iter().map(|part| part.level).filter(|level| *level > 0);
    let first = levels.next().filter(|first| begins && levels.all(|level| level > *first));
    let title_level = first.unwrap_or(1);
    let (texts, rest, open) = (Vec::new(), String::new(), Open::Rest);
    let mut reader = Reader { schema, texts, rest, open, title, title_level };
    let filled = body.lines().filter(|line| !line.trim().is_empty());
    let least = filled.map(indent).min().unwrap_or_default();
    for part in parts {
        if part.level > 0 && !reader.heading(part.level, part.name, before + part.number) {
            reader.add(&format!("{} {}", "#".repeat(part.level), part.name));
        }
        for line in part.lines {
            // What is indented more than the rest belongs to the line above.
            let is_below = indent(line.text) > least;
            if line.is_code || is_below || !reader.label(line.text.trim(), before + line.number) {
                reader.add(line.text);
            }
        }
    }
    reader.finish(is_markdown)
}

/// A text of one line with a line for each of its labels: `Use a queue. Options: a queue, a table`. The text of a label goes up
/// to the next label; that of a list of names is its sentence.
fn on_lines<'t>(text: &'t str, schema: &Value) -> Cow<'t, str> {
    let field_of = |sentence: &String| Some(property(schema, sentence.split_once(": ")?.0)?.1);
    let sentences = if text.trim().contains('\n') { Vec::new() } else { sentences(text) };
    if !sentences.iter().skip(1).any(|sentence| field_of(sentence).is_some()) {
        return text.into();
    }
    let mut lines = String::with_capacity(text.len());
    let mut is_list = false;
    for (at, sentence) in sentences.iter().enumerate() {
        let label = field_of(sentence);
        let ends = sentences.get(at + 1).is_none_or(|next| field_of(next).is_some());
        if at > 0 {
            lines.push(if label.is_some() || is_list { '\n' } else { ' ' });
        }
        is_list = label.is_some_and(|property| property[COMMAS] == true);
        // The stop ends the sentence, and is no part of a value such as a number.
        let is_value = label.is_some() && (is_list || ends);
        lines.push_str(if is_value { sentence.trim_end_matches('.') } else { sentence });
    }
    lines.into()
}

/// Whether nothing stands below a heading, or before the first one.
fn is_empty(part: &Part<'_>) -> bool {
    part.lines.iter().all(|line| line.text.trim().is_empty())
}

/// Text without Markdown's escapes; JSON has its own.
fn unescaped(text: &str) -> String {
    let is_json =
        text.starts_with(['{', '[']) && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if is_json { text.to_owned() } else { unescape(text) }
}

struct Reader<'a> {
    schema: &'a Value,
    /// Each field with its line and its text, in the order of the text.
    texts: Vec<Named<'a>>,
    rest: String,
    /// What the next line belongs to.
    open: Open,
    /// The field that the title sets, until it is set.
    title: Option<&'a str>,
    /// The level of the title's heading.
    title_level: usize,
}

struct Named<'a> {
    field: &'a str,
    line: usize,
    text: String,
    /// Whether a line of the text is an item.
    has_item: bool,
}

/// What a line belongs to; `text` is the number of a text in [`Reader::texts`].
#[derive(Debug, Clone, Copy)]
enum Open {
    /// The rest of the text.
    Rest,
    /// The text of a heading, up to the next one of its level.
    Section { text: usize, level: usize },
    /// The text of a label that has none on its own line, up to a blank line that no bullet follows.
    Label { text: usize },
}

impl<'a> Reader<'a> {
    /// Reads a heading that is the title or the name of a field.
    fn heading(&mut self, level: usize, name: &str, line: usize) -> bool {
        if let Some(field) = self.field(name.trim_matches(['*', ':', ' '])) {
            self.open = Open::Section { text: self.begin(field, "", line), level };
            return true;
        }
        if matches!(self.open, Open::Section { level: above, .. } if level > above) {
            return false;
        }
        self.open = Open::Rest;
        let title = self.title.filter(|_| level == self.title_level);
        let bold = name.strip_prefix("**").and_then(|name| name.strip_suffix("**"));
        title.map(|field| self.begin(field, bold.unwrap_or(name), line)).is_some()
    }

    /// Begins or continues the text of a field; gives its number.
    fn begin(&mut self, field: &'a str, text: &str, line: usize) -> usize {
        self.title = self.title.filter(|title| *title != field);
        if let Some(at) = self.texts.iter().position(|known| known.field == field) {
            if !text.is_empty() {
                self.texts[at].text.extend(["\n", text]);
            }
            return at;
        }
        let has_item = item(text).is_some();
        self.texts.push(Named { field, line, text: text.to_owned(), has_item });
        self.texts.len() - 1
    }

    /// Reads a line that is a label with its text. Below the heading of a field there are none, but behind its list.
    fn label(&mut self, trimmed: &str, line: usize) -> bool {
        self.end_list(trimmed);
        if matches!(self.open, Open::Section { .. }) {
            return false;
        }
        let trimmed = item(trimmed).unwrap_or(trimmed);
        let Some((name, text)) = bold(trimmed).or_else(|| trimmed.split_once(':')) else {
            return false;
        };
        let is_text = text.is_empty() || text.starts_with([' ', '\t']);
        let Some(field) = self.field(name.trim_matches(['*', ' '])).filter(|_| is_text) else {
            return false;
        };
        let at = self.begin(field, text.trim(), line);
        self.open = if text.trim().is_empty() { Open::Label { text: at } } else { Open::Rest };
        true
    }

    /// Ends the text of a field that is a list at a paragraph which follows its last item after a blank line.
    fn end_list(&mut self, line: &str) {
        let (Open::Section { text, .. } | Open::Label { text }) = self.open else { return };
        let Named { field, text, has_item, .. } = &self.texts[text];
        let is_list = types(&self.schema["properties"][field]) == ["array"];
        let is_begun = *has_item && text.ends_with('\n');
        if is_list && is_begun && !line.is_empty() && item(line).is_none() {
            self.open = Open::Rest;
        }
    }

    /// Adds a line to the open text.
    fn add(&mut self, line: &str) {
        self.end_label(line);
        match self.open {
            Open::Section { text, .. } | Open::Label { text } => {
                let named = &mut self.texts[text];
                named.text.extend(["\n", line]);
                named.has_item |= item(line).is_some();
            }
            Open::Rest => self.rest.extend([line, "\n"]),
        }
    }

    /// Ends the text of a label at a paragraph after a blank line.
    fn end_label(&mut self, line: &str) {
        let Open::Label { text } = self.open else { return };
        let text = &self.texts[text].text;
        let is_listed = item(line).is_some() || line.starts_with([' ', '\t']);
        let is_paragraph = !line.trim().is_empty() && !is_listed;
        if is_paragraph && text.ends_with('\n') && !text.trim().is_empty() {
            self.open = Open::Rest;
        }
    }

    fn field(&self, name: &str) -> Option<&'a str> {
        property(self.schema, &plain(name)).map(|(field, _)| field)
    }

    fn finish(self, is_markdown: bool) -> Result<Labelled> {
        let escapes = |text: &str| if is_markdown { unescaped(text) } else { text.to_owned() };
        let rest = escapes(self.rest.trim_matches('\n'));
        let mut labelled = Labelled { rest, ..Labelled::default() };
        for Named { field, line, text, .. } in self.texts {
            let text = escapes(text.trim_matches('\n').trim_end());
            // A blank of a form gives nothing.
            if text.trim().is_empty() || is_blank(&plain(item(&text).unwrap_or(&text))) {
                continue;
            }
            labelled.lines.insert(field.to_owned(), line);
            let value = coerce(field, &text, &self.schema["properties"][field]);
            labelled
                .fields
                .insert(field.to_owned(), value.map_err(|fault| labelled.located(fault))?);
        }
        Ok(labelled)
    }
}

/// A label in bold and the text after it: `**As a** reader`, `**Points:** 3`.
fn bold(trimmed: &str) -> Option<(&str, &str)> {
    let (name, text) = trimmed.strip_prefix("**")?.split_once("**")?;
    Some((name.trim_end_matches(':'), text.strip_prefix(':').unwrap_or(text)))
}
