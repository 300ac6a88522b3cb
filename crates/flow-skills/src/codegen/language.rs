//! The target languages, and their literals for scalars.

use std::collections::HashSet;
use std::iter::Peekable;
use std::str::Chars;

use heck::ToUpperCamelCase;
use indexmap::IndexMap;
use serde_json::Value;

use crate::data::Model;
use crate::output::{Fault, Result, bad_given};
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

pub(super) fn quote(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    // These end a line for some parsers of scripts; Python's `\x7f` and all others are printed as they are.
    quoted.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
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
    let flags = if scan(pattern)?.is_legacy { "" } else { "u" };
    let is_plain = |c: char| !c.is_control() && c != '\u{2028}' && c != '\u{2029}';
    Ok(if !pattern.is_empty() && pattern.chars().all(is_plain) {
        format!("/{}/{flags}", with_slashes(pattern))
    } else {
        format!("new RegExp({}, \"{flags}\")", quote(pattern))
    })
}

/// A pattern with each slash escaped, as a regular expression literal requires.
fn with_slashes(pattern: &str) -> String {
    let mut text = String::new();
    let mut is_escaped = false;
    for c in pattern.chars() {
        if c == '/' && !is_escaped {
            text.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        text.push(c);
    }
    text
}

/// A pattern as a literal of Python, if Pydantic's engine, which has neither look-around nor back references, treats it
/// as ECMA-262 does.
pub(crate) fn write_linear(pattern: &str) -> Result<Option<String>> {
    let needs = scan(pattern)?;
    Ok((!needs.is_legacy && !needs.is_nonlinear).then(|| raw(pattern)))
}

/// A Python string literal, raw if possible.
fn raw(text: &str) -> String {
    let is_raw = !text.contains(|c: char| c == '"' || c.is_control()) && !text.ends_with('\\');
    if is_raw { format!("r\"{text}\"") } else { quote(text) }
}

fn fault(pattern: &str, what: &str) -> Fault {
    let allowed = format!("a regular expression of ECMA-262 in unicode mode: it has {what}");
    bad_given("pattern", quote(pattern), &allowed)
}

/// What a pattern needs of an engine.
struct Scan<'p> {
    pattern: &'p str,
    chars: Peekable<Chars<'p>>,
    depth: usize,
    /// Whether the last construct can be repeated.
    is_atom: bool,
    /// Whether it is valid only without unicode mode.
    is_legacy: bool,
    /// Whether it has a construct that a linear-time engine lacks or treats differently.
    is_nonlinear: bool,
}

fn scan(pattern: &str) -> Result<Scan<'_>> {
    let chars = pattern.chars().peekable();
    let mut scan =
        Scan { pattern, chars, depth: 0, is_atom: false, is_legacy: false, is_nonlinear: false };
    while let Some(c) = scan.chars.next() {
        scan.term(c)?;
    }
    if scan.depth > 0 {
        return Err(fault(pattern, "a group that is not closed"));
    }
    Ok(scan)
}

impl Scan<'_> {
    fn eat(&mut self, text: &str) -> bool {
        let mut ahead = self.chars.clone();
        let is_next = text.chars().all(|c| ahead.next() == Some(c));
        if is_next {
            self.chars = ahead;
        }
        is_next
    }

    /// The text before the next `end`, which is passed.
    fn until(&mut self, end: char) -> String {
        self.chars.by_ref().take_while(|c| *c != end).collect()
    }

    fn term(&mut self, c: char) -> Result<()> {
        let was_atom = std::mem::replace(&mut self.is_atom, true);
        match c {
            '(' => self.group()?,
            ')' if self.depth == 0 => return Err(fault(self.pattern, "a ) too many")),
            ')' => self.depth -= 1,
            '{' if !self.is_quantifier() => self.is_legacy = true,
            '*' | '+' | '?' | '{' => {
                if !was_atom {
                    return Err(fault(self.pattern, &format!("a {c} with nothing before it")));
                }
                if c == '{' {
                    self.until('}');
                }
                self.eat("?");
                self.is_atom = false;
            }
            '}' | ']' => self.is_legacy = true,
            '[' => self.class()?,
            '\\' => self.escape(false)?,
            '^' | '|' | '$' => self.is_atom = false,
            _ => {}
        }
        Ok(())
    }

    fn group(&mut self) -> Result<()> {
        self.depth += 1;
        self.is_atom = false;
        if ["?<=", "?<!", "?=", "?!"].into_iter().any(|kind| self.eat(kind)) {
            self.is_nonlinear = true;
        } else if self.eat("?<") {
            self.until('>');
        } else if !self.eat("?:") && self.chars.peek() == Some(&'?') {
            return Err(fault(self.pattern, "a group of an unknown kind"));
        }
        Ok(())
    }

    /// Whether the text after a brace makes it a quantifier: `{2}`, `{2,}` or `{2,3}`.
    fn is_quantifier(&self) -> bool {
        let ahead: String = self.chars.clone().take_while(|c| *c != '}').collect();
        let is_closed = self.chars.clone().any(|c| c == '}');
        let (low, high) = ahead.split_once(',').unwrap_or((&ahead, ""));
        let is_count = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        is_closed && !low.is_empty() && is_count(low) && is_count(high)
    }

    fn class(&mut self) -> Result<()> {
        self.eat("^");
        if self.eat("]") {
            self.is_nonlinear = true;
            return Ok(());
        }
        loop {
            match self.chars.next() {
                None => return Err(fault(self.pattern, "a class that is not closed")),
                Some(']') => return Ok(()),
                Some('\\') => self.escape(true)?,
                Some(c) => self.is_nonlinear |= matches!(c, '[' | '&' | '~'),
            }
        }
    }

    fn escape(&mut self, in_class: bool) -> Result<()> {
        let Some(c) = self.chars.next() else { return Err(fault(self.pattern, "a \\ at its end")) };
        match c {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' | '/' | '^' | '$'
            | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' => {}
            'b' if in_class => self.is_nonlinear = true,
            'b' | 'B' if !in_class => self.is_atom = false,
            'p' | 'P' if self.eat("{") => _ = self.until('}'),
            'p' | 'P' => return Err(fault(self.pattern, "a \\p without its name")),
            'u' | 'x' | 'c' | '0' => self.code(c)?,
            'k' if self.eat("<") => {
                self.is_nonlinear = true;
                self.until('>');
            }
            '1'..='9' if !in_class => self.is_nonlinear = true,
            '-' if in_class => {}
            // Without unicode mode an unknown escape stands for the character itself.
            _ => self.is_legacy = true,
        }
        Ok(())
    }

    /// Parses the code of `\u0041`, `\u{1f600}`, `\x41`, `\cA` and `\0`.
    fn code(&mut self, kind: char) -> Result<()> {
        self.is_nonlinear = true;
        let is_read = match kind {
            '0' => true,
            'c' => self.chars.next().is_some_and(|c| c.is_ascii_alphabetic()),
            'u' if self.eat("{") => u32::from_str_radix(&self.until('}'), 16).is_ok(),
            'x' => self.hex(2),
            _ => self.hex(4),
        };
        is_read
            .then_some(())
            .ok_or_else(|| fault(self.pattern, &format!("the escape \\{kind} without its code")))
    }

    fn hex(&mut self, count: usize) -> bool {
        let digits: String = self.chars.by_ref().take(count).collect();
        digits.len() == count && u32::from_str_radix(&digits, 16).is_ok()
    }
}
