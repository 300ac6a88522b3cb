//! The module around the definitions of a validator for scripts: imports, runtime functions, predicates, comments.

use heck::{ToKebabCase, ToSnakeCase};
use indexmap::IndexMap;

use super::check::Checks;
use super::language::{TargetLanguage, quote};
use crate::data::{Model, Shape};
use crate::output::Result;

/// The predicates of the entities that a program refers to, directly or indirectly.
pub(crate) fn predicates(model: &Model, checks: Checks<'_>, program: &str) -> Result<Vec<String>> {
    let python = checks.language == TargetLanguage::Python;
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
                let (word, end) = if python { ("", "") } else { ("const ", ";") };
                found.insert(entity, format!("{word}{name}: Check = {check}{end}"));
            }
        }
    }
    Ok(found.into_values().collect())
}

/// A predicate and its error message, as two arguments.
pub(crate) fn with_message(check: &str) -> String {
    format!("{check}, {}", quote(&message(check)))
}

pub(crate) fn message(check: &str) -> String {
    let (name, rest) = check.split_once('(').unwrap_or((check, ""));
    let argument = rest.trim_end_matches(')').trim_matches('"');
    let count = |bound: &str, noun: &str| {
        let end = if argument == "1" { "" } else { "s" };
        format!("must have at {bound} {argument} {noun}{end}")
    };
    let name = name.to_snake_case();
    if let Some(format) = name.strip_prefix("format") {
        return format!("must be a valid {}", format.to_kebab_case());
    }
    let message = match name.as_str() {
        "min_length" => return count("least", "character"),
        "max_length" => return count("most", "character"),
        "min_items" => return count("least", "item"),
        "max_items" => return count("most", "item"),
        "min_properties" => return count("least", "member"),
        "max_properties" => return count("most", "member"),
        "multiple_of" => return format!("must be a multiple of {argument}"),
        "pattern" => "must match the pattern",
        "unique_items" => "must not have equal items",
        "required" => "must have every required member",
        "one_of" => "must match exactly one of the alternatives",
        "any_of" => "must match at least one of the alternatives",
        "dependent_required" => "must have the members that another one requires",
        "properties" => "has a member that is not allowed",
        _ => "does not match the schema",
    };
    message.to_owned()
}

/// The comment of a definition: the shape's description, or its title if that differs from the name.
pub(crate) fn comment(shape: Option<&Shape>, name: &str, indent: &str) -> String {
    let title = |shape: &Shape| {
        let title = shape.title.clone()?;
        (super::names::upper(&title) != name).then_some(title)
    };
    let text = shape.and_then(|shape| shape.description.clone().or_else(|| title(shape)));
    describe(text.as_deref(), indent)
}

pub(crate) fn describe(text: Option<&str>, indent: &str) -> String {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return String::new();
    };
    let safe = text.replace("*/", "*\u{200b}/");
    let lines: Vec<&str> = safe.lines().map(str::trim_end).collect();
    if let [one] = lines.as_slice() {
        return format!("{indent}/** {one} */\n");
    }
    let line = |line: &str| format!("{indent} * {line}").trim_end().to_owned() + "\n";
    let body: String = lines.into_iter().map(line).collect();
    format!("{indent}/**\n{body}{indent} */\n")
}

pub(crate) fn block(lines: &[String], depth: usize) -> String {
    if lines.is_empty() {
        return "{}".to_owned();
    }
    let pad = "  ".repeat(depth);
    let body: Vec<String> = lines.iter().map(|line| format!("{pad}  {line},\n")).collect();
    format!("{{\n{}{pad}}}", body.concat())
}
