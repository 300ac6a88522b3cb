//! Reads the fields of an input that generators share, and words their faults. Whether an input fits its schema is
//! [`super::check`]'s; what a field means is its generator's.

use serde_json::Value;

use super::input::Input;
use super::output::{Fault, Result};
use crate::text;

/// Longest part of a value that an error shows, in characters.
const SHOWN: usize = 80;

/// A field without which there is no artifact.
pub fn missing(field: &str, expects: &str, description: &str) -> Fault {
    Fault::Missing {
        field: field.to_owned(),
        expects: expects.to_owned(),
        description: description.to_owned(),
    }
}

/// A text without which there is no artifact.
pub fn missing_text(field: &str, description: &str) -> Fault {
    missing(field, "text", description)
}

/// A value that cannot be used.
pub fn bad(field: &str, given: &Value, allowed: &str) -> Fault {
    Fault::Bad { field: field.to_owned(), given: shown(given), allowed: allowed.to_owned() }
}

/// A text that cannot be used.
pub fn bad_text(field: &str, given: &str, allowed: &str) -> Fault {
    bad(field, &Value::from(given), allowed)
}

/// A value as an error repeats it: JSON, cut where it is long.
pub fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text,
    }
}

/// A field that is there and not null.
fn present<'a>(input: &'a Input, field: &str) -> Option<&'a Value> {
    input.fields.get(field).filter(|value| !value.is_null())
}

fn as_text<'a>(field: &str, value: &'a Value) -> Result<&'a str> {
    value.as_str().ok_or_else(|| bad(field, value, "text"))
}

/// A text, brought onto one line; `None` when it is absent or blank.
///
/// # Errors
/// When it is no text.
pub fn one(input: &Input, field: &str) -> Result<Option<String>> {
    let Some(value) = present(input, field) else { return Ok(None) };
    Ok(Some(text::line(as_text(field, value)?)).filter(|text| !text.is_empty()))
}

/// A text that is one line already, trimmed; `None` when it is absent or blank.
///
/// # Errors
/// When it is no text, or more than a line.
pub fn line<'a>(input: &'a Input, field: &str) -> Result<Option<&'a str>> {
    let Some(value) = present(input, field) else { return Ok(None) };
    let text = as_text(field, value)?.trim();
    one_line(field, text)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// Refuses line breaks and control characters.
///
/// # Errors
/// When there is one.
pub fn one_line(field: &str, text: &str) -> Result<()> {
    if text.chars().any(char::is_control) {
        return Err(bad_text(field, text, "one line without control characters"));
    }
    Ok(())
}

/// A member of a record in a list, as text, trimmed; `None` when it is absent or blank.
///
/// # Errors
/// When it is no text.
pub fn member<'a>(record: &'a Value, path: &str, name: &str) -> Result<Option<&'a str>> {
    let Some(value) = record.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let text = as_text(&format!("{path}.{name}"), value)?.trim();
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// One of several words; the first where the field is absent.
///
/// # Errors
/// When it is another.
pub fn choice<'a>(input: &Input, field: &str, allowed: &[&'a str]) -> Result<&'a str> {
    let Some(value) = present(input, field) else {
        return Ok(allowed.first().copied().unwrap_or_default());
    };
    let found = allowed.iter().find(|word| Some(**word) == value.as_str());
    found.copied().ok_or_else(|| bad(field, value, &format!("one of {}", allowed.join(", "))))
}
