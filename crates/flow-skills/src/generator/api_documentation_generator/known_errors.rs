//! The errors of an existing document's operations, which added operations share.

use indexmap::IndexMap;
use serde_json::{Map, Value};

/// The response keys that stand for several errors.
pub(super) const GENERAL: [&str; 3] = ["default", "4XX", "4xx"];

/// The most frequent errors of an existing document's operations, by response key.
#[derive(Clone, Default)]
pub(super) struct KnownErrors<'a> {
    pub(super) responses: IndexMap<&'a str, &'a Value>,
    /// The references among them.
    pub(super) references: IndexMap<&'a str, &'a Value>,
    pub(super) contents: IndexMap<&'a str, &'a Value>,
    /// The content of any key.
    pub(super) content: Option<&'a Value>,
}

impl<'a> KnownErrors<'a> {
    /// Reads the errors of each operation once.
    pub(super) fn of(document: &'a Value) -> Self {
        let mut all: IndexMap<&str, Vec<&Value>> = IndexMap::new();
        for (key, response) in errors(document) {
            all.entry(key).or_default().push(response);
        }
        let content = |response: &'a Value| {
            let reference = response.get("$ref").and_then(Value::as_str);
            let referred = reference.and_then(|to| document.pointer(to.strip_prefix('#')?));
            referred.unwrap_or(response).get("content")
        };
        let mut known = Self {
            content: most_frequent(all.values().flatten().copied().filter_map(content)),
            ..Self::default()
        };
        for (key, all) in all {
            let references = all.iter().copied().filter(|own| own.get("$ref").is_some());
            known.references.extend(most_frequent(references).map(|own| (key, own)));
            let contents = all.iter().copied().filter_map(content);
            known.contents.extend(most_frequent(contents).map(|own| (key, own)));
            known.responses.extend(most_frequent(all.into_iter()).map(|own| (key, own)));
        }
        known
    }
}

/// The responses for errors of a document's operations, by their keys.
fn errors(document: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let paths = document.get("paths").and_then(Value::as_object);
    let operations = paths.into_iter().flat_map(Map::values).filter_map(Value::as_object);
    let responses = operations
        .flat_map(Map::values)
        .filter_map(|operation| operation.get("responses")?.as_object());
    responses
        .flatten()
        .map(|(key, response)| (key.as_str(), response))
        .filter(|(key, _)| key.starts_with(['4', '5']) || GENERAL.contains(key))
}

/// The first of the values that occur most often.
fn most_frequent<'a>(all: impl Iterator<Item = &'a Value>) -> Option<&'a Value> {
    let mut counts: IndexMap<&Value, usize> = IndexMap::new();
    for value in all {
        *counts.entry(value).or_default() += 1;
    }
    let first = counts.iter().rev().max_by_key(|(_, count)| **count);
    first.map(|(value, _)| *value)
}
