//! Writes a model as TypeScript: interfaces and types, and on request a guard for each. JSON's values stay what they are:
//! a date is a `string`.

use serde_json::Value;

use super::check::{Checks, Formats};
use super::literal::TargetLanguage;
use super::names::{Names, is_identifier};
use super::plain::{self, Plain};
use super::runtime;
use super::script::{comment, describe, predicates};
use crate::data::{ArrayRules, Model, ObjectRules, Shape, Type};
use crate::output::Result;

/// Whether a module has guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guards {
    /// A function for each entity that tells whether a value fits.
    Written,
    /// Types alone.
    LeftOut,
}

/// A model as a module, with guards if they are asked for.
///
/// # Errors
/// When a guard needs a pattern that is no regular expression.
pub fn write(model: &Model, guards: Guards) -> Result<String> {
    let names = Names::of(model).with_prefix("fits");
    let mut parts: Vec<String> = Vec::new();
    for (entity, definition) in &model.entities {
        let writer =
            Types { names: &names, is_looping: is_looping(&definition.shape), is_lenient: true };
        parts.push(writer.entity(entity, &definition.shape));
    }
    if guards == Guards::Written {
        let made: Vec<String> = model.entities.keys().map(|entity| guard(&names, entity)).collect();
        let program = made.join("\n");
        let checks =
            Checks { tongue: TargetLanguage::Script, names: &names, formats: Formats::Asserted };
        let asked: Vec<String> = model
            .entities
            .keys()
            .map(|entity| format!("refer(() => {})", names.check(entity, false)))
            .collect();
        let predicates = predicates(model, checks, &asked.concat())?.join("\n");
        parts.push(runtime::used(&predicates, TargetLanguage::Script));
        parts.push(predicates);
        parts.push(program);
    }
    Ok(parts.join("\n\n") + "\n")
}

/// Whether a shape becomes a type, not an interface, that names others: then it may name itself on a way round.
pub(super) fn is_looping(shape: &Shape) -> bool {
    let plain = plain::of(shape);
    let mut named = Vec::new();
    plain.references(&mut named);
    match plain.parts() {
        (Plain::Object { fields, .. }, rest) => fields.is_empty() && rest.is_some(),
        (Plain::Check(_), _) => true,
        _ => !named.is_empty(),
    }
}

fn guard(names: &Names, entity: &str) -> String {
    let (name, check) = (names.upper(entity), names.check(entity, false));
    format!("export const is{name} = (value: unknown): value is {name} => {check}(value);")
}

pub(super) struct Types<'n> {
    /// What entities are called.
    pub(super) names: &'n Names,
    /// Whether the entity may name itself on a way round: then a map cannot be a `Record`, which is looked into at once.
    pub(super) is_looping: bool,
    /// Whether a shape that lists members and forgets its type is taken for an object.
    pub(super) is_lenient: bool,
}

