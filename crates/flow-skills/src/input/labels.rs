//! Reads labels: `Label: text` on a line, or a Markdown heading with text below it, sets the field of that name.
//!
//! The labels are those of the skill's own input: the names of properties, and the `x-labels` of their schemas. A
//! document's first heading sets the field with `x-title`. All other text is kept word for word; if a label sets the
//! field that it would go to, it goes to the field with `x-rest`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::coerce::{self, coerce};
use crate::output::Result;
use crate::text::{front_matter, heading, is_blank, item, plain, unescape};

/// The schema keyword of the field that a document's first heading sets.
pub const TITLE: &str = "x-title";

/// The schema keyword of the field for the rest of a document's text.
pub const REST: &str = "x-rest";

/// The schema keyword of a field that takes the whole text: the skill reads its labels itself.
pub const WHOLE: &str = "x-whole";

/// The heading of the section of open questions in an artifact.
const OPEN_QUESTIONS: &str = "open questions";

/// The fields that labels set, and the text without a label.
#[derive(Debug, Default, PartialEq)]
pub struct Labelled {
    /// The fields by name.
    pub fields: Map<String, Value>,
    /// The rest of the text, word for word.
    pub rest: String,
}

/// Reads the labels of a text.
///
/// # Errors
/// When the text of a label cannot be converted to its field's type.
pub fn read(text: &str, schema: &Value) -> Result<Labelled> {
    let mut reader = Reader::new(schema);
    // The front matter is metadata of another tool.
    let (_, body) = front_matter(text).unwrap_or(("", text));
    let headings = body.lines().filter_map(|line| heading(line.trim()));
    reader.headed = headings.filter_map(|(level, name)| reader.headed(level, name)).collect();
    let mut is_fenced = false;
    for line in body.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        reader.line(line, is_fenced || line.trim_start().starts_with("```"));
    }
    reader.finish()
}

/// Reads the labels of a Markdown document. Markdown's escapes are removed from all texts.
///
/// # Errors
/// When the text of a label cannot be converted to its field's type.
pub fn read_document(text: &str, schema: &Value) -> Result<Labelled> {
    let mut labelled = read(text, schema)?;
    labelled.fields.values_mut().for_each(unescape_value);
    labelled.rest = unescape(&labelled.rest);
    Ok(labelled)
}

/// Removes Markdown's escapes from texts; JSON in a text has its own escapes.
fn unescape_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            let is_json = text.starts_with(['{', '['])
                && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            if !is_json {
                *text = unescape(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(unescape_value),
        _ => {}
    }
}

/// The owner of the lines that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    None,
    /// A heading of this level: up to the next heading of that level or above, or one that is a label.
    Section(usize),
    /// No field: the section of open questions of an earlier run.
    Skipped(usize),
    /// A label without text on its own line: up to a blank line that no bullet follows.
    Block,
}

