//! What the formats in JSON share: why a file is refused, and the text of an id.

use flow_model::fault::Fault;
use flow_model::json::{self, Member};
use flow_model::problem::Effect;
use serde_json::{Map, Value};

use crate::plan::Issue;
use crate::size::MOST_OBJECT;

/// The members of a file's object, each once.
///
/// # Errors
/// When the text is not an object, or is nested too deeply.
pub fn members(text: &str) -> Result<Vec<Member<'_>>, Issue> {
    let read = || {
        if text.trim().is_empty() {
            return Err(Fault::Bad("empty".to_owned()));
        }
        let members = json::members(text)?.unique()?;
        if json::is_too_deep(text) { Err(Fault::TooDeep) } else { Ok(members) }
    };
    read().map_err(|fault| {
        let line = fault.line().unwrap_or(1) as u64;
        let reason = format!("the file is {}", fault.explained(text).of_document());
        Issue { line, effect: Effect::Skipped, reason }
    })
}

/// The object that a text is; `None` if it is none, or larger than is read.
pub fn object(text: &str) -> Option<Map<String, Value>> {
    if text.len() > MOST_OBJECT { None } else { serde_json::from_str(text).ok() }
}

/// The text of an id: `3` and `"3"` are one.
pub fn id_text(id: &Value) -> Option<String> {
    match id {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        _ => None,
    }
}