impl Types<'_> {
    /// An entity as an interface or a type.
    pub(super) fn entity(&self, entity: &str, shape: &Shape) -> String {
        let name = self.names.upper(entity);
        let comment = comment(Some(shape), "");
        let kind = self.shape(shape, 0);
        if kind.starts_with("{\n") && is_one_block(&kind) {
            format!("{comment}export interface {name} {kind}")
        } else {
            format!("{comment}export type {name} = {kind};")
        }
    }

    /// A shape as a type.
    pub(super) fn shape(&self, shape: &Shape, depth: usize) -> String {
        if shape.never {
            return "never".to_owned();
        }
        let mut parts: Vec<String> = Vec::new();
        if let Some(values) =
            shape.enumeration.as_deref().or(shape.constant.as_ref().map(std::slice::from_ref))
        {
            let fitting = values.iter().filter(|value| fits(value, &shape.types));
            parts.push(union(fitting.map(literal).collect()));
        } else {
            parts.extend(self.typed(shape, depth));
        }
        parts.extend(shape.reference.iter().map(|entity| self.names.upper(entity).to_owned()));
        parts.extend(shape.all_of.iter().map(|shape| self.shape(shape, depth)));
        for shapes in [&shape.any_of, &shape.one_of].into_iter().filter(|shapes| !shapes.is_empty())
        {
            parts.push(union(shapes.iter().map(|shape| self.shape(shape, depth)).collect()));
        }
        parts.retain(|part| part != "unknown");
        let mut distinct: Vec<String> = Vec::new();
        for part in parts {
            if !distinct.contains(&part) {
                distinct.push(part);
            }
        }
        match distinct.as_slice() {
            [] => "unknown".to_owned(),
            [one] => one.clone(),
            many => many.iter().map(|part| bracketed(part, true)).collect::<Vec<_>>().join(" & "),
        }
    }

    /// What the types allow; nothing when they allow all.
    fn typed(&self, shape: &Shape, depth: usize) -> Option<String> {
        let mut types = shape.types.clone();
        if self.is_lenient && types.is_empty() && !shape.object.properties.is_empty() {
            // A schema that lists members and forgets its type means an object.
            types.push(Type::Object);
        }
        let kinds: Vec<String> = types
            .iter()
            .map(|kind| match kind {
                Type::Null => "null".to_owned(),
                Type::Boolean => "boolean".to_owned(),
                Type::Integer | Type::Number => "number".to_owned(),
                Type::String => "string".to_owned(),
                Type::Array => self.array(&shape.array, depth),
                Type::Object => self.object(&shape.object, depth),
            })
            .collect();
        // `null` reads best at the end.
        let (nulls, mut others): (Vec<String>, Vec<String>) =
            kinds.into_iter().partition(|kind| kind == "null");
        others.extend(nulls);
        (!others.is_empty()).then(|| union(others))
    }

    fn array(&self, rules: &ArrayRules, depth: usize) -> String {
        let item =
            rules.items.as_deref().map_or("unknown".to_owned(), |shape| self.shape(shape, depth));
        let list = format!("{}[]", bracketed(&item, false));
        if rules.prefix_items.is_empty() {
            return list;
        }
        let least = usize::try_from(rules.min_items.unwrap_or(0)).unwrap_or(usize::MAX);
        let mut parts: Vec<String> = Vec::new();
        for (at, shape) in rules.prefix_items.iter().enumerate() {
            let mark = if at < least { "" } else { "?" };
            parts.push(format!("{}{mark}", bracketed(&self.shape(shape, depth), false)));
        }
        if item != "never" {
            parts.push(format!("...{list}"));
        }
        format!("[{}]", parts.join(", "))
    }

    fn object(&self, rules: &ObjectRules, depth: usize) -> String {
        let mut keys: Vec<&String> = rules.properties.keys().collect();
        keys.extend(rules.required.iter().filter(|key| !rules.properties.contains_key(*key)));
        keys.dedup();
        let extra = self.additional(rules, depth);
        if keys.is_empty() {
            let value = extra.unwrap_or_else(|| "unknown".to_owned());
            return if self.is_looping {
                format!("{{ [key: string]: {value} }}")
            } else {
                format!("Record<string, {value}>")
            };
        }
        let pad = "  ".repeat(depth + 1);
        let mut body = String::new();
        for key in keys {
            let shape = rules.properties.get(key);
            let kind = shape.map_or("unknown".to_owned(), |shape| self.shape(shape, depth + 1));
            let name =
                if is_identifier(key) { key.clone() } else { TargetLanguage::Script.text(key) };
            let mark = if rules.required.contains(key) { "" } else { "?" };
            let about = describe(shape.and_then(|shape| shape.description.as_deref()), &pad);
            body = format!("{body}{about}{pad}{name}{mark}: {kind};\n");
        }
        if extra.is_some_and(|extra| extra != "never") {
            // Members that are named have types of their own, which an index signature must take in.
            body = format!("{body}{pad}[key: string]: unknown;\n");
        }
        format!("{{\n{body}{}}}", "  ".repeat(depth))
    }

    /// What members beside the named ones are, where something is said of them.
    fn additional(&self, rules: &ObjectRules, depth: usize) -> Option<String> {
        let mut kinds: Vec<String> =
            rules.pattern_properties.values().map(|shape| self.shape(shape, depth)).collect();
        match &rules.additional {
            None if kinds.is_empty() => return None,
            None => kinds.push("unknown".to_owned()),
            Some(shape) if shape.never && !kinds.is_empty() => {}
            Some(shape) => kinds.push(self.shape(shape, depth)),
        }
        Some(union(kinds))
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(literal).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}: {}", TargetLanguage::Script.text(key), literal(value))
            };
            let members: Vec<String> = map.iter().map(member).collect();
            if members.is_empty() {
                "Record<string, never>".to_owned()
            } else {
                format!("{{ {} }}", members.join("; "))
            }
        }
        // A number's type is itself only where scripts hold it exactly; `-0` and the like are written as they are.
        Value::Number(number) if number.to_string().contains(['e', 'E']) => "number".to_owned(),
        other => TargetLanguage::Script.value(other),
    }
}

fn fits(value: &Value, types: &[Type]) -> bool {
    types.is_empty()
        || types.iter().any(|kind| match kind {
            Type::Null => value.is_null(),
            Type::Boolean => value.is_boolean(),
            Type::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Type::Number => value.is_number(),
            Type::String => value.is_string(),
            Type::Array => value.is_array(),
            Type::Object => value.is_object(),
        })
}

/// One of several types, each once; all is all.
fn union(kinds: Vec<String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for kind in kinds {
        if kind != "never" && !distinct.contains(&kind) {
            distinct.push(kind);
        }
    }
    if distinct.iter().any(|kind| kind == "unknown") {
        return "unknown".to_owned();
    }
    match distinct.as_slice() {
        [] => "never".to_owned(),
        many => many.join(" | "),
    }
}

/// A type in brackets, where it would be read otherwise without.
fn bracketed(kind: &str, in_intersection: bool) -> String {
    let mut depth = 0_i32;
    let mut quoted = false;
    let mut before = ' ';
    let mut found = false;
    for c in kind.chars() {
        match c {
            '"' if before != '\\' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' | '(' | '<' => depth += 1,
            '}' | ']' | ')' | '>' => depth -= 1,
            '|' if depth == 0 => found = true,
            '&' if depth == 0 && !in_intersection => found = true,
            _ => {}
        }
        before = if before == '\\' { ' ' } else { c };
    }
    if found { format!("({kind})") } else { kind.to_owned() }
}

/// Whether a type is one block from its first bracket to its last.
fn is_one_block(kind: &str) -> bool {
    kind.match_indices("\n}").next().is_some_and(|(at, _)| at + 2 == kind.len())
}
