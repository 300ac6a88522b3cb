//! What the writers for scripts (Zod, Joi, Yup) have in common: the module around the definitions.

use heck::ToKebabCase;
use indexmap::IndexMap;

use super::check::{Checks, Formats};
use super::literal::TargetLanguage;
use super::names::Names;
use super::plain::{self, Plain};
use super::runtime;
use crate::data::{Model, Shape, StringRules};
use crate::output::Result;

/// A model on its way into a module.
#[derive(Debug)]
pub struct Script<'a> {
    /// The model.
    pub model: &'a Model,
    /// What its entities are called.
    pub names: &'a Names,
    /// Writes predicates.
    pub checks: Checks<'a>,
    /// The entities in the order of their definitions.
    pub order: Vec<&'a str>,
    /// Those that name one that is defined later.
    pub looping: Vec<&'a str>,
}

impl<'a> Script<'a> {
    /// Gets a model ready.
    pub fn new(model: &'a Model, names: &'a Names, formats: Formats) -> Self {
        let (order, looping) = plain::order(model);
        Self {
            model,
            names,
            checks: Checks { tongue: TargetLanguage::Script, names, formats },
            order,
            looping,
        }
    }

    /// An entity's shape in plain words.
    pub fn plain(&self, entity: &str) -> Plain {
        self.model.entities.get(entity).map_or(Plain::Any, |entity| plain::of(&entity.shape))
    }

    /// Whether `entity` may name `other` directly: it is defined by then.
    pub fn is_before(&self, other: &str, entity: &str) -> bool {
        let place = |name| self.order.iter().position(|own| *own == name);
        place(other) < place(entity)
    }

    /// The predicates of a text's rules that a library has no exact words for.
    ///
    /// # Errors
    /// When the pattern is wrong.
    pub fn string_checks(&self, rules: &StringRules) -> Result<Vec<String>> {
        let mut rules = rules.clone();
        // A shortest length of one is the same however characters are counted; a pattern has native words.
        rules.min_length = rules.min_length.filter(|least| *least > 1);
        rules.pattern = None;
        let mut parts = Vec::new();
        self.checks.string(&rules, &mut parts)?;
        Ok(parts)
    }

    /// The whole module.
    ///
    /// # Errors
    /// When a predicate cannot be written.
    pub fn module(&self, head: &str, extra: &str, definitions: &[String]) -> Result<String> {
        let body = definitions.join("\n\n");
        let checks = predicates(self.model, self.checks, &body)?;
        let used = [extra, &checks.join("\n"), &body].join("\n");
        let runtime = runtime::used(&used, TargetLanguage::Script);
        let parts = [head, &runtime, extra, &checks.join("\n"), &body];
        let parts: Vec<&str> =
            parts.into_iter().map(str::trim_end).filter(|part| !part.is_empty()).collect();
        Ok(parts.join("\n\n") + "\n")
    }
}

/// The predicates of the entities that a program refers to, and of those that they refer to.
///
/// # Errors
/// When a predicate cannot be written.
pub fn predicates(model: &Model, checks: Checks<'_>, program: &str) -> Result<Vec<String>> {
    let python = checks.tongue == TargetLanguage::Python;
    let mut found: IndexMap<&str, String> = IndexMap::new();
    let mut open = vec![program.to_owned()];
    while let Some(text) = open.pop() {
        if !text.contains("refer(") {
            continue;
        }
        for (entity, definition) in &model.entities {
            let name = checks.names.check(entity, python);
            let is_named =
                text.contains(&format!("{}{name})", if python { "lambda: " } else { "() => " }));
            if is_named && !found.contains_key(entity.as_str()) {
                let check = checks.shape(&definition.shape)?;
                open.push(check.clone());
                let kind = if python { "" } else { "const " };
                found.insert(
                    entity,
                    format!("{kind}{name}: Check = {check}{}", if python { "" } else { ";" }),
                );
            }
        }
    }
    Ok(found.into_values().collect())
}

/// A predicate and the message of its refusal, as two arguments.
pub fn told(check: &str) -> String {
    format!("{check}, {}", TargetLanguage::Script.text(&words(check)))
}

/// What a predicate asks, in words, for the message of a refusal.
pub fn words(check: &str) -> String {
    let (name, rest) = check.split_once('(').unwrap_or((check, ""));
    let argument = rest.trim_end_matches(')').trim_matches('"');
    match name {
        "minLength" | "min_length" => format!("must have at least {argument} characters"),
        "maxLength" | "max_length" => format!("must have at most {argument} characters"),
        "multipleOf" | "multiple_of" => format!("must be a multiple of {argument}"),
        _ if name.starts_with("format") => {
            format!("must be a valid {}", name.trim_start_matches("format").to_kebab_case())
        }
        "pattern" => "must match the pattern".to_owned(),
        "uniqueItems" | "unique_items" => "must not have equal items".to_owned(),
        "required" => "must have every required member".to_owned(),
        _ => "does not fit the schema".to_owned(),
    }
}

/// A comment over a definition, from a shape's description.
pub fn comment(shape: Option<&Shape>, indent: &str) -> String {
    let text = shape.and_then(|shape| shape.description.as_deref().or(shape.title.as_deref()));
    describe(text, indent)
}

/// A comment over a definition.
pub fn describe(text: Option<&str>, indent: &str) -> String {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return String::new();
    };
    let safe = text.replace("*/", "*\u{200b}/");
    let lines: Vec<&str> = safe.lines().map(str::trim_end).collect();
    match lines.as_slice() {
        [one] => format!("{indent}/** {one} */\n"),
        many => {
            let body: String = many
                .iter()
                .map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n")
                .collect();
            format!("{indent}/**\n{body}{indent} */\n")
        }
    }
}

/// Members of an object literal on lines of their own.
pub fn block(lines: &[String], depth: usize) -> String {
    if lines.is_empty() {
        return "{}".to_owned();
    }
    let pad = "  ".repeat(depth + 1);
    let body: Vec<String> = lines.iter().map(|line| format!("{pad}{line},\n")).collect();
    format!("{{\n{}{}}}", body.concat(), "  ".repeat(depth))
}
