//! A debt and its score.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::input::typed;
use crate::input::values::{Int, Line, Word};
use crate::output::{Fault, Result};
use crate::text::whole_title;

/// A debt.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Debt {
    /// A description of the debt.
    #[schemars(extend("x-labels" = ["text", "description", "name"]))]
    pub(super) title: Line,
    /// The kind of debt, such as design, test or security.
    #[serde(rename = "type")]
    #[schemars(extend("x-labels" = ["kind", "category"]))]
    kind: Option<Line>,
    /// A path below the current folder, optionally with a line, such as src/pay.rs:40.
    #[schemars(extend("x-labels" = ["location", "file", "path"]))]
    pub(super) place: Option<Line>,
    /// The impact, 1 to 5.
    impact: Option<Int<1, 5>>,
    /// The urgency, 1 to 5.
    urgency: Option<Int<1, 5>>,
    /// The effort of the repair, 1 to 5.
    effort: Option<Int<1, 5>>,
    /// The id of the project's story about it.
    pub(super) story: Option<Word>,
}

/// A debt, and its path in the input: `items[2]`.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) field: String,
    pub(super) debt: Debt,
}

/// The figures, in the order of the questions.
pub(super) const FIGURES: [&str; 3] = ["impact", "urgency", "effort"];

impl Item {
    pub(super) fn of(field: String, members: Map<String, Value>) -> Result<Self> {
        typed::members(&field, &members, &typed::schema_of::<Debt>())?;
        let debt = serde_json::from_value(members.into());
        debt.map(|debt| Self { field, debt }).map_err(|error| Fault::Refused(error.to_string()))
    }

    fn figures(&self) -> [Option<i64>; 3] {
        [self.debt.impact, self.debt.urgency, self.debt.effort].map(|one| one.map(Int::get))
    }

    /// Impact times urgency, divided by effort, with two decimals; `None` if a figure is missing.
    pub(super) fn score(&self) -> Option<f64> {
        let [Some(impact), Some(urgency), Some(effort)] = self.figures() else { return None };
        let hundredths = i32::try_from((200 * impact * urgency + effort) / (2 * effort)).ok()?;
        Some(f64::from(hundredths) / 100.0)
    }

    pub(super) fn missing(&self) -> Vec<&'static str> {
        let named = FIGURES.iter().zip(self.figures());
        named.filter(|(_, figure)| figure.is_none()).map(|(name, _)| *name).collect()
    }

    pub(super) fn row(&self) -> Value {
        let Debt { title: what, kind, place, story, .. } = &self.debt;
        let [impact, urgency, effort] = self.figures();
        json!({
            "title": whole_title(what), "type": kind, "place": place, "impact": impact, "urgency": urgency,
            "effort": effort, "score": self.score(), "missing": self.missing().join(", "),
            "story": story,
        })
    }
}
