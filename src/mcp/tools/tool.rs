//! A tool as a row of the table, and a call of it.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool as Definition, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::files::Files;
use crate::mcp::answer::{self, Refusal};
use crate::mcp::state::{State, Wanted};
use crate::skill::input::typed;

/// A tool.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// When to use it, and what it returns.
    pub(super) description: &'static str,
    /// The JSON Schema of its arguments.
    pub(super) input: fn() -> Value,
    pub(super) run: fn(&Call<'_>) -> answer::Result,
}

/// A call of a tool, on the state of one moment.
pub(super) struct Call<'a> {
    pub(super) state: &'a State,
    pub(super) files: Arc<Files>,
    pub(super) arguments: JsonObject,
    pub(super) wanted: &'a Wanted,
}

impl Call<'_> {
    /// The arguments as the type from which the tool's schema is generated.
    pub(super) fn read<T: DeserializeOwned + JsonSchema>(&self) -> answer::Result<T> {
        typed::read(&self.arguments).map_err(|fault| Refusal::Other(fault.to_string()))
    }

    /// The arguments that were given, by name.
    pub(super) fn given(&self) -> Map<String, Value> {
        typed::without_blanks(&self.arguments)
    }
}

/// Arguments as their schema has them: a number that was given as text, and a list of texts for a text with commas. Models
/// write both.
pub(super) fn understood(arguments: &JsonObject, schema: &Value) -> JsonObject {
    let understood = |(name, value): (&String, &Value)| {
        let kind = schema["properties"][name]["type"].as_str().unwrap_or_default();
        let value = match (kind, value) {
            ("integer", Value::String(text)) => {
                text.trim().parse::<i64>().map_or_else(|_| value.clone(), Value::from)
            }
            ("boolean", Value::String(text)) => {
                text.trim().parse::<bool>().map_or_else(|_| value.clone(), Value::from)
            }
            ("string", Value::Array(items)) => {
                let texts: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
                texts.map_or_else(|| value.clone(), |texts| texts.join(",").into())
            }
            ("object", Value::Object(inner)) => {
                understood(inner, &schema["properties"][name]).into()
            }
            _ => value.clone(),
        };
        (name.clone(), value)
    };
    arguments.iter().map(understood).collect()
}

impl Tool {
    /// The definition that clients receive.
    pub(super) fn definition(&self) -> Definition {
        let hints = ToolAnnotations::with_title(self.title)
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        Definition::new(self.name, self.description, object((self.input)()))
            .with_title(self.title)
            .with_annotations(hints)
    }
}

fn object(schema: Value) -> Arc<JsonObject> {
    match schema {
        Value::Object(map) => Arc::new(map),
        _ => Arc::default(),
    }
}
