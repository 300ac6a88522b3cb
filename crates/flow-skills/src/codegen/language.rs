//! The target languages, and their literals for scalars.

use std::collections::HashSet;

use flow_model::hidden::{is_hidden, json_escape};
use heck::ToUpperCamelCase;
use indexmap::IndexMap;
use serde_json::Value;

use crate::data::Model;
use crate::output::{Result, bad_given};
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
    elif else exactly except finally for from from_orm global if import in is json lambda list nonlocal nothing not or \
    parse_file parse_obj parse_raw pass raise return schema schema_json str try tuple unique update_forward_refs \
    validate while with yield";

/// The identifiers of a model's entities.
#[derive(Debug, Clone)]
pub(crate) struct Names(IndexMap<String, String>);

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

/// An expression of TypeScript for the regular expression.
pub(crate) fn write(pattern: &str) -> Result<String> {
    let flags = if needs(pattern)?.is_legacy { "" } else { "u" };
    let is_plain = |c: char| c != '/' && !is_hidden(c);
    Ok(if !pattern.is_empty() && pattern.chars().all(is_plain) {
        format!("/{pattern}/{flags}")
    } else {
        format!("new RegExp({}, \"{flags}\")", quote(pattern))
    })
}

/// A pattern as a literal of Python, if Pydantic's engine, which has neither look-around nor back references, treats it
/// as ECMA-262 does.
pub(crate) fn write_linear(pattern: &str) -> Result<Option<String>> {
    let needs = needs(pattern)?;
    let is_raw =
        !pattern.contains(|c: char| c == '"' || c.is_control()) && !pattern.ends_with('\\');
    let literal = || if is_raw { format!("r\"{pattern}\"") } else { quote(pattern) };
    Ok((!needs.is_legacy && !needs.is_nonlinear).then(literal))
}

/// What a pattern needs of an engine.
#[derive(Default)]
struct Needs {
    /// It is valid only without unicode mode.
    is_legacy: bool,
    /// It has a construct that a linear-time engine lacks or treats differently.
    is_nonlinear: bool,
}

/// Escapes that are the same in every engine.
const ESCAPES: &str = "dDwWsSnrtfv/^$\\.*+?()[]{}|";

/// Reads a pattern as far as it may not be a regular expression, or needs an engine of its own.
fn needs(pattern: &str) -> Result<Needs> {
    let fault = |what: &str| {
        let allowed = format!("a regular expression of ECMA-262 in unicode mode: it has {what}");
        Err(bad_given("pattern", quote(pattern), &allowed))
    };
    let mut needs = Needs::default();
    let (mut depth, mut in_class, mut is_atom) = (0_usize, false, false);
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let was_atom = std::mem::replace(&mut is_atom, true);
        match c {
            '\\' if !in_class && rest.starts_with(['b', 'B']) => {
                (rest, is_atom) = (&rest[1..], false);
            }
            '\\' => {
                let Some(escaped) = rest.chars().next() else {
                    return fault("a \\ with nothing after it");
                };
                rest = &rest[escaped.len_utf8()..];
                let is_property = matches!(escaped, 'p' | 'P') && rest.starts_with('{');
                let is_same =
                    ESCAPES.contains(escaped) || is_property || in_class && escaped == '-';
                let is_own = matches!(escaped, 'b' | 'u' | 'x' | 'c' | 'k' | '0'..='9');
                needs.is_nonlinear |= is_own && !is_same;
                // Without unicode mode an unknown escape stands for the character itself.
                needs.is_legacy |= !is_same && !is_own;
                if is_property || escaped == 'u' && rest.starts_with('{') {
                    rest = rest.split_once('}').map_or("", |(_, rest)| rest);
                }
            }
            ']' if in_class => in_class = false,
            '[' | '&' | '~' if in_class => needs.is_nonlinear = true,
            _ if in_class => {}
            '[' => {
                in_class = true;
                rest = rest.strip_prefix('^').unwrap_or(rest);
                needs.is_nonlinear |= rest.starts_with(']');
            }
            '(' => {
                (depth, is_atom) = (depth + 1, false);
                let Some(kind) = rest.strip_prefix('?') else { continue };
                let looks = ["=", "!", "<=", "<!"].iter().any(|look| kind.starts_with(look));
                needs.is_nonlinear |= looks;
                if !looks && !kind.starts_with([':', '<']) {
                    return fault("a group of an unknown kind");
                }
                rest = &kind[1..];
            }
            ')' if depth == 0 => return fault("a ) too many"),
            ')' => depth -= 1,
            '{' if !is_quantifier(rest) => needs.is_legacy = true,
            '*' | '+' | '?' | '{' if !was_atom => {
                return fault(&format!("a {c} with nothing before it"));
            }
            '*' | '+' | '?' | '{' => {
                if c == '{' {
                    rest = rest.split_once('}').map_or("", |(_, rest)| rest);
                }
                (rest, is_atom) = (rest.strip_prefix('?').unwrap_or(rest), false);
            }
            '}' | ']' => needs.is_legacy = true,
            '^' | '|' | '$' => is_atom = false,
            _ => {}
        }
    }
    match (depth, in_class) {
        (_, true) => fault("a class that is not closed"),
        (1.., _) => fault("a group that is not closed"),
        _ => Ok(needs),
    }
}

/// Whether the text after a brace makes it a quantifier: `{2}`, `{2,}` or `{2,3}`.
fn is_quantifier(rest: &str) -> bool {
    let Some((inside, _)) = rest.split_once('}') else { return false };
    let (low, high) = inside.split_once(',').unwrap_or((inside, ""));
    let is_count = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    !low.is_empty() && is_count(low) && is_count(high)
}
