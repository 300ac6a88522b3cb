//! The data of a story: lines that are each an entity in the one-line form (`Reset: email email, minutes int`) or a
//! sample in JSON. They come from a `data:` line or a fenced block.
//!
//! The lines are kept as text, so that they pass unchanged through Markdown and envelopes; [`model`] parses them.

use heck::ToUpperCamelCase;
use serde_json::Value;

use super::MOST;
use crate::data::{Model, samples, text};
use crate::output::{Result, bad_given};
use crate::text::line;

/// Adds the value of a `data:` label or field: JSON lists are split, and other text is kept line by line.
pub(crate) fn add(lines: &mut Vec<String>, text: &str) {
    match serde_json::from_str(text.trim()) {
        Ok(Value::Array(items)) => items.iter().for_each(|item| keep(lines, item.to_string())),
        Ok(value @ Value::Object(_)) => keep(lines, value.to_string()),
        _ => text.lines().for_each(|text| keep(lines, line(text))),
    }
}

/// Adds a line that is not a duplicate, as far as the limit goes. A fence would end the block that the line is written into.
fn keep(lines: &mut Vec<String>, line: String) {
    let is_text = !line.is_empty() && !line.starts_with("```");
    if is_text && (lines.len() > MOST || !lines.contains(&line)) {
        lines.push(line);
    }
}

/// The data model of the lines; an entity without a name, and the samples, are named after the story.
pub(crate) fn model(lines: &[String], title: &str) -> Result<Model> {
    let name = entity(title);
    let (json, plain): (Vec<&String>, Vec<&String>) =
        lines.iter().partition(|line| line.starts_with(['{', '[']));
    let mut model = Model::default();
    if !plain.is_empty() {
        let named: Vec<String> = plain.iter().map(|line| with_name(line, &name)).collect();
        model = text::notation(&named.join("\n"), &name, "data")?;
    }
    if !json.is_empty() {
        let read = |line: &&String| {
            serde_json::from_str::<Value>(line).map_err(|error| {
                let given = Value::from(line.as_str()).to_string();
                bad_given("data", given, &format!("an entity in a line, or JSON ({error})"))
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

/// The name of an entity for a title: `ResetMyPassword` for `Reset my password`.
pub(crate) fn entity(title: &str) -> String {
    let name: String =
        title.to_upper_camel_case().chars().filter(char::is_ascii_alphanumeric).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("Story{name}") }
}

/// An entity's line; fields without an entity get this name.
fn with_name(line: &str, name: &str) -> String {
    let head = line.split_once(':').map(|(head, _)| head.trim());
    match head.filter(|head| !head.is_empty() && !head.contains([' ', ','])) {
        Some(_) => line.to_owned(),
        None => format!("{name}: {line}"),
    }
}
