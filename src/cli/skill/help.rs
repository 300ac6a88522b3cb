//! The input of a skill in `flow skill NAME --help` and `flow skill show NAME`, from its row and its schema.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::cli::args::verbs::Verb;
use crate::cli::terminal::{Size, wrapped};
use crate::skill::generator::followers;
use crate::skill::generator::skill::{Needs, Skill};
use crate::skill::input::keywords::LABELS;
use crate::skill::input::typed::expected;
use crate::skill::runtime::catalog;
use crate::skill::runtime::custom::Custom;

/// The help of a skill.
pub(super) fn skill(skill: &Skill) -> String {
    let summary = catalog::summary(skill.name);
    let input = input(skill);
    let example = catalog::example(skill.name).unwrap_or_default();
    let text = format!(
        "{summary}.\n\nUsage: flow skill {0} [TEXT] [KEY=VALUE]… [--input FILE]\nExample: {example}\n{input}\nDocumentation: flow skill show {0}. All options: flow skill --help\n",
        skill.name
    );
    fitted(&text)
}

/// The help of a verb.
pub(super) fn verb(verb: &Verb) -> String {
    let Verb { name, arguments, about } = verb;
    fitted(&format!(
        "{about}.\n\nUsage: flow skill {name}{arguments}\n\nAll options: flow skill --help\n"
    ))
}

/// The help of a custom skill.
pub(super) fn custom(name: &str, custom: &Custom) -> String {
    let fields = fields(&custom.schema);
    fitted(&format!(
        "Usage: flow skill {name} [TEXT] [KEY=VALUE]… [--input FILE]\n\nFields:\n\n{fields}\nTemplate: flow skill show {name}. All options: flow skill --help\n"
    ))
}

/// A text wrapped at the output's width, if that is known.
fn fitted(text: &str) -> String {
    Size::known_width().map_or_else(|| text.to_owned(), |width| broken(text, width))
}

/// A text wrapped at a width; the continuation lines of a list row are aligned with its text.
fn broken(text: &str, width: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let indent = line.strip_prefix("- ").map_or_else(
            || line.len() - line.trim_start().len(),
            |row| {
                let text = row.find("  ").map_or(row, |at| row[at..].trim_start());
                line.len() - text.len()
            },
        );
        let (before, rest) = line.split_at(indent);
        out.push_str(before);
        out.push_str(&wrapped(rest, indent, width));
        out.push('\n');
    }
    out
}

/// The content, kinds and fields of a skill's input.
pub(super) fn input(skill: &Skill) -> String {
    let mut out = "\n## Input\n\n".to_owned();
    let kinds: Vec<&str> = skill.input.takes.iter().map(|takes| takes.kind.name()).collect();
    if !kinds.is_empty() {
        let _ = writeln!(out, "Content (TEXT, --input or a pipe): {}.", kinds.join(", "));
    }
    for takes in skill.input.takes {
        if let Some(example) = takes.kind.example() {
            let _ = writeln!(out, "Form of {}: `{example}` (docs/notation.md).", takes.kind.name());
        }
    }
    if skill.needs == Needs::Nothing {
        out.push_str("It needs no input; a pipe is read only with --input -.\n");
    }
    let accepts: Vec<String> = skill.input.accepts.iter().map(ToString::to_string).collect();
    if !accepts.is_empty() {
        let _ = writeln!(out, "In a chain, it accepts {}.", accepts.join(", "));
    }
    let next: Vec<&str> = followers(skill.gives).map(|skill| skill.name).collect();
    if !next.is_empty() {
        let accept = if next.len() == 1 { "accepts" } else { "accept" };
        let next = next.join(", ");
        let _ = writeln!(out, "Its output is of the kind {}, which {next} {accept}.", skill.gives);
    }
    out.push_str("\nFields (KEY=VALUE, an object, or `Label: text`):\n\n");
    out + &fields(&skill.schema())
}

fn fields(schema: &Value) -> String {
    let all: Vec<(&String, &Value)> =
        schema["properties"].as_object().into_iter().flat_map(Map::iter).collect();
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|all| all.iter().any(|known| known == name))
    };
    all.iter().fold(String::new(), |mut out, (name, property)| {
        let text = property["description"].as_str().unwrap_or_default().trim_end_matches('.');
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let needed = if required(name) { ", required" } else { "" };
        let _ = writeln!(out, "- {name:<width$}  {text} ({}{needed})", expected(property));
        if let Some(labels) = property[LABELS].as_array() {
            let labels: Vec<&str> = labels.iter().filter_map(Value::as_str).collect();
            let _ = writeln!(out, "  {:<width$}  labels: {}", "", labels.join(", "));
        }
        out
    })
}
