//! Converts the text of a `key=value` word or of a label to the type in the field's schema.

use std::borrow::Cow;

use serde_json::Value;

use super::keywords::{BOXES, COMMAS};
use super::parse;
use super::typed::{self, is_same_word};
use crate::output::Result;
use crate::text;

/// A value in which `\n` stands for a new line: one line, as agents and people type it. JSON and patterns keep theirs.
pub fn with_newlines(text: &str) -> Cow<'_, str> {
    let is_code = text.trim_start().starts_with(['{', '[', '/']) || text.contains("pattern ");
    if is_code || text.contains('\n') || text.contains("\\\\n") {
        return text.into();
    }
    text.replace("\\n", "\n").into()
}

/// The value of a text in a field.
pub(crate) fn coerce(field: &str, text: &str, schema: &Value) -> Result<Value> {
    let types = typed::types(schema);
    let has = |kind: &str| types.is_empty() || types.contains(&kind);
    let trimmed = text.trim();
    let wrong = || typed::bad(field, &Value::from(text), schema, None);
    if let Some(allowed) = typed::words(schema) {
        let same = |value: &&Value| value.as_str().is_some_and(|word| is_same_word(word, trimmed));
        return allowed.iter().find(same).cloned().ok_or_else(wrong);
    }
    // JSON, if the field accepts its type.
    if trimmed.starts_with(['{', '['])
        && has(if trimmed.starts_with('[') { "array" } else { "object" })
        && serde_json::from_str::<Value>(trimmed).is_ok()
    {
        // A key that is given twice is refused.
        return parse::json(trimmed);
    }
    if types.contains(&"array") && !types.contains(&"string") {
        return list(field, text, schema);
    }
    if has("string") {
        return Ok(text.into());
    }
    let value = match trimmed.to_ascii_lowercase().as_str() {
        "yes" | "true" if has("boolean") => Ok(Value::Bool(true)),
        "no" | "false" if has("boolean") => Ok(Value::Bool(false)),
        _ => serde_json::from_str(trimmed),
    };
    value.map_err(|_| wrong())
}

/// The items of a list: bullets, or lines if there are several, else the parts between separators.
fn list(field: &str, text: &str, schema: &Value) -> Result<Value> {
    let items = &schema["items"];
    let mut parts = bullets(text, schema[BOXES] == true);
    let has_commas = schema[COMMAS] == true;
    // A bullet is one item, whatever it contains; names are short, so commas separate them within bullets too.
    let is_split =
        parts.len() == 1 && (has_commas || !text.lines().any(|line| text::item(line).is_some()));
    if is_split {
        parts = separated(&parts.concat(), has_commas);
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.map(|part| coerce(field, part, items)).collect::<Result<Vec<_>>>().map(Value::Array)
}

/// The names between commas, or the parts between semicolons; without any, the sentences.
fn separated(line: &str, has_commas: bool) -> Vec<String> {
    let owned = |part: &str| part.to_owned();
    if has_commas {
        let mark = if line.contains(';') { ';' } else { ',' };
        let parts = crate::notation::split(line, mark).into_iter();
        return parts.flat_map(|part| part.split(" and ")).map(owned).collect();
    }
    let parts: Vec<String> = line.split(';').map(owned).collect();
    if parts.len() == 1 { text::sentences(line) } else { parts }
}

/// The bullets of a text, each with its continuation lines; the lines of a text without bullets.
fn bullets(text: &str, keeps_boxes: bool) -> Vec<String> {
    let item = if keeps_boxes { text::with_box } else { text::item };
    let mut items: Vec<String> = Vec::new();
    let has_bullets = text.lines().any(|line| text::item(line).is_some());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let is_nested = line.starts_with("  ") || line.starts_with('\t');
        match (item(line), items.last_mut()) {
            (Some(item), last) if !is_nested || last.is_none() => items.push(item.to_owned()),
            (_, Some(last)) if has_bullets => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => items.push(line.trim().to_owned()),
        }
    }
    items
}
