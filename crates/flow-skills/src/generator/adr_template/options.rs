//! The options of a decision: from the field, and from Markdown with a heading or a bullet for each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::choice::is_same;
use super::comparison;
use super::input::Input;
use crate::input::values::Line;
use crate::output::{Result, bad_text};
use crate::text::block::block;
use crate::text::line;
use crate::text::prose::prose;

/// Most options of a decision.
const MOST: usize = 200;

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

/// The options, and what is said of all of them.
#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) about: String,
    pub(super) all: Vec<Choice>,
}

/// An option with its arguments, each of which may continue on further lines.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Choice {
    pub(super) name: String,
    /// A description besides its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) about: String,
    pub(super) pros: Vec<String>,
    pub(super) cons: Vec<String>,
    /// Neutral arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) neutral: Vec<String>,
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

    /// As the template has it: its name, and the text below it.
    pub(super) fn shown(&self) -> Value {
        let marked = |mark: &'static str, all: &[String]| {
            all.iter().map(|text| block(&format!("- {mark}: {text}"))).collect::<Vec<_>>()
        };
        let arguments = [
            marked("Good", &self.pros),
            marked("Neutral", &self.neutral),
            marked("Bad", &self.cons),
        ];
        let parts = [block(&self.about), arguments.concat().join("\n")];
        let parts: Vec<&str> =
            parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        json!({"name": prose(&self.name), "text": parts.join("\n\n")})
    }

    /// Adds what is said of it elsewhere.
    fn extend(&mut self, more: Self) {
        if more.name.len() > self.name.len() && !self.name.contains("](") {
            self.name = more.name;
        }
        self.pros.extend(more.pros);
        self.cons.extend(more.cons);
        self.neutral.extend(more.neutral);
        if !self.about.is_empty() && !more.about.is_empty() {
            self.about.push_str("\n\n");
        }
        self.about.push_str(&more.about);
    }
}

impl Options {
    /// All options, each once; what Markdown says of one that is named already is added to it.
    ///
    /// # Errors
    /// When the field names one twice.
    pub(super) fn read(input: &Input) -> Result<Self> {
        let mut all: Vec<Choice> = Vec::new();
        for (at, given) in input.options.iter().enumerate() {
            let Given { name, pros, cons } = &given.0;
            if all.iter().any(|known| known.name == **name) {
                return Err(bad_text(&format!("options[{at}]"), name, "named once"));
            }
            let texts = |all: &[Line]| all.iter().map(ToString::to_string).collect();
            all.push(Choice {
                name: name.to_string(),
                pros: texts(pros),
                cons: texts(cons),
                ..Choice::default()
            });
        }
        let compared = input.comparison.as_deref().map(comparison::read).unwrap_or_default();
        for more in compared.all {
            match all.iter_mut().find(|known| is_same(&known.name, &more.name)) {
                Some(known) => known.extend(more),
                None => all.push(more),
            }
            if all.len() > MOST {
                let allowed = format!("at most {MOST} options");
                return Err(bad_text("comparison", "more options", &allowed));
            }
        }
        Ok(Self { about: compared.about, all })
    }

    /// Whether more than the names of the options is known.
    pub(super) fn are_described(&self) -> bool {
        self.all.iter().any(|option| option.has_arguments() || !option.about.is_empty())
    }

    /// The names of those that pass a test.
    pub(super) fn names(&self, is_it: impl Fn(&Choice) -> bool) -> String {
        let names = self.all.iter().filter(|option| is_it(option));
        names.map(|option| option.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}
