//! A script's validator library (Zod, Joi, Yup): the names of its constructs, and functions where these differ in more
//! than names. [`super::render`] renders a model with it.

use serde_json::Value;

use super::check::{Checks, Formats};
use super::kind::{Extra, Kind};
use super::lower::Purpose;
use super::names::Names;
use super::order::Ordered;
use crate::data::{Model, StringRules};
use crate::output::Result;

/// A library. The text parameters of its functions are schemas that have been written.
pub(crate) struct Syntax {
    pub(super) import: &'static str,
    /// Functions that only this target needs.
    pub(super) helpers: &'static str,
    pub(super) any: &'static str,
    pub(super) never: &'static str,
    /// Accepts null alone.
    pub(super) null: &'static str,
    pub(super) boolean: &'static str,
    /// Accepts numbers; and those beyond 2^53 too.
    pub(super) number: [&'static str; 2],
    /// Accepts integers; and everything that JSON Schema counts as one, beyond 2^53 too.
    pub(super) integer: [&'static str; 2],
    /// The calls for minimum, maximum, exclusive minimum and exclusive maximum.
    pub(super) bounds: [&'static str; 4],
    /// The call for a divisor, if there is one.
    pub(super) multiple: Option<&'static str>,
    /// The start of a schema for strings.
    pub(super) string: fn(&Renderer<'_>, &StringRules) -> String,
    /// Strings of a format, each with its schema.
    pub(super) formats: &'static [(&'static str, &'static str)],
    /// The call for a regular expression.
    pub(super) pattern: &'static str,
    /// Accepts arrays of anything; and the call for arrays with an item schema.
    pub(super) array: [&'static str; 2],
    /// Suffix of the items of an array.
    pub(super) item: &'static str,
    /// Suffix of an array of scalars that must be distinct.
    pub(super) unique: &'static str,
    /// Suffix of a required member or item.
    pub(super) required: &'static str,
    /// Suffix of an optional item.
    pub(super) optional: &'static str,
    /// Suffix of an optional member of a kind.
    pub(super) optional_member: fn(&Renderer<'_>, &Kind) -> &'static str,
    /// Whether the schema of a member does not imply that the member is required.
    pub(super) is_vague: fn(&Renderer<'_>, &Kind) -> bool,
    /// Text before and after a predicate and its message.
    pub(super) refine: [&'static str; 2],
    /// The same for a predicate that must see the input, where the schema before it may remove members.
    pub(super) refine_input: [&'static str; 2],
    /// The call that adds members to an object, or replaces them.
    pub(super) extend: &'static str,
    /// Text before and after the name of an object whose members are added to those of another.
    pub(super) concat: [&'static str; 2],
    /// The call for all of two schemas of any kind, if there is one.
    pub(super) intersect: Option<&'static str>,
    /// The definition of the renderer's entity.
    pub(super) define: fn(&Renderer<'_>, &Kind, &str) -> String,
    /// Accepts these values alone; the kind is theirs.
    pub(super) literal: fn(&Renderer<'_>, &Kind, &[Value]) -> String,
    /// A list whose items differ by position, and what may follow them; true where all must be there and nothing may.
    pub(super) tuple: fn(&str, Option<&str>, bool) -> Option<String>,
    pub(super) object: fn(&Renderer<'_>, &str, &Extra) -> Result<String>,
    /// An object whose members have names of one kind, and values of one kind.
    pub(super) map: fn(&Renderer<'_>, Option<&Written<'_>>, &Written<'_>) -> Option<String>,
    /// An entity that is defined later.
    pub(super) lazy: fn(&Renderer<'_>, &str) -> String,
    /// A schema that accepts null too.
    pub(super) nullable: fn(&Renderer<'_>, &Written<'_>) -> String,
    /// Accepts what one of the schemas accepts; the last parameter is a member that tells them apart.
    pub(super) union: fn(&Renderer<'_>, &Kind, &str, Option<&str>) -> String,
    /// Accepts what passes predicates; the kind is its static type.
    pub(super) predicate: fn(&Renderer<'_>, &Kind, &[String]) -> String,
    /// A schema with another static type.
    pub(super) typed: fn(String, &str) -> String,
}

/// A schema that has been written, with its kind.
pub(super) struct Written<'k> {
    pub(super) kind: &'k Kind,
    pub(super) text: String,
}

/// A model whose module is being written.
pub(super) struct Module<'m> {
    pub(super) library: &'static Syntax,
    pub(super) model: &'m Model,
    pub(super) names: &'m Names,
    pub(super) checks: Checks<'m>,
    pub(super) purpose: Purpose,
    pub(super) ordered: &'m Ordered<'m>,
}

pub(super) struct Renderer<'m> {
    pub(super) module: &'m Module<'m>,
    pub(super) entity: &'m str,
}

/// How a model is to be checked.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    /// Idiomatic or exact validators.
    pub(crate) purpose: Purpose,
    pub(crate) formats: Formats,
}
