//! What a skill declares of its input: the type, and the content that goes to fields of it; and the arguments of a call.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::content::ContentKind;
use super::kind::Kind;
use super::typed::{self, property, types};
use crate::output::Result;

/// A kind of content that a skill accepts, and its field.
#[derive(Debug, Clone, Copy)]
pub struct Takes {
    /// The kind of content.
    pub kind: ContentKind,
    /// The field that it sets.
    pub field: &'static str,
}

/// Declares that content of a kind goes to a field.
pub const fn takes(kind: ContentKind, field: &'static str) -> Takes {
    Takes { kind, field }
}

/// The definition of a skill's input.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// The JSON Schema of the input type.
    pub schema: fn() -> Value,
    /// Checks fields against the input type.
    pub check: fn(&Map<String, Value>) -> Result<()>,
    /// The content that it accepts.
    pub takes: &'static [Takes],
    /// Fields that replace content, such as a range of commits.
    pub instead: &'static [&'static str],
    /// The fields whose content the skill reads by its kind, wherever it comes from.
    pub contents: &'static [&'static str],
    /// The kinds of data that it accepts from another skill.
    pub accepts: &'static [Kind],
    /// Removes from an object of content the members that are not meant as the fields of their names.
    pub prepare: fn(&mut Map<String, Value>),
}

/// Which of the fields for content a request leaves unset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsetContent {
    /// None: all are set, or a field replaces content, or the skill accepts none, or a word names no field.
    None,
    /// Some of them.
    Some,
    /// All of them.
    All,
}

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Content: a file or a pipe, then the words of the command line.
    pub contents: Vec<Vec<u8>>,
    /// `key=value` words.
    pub pairs: Vec<(String, String)>,
    /// Fields with their values, where they are not given as words.
    pub fields: Map<String, Value>,
    /// The kind of the content, if the user specified it.
    pub kind: Option<ContentKind>,
}

impl Definition {
    /// An input type that takes no content and no data.
    pub const fn of<T: DeserializeOwned + JsonSchema>() -> Self {
        Self {
            schema: typed::schema_of::<T>,
            check: |fields| typed::read::<T>(fields).map(drop),
            takes: &[],
            instead: &[],
            contents: &[],
            accepts: &[],
            prepare: |_| {},
        }
    }

    /// The kinds of content that it accepts.
    pub fn accepted(&self) -> Vec<ContentKind> {
        self.takes.iter().map(|takes| takes.kind).collect()
    }

    /// Which fields for content the `key=value` words of a request leave unset.
    pub fn unset_content(&self, request: &Request) -> UnsetContent {
        let schema = (self.schema)();
        let names = request.pairs.iter().map(|(name, _)| Some(property(&schema, name)?.0));
        // A name that is no field is refused, whatever a pipe holds.
        let Some(fields) = names.collect::<Option<Vec<&str>>>() else { return UnsetContent::None };
        let taken = self.takes.iter().filter(|takes| fields.contains(&takes.field)).count();
        let is_replaced = self.instead.iter().any(|field| fields.contains(field));
        if is_replaced || taken == self.takes.len() {
            UnsetContent::None
        } else if taken == 0 {
            UnsetContent::All
        } else {
            UnsetContent::Some
        }
    }

    /// Whether a field has the names of environment variables, which a file of variables gives.
    pub fn takes_variables(&self, name: &str) -> bool {
        let schema = (self.schema)();
        let field = property(&schema, name).map(|(field, _)| field);
        let mut variables = self.takes.iter().filter(|takes| takes.kind == ContentKind::Dotenv);
        variables.any(|takes| Some(takes.field) == field)
    }

    /// Whether a field may have the path of a file in place of its value: it is data, not a text in which a path may stand.
    pub fn takes_file(&self, name: &str) -> bool {
        use ContentKind as K;
        let schema = (self.schema)();
        let Some((field, property)) = property(&schema, name) else { return false };
        if types(property).is_empty() && property.get("enum").is_none() {
            return true;
        }
        let is_data =
            |kind| !matches!(kind, K::Text | K::Markdown | K::Dotenv | K::Range | K::Commit);
        let mut takes = self.takes.iter().filter(|takes| takes.field == field).peekable();
        takes.peek().is_some() && takes.all(|takes| is_data(takes.kind))
    }

    /// The field for a kind of content.
    pub(super) fn field(&self, kind: ContentKind) -> Option<&'static str> {
        self.takes.iter().find(|takes| takes.kind == kind).map(|takes| takes.field)
    }
}
