//! The data of a story: lines that are each an entity in the one-line form (`Reset: email email, minutes int`) or a
//! sample in JSON. They come from a `data:` line or a fenced block.
//!
//! The lines are kept as text, so that they pass unchanged through Markdown and envelopes; [`model`] parses them.

use heck::ToUpperCamelCase;
use serde_json::{Number, Value};

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

/// The limits of the fields as rules: `Refund.amount is at least 1`.
pub(crate) fn limits(model: &Model) -> Result<Vec<String>> {
    let mut rules = Vec::new();
    for (name, entity) in &model.entities {
        for (key, shape) in &entity.shape.object.properties {
            let number = &shape.number;
            let (least, most) = (&number.minimum, &number.maximum);
            rules.extend(
                limit(least.as_ref(), most.as_ref(), "")
                    .map(|limit| format!("{name}.{key} is {limit}")),
            );
            let (least, most) = (shape.string.min_length, shape.string.max_length);
            let (least, most) = (least.map(Number::from), most.map(Number::from));
            rules.extend(
                limit(least.as_ref(), most.as_ref(), " characters")
                    .map(|limit| format!("{name}.{key} has {limit}")),
            );
        }
    }
    if rules.len() > MOST {
        let given = format!("data with {} limits", rules.len());
        return Err(bad_given("data", given, &format!("data with at most {MOST}")));
    }
    Ok(rules)
}

/// A range in the words of [`super::bounds`].
fn limit(least: Option<&Number>, most: Option<&Number>, unit: &str) -> Option<String> {
    match (least, most) {
        (Some(least), Some(most)) => Some(format!("between {least} and {most}{unit}")),
        (Some(least), None) => Some(format!("at least {least}{unit}")),
        (None, Some(most)) => Some(format!("at most {most}{unit}")),
        (None, None) => None,
    }
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
