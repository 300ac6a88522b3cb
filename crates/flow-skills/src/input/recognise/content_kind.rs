//! The kinds of content, with their names.

use crate::input::notation::Notation;

/// The kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// The output of another skill with `--json`.
    Envelope,
    /// The skill's own fields. The recogniser never returns this: the skill decides whether an object is its fields.
    Fields,
    /// A data model in flow's own form.
    Model,
    /// An OpenAPI document, in JSON or YAML.
    OpenApi,
    /// A JSON Schema, in JSON or YAML.
    JsonSchema,
    /// SQL that defines tables.
    Ddl,
    /// A conventional commit message. The recogniser never returns this: for most skills `test: x` is YAML.
    Commit,
    /// A Gherkin feature file.
    Gherkin,
    /// A document in Markdown, with headings.
    Markdown,
    /// Data: JSON, several JSON values, or YAML.
    Sample,
    /// Environment variables, of which only the names are read. The recogniser never returns this: `a=b` is text too.
    Dotenv,
    /// A range of revisions of a git repository, such as `v1.2.0..HEAD`.
    Range,
    /// A line notation.
    Notation(Notation),
    /// Any other text.
    Text,
}

impl ContentKind {
    /// Every kind, in the order of the help, with its name as the option `--as` takes it.
    pub const NAMED: [(Self, &'static str); 18] = [
        (Self::Envelope, "envelope"),
        (Self::Fields, "fields"),
        (Self::Model, "model"),
        (Self::OpenApi, "openapi"),
        (Self::JsonSchema, "json-schema"),
        (Self::Ddl, "ddl"),
        (Self::Commit, "commit"),
        (Self::Gherkin, "gherkin"),
        (Self::Markdown, "markdown"),
        (Self::Sample, "sample"),
        (Self::Dotenv, "dotenv"),
        (Self::Range, "range"),
        (Self::Notation(Notation::Entities), "entities"),
        (Self::Notation(Notation::Endpoints), "endpoints"),
        (Self::Notation(Notation::Arrows), "arrows"),
        (Self::Notation(Notation::Errors), "errors"),
        (Self::Notation(Notation::List), "list"),
        (Self::Text, "text"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|(_, known)| *known == name).map(|(kind, _)| kind)
    }
}
