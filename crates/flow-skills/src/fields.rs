//! The faults of fields whose value cannot be used.

use serde_json::Value;

use super::output::Fault;

/// Longest part of a value that an error shows, in characters.
const SHOWN: usize = 80;

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
