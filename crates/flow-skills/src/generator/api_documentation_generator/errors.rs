//! The errors of an operation: as the existing document describes them, else with a schema of our own.

use serde_json::{Map, Value, json};

use super::document::{Document, reason};
use super::known_errors::GENERAL;

impl Document<'_> {
    pub(super) fn usual_errors(&mut self, statuses: &[u16]) -> Map<String, Value> {
        let known = &self.errors.responses;
        if let Some((key, response)) = known.first()
            && !statuses.is_empty()
            && known.keys().all(|key| GENERAL.contains(key))
        {
            let response = without_examples((*response).clone());
            return [((*key).to_owned(), response)].into_iter().collect();
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

    /// A reference to the existing response for a status: the one that the operations use, else the one of this name.
    fn known_response(&self, status: u16, name: &str) -> Option<Value> {
        let used = self.errors.references.get(&*status.to_string());
        let is_there = || self.existing?.pointer("/components/responses")?.get(name);
        let used = used.map(|own| (*own).clone());
        used.or_else(|| is_there().map(|_| response_reference(name)))
    }

    /// The content that the existing document's operations have for a status, else for errors in general.
    fn known_content(&self, status: u16) -> Option<Value> {
        let of_status = self.errors.contents.get(&*status.to_string()).copied();
        of_status.or(self.errors.content).cloned().map(without_examples)
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
        if is_ours { Some(own()) } else { self.example(error, false) }
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
