//! One skill as a value: its input, what it needs and gives, and the functions that run it and verify its artifacts.

use std::collections::HashMap;
use std::hash::Hash;

use serde_json::{Map, Value};

use crate::input::notation::{headings, outside_fences};
use crate::input::place::{Given, Request};
use crate::output::{Fault, Output, Result};
use crate::project_state::Context;
use crate::text::{blank, heading, plain};

// What the row of a skill consists of.
pub(super) use crate::input::kind::{Kind, Upstream};
pub(super) use crate::input::place::{Definition, takes};
pub(super) use crate::input::recognise::ContentKind;

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
    /// Required: a pipe is read if nothing else is given.
    Input,
    /// Optional, since a repository's state can replace it. A pipe is read if data arrive soon; the caller may hold
    /// standard input open without ever writing.
    Optional,
    /// Not required: the project's state, or a repository, suffices. A pipe is read only with `--input -`.
    Nothing,
}

/// Runs a skill on fields that its input type reads: `|given, context| generate(&given.read()?, context)`.
pub type Run = fn(&Given, &Context) -> Result<Output>;

/// Verifies a text as an artifact of the skill, in the project of the context.
pub type Verify = fn(&str, &Context) -> Vec<Finding>;

/// A fault in an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: usize,
    /// The fault, and what to do about it.
    pub what: String,
}

impl Finding {
    /// A finding on a line.
    pub fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }

    /// A fault, in the last line that has a text which the fault quotes.
    pub fn of_fault(text: &str, fault: &Fault) -> Self {
        let what = fault.to_string();
        let quoted = what.split('"').skip(1).step_by(2).filter(|part| !part.is_empty());
        let line = |part: &str| text.lines().position(|line| line.contains(part));
        let line = quoted.filter_map(line).last().map_or(1, |at| at + 1);
        Self { line, what }
    }

    /// A finding for each key that an earlier line has too; `what` words it from the key and that line.
    pub fn repeated<K: Eq + Hash>(
        keys: impl Iterator<Item = (usize, K)>,
        what: impl Fn(&K, usize) -> String,
    ) -> Vec<Self> {
        let mut seen: HashMap<K, usize> = HashMap::new();
        let mut found = Vec::new();
        for (line, key) in keys {
            match seen.get(&key) {
                Some(first) => found.push(Self::new(line, what(&key, *first))),
                None => drop(seen.insert(key, line)),
            }
        }
        found
    }

    /// The finding for a text that does not begin with a title; `example` is one.
    pub fn untitled(text: &str, example: &str) -> Option<Self> {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let is_title = heading(first).is_some_and(|(level, _)| level == 1);
        (!is_title).then(|| Self::new(1, format!("the title is missing: begin with `{example}`")))
    }

    /// A finding for each blank that is left, `<who decides, and by when>`; a column of a table is none.
    pub fn blanks(text: &str) -> impl Iterator<Item = Self> {
        let lines = outside_fences(text)
            .filter_map(|(at, line)| Some((at, blank(&plain(line))?.to_owned())));
        let is_column =
            |blank: &str| text.contains(&format!("| {} |", blank.trim_matches(['<', '>'])));
        let left = lines.filter(move |(_, blank)| !is_column(blank));
        left.map(|(at, blank)| {
            Self::new(at, format!("{blank} is a blank: fill it in, or remove it"))
        })
    }

    /// The finding for a section of open questions that is still in an artifact.
    pub fn left_open(text: &str) -> Option<Self> {
        let (line, ..) =
            headings(text).find(|(.., name)| name.eq_ignore_ascii_case("open questions"))?;
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

    /// The schema as text, the content of `assets/input.schema.json`.
    pub fn schema_text(&self) -> String {
        format!("{:#}\n", self.schema())
    }

    /// Whether a pipe is read for it, as far as its [`Needs`] allow.
    pub fn wants_pipe(&self, request: &Request) -> bool {
        self.needs != Needs::Nothing
            && request.contents.is_empty()
            && self.input.wants_content(request)
    }

    /// Puts the content and words of a request into fields.
    ///
    /// # Errors
    /// When the request cannot be read, or the skill does not accept its kind.
    pub fn place(&self, request: &Request) -> Result<Given> {
        self.input.place(request)
    }

    /// Runs the skill.
    ///
    /// # Errors
    /// When the input is invalid.
    pub fn run(&self, given: &Given, context: &Context) -> Result<Output> {
        let mut output = (self.run)(given, context)?;
        output.notes.splice(0..0, given.notes.iter().cloned());
        Ok(output)
    }
}
