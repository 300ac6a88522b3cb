//! A debt: its description, place and figures.

use serde_json::{Value, json};

use crate::output::{Result, bad_text};

/// The figures, in the order of the questions.
pub(super) const FIGURES: [&str; 3] = ["impact", "urgency", "effort"];

/// A debt.
#[derive(Debug, Clone, Default)]
pub(super) struct Item {
    /// Its path in the input: `items[2]`.
    pub(super) field: String,
    /// The kind of debt, as given.
    pub(super) kind: Option<String>,
    pub(super) title: String,
    pub(super) place: Option<String>,
    /// Impact, urgency and effort, 1 to 5.
    pub(super) figures: [Option<u8>; 3],
    pub(super) story: Option<String>,
    /// What could not be checked.
    pub(super) note: Option<String>,
}

impl Item {
    /// Impact times urgency, divided by effort; `None` if a figure is missing.
    pub(super) fn score(&self) -> Option<f64> {
        let [Some(impact), Some(urgency), Some(effort)] = self.figures else { return None };
        // Equal quotients of such small numbers are equal as floating point numbers: division rounds correctly.
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
            "type": self.kind,
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

/// A figure from 1 to 5.
pub(super) fn figure(field: &str, given: i64) -> Result<u8> {
    let number = u8::try_from(given).ok().filter(|number| (1..=5).contains(number));
    number.ok_or_else(|| bad_text(field, &given.to_string(), "a whole number from 1 to 5"))
}
