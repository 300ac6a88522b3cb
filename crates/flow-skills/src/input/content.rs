//! Content: what a user gives as a text, a file or a pipe, and its kind.

use serde_json::Value;

use crate::notation::{arrows, endpoints, entities, errors, list};

/// Content and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// Its kind.
    pub kind: ContentKind,
    /// The text as given.
    pub text: String,
    /// The value, if it is JSON or YAML.
    pub value: Option<Value>,
}

impl Content {
    pub(super) fn text(kind: ContentKind, text: &str) -> Self {
        Self { kind, text: text.to_owned(), value: None }
    }

    pub(super) fn value(kind: ContentKind, text: &str, value: Value) -> Self {
        Self { kind, text: text.to_owned(), value: Some(value) }
    }
}

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
    /// A conventional commit message, for a skill that accepts one: for most, `test: x` is YAML.
    Commit,
    /// A Gherkin feature file.
    Gherkin,
    /// A document in Markdown, with headings.
    Markdown,
    /// Data: JSON, several JSON values, or YAML.
    Sample,
    /// Environment variables, of which only the names are read, for a skill that accepts them: `a=b` is text too.
    Dotenv,
    /// A range of revisions of a git repository, such as `v1.2.0..HEAD`.
    Range,
    /// Entities: `User: id uuid pk, email string unique`.
    Entities,
    /// Endpoints: `GET /users/{id} -> User`.
    Endpoints,
    /// Arrows: `a -> b -> c: label`.
    Arrows,
    /// Errors: `user not found 404, payment declined 402`.
    Errors,
    /// Items, one per line or bullet, with an optional `type:`.
    List,
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
        (Self::Entities, "entities"),
        (Self::Endpoints, "endpoints"),
        (Self::Arrows, "arrows"),
        (Self::Errors, "errors"),
        (Self::List, "list"),
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

    /// An example of its form, if it is a line notation (docs/notation.md).
    pub const fn example(self) -> Option<&'static str> {
        match self {
            Self::Entities => Some(entities::EXAMPLE),
            Self::Endpoints => Some(endpoints::EXAMPLE),
            Self::Arrows => Some(arrows::EXAMPLE),
            Self::Errors => Some(errors::EXAMPLE),
            Self::List => Some(list::EXAMPLE),
            _ => None,
        }
    }

    /// What the content is and which skills read it, if it is a description of data that most skills have no use for.
    pub const fn readers(self) -> Option<&'static str> {
        match self {
            Self::Ddl => Some(
                "the input is SQL, which api-documentation-generator, diagram-generator, migration-checklist, sql-schema-generator, type-definitions and validation-schema-generator read",
            ),
            Self::JsonSchema => Some(
                "the input is a JSON Schema, which api-documentation-generator, diagram-generator, sql-schema-generator, type-definitions and validation-schema-generator read",
            ),
            Self::OpenApi => Some(
                "the input is an OpenAPI document, which api-documentation-generator, diagram-generator, sql-schema-generator, type-definitions and validation-schema-generator read",
            ),
            _ => None,
        }
    }

    /// Whether a text can only be this notation. A line of it may still not fit, which its reader then names.
    pub fn is_unambiguous(self, text: &str) -> bool {
        match self {
            Self::Entities => entities::is_unambiguous(text),
            Self::Endpoints => endpoints::read(text).is_ok_and(|read| !read.is_empty()),
            Self::Arrows => arrows::read(text).is_ok(),
            Self::Errors => errors::is_unambiguous(text),
            Self::List => list::is_unambiguous(text),
            _ => false,
        }
    }

    /// Whether a text is probably meant as this notation: its first line begins like one.
    pub fn is_likely(self, text: &str) -> bool {
        match self {
            Self::Entities => entities::is_likely(text),
            Self::Endpoints => endpoints::is_likely(text),
            Self::Arrows => text.contains("->"),
            _ => false,
        }
    }
}
