//! The target languages: their literals of scalars, and the names of types and members.

use std::collections::HashSet;

use flow_model::hidden::{is_hidden, json_escape};
use heck::ToUpperCamelCase;
use indexmap::IndexMap;
use serde_json::Value;

use crate::data::Model;
use crate::data::recognise::singular;
use crate::text::{lists, unused};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetLanguage {
    TypeScript,
    Python,
}

impl TargetLanguage {
    /// A literal of a scalar.
    pub(crate) fn value(self, value: &Value) -> String {
        match (self, value) {
            (Self::Python, Value::Null) => "None".to_owned(),
            (Self::Python, Value::Bool(true)) => "True".to_owned(),
            (Self::Python, Value::Bool(false)) => "False".to_owned(),
            (_, Value::String(text)) => quote(text),
            (_, other) => other.to_string(),
        }
    }

    /// Literals of scalars, with commas between them.
    pub(crate) fn values<'v>(self, values: impl IntoIterator<Item = &'v Value>) -> String {
        let values = values.into_iter().map(|value| self.value(value));
        values.collect::<Vec<_>>().join(", ")
    }
}

/// A literal that is valid in both languages. Invisible characters are escaped.
pub(crate) fn quote(text: &str) -> String {
    // Outside of the basic plane the languages have different escapes.
    let is_escaped = |c: char| is_hidden(c) && c <= '\u{ffff}';
    let shown = |c: char| if is_escaped(c) { json_escape(c) } else { c.to_string() };
    Value::from(text).to_string().chars().map(shown).collect()
}

/// Names that artifacts use, or that their languages reserve.
const TAKEN: &str = include_str!("names.txt");

/// Keywords, and names that a model of Pydantic or the types of its members have already.
const ATTRIBUTES: &str = "False None True and as assert async await break class classmethod construct continue copy def del dict dt \
    elif else except finally for from from_orm global if import in is json lambda list nonlocal not or \
    parse_file parse_obj parse_raw pass raise return schema schema_json str try tuple update_forward_refs \
    validate while with yield";

/// The identifiers of a model's entities.
#[derive(Debug, Clone)]
pub(crate) struct Names(IndexMap<String, String>);

impl Names {
    /// Assigns an identifier to every entity of a model, in order.
    pub(crate) fn of(model: &Model) -> Self {
        let mut names: IndexMap<String, String> = IndexMap::new();
        for (entity, described) in &model.entities {
            let is_unused =
                |name: &str| !names.values().any(|other| other.eq_ignore_ascii_case(name));
            // A table has many rows, and the type is that of one.
            let is_table = described.table.as_ref().is_some_and(|table| table.name.is_some());
            let one = if is_table { singular(entity) } else { entity.clone() };
            let one = Some(upper(&one)).filter(|name| is_unused(name));
            let name = one.unwrap_or_else(|| unused(&upper(entity), is_unused));
            names.insert(entity.clone(), name);
        }
        Self(names)
    }

    /// An entity's identifier, such as `UserGroup`.
    pub(crate) fn upper(&self, entity: &str) -> &str {
        self.0.get(entity).map_or("Unknown_", String::as_str)
    }
}

/// A text as an ASCII type name.
pub(crate) fn upper(text: &str) -> String {
    let mut name = upper_end(text);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "Entity");
    }
    if lists(TAKEN, &name) { name + "Type" } else { name }
}

/// A text as the end of an ASCII type name, which may be a name that artifacts use.
pub(crate) fn upper_end(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    text.to_upper_camel_case()
}

/// A member's name as an unused attribute. One with the name of a type of another member would hide that.
pub(crate) fn attribute(
    key: &str,
    taken: &mut HashSet<String>,
    is_type: impl Fn(&str) -> bool,
) -> String {
    let mut name: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name = name.trim_start_matches('_').to_owned();
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || name.starts_with("model_")
    {
        name.insert_str(0, "field_");
    }
    if lists(ATTRIBUTES, &name) || is_type(&name) {
        name.push('_');
    }
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

pub(crate) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == '$')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')
}

/// Whether every JavaScript object inherits a member with this name, which validators confuse with an own one.
pub(crate) fn is_inherited(key: &str) -> bool {
    const INHERITED: &str = "__proto__ constructor hasOwnProperty isPrototypeOf \
        propertyIsEnumerable toLocaleString toString valueOf __defineGetter__ __defineSetter__ \
        __lookupGetter__ __lookupSetter__";
    lists(INHERITED, key)
}
