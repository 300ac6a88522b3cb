//! The errors of an operation.

use serde_json::{Value, json};

use super::document::{Document, reason};

impl Document<'_> {
    /// A response for an error: a reference to that of the existing document with its name, or to one that is added.
    pub(super) fn error(&mut self, status: u16, description: Option<&str>) -> Value {
        let reason = reason(status);
        let name = heck::AsUpperCamelCase(&reason).to_string();
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        let existing = self
            .existing
            .and_then(|document| document.pointer("/components/responses")?.get(&name));
        if description.is_none() && existing.is_some() {
            return reference;
        }
        self.add_error_schema();
        let schema = json!({ "$ref": "#/components/schemas/Error" });
        let mut media = json!({ "schema": schema });
        if let Some(example) = self.error_example(&reason, &schema) {
            media["example"] = example;
        }
        let content = json!({ "application/json": media });
        let response = json!({ "description": description.unwrap_or(&reason), "content": content });
        if description.is_some() {
            return response;
        }
        self.responses.entry(name).or_insert(response);
        reference
    }

    fn add_error_schema(&mut self) {
        if self.schema("Error").is_none() {
            let schema = json!({
                "type": "object",
                "required": ["code", "message"],
                "properties": {
                    "code": { "type": "string", "description": "A code for programs." },
                    "message": { "type": "string", "description": "A message for people." },
                },
            });
            self.schemas.insert("Error".to_owned(), schema);
        }
    }

    /// An example of the schema `Error`, which may be the user's own.
    fn error_example(&self, reason: &str, error: &Value) -> Option<Value> {
        let is_ours = self
            .schema("Error")
            .is_some_and(|schema| schema["required"] == json!(["code", "message"]));
        let usual = || json!({ "code": heck::AsSnakeCase(reason).to_string(), "message": reason });
        if is_ours { Some(usual()) } else { self.example(error, false) }
    }
}
