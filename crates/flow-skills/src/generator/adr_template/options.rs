//! The options of a decision: from the field, and from Markdown with a heading or a bullet for each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::input::Input;
use crate::input::values::Line;
use crate::output::{Result, bad_text};
use crate::text::prose::prose;
use crate::text::{after, heading, item, line};

/// An option as given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    /// The name of the option.
    name: Line,
    /// Arguments for it.
    #[serde(default)]
    pros: Vec<Line>,
    /// Arguments against it.
    #[serde(default)]
    cons: Vec<Line>,
}

impl TryFrom<Line> for Given {
    type Error = &'static str;

    fn try_from(name: Line) -> std::result::Result<Self, &'static str> {
        Ok(Self { name, pros: Vec::new(), cons: Vec::new() })
    }
}

/// An option with its arguments.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Choice {
    pub(super) name: String,
    /// A description besides its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    about: String,
    pros: Vec<String>,
    cons: Vec<String>,
    /// Neutral arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    neutral: Vec<String>,
}

impl Choice {
    /// An option with only a name.
    pub(super) fn bare(name: &str) -> Self {
        Self { name: line(name), ..Self::default() }
    }

    /// Whether it has arguments for or against it.
    pub(super) fn has_arguments(&self) -> bool {
        !self.pros.is_empty() || !self.cons.is_empty() || !self.neutral.is_empty()
    }

    /// The option for the template.
    pub(super) fn shown(&self) -> Value {
        let marked = |mark: &'static str, all: &[String]| {
            all.iter().map(|text| format!("{mark}: {}", prose(text))).collect::<Vec<_>>()
        };
        let arguments = [
            marked("Good", &self.pros),
            marked("Neutral", &self.neutral),
            marked("Bad", &self.cons),
        ]
        .concat();
        json!({"name": prose(&self.name), "about": prose(&self.about), "arguments": arguments})
    }
}

/// All options, without duplicates; Markdown adds to those that the field names.
///
/// # Errors
/// When the field names one twice.
pub(super) fn all(input: &Input) -> Result<Vec<Choice>> {
    let mut found: Vec<Choice> = Vec::new();
    for (at, given) in input.options.iter().enumerate() {
        let Given { name, pros, cons } = &given.0;
        if found.iter().any(|known| known.name == **name) {
            return Err(bad_text(&format!("options[{at}]"), name, "named once"));
        }
        let texts = |all: &[Line]| all.iter().map(ToString::to_string).collect();
        found.push(Choice {
            name: name.to_string(),
            pros: texts(pros),
            cons: texts(cons),
            ..Choice::default()
        });
    }
    for more in input.comparison.iter().flat_map(|text| markdown(text)) {
        match found.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&more.name)) {
            Some(known) => {
                known.pros.extend(more.pros);
                known.cons.extend(more.cons);
                known.neutral.extend(more.neutral);
                if known.about.is_empty() {
                    known.about = more.about;
                }
            }
            None => found.push(more),
        }
    }
    Ok(found)
}

/// The side of the bullets under a heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    None,
    For,
    Against,
}

/// Reads options from Markdown.
fn markdown(text: &str) -> Vec<Choice> {
    let mut found: Vec<Choice> = Vec::new();
    let mut has_heading = false;
    let mut side = Side::None;
    for raw in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some((_, name)) = heading(raw) {
            has_heading = true;
            side = Side::None;
            found.push(named(name));
            continue;
        }
        if !has_heading {
            found.extend(item(raw).map(named));
            continue;
        }
        let Some(last) = found.last_mut() else { continue };
        match (item(raw), labelled_side(raw)) {
            (Some(argument), _) => add(last, argument, side),
            (None, Some(named)) => side = named,
            (None, None) if last.has_arguments() => add(last, raw, side),
            (None, None) => last.about = line(&format!("{} {raw}", last.about)),
        }
    }
    found
}

/// An option with a name, without MADR's link.
fn named(name: &str) -> Choice {
    let linked = name.strip_prefix('[').and_then(|rest| rest.split_once("]("));
    let name = linked.filter(|(_, target)| target.ends_with(')')).map_or(name, |(text, _)| text);
    let bold = name.strip_prefix("**").and_then(|name| name.strip_suffix("**"));
    Choice::bare(bold.unwrap_or(name))
}

fn labelled_side(raw: &str) -> Option<Side> {
    match raw.trim_end_matches(':').trim_matches('*').to_lowercase().as_str() {
        "in favour" | "for" | "pros" | "advantages" | "good" => Some(Side::For),
        "against" | "cons" | "disadvantages" | "bad" => Some(Side::Against),
        _ => None,
    }
}

/// Adds an argument to the side that its first word names, else to that of the bullets' label.
fn add(option: &mut Choice, argument: &str, side: Side) {
    let bare = |rest: &str| line(rest.trim_start_matches("because "));
    if let Some(rest) = after(argument, &["Good, ", "Good: ", "Pro: ", "+ "]) {
        option.pros.push(bare(rest));
    } else if let Some(rest) = after(argument, &["Bad, ", "Bad: ", "Con: "]) {
        option.cons.push(bare(rest));
    } else if let Some(rest) = after(argument, &["Neutral, ", "Neutral: "]) {
        option.neutral.push(bare(rest));
    } else {
        match side {
            Side::For => option.pros.push(line(argument)),
            Side::Against => option.cons.push(line(argument)),
            Side::None => option.neutral.push(line(argument)),
        }
    }
}