struct Reader<'a> {
    schema: &'a Value,
    /// Each field with its text, in the order of the text.
    texts: Vec<(&'a str, String)>,
    rest: Vec<&'a str>,
    open: Open,
    title: Option<&'a str>,
    /// The sections that the text is in, by the levels of their headings.
    sections: Vec<(usize, &'a str)>,
    /// The fields that headings of the text set.
    headed: HashSet<&'a str>,
}

impl<'a> Reader<'a> {
    fn new(schema: &'a Value) -> Self {
        let (texts, rest, headed) = (Vec::new(), Vec::new(), HashSet::new());
        let (open, title, sections) = (Open::None, None, Vec::new());
        Self { schema, texts, rest, open, title, sections, headed }
    }

    /// The field that a heading sets.
    fn headed(&self, level: usize, name: &str) -> Option<&'a str> {
        let title = || self.field_with(TITLE).filter(|_| level == 1);
        self.field(heading_label(name)).or_else(title)
    }

    /// The field whose schema has a keyword.
    fn field_with(&self, keyword: &str) -> Option<&'a str> {
        let all = self.schema["properties"].as_object()?;
        all.iter().find(|(_, property)| property[keyword] == true).map(|(field, _)| field.as_str())
    }

    fn line(&mut self, line: &'a str, is_code: bool) {
        let trimmed = line.trim();
        if !is_code {
            if let Some((level, name)) = heading(trimmed) {
                return self.heading(line, level, name);
            }
            if let Open::Section(_) | Open::Skipped(_) = self.open {
                // A list under a heading is its text, whatever its items contain.
                if !matches!(self.open, Open::Skipped(_))
                    && item(trimmed).is_none()
                    && is_strict_label(trimmed)
                    && self.is_label(trimmed)
                    && self.label(trimmed)
                {
                    return;
                }
            } else if self.label(item(trimmed).unwrap_or(trimmed)) {
                return;
            }
        }
        let is_list = item(trimmed).is_some() || line.starts_with([' ', '\t']);
        if self.open == Open::Block && !trimmed.is_empty() && self.ends_block(is_list) {
            self.open = Open::None;
        }
        match (self.open, self.texts.last_mut()) {
            (Open::Skipped(_), _) => {}
            (Open::Section(_) | Open::Block, Some((_, text))) => {
                text.push('\n');
                text.push_str(line);
            }
            _ => self.rest.push(line),
        }
    }

    /// Whether a line that is not blank ends the text of a label.
    fn ends_block(&self, is_list: bool) -> bool {
        let text = self.texts.last().map_or("", |(_, text)| text.as_str());
        text.ends_with('\n') && !text.trim().is_empty() && !is_list
    }

    fn heading(&mut self, line: &'a str, level: usize, name: &'a str) {
        let label = heading_label(name);
        self.sections.retain(|(above, _)| *above < level);
        if let Some(field) = self.field(label) {
            self.texts.push((field, String::new()));
            self.sections.push((level, field));
            self.open = Open::Section(level);
            return;
        }
        if label.eq_ignore_ascii_case(OPEN_QUESTIONS) {
            self.open = Open::Skipped(level);
            return;
        }
        if let Some((above, field)) = self.sections.last().copied() {
            self.texts.push((field, line.to_owned()));
            self.open = Open::Section(above);
            return;
        }
        self.open = Open::None;
        if level == 1 && self.title.is_none() && self.field_with(TITLE).is_some() {
            let bold = name.strip_prefix("**").and_then(|name| name.strip_suffix("**"));
            self.title = Some(bold.unwrap_or(name));
        } else {
            self.rest.push(line);
        }
    }

    /// Reads a line that is a label with its text.
    fn label(&mut self, trimmed: &'a str) -> bool {
        let Some((name, text)) = bold(trimmed).or_else(|| trimmed.split_once(':')) else {
            return false;
        };
        let name = name.trim_matches(['*', ' ']);
        if !text.is_empty() && !text.starts_with([' ', '\t']) {
            return false;
        }
        let Some(field) = self.field(name) else { return false };
        let section = match self.open {
            Open::Section(level) => self.texts.last().map(|(section, _)| (level, *section)),
            _ => None,
        };
        self.texts.push((field, text.trim().to_owned()));
        self.open = if text.trim().is_empty() { Open::Block } else { Open::None };
        if let Some((level, section)) = section.filter(|_| self.open == Open::None) {
            // The following lines belong to the section again.
            self.texts.push((section, String::new()));
            self.open = Open::Section(level);
        }
        true
    }

    /// Whether a line in bold is a label: without a colon prose begins so too, of a section that the text has elsewhere.
    fn is_label(&self, trimmed: &'a str) -> bool {
        let Some((name, text)) = bold(trimmed) else { return true };
        let has_colon = trimmed.contains(":**") || trimmed.contains("**:");
        let is_headed = |field| self.headed.contains(field);
        has_colon || text.trim().is_empty() || !self.field(name).is_some_and(is_headed)
    }

    /// The field of a label.
    fn field(&self, name: &str) -> Option<&'a str> {
        coerce::property(self.schema, &plain(name)).map(|(field, _)| field)
    }

    fn finish(self) -> Result<Labelled> {
        let mut texts: Map<String, Value> = Map::new();
        if let (Some(title), Some(field)) = (self.title, self.field_with(TITLE)) {
            texts.insert(field.to_owned(), title.into());
        }
        for (field, text) in self.texts {
            let text = text.trim_matches('\n').trim_end();
            match texts.get_mut(field) {
                Some(Value::String(before)) if !text.is_empty() => {
                    before.push('\n');
                    before.push_str(text);
                }
                Some(_) => {}
                None => {
                    texts.insert(field.to_owned(), text.into());
                }
            }
        }
        let mut fields = Map::new();
        for (field, text) in texts {
            let text = text.as_str().unwrap_or_default();
            // A blank of a form gives nothing.
            if !text.trim().is_empty() && !is_blank(&plain(item(text).unwrap_or(text))) {
                let value = coerce(&field, text, &self.schema["properties"][&field])?;
                fields.insert(field, value);
            }
        }
        let rest = self.rest.join("\n").trim_matches('\n').to_owned();
        Ok(Labelled { fields, rest })
    }
}

/// Whether a heading sets a field.
pub fn is_label(schema: &Value, name: &str) -> bool {
    let label = heading_label(name);
    label.eq_ignore_ascii_case(OPEN_QUESTIONS) || Reader::new(schema).field(label).is_some()
}

/// The label that a heading is.
fn heading_label(name: &str) -> &str {
    name.trim_matches(['*', ':', ' '])
}

/// A label in bold and the text after it: `**As a** reader`, `**Points:** 3`.
fn bold(trimmed: &str) -> Option<(&str, &str)> {
    let (name, text) = trimmed.strip_prefix("**")?.split_once("**")?;
    Some((name.trim_end_matches(':'), text.strip_prefix(':').unwrap_or(text)))
}

/// Whether a line under a heading begins with a capitalised or bold label, which prose rarely does.
fn is_strict_label(trimmed: &str) -> bool {
    trimmed.starts_with("**") || trimmed.starts_with(|c: char| c.is_uppercase())
}
