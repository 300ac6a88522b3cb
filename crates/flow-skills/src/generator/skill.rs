//! One skill as a value: its input, what it needs and gives, and the functions that run it and verify its artifacts.

use serde_json::{Map, Value};

use crate::input::kind::Kind;
use crate::input::notation::outside_fences;
use crate::input::place::{Definition, Given, Request};
use crate::output::{Output, Result};
use crate::project_state::Context;
use crate::text::heading;

/// A skill of the catalog.
#[derive(Debug, Clone, Copy)]
pub struct Skill {
    /// Its name, that of its folder under `skills/`.
    pub name: &'static str,
    /// What its input is made of.
    pub input: Definition,
    /// Whether it runs without any input.
    pub needs: Needs,
    /// The kind of data that it gives.
    pub gives: Kind,
    /// What makes its output.
    pub run: Run,
    /// What checks an artifact of its kind.
    pub verify: Option<Verify>,
}

/// Whether a skill runs without any input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// It needs input, so that a pipe is read where nothing else is given.
    Input,
    /// Input, or else a repository's own state. A pipe is read where it gives something soon; who runs the skill may
    /// hold standard input open without ever writing.
    Optional,
    /// The project's state, or a repository, is input enough. A pipe is read only with `--input -`.
    Nothing,
}

/// Makes a skill's output from fields that its input type reads: `|given, context| generate(&given.read()?, context)`.
pub type Run = fn(&Given, &Context) -> Result<Output>;

/// Checks a text as an artifact of the skill, in the project of the context.
pub type Verify = fn(&str, &Context) -> Vec<Finding>;

/// Something that is wrong with an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub what: String,
}

impl Finding {
    /// A finding in a line.
    pub fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }

    /// The section of open questions that a skill wrote and nobody has answered yet.
    pub fn left_open(text: &str) -> Option<Self> {
        let is_open = |line: &str| {
            heading(line.trim())
                .is_some_and(|(_, name)| name.eq_ignore_ascii_case("open questions"))
        };
        let (line, _) = outside_fences(text).find(|(_, line)| is_open(line))?;
        Some(Self::new(line, "open questions are left: answer them and remove the section"))
    }
}

impl Skill {
    /// The JSON Schema of its input, with its title and dialect.
    pub fn schema(&self) -> Value {
        let mut titled = Map::new();
        titled.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        titled.insert("title".to_owned(), format!("Input of {}", self.name).into());
        if let Value::Object(map) = (self.input.input.schema)() {
            titled.extend(map.into_iter().filter(|(name, _)| name != "$schema" && name != "title"));
        }
        Value::Object(titled)
    }

    /// The text of its schema, as it stands in `assets/input.schema.json`.
    pub fn schema_text(&self) -> String {
        format!("{:#}\n", self.schema())
    }

    /// Whether a pipe is read for it, as far as its [`Needs`] allow.
    pub fn wants_pipe(&self, request: &Request) -> bool {
        self.needs != Needs::Nothing
            && request.contents.is_empty()
            && self.input.wants_content(request)
    }

    /// Puts a request into fields.
    ///
    /// # Errors
    /// When it cannot be read, or is of a kind that the skill does not take.
    pub fn place(&self, request: &Request) -> Result<Given> {
        self.input.place(request)
    }

    /// Runs it.
    ///
    /// # Errors
    /// When the input does not fit, or nothing can be made of it.
    pub fn run(&self, given: &Given, context: &Context) -> Result<Output> {
        let mut output = (self.run)(given, context)?;
        output.notes.splice(0..0, given.notes.iter().cloned());
        Ok(output)
    }

    /// Whether fields fit its input; for tests and editors.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self, fields: &Map<String, Value>) -> Result<()> {
        (self.input.input.check)(fields)
    }
}
