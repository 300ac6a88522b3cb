//! Determines the kind of content by its form alone, before any field name is considered. Shared by all skills.

use serde_json::Value;

use super::LARGEST;
use super::content::{Content, ContentKind};
use super::forms::{
    MOST_VARIABLES, is_commit, is_document, is_dotenv, is_feature, is_log, is_range, is_sql,
    variables,
};
use super::objects::kind_of;
use super::parse::{as_mapping, claims_json, json, sample, several, yaml_value};
use crate::output::{Fault, Result};

/// The contents of a call, of the kind that the user states, or recognised. Blank ones are left out.
///
/// # Errors
/// When one is no text, or begins like JSON and is invalid.
pub fn contents(
    given: &[Vec<u8>],
    stated: Option<ContentKind>,
    accepted: &[ContentKind],
) -> Result<Vec<Content>> {
    let mut contents = Vec::new();
    for bytes in given {
        let text = decode(bytes)?;
        if !text.trim().is_empty() {
            contents.push(of_text(text, stated, accepted)?);
        }
    }
    Ok(contents)
}

/// Decodes bytes as text.
///
/// # Errors
/// When it is too large, or not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str> {
    if bytes.len() > LARGEST {
        let why = format!("the input has {} bytes, over the limit of {LARGEST}", bytes.len());
        return Err(Fault::Unreadable(why));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to() + 1;
        Fault::Unreadable(format!("the input is not UTF-8 at byte {at}"))
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// The value of a field as content, of the kind that the user states, or recognised.
pub(crate) fn of_value(
    value: &Value,
    stated: Option<ContentKind>,
    accepted: &[ContentKind],
) -> Result<Content> {
    if let Value::String(text) = value {
        return of_text(text, stated, accepted);
    }
    let content = of_data("", value.clone());
    Ok(Content { kind: stated.unwrap_or(content.kind), ..content })
}

fn of_text(text: &str, stated: Option<ContentKind>, accepted: &[ContentKind]) -> Result<Content> {
    stated.map_or_else(|| recognise(text, accepted), |kind| as_kind(text, kind))
}

/// The content of a text as the kind that the user states.
fn as_kind(text: &str, kind: ContentKind) -> Result<Content> {
    use ContentKind as K;
    let value = match kind {
        K::Envelope | K::Fields | K::Model | K::OpenApi | K::JsonSchema => {
            Some(json(text).map_or_else(|_| yaml_value(text), Ok)?)
        }
        K::Sample => Some(sample(text)?),
        K::Dotenv => {
            let names = variables(text)?;
            if names.len() > MOST_VARIABLES {
                let why = format!("there are over {MOST_VARIABLES} environment variables");
                return Err(Fault::Unreadable(why));
            }
            Some(names.into())
        }
        _ => None,
    };
    Ok(Content { kind, text: text.to_owned(), value })
}

/// Determines the kind of a text. Notations, commit messages and variables resemble prose and YAML: only those that the
/// skill accepts are considered, in their order.
///
/// # Errors
/// When it begins like JSON and is invalid, or is the output of `git log`.
pub fn recognise(text: &str, accepted: &[ContentKind]) -> Result<Content> {
    let trimmed = text.trim();
    let as_text = |kind| Ok(Content::text(kind, text));
    // What a skill alone accepts comes before what the text may be for others: `fix: x` and `A=b` are YAML and text.
    if accepted.contains(&ContentKind::Commit) && is_commit(text) {
        return as_text(ContentKind::Commit);
    }
    if accepted.contains(&ContentKind::Dotenv) && is_dotenv(text) {
        return as_kind(text, ContentKind::Dotenv);
    }
    // JSON has a beginning that nothing else has, but `[web] -> api` and `{email, password}` are notations.
    if trimmed.starts_with(['{', '[']) {
        match json(text) {
            Ok(value) => return Ok(of_data(text, value)),
            Err(error) if claims_json(trimmed) => {
                let values = several(text)?.ok_or(error)?;
                return Ok(Content::value(ContentKind::Sample, text, values));
            }
            Err(_) => {}
        }
    }
    // Each of these has a first line that no other form has, so that their order does not matter.
    if is_log(trimmed) {
        return Err(Fault::Refused(
            "the input is what `git log` prints; give the range instead, such as main..HEAD, or what `git log --format=%s` prints"
                .to_owned(),
        ));
    }
    if is_range(trimmed) {
        return Ok(Content::text(ContentKind::Range, trimmed));
    }
    if is_feature(trimmed) {
        return as_text(ContentKind::Gherkin);
    }
    if is_sql(text) {
        return as_text(ContentKind::Ddl);
    }
    // A notation that is read whole comes before YAML: `User: id int` is both.
    if let Some(kind) = accepted.iter().find(|kind| kind.is_unambiguous(text)) {
        return as_text(*kind);
    }
    // The comments of YAML are the headings of Markdown.
    if let Some(value) = as_mapping(trimmed, accepted.contains(&ContentKind::JsonSchema)) {
        return Ok(of_data(text, value));
    }
    // A document may have a line that begins like a notation.
    let content = prose(text);
    let likely = accepted.iter().find(|kind| kind.is_likely(text));
    match likely.filter(|_| content.kind == ContentKind::Text) {
        Some(kind) => as_text(*kind),
        None => Ok(content),
    }
}

/// A text as content, whatever its form resembles.
pub(super) fn prose(text: &str) -> Content {
    let is_document = is_document(text.trim());
    let kind = if is_document { ContentKind::Markdown } else { ContentKind::Text };
    Content::text(kind, text)
}

/// A value, as which `text` was read, with its kind.
fn of_data(text: &str, value: Value) -> Content {
    let kind = match &value {
        Value::Object(map) => kind_of(map),
        _ => ContentKind::Sample,
    };
    Content::value(kind, text, value)
}
