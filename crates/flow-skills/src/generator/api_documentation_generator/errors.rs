//! The errors of an operation: as the existing document describes them, else with a schema of our own.

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::document::{Document, reason};

/// The response keys that stand for several errors.
const GENERAL: [&str; 3] = ["default", "4XX", "4xx"];

impl<'a> Document<'a> {
    /// The errors that an operation usually has, by response key.
    pub(super) fn usual_errors(&mut self, statuses: &[u16]) -> Map<String, Value> {
        let known: Vec<(&str, &Value)> = self.known_errors().collect();
        let is_general = |(key, _): &(&str, &Value)| GENERAL.contains(key);
        if let Some((key, _)) = known.first()
            && !statuses.is_empty()
            && known.iter().all(is_general)
        {
            let all = known.iter().filter(|(own, _)| own == key).map(|(_, response)| *response);
            let response = most_frequent(all).cloned().map(without_examples);
            return response.map(|response| ((*key).to_owned(), response)).into_iter().collect();
        }
        statuses.iter().map(|status| (status.to_string(), self.error(*status, None))).collect()
    }

    /// A response for an error: that of the existing document, else a reference to one that is added.
    pub(super) fn error(&mut self, status: u16, description: Option<&str>) -> Value {
        let reason = reason(status);
        let name = heck::AsUpperCamelCase(&reason).to_string();
        if description.is_none()
            && let Some(known) = self.known_response(status, &name)
        {
            return known;
        }
        let error = json!({ "$ref": "#/components/schemas/Error" });
        let mut content = self.known_content(status).unwrap_or_else(|| {
            self.add_error_schema();
            json!({ "application/json": { "schema": error } })
        });
        for media in content.as_object_mut().into_iter().flat_map(Map::values_mut) {
            if media["schema"] == error
                && let Some(example) = self.error_example(&reason, &error)
            {
                media["example"] = example;
            }
        }
        let response = json!({ "description": description.unwrap_or(&reason), "content": content });
        if description.is_some() {
            return response;
        }
        self.responses.entry(name.clone()).or_insert(response);
        response_reference(&name)
    }

    /// The responses for errors of the existing document's operations, by their keys.
    fn known_errors(&self) -> impl Iterator<Item = (&'a str, &'a Value)> + use<'a> {
        let paths = self.existing.and_then(|own| own.get("paths")?.as_object());
        let operations = paths.into_iter().flat_map(Map::values).filter_map(Value::as_object);
        let responses = operations
            .flat_map(Map::values)
            .filter_map(|operation| operation.get("responses")?.as_object());
        responses
            .flatten()
            .map(|(key, response)| (key.as_str(), response))
            .filter(|(key, _)| key.starts_with(['4', '5']) || GENERAL.contains(key))
    }

    /// A reference to the existing response for a status: the one that the operations use, else the one of this name.
    fn known_response(&self, status: u16, name: &str) -> Option<Value> {
        let status = status.to_string();
        let used =
            self.known_errors().filter(|(key, own)| *key == status && own.get("$ref").is_some());
        let is_there = || self.existing?.pointer("/components/responses")?.get(name);
        let used = most_frequent(used.map(|(_, response)| response)).cloned();
        used.or_else(|| is_there().map(|_| response_reference(name)))
    }

    /// The content that the existing document's operations have for a status, else for errors in general.
    fn known_content(&self, status: u16) -> Option<Value> {
        let status = status.to_string();
        let content = |(_, response): (&str, &'a Value)| {
            let reference = response.get("$ref").and_then(Value::as_str);
            let referred = reference.and_then(|to| self.existing?.pointer(to.strip_prefix('#')?));
            referred.unwrap_or(response).get("content")
        };
        let of_status = self.known_errors().filter(|(key, _)| *key == status).filter_map(content);
        let found = most_frequent(of_status)
            .or_else(|| most_frequent(self.known_errors().filter_map(content)));
        found.cloned().map(without_examples)
    }

    fn add_error_schema(&mut self) {
        if self.schema("Error").is_none() {
            let own = json!({
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string", "description": "A code for programs." },
                    "message": { "type": "string", "description": "A message for people." },
                },
            });
            self.schemas.insert("Error".to_owned(), own);
        }
    }

    /// An example of the schema `Error`, which may be the user's own.
    fn error_example(&self, reason: &str, error: &Value) -> Option<Value> {
        let is_ours =
            self.schema("Error").is_some_and(|own| own["required"] == json!(["code", "message"]));
        let own = || json!({ "code": heck::AsSnakeCase(reason).to_string(), "message": reason });
        if is_ours { Some(own()) } else { self.example(error) }
    }
}

fn response_reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/responses/{name}") })
}

/// A response or its content without examples: they are those of one operation.
fn without_examples(mut own: Value) -> Value {
    let content = if own.get("content").is_some() { &mut own["content"] } else { &mut own };
    for media in content.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Some(media) = media.as_object_mut() {
            media.shift_remove("example");
            media.shift_remove("examples");
        }
    }
    own
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
