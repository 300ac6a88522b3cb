//! Identifiers for entities: unique, and distinct from keywords and from the names that artifacts use.

use heck::{ToSnakeCase, ToUpperCamelCase};
use indexmap::IndexMap;

use crate::data::Model;
use crate::text::{lists, unused};

/// Names that artifacts use, or that their languages reserve.
const TAKEN: &str = include_str!("names.txt");

/// The identifiers of a model's entities.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    names: IndexMap<String, String>,
    prefix: &'static str,
}

impl Names {
    /// Assigns an identifier to every entity of a model, in order.
    pub(crate) fn of(model: &Model) -> Self {
        let mut names: IndexMap<String, String> = IndexMap::new();
        for entity in model.entities.keys() {
            let is_unused =
                |name: &str| !names.values().any(|other| other.eq_ignore_ascii_case(name));
            let name = unused(&upper(entity), is_unused);
            names.insert(entity.clone(), name);
        }
        Self { names, prefix: "is" }
    }

    /// The same names, with another prefix of predicates than `is`.
    #[must_use]
    pub(crate) fn with_prefix(self, prefix: &'static str) -> Self {
        Self { prefix, ..self }
    }

    /// An entity's identifier, such as `UserGroup`.
    pub(crate) fn upper(&self, entity: &str) -> &str {
        self.names.get(entity).map_or("Unknown_", String::as_str)
    }

    /// The identifier of an entity's predicate, such as `isUserGroup`.
    pub(crate) fn check(&self, entity: &str, python: bool) -> String {
        let upper = self.upper(entity);
        if python {
            format!("{}_{}", self.prefix, snake(upper))
        } else {
            format!("{}{upper}", self.prefix)
        }
    }
}

fn snake(upper: &str) -> String {
    // Two entities may then differ in case only, so digits and underscores that distinguish them are kept.
    let text = upper.to_snake_case();
    let count = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    if count(&text) == count(upper) { text } else { upper.to_lowercase() }
}

/// A text as an ASCII type name.
pub(crate) fn upper(text: &str) -> String {
    let mut name = upper_end(text);
    if name.is_empty() {
        let code =
            text.chars().take(4).fold(String::new(), |code, c| format!("{code}{:x}", u32::from(c)));
        name = format!("Type{}", code.to_uppercase());
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "Type");
    }
    if lists(TAKEN, &name) { name + "Type" } else { name }
}

/// A text as the end of an ASCII type name, which may be a name that artifacts use.
pub(crate) fn upper_end(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' }).collect();
    text.to_upper_camel_case()
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
