//! Reads labels: `Label: text` on a line, or a Markdown heading with text below it, sets the field of that name.
//!
//! The labels are those of the skill's own input: the names of properties, and the `x-labels` of their schemas. A
//! document's first heading sets the field with `x-title`. What stands under the heading of a field is its text, up to the
//! next heading of that level or the heading of another field. All other text is kept word for word; if a label sets the
//! field that it would go to, it goes to the field with `x-rest`.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::coerce::{coerce, property};
use crate::output::{Fault, Result};
use crate::text::{front_matter, heading, is_blank, item, plain, unescape};

/// The schema keyword of the field that a document's first heading sets.
const TITLE: &str = "x-title";

/// The schema keyword of the field for the rest of a document's text.
pub const REST: &str = "x-rest";

/// The schema keyword of a field that takes the whole text: the skill reads its labels itself.
pub const WHOLE: &str = "x-whole";

/// The heading of the section of open questions in an artifact, which is not read.
const OPEN_QUESTIONS: &str = "open questions";

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

/// Reads the labels of a text.
///
/// # Errors
/// When the text of a label cannot be converted to its field's type.
pub fn read(text: &str, schema: &Value) -> Result<Labelled> {
    // The front matter is metadata of another tool.
    let (_, body) = front_matter(text).unwrap_or(("", text));
    let mut all = schema["properties"].as_object().into_iter().flatten();
    let title = all.find(|(_, property)| property[TITLE] == true).map(|(field, _)| field.as_str());
    let (texts, rest) = (Vec::new(), Vec::new());
    let mut reader = Reader { schema, texts, rest, open: Open::Nothing, title, number: 0 };
    let mut is_fenced = false;
    reader.number = text[..text.len() - body.len()].matches('\n').count();
    for line in body.lines() {
        reader.number += 1;
        let is_mark = line.trim_start().starts_with("```");
        is_fenced ^= is_mark;
        if is_fenced || is_mark || !reader.named(line.trim()) {
            reader.add(line);
        }
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
    Nothing,
    /// The heading of a field, with its level.
    Section(usize),
    /// No field: the section of open questions of an earlier run.
    Skipped(usize),
    /// A label without text on its own line: up to a blank line that no bullet follows.
    Block,
}

struct Reader<'a> {
    schema: &'a Value,
    /// Each field with its line and its text, in the order of the text.
    texts: Vec<Named<'a>>,
    rest: Vec<&'a str>,
    open: Open,
    /// The field that the first heading sets, until it is set.
    title: Option<&'a str>,
    /// The number of the line.
    number: usize,
}

struct Named<'a> {
    field: &'a str,
    line: usize,
    text: String,
}

impl<'a> Reader<'a> {
    /// Reads a line that is a heading or a label.
    fn named(&mut self, trimmed: &'a str) -> bool {
        if let Some((level, name)) = heading(trimmed) {
            return self.heading(level, name);
        }
        let is_section = matches!(self.open, Open::Section(_) | Open::Skipped(_));
        !is_section && self.label(item(trimmed).unwrap_or(trimmed))
    }

    fn heading(&mut self, level: usize, name: &'a str) -> bool {
        let label = name.trim_matches(['*', ':', ' ']);
        if let Some(field) = self.field(label) {
            self.begin(field, "");
            self.open = Open::Section(level);
            return true;
        }
        if let Open::Section(above) | Open::Skipped(above) = self.open
            && level > above
        {
            return false;
        }
        let is_skipped = label.eq_ignore_ascii_case(OPEN_QUESTIONS);
        self.open = if is_skipped { Open::Skipped(level) } else { Open::Nothing };
        let title = self.title.filter(|_| level == 1 && !is_skipped);
        let bold = name.strip_prefix("**").and_then(|name| name.strip_suffix("**"));
        if let Some(field) = title {
            self.begin(field, bold.unwrap_or(name));
        }
        is_skipped || title.is_some()
    }

    fn begin(&mut self, field: &'a str, text: &str) {
        self.title = self.title.filter(|title| *title != field);
        self.texts.push(Named { field, line: self.number, text: text.to_owned() });
    }

    /// Reads a line that is a label with its text.
    fn label(&mut self, trimmed: &'a str) -> bool {
        let Some((name, text)) = bold(trimmed).or_else(|| trimmed.split_once(':')) else {
            return false;
        };
        let is_text = text.is_empty() || text.starts_with([' ', '\t']);
        let Some(field) = self.field(name.trim_matches(['*', ' '])).filter(|_| is_text) else {
            return false;
        };
        let text = text.trim();
        self.open = if text.is_empty() { Open::Block } else { Open::Nothing };
        self.begin(field, text);
        true
    }

    /// Adds a line to the text of the open field, or to the rest.
    fn add(&mut self, line: &'a str) {
        let is_list = item(line).is_some() || line.starts_with([' ', '\t']);
        let text = self.texts.last().map_or("", |last| last.text.as_str());
        let is_over = text.ends_with('\n') && !text.trim().is_empty() && !is_list;
        if self.open == Open::Block && !line.trim().is_empty() && is_over {
            self.open = Open::Nothing;
        }
        match (self.open, self.texts.last_mut()) {
            (Open::Skipped(_), _) => {}
            (Open::Section(_) | Open::Block, Some(last)) => {
                last.text.push('\n');
                last.text.push_str(line);
            }
            _ => self.rest.push(line),
        }
    }

    /// The field of a label.
    fn field(&self, name: &str) -> Option<&'a str> {
        property(self.schema, &plain(name)).map(|(field, _)| field)
    }

    fn finish(self) -> Result<Labelled> {
        let mut texts: Vec<Named<'_>> = Vec::new();
        for Named { field, line, text } in self.texts {
            let text = text.trim_matches('\n').trim_end();
            match texts.iter_mut().find(|known| known.field == field) {
                Some(known) if !text.is_empty() => {
                    known.text.push('\n');
                    known.text.push_str(text);
                }
                Some(_) => {}
                None => texts.push(Named { field, line, text: text.to_owned() }),
            }
        }
        let mut labelled = Labelled::default();
        for Named { field, line, text } in texts {
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
        let rest = self.rest.join("\n").trim_matches('\n').to_owned();
        Ok(Labelled { rest, ..labelled })
    }
}

/// A label in bold and the text after it: `**As a** reader`, `**Points:** 3`.
fn bold(trimmed: &str) -> Option<(&str, &str)> {
    let (name, text) = trimmed.strip_prefix("**")?.split_once("**")?;
    Some((name.trim_end_matches(':'), text.strip_prefix(':').unwrap_or(text)))
}
