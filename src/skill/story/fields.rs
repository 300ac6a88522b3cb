//! Reads the fields of an input that the story skills share, and words the faults.

use serde_json::Value;

use crate::skill::input::Input;
use crate::skill::output::{Artifact, Fault, Result};
use crate::skill::{catalog, engine};

use super::limits::MOST;
use super::text::line;

/// A value that cannot be used.
pub fn bad(field: &str, given: &Value, allowed: &str) -> Fault {
    let shown = given.to_string();
    let given = if shown.chars().count() > 60 {
        shown.chars().take(60).chain(['…']).collect()
    } else {
        shown
    };
    Fault::Bad { field: field.to_owned(), given, allowed: allowed.to_owned() }
}

/// A field without which there is no artifact.
pub fn missing(field: &str, description: &str) -> Fault {
    Fault::Missing {
        field: field.to_owned(),
        expects: "text".into(),
        description: description.to_owned(),
    }
}

/// A text field on one line; `None` when it is absent or blank.
///
/// # Errors
/// When it is no text.
pub fn one(input: &Input, field: &str) -> Result<Option<String>> {
    match input.fields.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(line(text)).filter(|text| !text.is_empty())),
        Some(other) => Err(bad(field, other, "text")),
    }
}

/// The texts of a list, each on one line; blank ones go.
///
/// # Errors
/// When it is no list of texts, or one of too many.
pub fn many(path: &str, value: Option<&Value>) -> Result<Vec<String>> {
    let items = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::String(one)) => {
            return Ok([line(one)].into_iter().filter(|one| !one.is_empty()).collect());
        }
        Some(Value::Array(items)) => items,
        Some(other) => return Err(bad(path, other, "a list of texts")),
    };
    if items.len() > MOST {
        let allowed = format!("a list of at most {MOST} texts, and it has {}", items.len());
        return Err(bad(path, &Value::from(items.clone()), &allowed));
    }
    let mut found = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let text = item.as_str().ok_or_else(|| bad(&format!("{path}[{at}]"), item, "text"))?;
        found.extend([line(text)].into_iter().filter(|text| !text.is_empty()));
    }
    Ok(found)
}

/// One of several words; the first where the field is absent.
///
/// # Errors
/// When it is another.
pub fn choice<'a>(input: &Input, field: &str, allowed: &[&'a str]) -> Result<&'a str> {
    let Some(value) = input.fields.get(field).filter(|value| !value.is_null()) else {
        return Ok(allowed[0]);
    };
    let found = allowed.iter().find(|word| Some(**word) == value.as_str());
    found.copied().ok_or_else(|| bad(field, value, &format!("one of {}", allowed.join(", "))))
}

/// The model of the skill before.
///
/// # Errors
/// When it is of another skill, or not what that skill gives.
pub fn upstream<T: serde::de::DeserializeOwned>(input: &Input, skill: &str) -> Result<Option<T>> {
    let Some((name, data)) = &input.upstream else { return Ok(None) };
    if name != skill {
        return Err(Fault::Refused(format!(
            "what {name} makes cannot be read here; what {skill} makes can"
        )));
    }
    let read = serde_json::from_value(data.clone());
    read.map(Some)
        .map_err(|error| Fault::Refused(format!("the data of {skill} cannot be read: {error}")))
}

/// Renders a template of a skill, with one newline at the end and no run of empty lines.
///
/// # Errors
/// When the template is missing or wrong.
pub fn render(skill: &str, template: &str, data: &Value) -> Result<String> {
    let source = catalog::file(skill, template)
        .ok_or_else(|| Fault::Refused(format!("the skill {skill} has no {template}")))?;
    let text = engine::render(source, data)?;
    let mut out = String::with_capacity(text.len());
    for line in text.lines().map(str::trim_end) {
        if !(line.is_empty() && (out.is_empty() || out.ends_with("\n\n"))) {
            out.push_str(line);
            out.push('\n');
        }
    }
    Ok(out.trim_end().to_owned() + "\n")
}

/// An artifact.
pub fn artifact(path: String, kind: &'static str, text: String) -> Artifact {
    Artifact { path, kind, text }
}

/// A model as a value.
///
/// # Errors
/// Never, for a model of ours.
pub fn value(data: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(data)
        .map_err(|error| Fault::Refused(format!("could not write the data: {error}")))
}
