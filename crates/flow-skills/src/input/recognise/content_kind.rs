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
    /// A decision record in Markdown.
    Adr,
    /// A story in Markdown.
    Story,
    /// A changelog in Markdown.
    Changelog,
    /// Another document in Markdown.
    Markdown,
    /// Data: JSON, several JSON values, YAML or CSV.
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
    /// Every kind, in the order of the help.
    pub const ALL: [Self; 22] = [
        Self::Envelope,
        Self::Fields,
        Self::Model,
        Self::OpenApi,
        Self::JsonSchema,
        Self::Ddl,
        Self::Commit,
        Self::Gherkin,
        Self::Adr,
        Self::Story,
        Self::Changelog,
        Self::Markdown,
        Self::Sample,
        Self::Dotenv,
        Self::Range,
        Self::Notation(Notation::Entities),
        Self::Notation(Notation::Endpoints),
        Self::Notation(Notation::Arrows),
        Self::Notation(Notation::Errors),
        Self::Notation(Notation::List),
        Self::Notation(Notation::Story),
        Self::Text,
    ];

    /// Its name, as the option `--as` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Envelope => "envelope",
            Self::Fields => "fields",
            Self::Model => "model",
            Self::OpenApi => "openapi",
            Self::JsonSchema => "json-schema",
            Self::Ddl => "ddl",
            Self::Commit => "commit",
            Self::Gherkin => "gherkin",
            Self::Adr => "adr",
            Self::Story => "story",
            Self::Changelog => "changelog",
            Self::Markdown => "markdown",
            Self::Sample => "sample",
            Self::Dotenv => "dotenv",
            Self::Range => "range",
            Self::Notation(notation) => notation.name(),
            Self::Text => "text",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Whether it is a Markdown document.
    pub const fn is_document(self) -> bool {
        matches!(self, Self::Adr | Self::Story | Self::Changelog | Self::Markdown)
    }
}
