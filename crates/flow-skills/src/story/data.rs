//! The data that a story is about: lines that are each an entity in the one-line form (`Reset: email email, minutes int`)
//! or a sample in JSON. They come from a `data:` line, a fenced block, or the rows of an example table.
//!
//! It keeps them as text, so that they pass through Markdown and envelopes unchanged; [`model`] reads them.

use heck::ToUpperCamelCase;
use serde_json::{Map, Value};

use crate::data::{Model, samples, text};
use crate::output::{Fault, Result};
use crate::text::line;

/// Most lines of data in a story; a table's row is one.
pub const MOST: usize = 1000;

/// The header of a table whose rows are being read.
#[derive(Debug, Default)]
pub struct Table(Option<Vec<String>>);

impl Table {
    /// Reads a line of a Markdown or Gherkin table: the sample that a row is, none of its header and its rule.
    pub fn row(&mut self, text: &str) -> Option<String> {
        let cells = cells(text);
        let Some(header) = &self.0 else {
            self.0 = Some(cells);
            return None;
        };
        if cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':')))
        {
            return None;
        }
        let named =
            header.iter().zip(&cells).filter(|(name, cell)| !name.is_empty() && !cell.is_empty());
        let sample: Map<String, Value> =
            named.map(|(name, cell)| (name.clone(), scalar(cell))).collect();
        (!sample.is_empty()).then(|| Value::Object(sample).to_string())
    }

    /// Whether its header was read.
    pub fn has_begun(&self) -> bool {
        self.0.is_some()
    }

    /// The table has ended; the next one has a header of its own.
    pub fn end(&mut self) {
        self.0 = None;
    }
}

/// Whether a line may be one of a table.
pub fn is_row(text: &str) -> bool {
    text.len() > 1 && text.starts_with('|') && text.ends_with('|')
}

/// Adds what a `data:` label or a field says. JSON lists are taken apart; what is not JSON stays as it is, on one line.
pub fn add(lines: &mut Vec<String>, text: &str) {
    let before = lines.len();
    match serde_json::from_str(text.trim()) {
        Ok(Value::Array(items)) => lines.extend(items.iter().map(Value::to_string)),
        Ok(value @ Value::Object(_)) => lines.push(value.to_string()),
        _ => lines.extend(text.lines().map(line).filter(|line| !line.is_empty())),
    }
    let added = lines.split_off(before);
    for line in added {
        // A fence would end the block that the line is written into.
        if !line.starts_with("```") && !lines.contains(&line) && lines.len() < MOST {
            lines.push(line);
        }
    }
}

/// The data model of the lines; an entity without a name, and the samples, are called after the story.
///
/// # Errors
/// When there is no line, or one is neither an entity nor a sample.
pub fn model(lines: &[String], title: &str) -> Result<Model> {
    let name = entity(title);
    let (json, plain): (Vec<&String>, Vec<&String>) =
        lines.iter().partition(|line| line.starts_with(['{', '[']));
    let mut model = Model::default();
    if !plain.is_empty() {
        let named: Vec<String> = plain.iter().map(|line| with_name(line, &name)).collect();
        model = text::read(&named.join("\n"), "data")?;
    }
    if !json.is_empty() {
        let read = |line: &&String| {
            serde_json::from_str::<Value>(line).map_err(|error| Fault::Bad {
                field: "data".into(),
                given: Value::from(line.as_str()).to_string(),
                allowed: format!("an entity in a line, or JSON ({error})"),
            })
        };
        let values = json.iter().map(read).collect::<Result<Vec<_>>>()?;
        let sampled = samples::read(&values, &name, "data")?;
        for (name, entity) in sampled.entities {
            model.entities.entry(name).or_insert(entity);
        }
        model.root = model.root.or(sampled.root);
    }
    Ok(model)
}

/// The name of an entity for a title: `Reset my password` gives `ResetMyPassword`.
fn entity(title: &str) -> String {
    let name: String =
        title.to_upper_camel_case().chars().filter(char::is_ascii_alphanumeric).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("Story{name}") }
}

/// An entity's line; its fields alone are put under a name.
fn with_name(line: &str, name: &str) -> String {
    let head = line.split_once(':').map(|(head, _)| head.trim());
    match head.filter(|head| !head.is_empty() && !head.contains([' ', ','])) {
        Some(_) => line.to_owned(),
        None => format!("{name}: {line}"),
    }
}

fn cells(text: &str) -> Vec<String> {
    let inner = text.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, cells.last_mut()) {
            ('\\', Some(cell)) if chars.peek() == Some(&'|') => cell.extend(chars.next()),
            ('|', _) => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.iter().map(|cell| line(cell).trim_matches('`').to_owned()).collect()
}

/// A cell as JSON has it: a number, true, false or null; everything else is text.
fn scalar(cell: &str) -> Value {
    match serde_json::from_str(cell) {
        Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Null | Value::String(_))) => value,
        _ => Value::from(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_samples() {
        let mut table = Table::default();
        let rows: Vec<String> = [
            "| email | minutes | note |",
            "| --- | :-: | --- |",
            "| a@b.c | 30 | x \\| y |",
            "| d@e.f | -1.5 | |",
        ]
        .iter()
        .filter_map(|line| table.row(line))
        .collect();
        assert_eq!(
            rows,
            [
                r#"{"email":"a@b.c","minutes":30,"note":"x | y"}"#,
                r#"{"email":"d@e.f","minutes":-1.5}"#,
            ]
        );
    }

    #[test]
    fn each_form_gives_a_model() {
        let names = |lines: &[&str]| {
            let mut all = Vec::new();
            for line in lines {
                add(&mut all, line);
            }
            model(&all, "Reset my password")
                .map(|model| model.entities.keys().cloned().collect::<Vec<_>>())
        };
        assert_eq!(names(&["User: id uuid pk, email email"]).unwrap(), ["User"]);
        assert_eq!(names(&["email email, minutes int"]).unwrap(), ["ResetMyPassword"]);
        assert_eq!(names(&[r#"[{"a": 1}, {"a": "x"}]"#]).unwrap(), ["ResetMyPassword"]);
        assert_eq!(names(&["User: id uuid", r#"{"a": 1}"#]).unwrap(), ["User", "ResetMyPassword"]);
        assert!(names(&["{a: 1}"]).unwrap_err().to_string().contains("\"data\""));
    }

    #[test]
    fn a_title_of_other_letters_still_names_an_entity() {
        assert_eq!(entity("Größe ändern"), "Grendern");
        assert_eq!(entity("密码"), "Story");
        assert_eq!(entity("2 factors"), "Story2Factors");
    }
}
