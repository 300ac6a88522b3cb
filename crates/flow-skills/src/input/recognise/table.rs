//! Recognises CSV, and reads its rows as objects.

use serde_json::{Map, Value};

/// Largest number of columns.
const MOST_COLUMNS: usize = 1_000;
/// Longest name of a column, in characters.
const LONGEST_NAME: usize = 64;

/// The rows of a table with a header, each as an object; `None` if the text is not CSV.
pub(super) fn csv(text: &str) -> Option<Value> {
    let first = text.lines().next()?;
    let separator =
        [',', '\t', ';'].into_iter().max_by_key(|separator| first.matches(*separator).count())?;
    if !first.contains(separator) || text.lines().nth(1).is_none() {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(u8::try_from(separator).ok()?)
        .from_reader(text.as_bytes());
    let header: Vec<String> =
        reader.headers().ok()?.iter().map(|name| name.trim().to_owned()).collect();
    let is_name = |name: &String| {
        !name.is_empty()
            && name.chars().count() <= LONGEST_NAME
            && name.split_whitespace().count() <= 3
            && name.chars().all(|c| {
                c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '#' | '%')
            })
            && !name.ends_with('.')
            && !name.starts_with(['-', '#'])
    };
    let mut names = header.clone();
    names.sort();
    names.dedup();
    let mut is_table =
        names.len() == header.len() && header.len() <= MOST_COLUMNS && header.iter().all(is_name);
    // A header of two words with a blank after the comma is more likely a sentence.
    is_table &= header.len() > 2 || !first.contains(", ");
    // Two columns of several words each are more likely a sentence with a comma.
    is_table &= header.len() > 2 || header.iter().all(|name| !name.contains(' '));
    if !is_table {
        return None;
    }
    let rows: Option<Vec<Value>> = reader
        .records()
        .map(|record| {
            let cells = record.ok()?;
            let cells = header.iter().zip(cells.iter());
            Some(Value::Object(
                cells.map(|(name, cell)| (name.clone(), scalar(cell))).collect::<Map<_, _>>(),
            ))
        })
        .collect();
    rows.filter(|rows| !rows.is_empty()).map(Value::Array)
}

/// A cell as a JSON value: a number, a boolean, null if empty, else a text.
fn scalar(cell: &str) -> Value {
    if cell.is_empty() {
        return Value::Null;
    }
    match serde_json::from_str(cell) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => Value::from(cell),
    }
}
