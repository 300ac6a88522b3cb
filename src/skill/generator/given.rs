//! Reads fields of an input that are lists, flags or one of several words, and words the faults.

use serde::Serialize;
use serde_json::Value;

use crate::skill::input::Input;
use crate::skill::output::{Fault, Result};
use crate::skill::{catalog, engine};

/// Longest part of a value that an error shows, in characters.
const SHOWN: usize = 80;

/// A field without which there is no artifact.
pub(super) fn missing(field: &str, expects: &str, description: &str) -> Fault {
    Fault::Missing {
        field: field.to_owned(),
        expects: expects.to_owned(),
        description: description.to_owned(),
    }
}

/// A value that cannot be used.
pub(super) fn bad(field: &str, given: &Value, allowed: &str) -> Fault {
    let mut shown = given.to_string();
    if shown.chars().count() > SHOWN {
        shown = shown.chars().take(SHOWN).chain(['…']).collect();
    }
    Fault::Bad { field: field.to_owned(), given: shown, allowed: allowed.to_owned() }
}

/// A text that cannot be used.
pub(super) fn bad_text(field: &str, given: &str, allowed: &str) -> Fault {
    bad(field, &Value::from(given), allowed)
}

/// A text on one line, trimmed; `None` when it is absent or blank.
pub(super) fn line<'a>(input: &'a Input, field: &str) -> Result<Option<&'a str>> {
    let Some(value) = input.fields.get(field).filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let text = value.as_str().ok_or_else(|| bad(field, value, "a text"))?.trim();
    one_line(field, text)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Refuses line breaks and control characters.
pub(super) fn one_line(field: &str, text: &str) -> Result<()> {
    if text.chars().any(char::is_control) {
        return Err(bad_text(field, text, "one line without control characters"));
    }
    Ok(())
}

/// A text of several lines: line ends as `\n`, no blanks at line ends, no empty line at either end.
pub(super) fn lines(field: &str, text: &str) -> Result<String> {
    let text = text.replace("\r\n", "\n");
    if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Err(bad_text(field, &text, "text without control characters"));
    }
    let tidy: Vec<&str> = text.lines().map(str::trim_end).collect();
    Ok(tidy.join("\n").trim_matches('\n').to_owned())
}

/// A list of texts; a single text stands for a list of one.
pub(super) fn texts(field: &str, value: Option<&Value>) -> Result<Vec<String>> {
    let item = |(at, value): (usize, &Value)| {
        let field = format!("{field}[{at}]");
        value.as_str().map(str::to_owned).ok_or_else(|| bad(&field, value, "a text"))
    };
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(one)) => Ok(vec![one.clone()]),
        Some(Value::Array(items)) => items.iter().enumerate().map(item).collect(),
        Some(other) => Err(bad(field, other, "a list of texts")),
    }
}

/// A member of a record in a list, as text; `None` when it is absent or blank.
pub(super) fn member<'a>(record: &'a Value, path: &str, name: &str) -> Result<Option<&'a str>> {
    match record.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(other) => Err(bad(&format!("{path}.{name}"), other, "a text")),
    }
}

/// A yes or no; absent is no.
pub(super) fn flag(input: &Input, field: &str) -> Result<bool> {
    match input.fields.get(field) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(Value::String(text)) if text == "true" || text == "yes" => Ok(true),
        Some(Value::String(text)) if text == "false" || text == "no" => Ok(false),
        Some(other) => Err(bad(field, other, "true or false")),
    }
}

/// Renders one of a skill's own templates.
pub(super) fn render(skill: &str, template: &str, data: &impl Serialize) -> Result<String> {
    let text = catalog::file(skill, template)
        .ok_or_else(|| Fault::Refused(format!("the skill {skill} has no {template}")))?;
    engine::render(text, &value(data)?)
}

/// The model as a value.
pub(super) fn value(data: &impl Serialize) -> Result<Value> {
    serde_json::to_value(data)
        .map_err(|error| Fault::Refused(format!("could not write the data: {error}")))
}
