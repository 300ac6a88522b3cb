//! Reads the schemas of an `OpenAPI` document, 3.0 or 3.1, into the model: those of `components.schemas`, in Swagger 2 of
//! `definitions`.

use serde_json::Value;

use super::Model;
use super::json_schema::{Dialect, Reader};
use crate::output::{Result, bad};
use crate::stack;

pub(crate) fn read(document: &Value, field: &str) -> Result<Model> {
    let mut reader = Reader::new(document, field, Dialect::OpenApi);
    for path in [&["components", "schemas"][..], &["definitions"]] {
        let pointer = format!("/{}", path.join("/"));
        let named = document.pointer(&pointer).and_then(Value::as_object);
        if named.is_some_and(|all| !all.is_empty()) {
            reader.claim_all(&pointer, path);
            return stack::run(|| reader.finish());
        }
    }
    Err(bad(field, document, "an OpenAPI document with schemas, under components.schemas"))
}
