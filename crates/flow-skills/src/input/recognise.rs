//! Determines the kind of content by its form alone, before any field name is considered. Shared by all skills.

use std::borrow::Cow;

use serde_json::Value;

use super::LARGEST;
use super::notation::Notation;
use crate::output::{Fault, Result};
use crate::page::outside_fences;
use crate::text::{front_matter, heading};

mod content_kind;
mod dotenv;
mod first_line;
mod mapping;
mod object;
mod sql;

pub use content_kind::ContentKind;
pub use dotenv::is_dotenv;
pub use first_line::{COMMIT_TYPES, is_commit, is_feature};
use first_line::{is_log, is_range};
pub use sql::is_sql;

/// Content and its kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// Its kind.
    pub kind: ContentKind,
    /// The text as given.
    pub text: String,
    /// The value, if it is JSON or YAML.
    pub value: Option<Value>,
}

impl Content {
    fn text(kind: ContentKind, text: &str) -> Self {
        Self { kind, text: text.to_owned(), value: None }
    }

    fn value(kind: ContentKind, text: &str, value: Value) -> Self {
        Self { kind, text: text.to_owned(), value: Some(value) }
    }
}

/// The format of the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Detected from the content.
    #[default]
    Any,
    /// JSON.
    Json,
    /// YAML.
    Yaml,
    /// Plain text, without interpretation.
    Text,
}

/// Decodes bytes as text. In SQL, what is not UTF-8 becomes U+FFFD: a dump in another encoding has such bytes in its rows,
/// which are not read; the reader of SQL refuses them elsewhere.
///
/// # Errors
/// When it is too large, or not UTF-8 and no SQL.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>> {
    if bytes.len() > LARGEST {
        let why = format!("the input has {} bytes, over the limit of {LARGEST}", bytes.len());
        return Err(Fault::Unreadable(why));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).into()),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            let at = error.valid_up_to() + 1;
            let fault = || Fault::Unreadable(format!("the input is not UTF-8 at byte {at}"));
            Some(text).filter(|text| is_sql(text)).ok_or_else(fault)
        }
    }
}

/// Determines the kind of a text. Only the given notations are considered, in that order: notations resemble prose, so
/// that only the skill knows which of them are possible.
///
/// # Errors
/// When it begins like JSON, or is said to be JSON or YAML, and is invalid.
pub fn recognise(text: &str, format: Format, notations: &[Notation]) -> Result<Content> {
    match format {
        Format::Json => Ok(classified(text, json(text)?)),
        Format::Yaml => Ok(classified(text, yaml(text)?)),
        Format::Text => Ok(Content::text(ContentKind::Text, text)),
        Format::Any => any(text, notations),
    }
}

/// The content as the kind that `--as` names.
///
/// # Errors
/// When it is not of that kind.
pub fn as_kind(text: &str, kind: ContentKind) -> Result<Content> {
    use ContentKind as K;
    let value = match kind {
        K::Envelope | K::Fields | K::Model | K::OpenApi | K::JsonSchema => {
            Some(serde_json::from_str(text).map_or_else(|_| yaml(text), Ok)?)
        }
        K::Sample => Some(sample(text)?),
        K::Dotenv => Some(dotenv::names(text)?.into()),
        _ => None,
    };
    Ok(Content { kind, text: text.to_owned(), value })
}

fn any(text: &str, notations: &[Notation]) -> Result<Content> {
    let trimmed = text.trim();
    if claims_json(trimmed) {
        return match json(text) {
            Ok(value) => Ok(classified(text, value)),
            Err(error) => several(text).ok_or(error),
        };
    }
    if let Some(value) =
        Some(trimmed).filter(|text| text.starts_with('[')).and_then(|text| json(text).ok())
    {
        return Ok(classified(text, value));
    }
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
        return Ok(Content::text(ContentKind::Gherkin, text));
    }
    if is_sql(text) {
        return Ok(Content::text(ContentKind::Ddl, text));
    }
    let read = notations.iter().find(|notation| notation.is_whole(text));
    if let Some(notation) = read {
        return Ok(Content::text(ContentKind::Notation(*notation), text));
    }
    if let Some(value) = mapping::yaml(trimmed) {
        return Ok(classified(text, value));
    }
    if is_document(trimmed) {
        return Ok(Content::text(ContentKind::Markdown, text));
    }
    let near = notations.iter().find(|notation| notation.is_likely(text));
    let kind = near.map_or(ContentKind::Text, |notation| ContentKind::Notation(*notation));
    Ok(Content::text(kind, text))
}

/// Whether a text begins as only JSON does.
fn claims_json(text: &str) -> bool {
    let next = |open: char| text.strip_prefix(open).map(|rest| rest.trim_start().chars().next());
    matches!(next('{'), Some(None | Some('"' | '}')))
        || matches!(next('['), Some(Some('{' | '"')) if !text.starts_with("[\"") || text.contains("\","))
}

fn json(text: &str) -> Result<Value> {
    serde_json::from_str(text)
        .map_err(|error| Fault::Unreadable(format!("the input is not JSON: {error}")))
}

/// Consecutive JSON values.
fn several(text: &str) -> Option<Content> {
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let values: Vec<Value> = stream.collect::<std::result::Result<_, _>>().ok()?;
    (values.len() > 1).then(|| Content::value(ContentKind::Sample, text, Value::Array(values)))
}

fn yaml(text: &str) -> Result<Value> {
    crate::text::yaml::read(text).map_err(|error: serde_saphyr::Error| {
        let error = error.to_string();
        let first = error.lines().next().unwrap_or_default().trim_start_matches("error: ");
        Fault::Unreadable(format!("the input is not YAML: {first}"))
    })
}

/// The value of a sample in any format.
fn sample(text: &str) -> Result<Value> {
    if let Ok(value) = json(text) {
        return Ok(value);
    }
    let value = several(text).and_then(|content| content.value);
    value.map_or_else(|| yaml(text), Ok)
}

/// The kind of a value.
fn classified(text: &str, value: Value) -> Content {
    let kind = match &value {
        Value::Object(map) => object::kind(map),
        _ => ContentKind::Sample,
    };
    Content::value(kind, text, value)
}

/// Whether a text is a document in Markdown: it has a heading, with hashes or underlined.
fn is_document(text: &str) -> bool {
    let body = front_matter(text).map_or(text, |(_, body)| body);
    let mut above = "";
    outside_fences(body).any(|(_, line)| {
        let is_line = |mark: char| line.len() > 2 && line.trim_end().chars().all(|c| c == mark);
        let is_under = !above.trim().is_empty() && (is_line('=') || is_line('-'));
        above = line;
        heading(line).is_some() || is_under
    })
}
