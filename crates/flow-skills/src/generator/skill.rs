//! One skill as a value: its input, what it needs and gives, and the functions that run it and verify its artifacts.

use serde_json::{Map, Value};

use crate::input::definition::{Request, UnsetContent};
use crate::input::place::place;
use crate::input::recognise;
use crate::output::{Output, Result};
pub use crate::page::Finding;
use crate::project_state::Context;

// What the row of a skill consists of.
pub(super) use crate::input::content::ContentKind;
pub(super) use crate::input::definition::{Definition, takes};
pub(super) use crate::input::given::Given;
pub(super) use crate::input::kind::Kind;

/// A skill of the catalog.
#[derive(Debug, Clone, Copy)]
pub struct Skill {
    /// Its name, which is also that of its folder under `skills/`.
    pub name: &'static str,
    /// The definition of its input.
    pub input: Definition,
    /// Whether it requires input.
    pub needs: Needs,
    /// The kind of its output data.
    pub gives: Kind,
    /// The function that runs it.
    pub run: Run,
    /// The function that verifies its artifacts.
    pub verify: Option<Verify>,
}

/// Whether a skill requires input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Required.
    Input,
    /// Optional, since a repository's state can replace it.
    Optional,
    /// Not required: the project's state, or a repository, suffices. A pipe is read only with `--input -`.
    Nothing,
}

/// How standard input is read that is a pipe. The caller may hold it open without ever writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pipe {
    /// To its end, since there is no other input.
    Awaited,
    /// If data arrive soon.
    Tried,
    /// Not.
    Unread,
}

/// Runs a skill on fields that its input type reads: `|given, context| generate(&given.read()?, context)`.
pub type Run = fn(&Given, &Context) -> Result<Output>;

/// Verifies a text as an artifact of the skill, in the project of the context.
pub type Verify = fn(&str, &Context) -> Vec<Finding>;

impl Skill {
    /// The JSON Schema of its input, with its title and dialect.
    pub fn schema(&self) -> Value {
        let mut titled = Map::new();
        titled.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        titled.insert("title".to_owned(), format!("Input of {}", self.name).into());
        if let Value::Object(map) = (self.input.schema)() {
            titled.extend(map.into_iter().filter(|(name, _)| name != "$schema" && name != "title"));
        }
        Value::Object(titled)
    }

    /// The schema as text, the content of `assets/input.schema.json`.
    pub fn schema_text(&self) -> String {
        format!("{:#}\n", self.schema())
    }

    /// How a pipe is read besides a request.
    pub fn pipe(&self, request: &Request) -> Pipe {
        if self.needs == Needs::Nothing || !request.contents.is_empty() {
            return Pipe::Unread;
        }
        match self.input.unset_content(request) {
            UnsetContent::None => Pipe::Unread,
            UnsetContent::All if self.needs == Needs::Input => Pipe::Awaited,
            UnsetContent::Some | UnsetContent::All => Pipe::Tried,
        }
    }

    /// Puts the content and words of a request into fields.
    ///
    /// # Errors
    /// When the request cannot be read, or the skill does not accept its kind.
    pub fn place(&self, request: &Request) -> Result<Given> {
        let accepted = self.input.accepted();
        let contents = recognise::contents(&request.contents, request.kind, &accepted)?;
        place(&self.input, request, contents)
    }

    /// Runs the skill.
    ///
    /// # Errors
    /// When the input is invalid.
    pub fn run(&self, given: &Given, context: &Context) -> Result<Output> {
        (self.run)(given, context).map(|output| output.noted(&given.notes))
    }
}
