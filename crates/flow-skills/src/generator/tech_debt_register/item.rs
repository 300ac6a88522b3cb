//! A debt: what it is, where, and its figures. Read from fields or from lines.

use serde_json::{Value, json};

use super::{line, place};
use crate::fields;
use crate::input::Input;
use crate::output::Result;
use crate::runtime::files::Folder;
use crate::text::title;

/// Most items.
const MOST: usize = 1_000;
/// The figures, in the order in which they are asked for.
pub(super) const FIGURES: [&str; 3] = ["impact", "urgency", "effort"];

/// A debt.
#[derive(Debug, Clone, Default)]
pub(super) struct Item {
    /// Where the input has it: `items[2]`.
    pub(super) field: String,
    pub(super) title: String,
    pub(super) place: Option<String>,
    /// Impact, urgency and effort, 1 to 5.
    pub(super) figures: [Option<u8>; 3],
    pub(super) story: Option<String>,
    /// What could not be checked.
    pub(super) note: Option<String>,
}

impl Item {
    /// Impact times urgency, divided by effort; none where a figure is missing.
    pub(super) fn score(&self) -> Option<f64> {
        let [Some(impact), Some(urgency), Some(effort)] = self.figures else { return None };
        // Equal quotients of such small numbers are equal as floating point numbers too: division rounds correctly.
        Some(f64::from(impact * urgency) / f64::from(effort))
    }

    /// The names of the figures that are missing.
    pub(super) fn missing(&self) -> Vec<&'static str> {
        let named = FIGURES.iter().zip(&self.figures);
        named.filter(|(_, figure)| figure.is_none()).map(|(name, _)| *name).collect()
    }

    pub(super) fn row(&self) -> Value {
        let [impact, urgency, effort] = self.figures;
        json!({
            "title": self.title,
            "place": self.place,
            "impact": impact,
            "urgency": urgency,
            "effort": effort,
            "score": self.score().map(|score| (score * 100.0).round() / 100.0),
            "missing": self.missing().join(", "),
            "story": self.story,
        })
    }
}

/// The items of the field, in the order given; places are checked, stories are not.
///
/// # Errors
/// When one cannot be read, or its place is not there.
pub(super) fn read(input: &Input, folder: &Folder) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    match input.fields.get("items") {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => {
            let lines = text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty());
            for (at, text) in lines.filter(|(_, text)| !text.starts_with('#')) {
                items.push(line::read(text, &format!("items, line {}", at + 1), folder)?);
            }
        }
        Some(Value::Array(given)) => {
            for (at, given) in given.iter().enumerate() {
                let field = format!("items[{at}]");
                items.push(match given {
                    Value::String(text) => line::read(text, &field, folder)?,
                    given => object(given, field)?,
                });
            }
        }
        Some(other) => {
            return Err(fields::bad("items", other, "a list of items, or lines of text"));
        }
    }
    if items.len() > MOST {
        let count = Value::from(items.len());
        return Err(fields::bad("items", &count, &format!("at most {MOST} items")));
    }
    for item in &mut items {
        if let Some(given) = &item.place {
            let checked = place::check(folder, &format!("{}.place", item.field), given)?;
            (item.place, item.note) = (Some(checked.shown), checked.note);
        }
    }
    Ok(items)
}

fn object(given: &Value, field: String) -> Result<Item> {
    let text = |name: &str| match given.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(other) => Err(fields::bad(&format!("{field}.{name}"), other, "text")),
    };
    let mut figures = [None; 3];
    for (figure, name) in figures.iter_mut().zip(FIGURES) {
        if let Some(given) = given.get(name).filter(|given| !given.is_null()) {
            *figure = Some(self::figure(&format!("{field}.{name}"), given)?);
        }
    }
    let title = title(text("title")?.unwrap_or_default());
    if title.is_empty() {
        return Err(fields::missing_text(&format!("{field}.title"), "what is in debt, in words"));
    }
    let (place, story) = (text("place")?.map(str::to_owned), text("story")?.map(str::to_owned));
    Ok(Item { title, place, story, figures, field, note: None })
}

/// A figure from 1 to 5.
pub(super) fn figure(field: &str, given: &Value) -> Result<u8> {
    let number = given.as_u64().and_then(|number| u8::try_from(number).ok());
    let number = number.filter(|number| (1..=5).contains(number));
    number.ok_or_else(|| fields::bad(field, given, "a whole number from 1 to 5"))
}
