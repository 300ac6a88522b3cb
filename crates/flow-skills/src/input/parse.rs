//! The values of texts in JSON and YAML.

use flow_model::json::UniqueKeys;
use serde_json::{Map, Value};

use crate::output::{Fault, Result};
use crate::text::yaml;

/// Whether a text begins as only JSON does.
pub(super) fn claims_json(text: &str) -> bool {
    let inside = |open: char| text.strip_prefix(open).map(str::trim_start);
    let is_list = || !text.starts_with("[\"") || text.contains("\",");
    inside('{')
        .is_some_and(|text| text.is_empty() || text.starts_with(['"', '}']) || is_comment(text))
        || inside('[').is_some_and(|text| text.starts_with(['{', '"']) && is_list())
}

/// Whether a text begins with a comment as some programs take it in JSON.
fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

/// The value of a text that is JSON.
pub(crate) fn json(text: &str) -> Result<Value> {
    let value = serde_json::from_str(text).map_err(|error| not_json(text, &error))?;
    serde_json::from_str::<UniqueKeys>(text).map_err(|error| key_given_twice(&error))?;
    Ok(value)
}

fn not_json(text: &str, error: &serde_json::Error) -> Fault {
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let rest = line.get(error.column().saturating_sub(1)..).unwrap_or_default();
    let why = if is_comment(rest) {
        format!("line {} has a comment; comments are not JSON", error.line())
    } else {
        error.to_string()
    };
    Fault::Unreadable(format!("the input is not JSON: {why}"))
}

/// Consecutive JSON values; `None` if there are not several.
///
/// # Errors
/// When an object in them has a key twice.
pub(super) fn several(text: &str) -> Result<Option<Value>> {
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let values: std::result::Result<Vec<Value>, _> = stream.collect();
    let Some(values) = values.ok().filter(|values| values.len() > 1) else { return Ok(None) };
    let mut each = serde_json::Deserializer::from_str(text).into_iter::<UniqueKeys>();
    each.try_for_each(|value| value.map(drop)).map_err(|error| key_given_twice(&error))?;
    Ok(Some(Value::Array(values)))
}

fn key_given_twice(error: &serde_json::Error) -> Fault {
    Fault::Unreadable(format!("in the input, {error}"))
}

/// The value of a text that is YAML.
///
/// # Errors
/// When it is not.
pub fn yaml_value(text: &str) -> Result<Value> {
    yaml::read(text).map_err(|error: serde_saphyr::Error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Fault::Unreadable(format!("the input is not YAML: {first}"))
    })
}

/// The value of a sample in any format.
pub(super) fn sample(text: &str) -> Result<Value> {
    if let Ok(value) = json(text) {
        return Ok(value);
    }
    several(text)?.map_or_else(|| yaml_value(text), Ok)
}

/// YAML that cannot be prose: a document with its marker, or names in small letters. Of one line such as `python: no such
/// user`, and of a list of labelled sentences such as `- fix: …`, only skills over data take it for YAML.
pub(super) fn as_mapping(text: &str, takes_data: bool) -> Option<Value> {
    if text.starts_with(['{', '[']) || !(takes_data || text.contains('\n')) {
        return None;
    }
    let is_marked = text
        .strip_prefix("---\n")
        .is_some_and(|rest| !rest.contains("\n---\n") && !rest.ends_with("\n---"));
    let value: Value = yaml::read(text).ok()?;
    let has_names = |map: &Map<String, Value>| {
        map.keys().all(|key| {
            !key.starts_with(char::is_uppercase)
                && key.chars().all(|c| c.is_alphanumeric() || "_-.$/".contains(c))
        })
    };
    let is_nested = |value: &Value| value.is_object() || value.is_array();
    let is_data = match &value {
        Value::Object(map) => has_names(map),
        Value::Array(items) => {
            let all: Vec<_> = items.iter().filter_map(Value::as_object).collect();
            let is_record = |map: &&Map<_, _>| map.len() > 1 || map.values().any(is_nested);
            all.len() == items.len()
                && all.iter().all(|map| has_names(map))
                && (takes_data || all.iter().any(is_record))
        }
        _ => return None,
    };
    (is_marked || is_data).then_some(value)
}
