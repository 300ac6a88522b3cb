//! Where skills over the data model find it: a field, DDL, or what the skill before made.

use serde_json::Value;

use super::model_source::{self, looks_like_sql};
use crate::skill::data::{Model, ddl};
use crate::skill::input::Input;
use crate::skill::output::{Fault, Result};

/// The fields that other readers take.
const FIELDS: [&str; 4] = ["schema", "openapi", "samples", "source"];

/// The data model of an input, and notes of its reader: the field `model`, else
/// `ddl`, else a schema, samples or text, else the upstream skill's.
///
/// # Errors
/// When there is none, or it is not a model.
pub(super) fn model(input: &Input) -> Result<(Model, Vec<String>)> {
    if let Some(value) = input.fields.get("model") {
        return from_value("model", value);
    }
    if let Some(text) = input.text("ddl") {
        return tables("ddl", text);
    }
    if FIELDS.iter().any(|field| input.fields.contains_key(*field)) {
        return model_source::read(input).map(|model| (model, Vec::new()));
    }
    if input.upstream.is_some() {
        return model_source::upstream(input).map(|model| (model, Vec::new()));
    }
    Err(Fault::Missing {
        field: "model".into(),
        expects: "an object, or DDL in the field ddl".into(),
        description: "the data model: entities with their fields, constraints and relations".into(),
    })
}

/// A model in a field: the model's own form, or DDL as text.
pub(super) fn from_value(field: &str, value: &Value) -> Result<(Model, Vec<String>)> {
    if let Some(text) = value.as_str() {
        return tables(field, text);
    }
    let bad = |error: serde_json::Error| Fault::Bad {
        field: field.to_owned(),
        given: given(value),
        allowed: format!("a data model ({error})"),
    };
    serde_json::from_value(value.clone()).map(|model| (model, Vec::new())).map_err(bad)
}

/// DDL, or the one-line form and sentences.
fn tables(field: &str, own: &str) -> Result<(Model, Vec<String>)> {
    if looks_like_sql(own) {
        return ddl::read(own);
    }
    model_source::told(own, field).map(|model| (model, Vec::new()))
}

/// A value as JSON, cut where it is long.
pub(super) fn given(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// One of a few words in a field; the first where it is absent.
pub(super) fn choice<'a>(input: &'a Input, field: &str, allowed: &[&'a str]) -> Result<&'a str> {
    let Some(value) = input.fields.get(field).filter(|value| !value.is_null()) else {
        return Ok(allowed.first().copied().unwrap_or_default());
    };
    let found = value.as_str().and_then(|text| allowed.iter().find(|word| **word == text));
    found.copied().ok_or_else(|| Fault::Bad {
        field: field.to_owned(),
        given: given(value),
        allowed: format!("one of {}", allowed.join(", ")),
    })
}
