//! Reads the schemas of an `OpenAPI` document, 3.0 or 3.1, into the model: `components.schemas`. Paths are not looked at.

use serde_json::Value;

use super::json_schema::{Dialect, Reader};
use super::{Model, stack};
use crate::fields::bad;
use crate::output::Result;

/// Reads a document that was given in `field`.
///
/// # Errors
/// When it has no schemas, or one that cannot be read.
pub fn read(document: &Value, field: &str) -> Result<Model> {
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object);
    if schemas.is_none_or(serde_json::Map::is_empty) {
        return Err(bad(
            field,
            document,
            "an OpenAPI document with schemas under components.schemas",
        ));
    }
    let mut reader = Reader::new(document, field, Dialect::OpenApi);
    reader.claim_all("/components/schemas", &["components", "schemas"]);
    stack::run(|| reader.finish())
}
