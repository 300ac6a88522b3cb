//! The module around the definitions of a validator for scripts: imports, runtime functions, predicates, comments.

use heck::ToKebabCase;
use indexmap::IndexMap;

use super::check::Checks;
use super::language::TargetLanguage;
use crate::data::{Model, Shape};
use crate::output::Result;

/// The predicates of the entities that a program refers to, directly or indirectly.
///
/// # Errors
/// When a predicate cannot be expressed.
pub fn predicates(model: &Model, checks: Checks<'_>, program: &str) -> Result<Vec<String>> {
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
pub fn with_message(check: &str) -> String {
    format!("{check}, {}", TargetLanguage::TypeScript.text(&message(check)))
}

/// The error message of a predicate.
pub fn message(check: &str) -> String {
    let (name, rest) = check.split_once('(').unwrap_or((check, ""));
    let argument = rest.trim_end_matches(')').trim_matches('"');
    let count = |noun: &str| match argument {
        "1" => format!("1 {noun}"),
        many => format!("{many} {noun}s"),
    };
    match name {
        "minLength" | "min_length" => format!("must have at least {}", count("character")),
        "maxLength" | "max_length" => format!("must have at most {}", count("character")),
        "minItems" | "min_items" => format!("must have at least {}", count("item")),
        "maxItems" | "max_items" => format!("must have at most {}", count("item")),
        "minProperties" | "min_properties" => format!("must have at least {}", count("member")),
        "maxProperties" | "max_properties" => format!("must have at most {}", count("member")),
        "multipleOf" | "multiple_of" => format!("must be a multiple of {argument}"),
        _ if name.starts_with("format") => {
            format!("must be a valid {}", name.trim_start_matches("format").to_kebab_case())
        }
        "pattern" => "must match the pattern".to_owned(),
        "uniqueItems" | "unique_items" => "must not have equal items".to_owned(),
        "required" => "must have every required member".to_owned(),
        "oneOf" | "one_of" => "must match exactly one of the alternatives".to_owned(),
        "anyOf" | "any_of" => "must match at least one of the alternatives".to_owned(),
        "dependentRequired" | "dependent_required" => {
            "must have the members that another one requires".to_owned()
        }
        "properties" => "has a member that is not allowed".to_owned(),
        _ => "does not match the schema".to_owned(),
    }
}

/// The comment of a definition: the shape's description, or its title if that differs from the name.
pub fn comment(shape: Option<&Shape>, name: &str, indent: &str) -> String {
    let title = |shape: &Shape| {
        let title = shape.title.clone()?;
        (super::names::upper(&title) != name).then_some(title)
    };
    let text = shape.and_then(|shape| shape.description.clone().or_else(|| title(shape)));
    describe(text.as_deref(), indent)
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

/// Members of an object literal on separate lines.
pub fn block(lines: &[String], depth: usize) -> String {
    if lines.is_empty() {
        return "{}".to_owned();
    }
    let pad = "  ".repeat(depth + 1);
    let body: Vec<String> = lines.iter().map(|line| format!("{pad}{line},\n")).collect();
    format!("{{\n{}{}}}", body.concat(), "  ".repeat(depth))
}
