//! The words of Pydantic: names of attributes, and types with their constraints.

use std::collections::HashSet;

use super::literal::TargetLanguage;
use super::runtime;
use super::script::words;
use crate::data::{ArrayRules, NumberRules};

/// Names that a field would hide, or that a model has already.
const TAKEN: [&str; 63] = [
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "construct",
    "continue",
    "copy",
    "def",
    "del",
    "dict",
    "elif",
    "else",
    "except",
    "finally",
    "float",
    "for",
    "from",
    "from_orm",
    "global",
    "if",
    "import",
    "in",
    "int",
    "is",
    "json",
    "lambda",
    "list",
    "nonlocal",
    "not",
    "or",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "pass",
    "raise",
    "return",
    "schema",
    "schema_json",
    "set",
    "str",
    "try",
    "tuple",
    "type",
    "update_forward_refs",
    "validate",
    "while",
    "with",
    "yield",
    "bool",
    "bytes",
    "re",
    "unicodedata",
    "holds",
    "given",
    "integral",
    "fits_schema_",
    "object",
];

/// A member's name as an attribute that is free in the class.
pub(super) fn field_name(key: &str, taken: &mut HashSet<String>) -> String {
    let mut name: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name = name.trim_start_matches('_').to_owned();
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || name.starts_with("model_")
    {
        name.insert_str(0, "field_");
    }
    // A capital letter begins the names of types, which a field must not hide.
    let hides = name.starts_with(|c: char| c.is_ascii_uppercase()) || runtime::is_defined(&name);
    if hides || TAKEN.contains(&name.as_str()) {
        name.push('_');
    }
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

pub(super) fn annotated(base: &str, marks: &[String]) -> String {
    if marks.is_empty() {
        base.to_owned()
    } else {
        format!("Annotated[{base}, {}]", marks.join(", "))
    }
}

pub(super) fn checked(base: &str, check: &str) -> String {
    annotated(base, &[validator("AfterValidator", check)])
}

pub(super) fn validator(kind: &str, check: &str) -> String {
    let held = format!("holds({check}, {})", TargetLanguage::Python.text(&words(check)));
    if kind.is_empty() { held } else { format!("{kind}({held})") }
}

pub(super) fn fields(rules: &[(&str, Option<u64>)]) -> Option<String> {
    let given: Vec<String> =
        rules.iter().filter_map(|(name, count)| Some(format!("{name}={}", (*count)?))).collect();
    (!given.is_empty()).then(|| format!("Field({})", given.join(", ")))
}

pub(super) fn number(whole: bool, rules: &NumberRules) -> String {
    let bounds = [
        ("ge", &rules.minimum),
        ("le", &rules.maximum),
        ("gt", &rules.exclusive_minimum),
        ("lt", &rules.exclusive_maximum),
    ];
    let given: Vec<String> = bounds
        .into_iter()
        .filter_map(|(name, bound)| Some(format!("{name}={}", bound.as_ref()?)))
        .collect();
    let mut marks = Vec::new();
    if whole {
        marks.push("BeforeValidator(integral)".to_owned());
    }
    if !given.is_empty() {
        marks.push(format!("Field({})", given.join(", ")));
    }
    if let Some(step) = &rules.multiple_of {
        marks.push(validator("BeforeValidator", &format!("multiple_of({step})")));
    }
    annotated(if whole { "StrictInt" } else { "StrictFloat" }, &marks)
}

pub(super) fn array(item: &str, rules: &ArrayRules) -> String {
    let mut marks: Vec<String> =
        fields(&[("min_length", rules.min_items), ("max_length", rules.max_items)])
            .into_iter()
            .collect();
    if rules.unique_items {
        marks.push(validator("BeforeValidator", "unique_items()"));
    }
    annotated(&format!("list[{item}]"), &marks)
}
