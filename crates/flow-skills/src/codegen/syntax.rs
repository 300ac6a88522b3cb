//! The syntax of a script's validator library (Zod, Joi, Yup), and the constructs that differ between them.
//! [`super::render`] renders a model with it.

use serde_json::Value;

use super::check::{Checks, Formats};
use super::kind::{Extra, Kind};
use super::lower::Purpose;
use super::names::Names;
use super::order::Ordered;
use crate::data::{Model, StringRules};
use crate::output::Result;

/// The names of a library's constructs.
#[derive(Debug)]
pub struct Syntax {
    /// The line that imports it.
    pub import: &'static str,
    /// Functions that only this target needs, each with the text that indicates its use; one may use those before it.
    pub helpers: &'static [(&'static str, &'static str)],
    /// Accepts any value.
    pub any: &'static str,
    /// Accepts no value.
    pub never: &'static str,
    /// Accepts true and false.
    pub boolean: &'static str,
    /// Accepts numbers; and those beyond 2^53 too.
    pub number: [&'static str; 2],
    /// Accepts integers; and everything that JSON Schema counts as one, beyond 2^53 too.
    pub integer: [&'static str; 2],
    /// The calls for minimum, maximum, exclusive minimum and exclusive maximum.
    pub bounds: [&'static str; 4],
    /// The call for a divisor, if there is one.
    pub multiple: Option<&'static str>,
    /// Accepts strings.
    pub string: &'static str,
    /// Strings of a format, each with its schema.
    pub formats: &'static [(&'static str, &'static str)],
    /// The call for a regular expression.
    pub pattern: &'static str,
    /// Accepts arrays of anything; and the call for arrays with an item schema.
    pub array: [&'static str; 2],
    /// Suffix of the items of an array.
    pub item: &'static str,
    /// Suffix of an array of scalars that must be distinct.
    pub unique: &'static str,
    /// Suffix of a required member.
    pub required: &'static str,
    /// Suffix of an optional member.
    pub optional: &'static str,
    /// Text before and after a predicate and its message.
    pub refine: [&'static str; 2],
    /// The same for a predicate that must see the input, where the schema before it may remove members.
    pub refine_input: [&'static str; 2],
    /// Accepts null alone.
    pub null: &'static str,
    /// The call that adds members to an object, or replaces them.
    pub extend: &'static str,
    /// Text before and after the name of an object whose members are added to those of another.
    pub concat: [&'static str; 2],
    /// The call for all of two schemas of any kind, if there is one.
    pub intersect: Option<&'static str>,
}

/// A schema that has been written, with its kind.
pub struct Written<'k> {
    /// The kind.
    pub kind: &'k Kind,
    /// The schema.
    pub text: String,
}

/// A model whose module is being written.
pub struct Module<'m> {
    pub(super) library: &'m dyn Library,
    pub(super) model: &'m Model,
    pub(super) names: &'m Names,
    /// Writes predicates.
    pub checks: Checks<'m>,
    pub(super) purpose: Purpose,
    pub(super) ordered: &'m Ordered<'m>,
}

/// Renders one entity.
pub struct Renderer<'m> {
    /// The module that it is in.
    pub module: &'m Module<'m>,
    /// The entity.
    pub entity: &'m str,
}

/// The constructs that differ between libraries. Text parameters are schemas that have been written.
pub trait Library {
    /// The names of its constructs.
    fn syntax(&self) -> &'static Syntax;

    /// The definition of the renderer's entity.
    fn define(&self, renderer: &Renderer<'_>, kind: &Kind, schema: &str) -> String;

    /// Accepts these values alone; `kind` is their kind.
    fn literal(&self, renderer: &Renderer<'_>, kind: &Kind, values: &[Value]) -> String;

    /// A list whose items differ by position, and what may follow them; `is_fixed` where all must be there and nothing may.
    fn tuple(&self, items: &str, rest: Option<&str>, is_fixed: bool) -> Option<String>;

    /// An object with these members.
    ///
    /// # Errors
    /// When a pattern is not a valid regular expression.
    fn object(&self, renderer: &Renderer<'_>, members: &str, extra: &Extra) -> Result<String>;

    /// An object whose members have values of one kind.
    fn map(
        &self,
        renderer: &Renderer<'_>,
        key: Option<&Written<'_>>,
        value: &Written<'_>,
    ) -> Option<String>;

    /// An entity that is defined later.
    fn lazy(&self, renderer: &Renderer<'_>, name: &str) -> String;

    /// A schema that accepts null too.
    fn nullable(&self, renderer: &Renderer<'_>, inner: &Written<'_>) -> String;

    /// Accepts what one of the schemas accepts; `tag` is a member that tells them apart.
    fn union(
        &self,
        renderer: &Renderer<'_>,
        kind: &Kind,
        branches: &str,
        tag: Option<&str>,
    ) -> String;

    /// Accepts what passes predicates; `kind` is its static type.
    fn predicate(&self, renderer: &Renderer<'_>, _kind: &Kind, checks: &[String]) -> String {
        let any = self.syntax().any.to_owned();
        checks.iter().fold(any, |text, check| renderer.refine(&text, check))
    }

    /// A schema with another static type.
    fn typed(&self, text: String, _known: &str) -> String {
        text
    }

    /// The start of a schema for strings.
    fn string(&self, _renderer: &Renderer<'_>, _rules: &StringRules) -> String {
        self.syntax().string.to_owned()
    }

    /// Suffix of an optional member.
    fn optional(&self, _renderer: &Renderer<'_>, _kind: &Kind) -> &'static str {
        self.syntax().optional
    }

    /// Whether the schema of a member does not imply that the member is required.
    fn is_vague(&self, _renderer: &Renderer<'_>, _kind: &Kind) -> bool {
        false
    }
}

/// How a model is to be checked.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Idiomatic or exact validators.
    pub purpose: Purpose,
    /// How the keyword `format` is treated.
    pub formats: Formats,
}
