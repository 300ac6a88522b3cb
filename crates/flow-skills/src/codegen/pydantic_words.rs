//! Attribute names, and types with their constraints, for Pydantic.

use std::collections::HashSet;

use serde_json::Number;

use super::language::quote;
use super::runtime;
use super::script::message;
use crate::data::{ArrayRules, NumberRules};
use crate::text::lists;

/// Keywords, and names that a model of Pydantic has already.
const TAKEN: &str = "False None True and as assert async await break class classmethod construct continue copy def del dict elif \
    else except finally fits_schema_ for from from_orm global if import in is json lambda nonlocal not or \
    parse_file parse_obj parse_raw pass raise return schema schema_json try update_forward_refs validate while \
    with yield str";

/// A member's name as an unused attribute. `types` are the types of all members: an attribute with the name of one
/// would hide it.
pub(super) fn field_name(key: &str, types: &str, taken: &mut HashSet<String>) -> String {
    let mut name: String =
        key.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    name = name.trim_start_matches('_').to_owned();
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || name.starts_with("model_")
    {
        name.insert_str(0, "field_");
    }
    if lists(TAKEN, &name) || runtime::mentions(types, &name) {
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

pub(super) fn validator(kind: &str, check: &str) -> String {
    let holds = format!("holds({check}, {})", quote(&message(check)));
    if kind.is_empty() { holds } else { format!("{kind}({holds})") }
}

/// `Field(…)` with the keyword arguments that have a value; `None` without any.
pub(super) fn field<'n>(
    rules: impl IntoIterator<Item = (&'n str, Option<String>)>,
) -> Option<String> {
    let given = rules.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
    let given: Vec<String> = given.collect();
    (!given.is_empty()).then(|| format!("Field({})", given.join(", ")))
}

pub(super) fn number(whole: bool, rules: &NumberRules, exact: bool) -> String {
    let mut given = Vec::new();
    let mut checks = Vec::new();
    for (word, check, bound) in [
        ("ge", "minimum", &rules.minimum),
        ("le", "maximum", &rules.maximum),
        ("gt", "exclusive_minimum", &rules.exclusive_minimum),
        ("lt", "exclusive_maximum", &rules.exclusive_maximum),
        ("multiple_of", "multiple_of", &rules.multiple_of),
    ] {
        let Some(bound) = bound else { continue };
        let own = if whole { integer(bound) } else { Some(bound.to_string()) };
        if own.is_none() {
            // Pydantic takes no float as the bound of an integer, and divides by one in floats, which fails on large ones.
            checks.push(validator("BeforeValidator", &format!("{check}({bound})")));
        }
        given.push((word, own));
    }
    let integral = (whole && exact).then(|| "BeforeValidator(integral)".to_owned());
    let marks: Vec<String> = integral.into_iter().chain(field(given)).chain(checks).collect();
    annotated(if whole { "StrictInt" } else { "StrictFloat" }, &marks)
}

/// A number as Python's integer, where it is one that Pydantic holds.
fn integer(number: &Number) -> Option<String> {
    let float = || number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15);
    number.as_i64().map(|own| own.to_string()).or_else(|| float().map(|own| format!("{own:.0}")))
}

pub(super) fn array(item: &str, rules: &ArrayRules, is_scalar: bool) -> String {
    let given = [("min_length", rules.min_items), ("max_length", rules.max_items)];
    let given = given.map(|(name, count)| (name, count.map(|count| count.to_string())));
    let mut marks: Vec<String> = field(given).into_iter().collect();
    if rules.unique_items && is_scalar {
        marks.push("AfterValidator(unique)".to_owned());
    } else if rules.unique_items {
        marks.push(validator("BeforeValidator", "unique_items()"));
    }
    annotated(&format!("list[{item}]"), &marks)
}
