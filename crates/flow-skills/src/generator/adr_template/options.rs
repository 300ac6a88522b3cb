//! The options of a decision with their arguments.

use serde::Serialize;
use serde_json::{Value, json};

use super::input::Given;
use crate::input::values::Line;
use crate::text::block::block;
use crate::text::line;
use crate::text::prose::prose;

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
    pub(super) fn bare(name: &str) -> Self {
        Self { name: line(name), ..Self::default() }
    }

    pub(super) fn given(given: &Given) -> Self {
        let texts = |all: &[Line]| all.iter().map(ToString::to_string).collect();
        Self { pros: texts(&given.pros), cons: texts(&given.cons), ..Self::bare(&given.name) }
    }

    /// Whether it has arguments for or against it.
    pub(super) fn has_arguments(&self) -> bool {
        !self.pros.is_empty() || !self.cons.is_empty() || !self.neutral.is_empty()
    }

    /// As the template has it: its name, and the text below it.
    pub(super) fn shown(&self) -> Value {
        let sides = [("Good", &self.pros), ("Neutral", &self.neutral), ("Bad", &self.cons)];
        let marked = |(mark, all): (&str, &Vec<String>)| {
            all.iter().map(|text| block(&format!("- {mark}: {text}"))).collect::<Vec<_>>()
        };
        let mut parts = vec![block(&self.about), sides.map(marked).concat().join("\n")];
        parts.retain(|part| !part.is_empty());
        json!({"name": prose(&self.name), "text": parts.join("\n\n")})
    }

    /// Adds what is said of it elsewhere.
    pub(super) fn extend(&mut self, more: Self) {
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
    /// Whether their names are listed: of one, no more is known, so that it has no section.
    pub(super) fn are_listed(&self) -> bool {
        self.all.iter().any(|option| !option.has_arguments() && option.about.is_empty())
    }

    /// The names of those that pass a test.
    pub(super) fn names(&self, is_it: impl Fn(&Choice) -> bool) -> String {
        let names = self.all.iter().filter(|option| is_it(option));
        names.map(|option| option.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}
